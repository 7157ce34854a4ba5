#include "test_choice.h"

#include "../base/buf.h"
#include "../base/path.h"

#define FILE_MARK "{file}"
#define DIR_MARK  "{dir}" /* of the file, from the root */

/* What an argument makes of an exact name. */
enum name_form { NAME_WHOLE, NAME_DOTTED, NAME_SPACED, NAME_TITLE, NAME_FORMS };

static const char *const name_marks[] = {
	[NAME_WHOLE] = "{test}",
	[NAME_DOTTED] = "{dotted}", /* "A.b" of a.py::A::b */
	[NAME_SPACED] = "{spaced}", /* "a b c" of "a › b › c" */
	[NAME_TITLE] = "{title}",   /* "c" of that */
};

static const struct str level = STR(" › "), any_text = STR("…");

/* NAME_FORMS: it has none. */
static enum name_form form_of(const char *arg)
{
	enum name_form form = 0;

	while (form < NAME_FORMS && !strstr(arg, name_marks[form]))
		form++;
	return form;
}

const char *const *const *test_choice_steps(const struct test_choice *c, const struct task *t)
{
	if (c->names)
		return c->file.n ? t->within : t->exact;
	if (c->file.n)
		return t->file;
	return c->test.n ? t->one : t->steps;
}

static void add_filled(struct buf *out, const char *arg, const char *mark, struct str name)
{
	struct str rest = str_of(arg), sign = str_of(mark);
	ptrdiff_t at;

	while ((at = str_find(rest, sign)) >= 0) {
		buf_add(out, str_sub(rest, 0, (size_t)at));
		buf_add(out, name);
		rest = str_sub(rest, (size_t)at + sign.n, rest.n);
	}
	buf_add(out, rest);
}

/* As a pattern that means this name; "/" stands between parts of it to go. */
static void add_quoted(struct buf *out, struct str name, const char *quote)
{
	const char *signs = *quote == '%' ? "%^$.?*+-()[]" : "\\^$.|?*+()[]{}";

	for (size_t i = 0; i < name.n; i++) {
		if (str_starts(str_sub(name, i, name.n), any_text)) {
			buf_adds(out, ".*");
			i += any_text.n - 1;
			continue;
		}
		if (strchr(signs, name.p[i]))
			buf_adds(out, quote);
		buf_add(out, str_sub(name, i, i + 1));
	}
}

static const char *kept(struct arena *texts, struct buf *text)
{
	const char *p = arena_str(texts, buf_str(text)).p;

	buf_release(text);
	return p;
}

/* With another sign between its parts. */
static void add_parts(struct buf *out, struct str name, struct str between, const char *instead)
{
	ptrdiff_t at;

	while ((at = str_find(name, between)) >= 0) {
		buf_add(out, str_sub(name, 0, (size_t)at));
		buf_adds(out, instead);
		name = str_sub(name, (size_t)at + between.n, name.n);
	}
	buf_add(out, name);
}

static void add_form(struct buf *out, enum name_form form, struct str id)
{
	ptrdiff_t at = form == NAME_DOTTED ? str_find(id, STR("::")) : -1;

	if (form == NAME_DOTTED)
		add_parts(out, at < 0 ? id : str_sub(id, (size_t)at + 2, id.n), STR("::"), ".");
	else if (form == NAME_SPACED)
		add_parts(out, id, level, " ");
	else {
		while (form == NAME_TITLE && (at = str_find(id, level)) >= 0)
			id = str_sub(id, (size_t)at + level.n, id.n);
		buf_add(out, id);
	}
}

/* With an exact name. */
static void add_named(struct buf *out, const struct task *t, const char *arg, struct str id)
{
	enum name_form form = form_of(arg);
	struct buf name SCOPED(buf_release) = BUF_INIT, quoted SCOPED(buf_release) = BUF_INIT;

	add_form(&name, form, id);
	if (t->quote)
		add_quoted(&quoted, buf_str(&name), t->quote);
	else
		buf_add(&quoted, buf_str(&name));
	add_filled(out, arg, name_marks[form], buf_str(&quoted));
}

/* What all names make of one argument. */
static const char *joined(const struct test_choice *c, const struct task *t, const char *arg,
			  struct arena *texts)
{
	struct buf all = BUF_INIT;

	json_each(v, c->names) {
		buf_adds(&all, all.n ? t->between : "");
		add_named(&all, t, arg, json_text(v));
	}
	return kept(texts, &all);
}

/* That takes the next argument, perhaps. */
static bool is_option(const char *arg)
{
	return *arg == '-' && strcmp(arg, "--") != 0 && !strchr(arg, '=');
}

/* Puts in what the names make of argv[i], which has the mark, one argument for each. */
static size_t repeat(const struct test_choice *c, const struct task *t, const char *const *argv,
		     size_t i, const char **out, size_t n, struct arena *texts)
{
	const char *option =
		i && is_option(argv[i - 1]) && !is_option(argv[i]) ? argv[i - 1] : NULL;
	bool first = true;

	json_each(v, c->names) {
		struct buf text = BUF_INIT;

		if (option && !first)
			out[n++] = option;
		first = false;
		add_named(&text, t, argv[i], json_text(v));
		out[n++] = kept(texts, &text);
	}
	return n;
}

static const char *const *fill_step(const struct test_choice *c, const struct task *t,
				    const char *const *argv, struct arena *texts)
{
	size_t n = 0, k = 0;
	const char **out;

	while (argv[k])
		k++;
	out = arena_new(texts, (k * (2 * json_len(c->names) + 1) + 1) * sizeof(*out));
	for (size_t i = 0; i < k; i++) {
		struct buf text = BUF_INIT;

		if (c->names && form_of(argv[i]) < NAME_FORMS) {
			if (t->between)
				out[n++] = joined(c, t, argv[i], texts);
			else
				n = repeat(c, t, argv, i, out, n, texts);
			continue;
		}
		if (strstr(argv[i], DIR_MARK))
			add_filled(&text, argv[i], DIR_MARK, path_dir(c->file));
		else if (c->file.n)
			add_filled(&text, argv[i], FILE_MARK, c->file);
		else
			add_filled(&text, argv[i], name_marks[NAME_WHOLE], c->test);
		out[n++] = kept(texts, &text);
	}
	return out;
}

const char *const *const *test_choice_fill(const struct test_choice *c, const struct task *t,
					   struct arena *texts)
{
	const char *const *const *steps = test_choice_steps(c, t);
	const char *const **out;
	size_t n = 0;

	if (steps == t->steps)
		return steps;
	while (steps[n])
		n++;
	out = arena_new(texts, (n + 1) * sizeof(*out));
	for (size_t i = 0; i < n; i++)
		out[i] = fill_step(c, t, steps[i], texts);
	return out;
}
