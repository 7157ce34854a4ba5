#include "rename_printed.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../code/macro.h"
#include "../code/quoted.h"
#include "../core/workspace.h"
#include "../servers/unserved_sources.h"
#include "target.h"

#define LISTED	     20
#define HEADERS_MOST 200

static size_t skip_blanks(struct str text, size_t at)
{
	while (at < text.n && str_any(" \t", text.p[at]))
		at++;
	return at;
}

/* Whether `=` and the end of the field, a conversion or a format follow the expression. */
static bool is_shown(struct str text, size_t end)
{
	size_t at = end;

	while (at < text.n && (str_named(text.p[at]) || str_any(".()[]", text.p[at])))
		at++;
	at = skip_blanks(text, at);
	if (at == text.n || text.p[at] != '=')
		return false;
	at = skip_blanks(text, at + 1);
	return at < text.n && str_any("}!:", text.p[at]) &&
	       !(text.p[at] == '!' && at + 1 < text.n && text.p[at + 1] == '=');
}

/* Whether the word is in a string, behind the brace of a field. */
static bool is_field(struct str text, size_t at)
{
	struct lexer l = lex_from(language_of("python"), text, 0);
	struct token t;

	while (at && text.p[at - 1] != '\n' && text.p[at - 1] != '{' && text.p[at - 1] != '}')
		at--;
	if (!at || text.p[at - 1] != '{')
		return false;
	while ((t = lex_next(&l)).kind != TOKEN_END && t.span.end < at)
		;
	return t.kind == TOKEN_STRING;
}

/* Where macros that a file uses are defined. */
struct headers {
	struct call *call;
	const struct plan_file *file;
	char **path; /* of what it includes; none until that is asked for */
	size_t n, cap;
	struct map seen;    /* the same */
	struct map defines; /* name -> struct define, of those that were sought */
};

struct define {
	struct str text; /* empty: there is none */
	size_t at;
};

static void headers_release(struct headers *h)
{
	for (size_t i = 0; i < h->n; i++)
		free(h->path[i]);
	free(h->path);
	map_release(&h->seen);
	map_release_values(&h->defines);
}

static void add_included(struct headers *h, const char *path, struct str text)
{
	static const struct map none;
	const char *root = call_root(h->call);
	char *in_include SCOPED(mem_release) = path_join(root, "include/in");
	struct map found SCOPED(map_release) = MAP_INIT;
	struct str one;
	void *v;

	unserved_included(root, &none, path, text, &found);
	unserved_included(root, &none, in_include, text, &found);
	for (size_t i = 0; map_at(&found, &i, &one, &v) && h->n < HEADERS_MOST; i++) {
		if (map_put(&h->seen, one, h))
			continue;
		mem_add(h->path, h->n, h->cap, mem_dup(one.p, one.n));
	}
}

static bool is_defined(struct str text, struct str name, size_t *at)
{
	struct macros in = macros_of(text);

	*at = 0;
	return macros_next_define(&in, name, at);
}

static struct define find_define(struct headers *h, struct str name)
{
	struct define found = { h->file->was, 0 };

	if (is_defined(found.text, name, &found.at))
		return found;
	if (!h->n)
		add_included(h, h->file->path, h->file->was);
	for (size_t i = 0; i < h->n; i++) {
		struct workspace *w = call_oxide(h->call)->workspace;
		struct doc *d = workspace_doc(w, h->path[i], ERR_IGNORED);

		found.text = d ? doc_text(d) : STR("");
		if (is_defined(found.text, name, &found.at))
			return found;
		add_included(h, h->path[i], found.text);
	}
	return (struct define){ STR(""), 0 };
}

static struct str define_of(void *arg, struct str name, size_t *at)
{
	struct headers *h = arg;
	struct define *known = map_get(&h->defines, name);

	if (!known) {
		struct define found = find_define(h, name);

		known = mem_copy(&found, sizeof(found));
		map_put(&h->defines, name, known);
	}
	*at = known->at;
	return known->text;
}

/* Whether no macro of C has any of it for an argument, as the search for the name has seen. */
static bool is_bare(const struct plan_file *f, const struct word_search *searched)
{
	struct str name = word_search_name(searched);

	if (!word_search_bare(searched, f->path, f->was_hash))
		return false;
	for (size_t i = 0; i < f->edits.n; i++) {
		struct span word = target_word(f->was, f->edits.v[i].span.at);

		if (!str_eq(str_sub(f->was, word.at, word.end), name))
			return false;
	}
	return true;
}

static size_t add_c_file(struct call *c, const struct plan_file *f, struct buf *out, size_t listed)
{
	struct headers h SCOPED(headers_release) = { .call = c, .file = f };
	struct quoted q = quoted_from(f->was, define_of, &h);
	size_t last = 0, line = 1, counted = 0;

	for (size_t i = 0; i < f->edits.n && listed < LISTED; i++) {
		size_t at = target_word(f->was, f->edits.v[i].span.at).at;
		struct str macro;
		enum quoted_as as;

		line += str_count(str_sub(f->was, counted, at), '\n');
		counted = at;
		as = line == last ? QUOTED_NOT : quoted_at(&q, at, &macro);
		if (!as)
			continue;
		buf_addf(out, "%.*s:%zu: the macro %.*s turns the name into %s, which changes\n",
			 STR_ARG(call_shown(c, f->path)), line, STR_ARG(macro),
			 as == QUOTED_STRING ? "a string" : "another name");
		last = line;
		listed++;
	}
	return listed;
}

static size_t rename_printed_add_file(struct call *c, const struct plan_file *f, struct buf *out,
				      size_t listed)
{
	size_t last = 0;

	for (size_t i = 0; i < f->edits.n && listed < LISTED; i++) {
		struct span word = target_word(f->was, f->edits.v[i].span.at);
		size_t line = 1 + str_count(str_sub(f->was, 0, word.at), '\n');

		if (line == last || !is_shown(f->was, word.end) || !is_field(f->was, word.at))
			continue;
		buf_addf(out, "%.*s:%zu prints the name itself: what it prints changes\n",
			 STR_ARG(call_shown(c, f->path)), line);
		last = line;
		listed++;
	}
	return listed;
}

void rename_printed(struct call *c, const struct word_search *searched, struct plan *p,
		    struct buf *out)
{
	struct workspace *w = call_oxide(c)->workspace;
	size_t listed = 0;

	for (size_t i = 0; i < plan_files(p) && listed < LISTED; i++) {
		const struct plan_file *f = plan_file(p, i);
		enum dialect d = language_dialect(language_of(workspace_filetype(w, f->path)));

		if (d == DIALECT_PYTHON && plan_want(p, i, ERR_IGNORED))
			listed = rename_printed_add_file(c, f, out, listed);
		else if ((d == DIALECT_C || d == DIALECT_CPP) && plan_want(p, i, ERR_IGNORED) &&
			 !is_bare(f, searched))
			listed = add_c_file(c, f, out, listed);
	}
}
