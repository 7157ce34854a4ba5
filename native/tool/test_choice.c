#include "test_choice.h"

#include "../base/buf.h"
#include "../base/path.h"

/* Between the parts of a name as titles have it, and what stands for text that is not known. */
static const struct str level = STR(" › "), unknown = STR("…");

static void add_replaced(struct buf *out, struct str text, struct str old, struct str new)
{
	ptrdiff_t at;

	while ((at = str_find(text, old)) >= 0) {
		buf_add(out, str_sub(text, 0, (size_t)at));
		buf_add(out, new);
		text = str_sub(text, (size_t)at + old.n, text.n);
	}
	buf_add(out, text);
}

static void add_dotted(struct buf *out, struct str name)
{
	ptrdiff_t file = str_find(name, STR("::"));

	add_replaced(out, file < 0 ? name : str_sub(name, (size_t)file + 2, name.n), STR("::"),
		     STR("."));
}

static void add_spaced(struct buf *out, struct str name)
{
	add_replaced(out, name, level, STR(" "));
}

static void add_title(struct buf *out, struct str name)
{
	struct str all = STR(" › …");
	ptrdiff_t at;

	if (str_ends(name, all))
		name = str_sub(name, 0, name.n - all.n);
	while ((at = str_find(name, level)) >= 0)
		name = str_sub(name, (size_t)at + level.n, name.n);
	buf_add(out, name);
}

/* What of an exact name takes the place of a mark. */
static const struct form {
	const char *mark;
	void (*add)(struct buf *out, struct str name);
} forms[] = {
	{ "{test}", buf_add },
	{ "{dotted}", add_dotted }, /* "A.b" of "a.py::A::b" */
	{ "{spaced}", add_spaced }, /* "a b" of "a › b" */
	{ "{title}", add_title }, /* "b" of that, and of all that is below it: "a › b › …" */
	{ NULL, NULL },
};

/* The one that an argument has the mark of; NULL: none. */
static const struct form *form_of(const char *arg)
{
	const struct form *f = forms;

	while (f->mark && !strstr(arg, f->mark))
		f++;
	return f->mark ? f : NULL;
}

/* As a pattern that matches nothing else. */
static void add_quoted(struct buf *out, struct str text, const char *quote)
{
	const char *special = *quote == '%' ? "%^$.?*+-()[]" : "\\^$.|?*+()[]{}";

	while (text.n) {
		struct str next = str_starts(text, unknown) ? unknown : str_sub(text, 0, 1);

		if (next.n > 1)
			buf_adds(out, ".*");
		else
			buf_addf(out, "%s%c", strchr(special, *next.p) ? quote : "", *next.p);
		text = str_sub(text, next.n, text.n);
	}
}

/* The arguments of one program, as they become. */
struct filling {
	const struct test_choice *choice;
	const struct task *task;
	const char **argv;
	size_t n;
	struct arena *texts;
};

static void push(struct filling *f, struct buf *text)
{
	f->argv[f->n++] = arena_str(f->texts, buf_str(text)).p;
	buf_clear(text);
}

static void add_named(struct buf *out, const struct task *t, const char *arg, struct str name)
{
	const struct form *form = form_of(arg);
	struct buf text SCOPED(buf_release) = BUF_INIT, quoted SCOPED(buf_release) = BUF_INIT;

	form->add(&text, name);
	if (t->quote)
		add_quoted(&quoted, buf_str(&text), t->quote);
	add_replaced(out, str_of(arg), str_of(form->mark), buf_str(t->quote ? &quoted : &text));
}

/* One argument for all names; or one for each, with the option again that stands before it. */
static void push_named(struct filling *f, const char *arg, const char *option)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;

	json_each(name, f->choice->names) {
		if (text.n && f->task->between) {
			buf_adds(&text, f->task->between);
		} else if (text.n) {
			push(f, &text);
			if (option)
				f->argv[f->n++] = option;
		}
		add_named(&text, f->task, arg, json_text(name));
	}
	push(f, &text);
}

static void push_placed(struct filling *f, const char *arg)
{
	const struct test_choice *c = f->choice;
	struct buf text SCOPED(buf_release) = BUF_INIT;

	if (strstr(arg, "{dir}"))
		add_replaced(&text, str_of(arg), STR("{dir}"), path_dir(c->file));
	else if (c->file.n)
		add_replaced(&text, str_of(arg), STR("{file}"), c->file);
	else
		add_replaced(&text, str_of(arg), STR("{test}"), c->test);
	push(f, &text);
}

/* Whether it may take the next argument. */
static bool is_option(const char *arg)
{
	return *arg == '-' && strcmp(arg, "--") != 0 && !strchr(arg, '=');
}

static const char *const *fill_step(const struct test_choice *c, const struct task *t,
				    const char *const *argv, struct arena *texts)
{
	struct filling f = { .choice = c, .task = t, .texts = texts };
	const char *option = NULL; /* the argument before, where it is one */
	size_t n = 0;

	while (argv[n])
		n++;
	f.argv = arena_new(texts, (n * (2 * json_len(c->names) + 1) + 1) * sizeof(*f.argv));
	for (; *argv; argv++) {
		if (c->names && form_of(*argv))
			push_named(&f, *argv, is_option(*argv) ? NULL : option);
		else
			push_placed(&f, *argv);
		option = is_option(*argv) ? *argv : NULL;
	}
	return f.argv;
}

const char *const *const *test_choice_steps(const struct test_choice *c, const struct task *t)
{
	if (c->names)
		return c->file.n ? t->within : t->exact;
	if (c->file.n)
		return t->file;
	return c->test.n ? t->one : t->steps;
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
