#include "location_rows.h"

#include <stdlib.h>

#include "../base/map.h"
#include "../code/decl.h"
#include "../core/workspace.h"
#include "../lsp/scan.h"
#include "../text/line.h"
#include "target.h"

static int by_file(const void *a, const void *b)
{
	const struct location *x = a, *y = b;
	int c = str_cmp(x->path, y->path);

	if (!c)
		c = x->range.from.line < y->range.from.line
			    ? -1
			    : x->range.from.line > y->range.from.line;
	if (!c)
		c = x->range.from.col < y->range.from.col ? -1
							  : x->range.from.col > y->range.from.col;
	return c;
}

void locations_sort(struct locations *l)
{
	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), by_file);
}

size_t locations_files(const struct locations *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += !i || !str_eq(l->v[i].path, l->v[i - 1].path);
	return n;
}

/* The directive around a place, if its line looks like one, or like what continues one. */
static bool directive_around(const struct language *lang, struct str text, size_t at,
			     struct span *out)
{
	struct lexer l = lex_from(lang, text, 0);
	size_t first = line_start(text, at), end;

	while (first && (end = line_end(text, first - 1)) && text.p[end - 1] == '\\')
		first = line_start(text, first - 1);
	first += line_indent(text, first).n;
	if (first == text.n || text.p[first] != '#')
		return false;
	for (struct token t; (t = lex_next(&l)).kind != TOKEN_END && t.span.at <= at;) {
		*out = t.span;
		if (t.kind == TOKEN_DIRECTIVE && t.span.end > at)
			return true;
	}
	return false;
}

/* A macro's is the directive that it is in; of the rest decl.h knows. */
static struct span declared_at(const struct language *lang, struct doc *d, struct span name)
{
	struct span none = { 0, 0 }, directive;
	struct decl decl;

	if (language_has_macros(lang) && directive_around(lang, doc_text(d), name.at, &directive))
		return directive;
	decl = decl_in(d, lang, name, none);
	return (struct span){ decl.lead, decl.end };
}

void put_code(struct call *c, json *row, const char *member, struct str code, size_t last)
{
	size_t most = (size_t)config_get(&call_oxide(c)->config, CFG_SYMBOL_CODE), end = most;

	if (code.n <= most) {
		json_put(row, member, json_str(code));
		return;
	}
	while (end && code.p[end - 1] != '\n')
		end--;
	end = end ? end : most;
	json_put(row, member, json_str(str_sub(code, 0, end)));
	json_put(row, "cut",
		 json_strf("%s is %zu of %zu bytes; read_file up to line %zu has the rest", member,
			   end, code.n, last));
}

static void put_whole(struct call *c, json *row, struct doc *d, struct span all, enum row_form form)
{
	size_t first, last, ignored;
	struct str code;

	doc_where(d, all.at, &first, &ignored);
	doc_where(d, all.end, &last, &ignored);
	while (all.at && str_any(" \t", doc_text(d).p[all.at - 1]))
		all.at--;
	code = str_sub(doc_text(d), all.at, all.end);
	while (code.n && str_any("\r\n", code.p[code.n - 1]))
		code.n--;
	if (form == ROWS) {
		json_put(row, "definition_line", json_int((int64_t)first));
		json_put(row, "definition_end_line", json_int((int64_t)last));
	}
	put_code(c, row, "definition", code, last);
}

static struct span whole_at(struct call *c, const struct location *at, struct doc *d,
			    enum pos_enc enc)
{
	if (at->declared.end && at->declared_in == doc_hash(d))
		return at->declared;
	return declared_at(language_of(workspace_filetype(call_oxide(c)->workspace, at->path.p)), d,
			   range_span(at->range, doc_lines(d, LINES_LSP), doc_text(d), enc));
}

json *location_rows(struct call *c, const struct locations *l, enum pos_enc enc, enum row_form form,
		    bool whole)
{
	json *list = json_array();
	struct places places SCOPED(places_release) = { 0 };
	struct place at;

	places_init(&places, call_oxide(c));
	for (size_t i = 0; i < l->n; i++) {
		const char *path = l->v[i].path.p;
		json *row = json_push(list, json_object());
		struct doc *d = whole ? places_doc(&places, path) : NULL;

		places_look(&places, path, &l->v[i].range, enc, &at);
		json_put(row, "file", json_str(call_shown(c, path)));
		if (form == ROWS)
			place_put(row, &at);
		json_put(row, "snippet", json_str(at.text));
		if (d)
			put_whole(c, row, d, whole_at(c, &l->v[i], d, enc), form);
		if (form == ROWS_LSP)
			places_put(&places, path, &l->v[i].range, enc, form, row);
	}
	return list;
}

