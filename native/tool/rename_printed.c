#include "rename_printed.h"

#include "../code/lex.h"
#include "../core/workspace.h"
#include "target.h"

#define LISTED 20

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

static size_t add_file(struct call *c, const struct plan_file *f, struct buf *out, size_t listed)
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

void rename_printed(struct call *c, struct plan *p, struct buf *out)
{
	struct workspace *w = call_oxide(c)->workspace;
	struct err ignored = ERR_INIT;
	size_t listed = 0;

	for (size_t i = 0; i < plan_files(p) && listed < LISTED; i++) {
		const struct plan_file *f = plan_file(p, i);
		enum dialect d = language_dialect(language_of(workspace_filetype(w, f->path)));

		if (d == DIALECT_PYTHON && plan_want(p, i, &ignored))
			listed = add_file(c, f, out, listed);
	}
}