/* What is read for that is kept: the rows need it too. */
static bool only_declares(const struct language *lang, struct doc *d, struct location *at,
			  enum pos_enc enc)
{
	struct str text = doc_text(d);
	struct span name = range_span(at->range, doc_lines(d, LINES_LSP), text, enc),
		    none = { 0, 0 }, directive;
	size_t end = name.end;
	struct decl decl;

	while (end < text.n && str_any(" \t", text.p[end]))
		end++;
	if (str_starts(str_trim(str_sub(text, line_start(text, name.at), name.at)), STR("#")) ||
	    !language_has_macros(lang) || end == text.n || text.p[end] != '(')
		return false;
	decl = decl_in(d, lang, name, none);
	if (!directive_around(lang, text, name.at, &directive)) {
		at->declared = (struct span){ decl.lead, decl.end };
		at->declared_in = doc_hash(d);
	}
	return !decl.opens;
}

bool location_only_declares(struct call *c, struct locations *l, enum pos_enc enc)
{
	struct workspace *w = call_oxide(c)->workspace;
	struct places places SCOPED(places_release) = { 0 };
	bool only = l->n;

	places_init(&places, call_oxide(c));
	for (size_t i = 0; i < l->n && only; i++) {
		const char *path = l->v[i].path.p;
		struct doc *d = places_doc(&places, path);

		only = d && target_shows(c, path, ERR_IGNORED) &&
		       only_declares(language_of(workspace_filetype(w, path)), d, &l->v[i], enc);
	}
	return only;
}

json *location_files(struct call *c, const struct locations *l, enum pos_enc enc,
		     enum row_form form)
{
	json *list = json_array(), *row, *lines = NULL;
	struct places places SCOPED(places_release) = { 0 };
	struct place at;
	size_t total, last = 0;

	places_init(&places, call_oxide(c));
	for (size_t i = 0; i < l->n; i++) {
		places_look(&places, l->v[i].path.p, &l->v[i].range, enc, &at);
		if (!i || !str_eq(l->v[i].path, l->v[i - 1].path)) {
			for (total = 1;
			     i + total < l->n && str_eq(l->v[i + total].path, l->v[i].path);)
				total++;
			row = json_push(list,
					json_of({ "file", json_str(call_shown(c, l->v[i].path.p)) },
						{ "total", json_int((int64_t)total) }));
			lines = json_put(row, "lines", json_array());
			last = 0;
		}
		if (at.line != last)
			json_push(lines, json_int((int64_t)at.line - (form == ROWS_LSP)));
		last = at.line;
	}
	return list;
}

static bool is_again(const struct locations *l, size_t n, const struct location *one)
{
	for (size_t i = 0; i < n; i++)
		if (l->v[i].range.from.line == one->range.from.line &&
		    l->v[i].range.from.col == one->range.from.col &&
		    str_eq(l->v[i].path, one->path))
			return true;
	return false;
}

void locations_join_names(struct oxide *ox, struct locations *l)
{
	/* path -> its real one, in the list's arena */
	struct map known SCOPED(map_release) = MAP_INIT;
	bool joined = false;
	size_t kept = 0;

	for (size_t i = 0; i < l->n; i++) {
		const char *to = map_get(&known, l->v[i].path);
		char *real SCOPED(mem_release) =
			to ? NULL : workspace_real(ox->workspace, l->v[i].path.p);

		if (real)
			map_put(&known, l->v[i].path,
				(void *)(uintptr_t)(to = arena_str(&l->texts, str_of(real)).p));
		joined |= strcmp(to, l->v[i].path.p) != 0;
		l->v[i].path = str_of(to);
	}
	for (size_t i = 0; i < l->n && joined; i++)
		if (!is_again(l, kept, &l->v[i]))
			l->v[kept++] = l->v[i];
	l->n = joined ? kept : l->n;
}

json *location_flat(struct oxide *ox, const struct locations *l, enum pos_enc enc)
{
	struct buf text SCOPED(buf_release) = BUF_INIT, out = BUF_INIT;
	struct flat flat SCOPED(flat_release) = { 0 };
	struct places places SCOPED(places_release) = { 0 };
	struct place at;

	places_init(&places, ox);
	for (size_t i = 0; i < l->n; i++) {
		places_look(&places, l->v[i].path.p, &l->v[i].range, enc, &at);
		flat_add(&flat, l->v[i].path.p, &at);
		if (i)
			buf_addc(&text, ',');
		json_quote(&text, at.text);
	}
	flat_begin(&flat, &out);
	buf_addf(&out, ",\"text\":[%s]}", buf_str(&text).p);
	return json_raw(&out);
}
