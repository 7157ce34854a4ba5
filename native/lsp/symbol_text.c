
#include "../base/mem.h"
#include "../code/macro.h"
#include "../code/outline.h"
#include "../text/line.h"
#include "symbol.h"

/* Whether what is in it are methods: a type, or what Rust implements for one. */
static bool has_methods(const struct outline_item *it, struct str text)
{
	struct str name = str_sub(text, it->name.at, it->name.end);

	return it->kind == OUTLINE_TYPE ||
	       (it->kind == OUTLINE_SPACE && str_starts(name, STR("impl")));
}

static struct str word_behind(struct str text, size_t at)
{
	size_t end;

	while (at < text.n && str_any(" \t", text.p[at]))
		at++;
	for (end = at; end < text.n && str_named(text.p[end]);)
		end++;
	return str_sub(text, at, end);
}

/* By the word before the name, or in Go behind it. */
static int type_kind_of(const struct outline_item *it, struct str text)
{
	enum { CLASS = 5, ENUM = 10, INTERFACE = 11, STRUCT = 23 };
	static const struct type_word {
		const char *word;
		int kind;
	} words[] = { { "enum", ENUM },
		      { "struct", STRUCT },
		      { "interface", INTERFACE },
		      { "trait", INTERFACE },
		      { "protocol", INTERFACE } };
	struct str before = str_sub(text, it->all.at, it->name.at),
		   behind = word_behind(text, it->name.end);

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		struct str word = str_of(words[i].word);
		size_t at = 0;

		if (str_find_name(before, word, &at) || str_eq(behind, word))
			return words[i].kind;
	}
	return CLASS;
}

/* LSP's SymbolKind. `in`: what it is in, or NULL. */
static int symbol_text_kind_of(const struct outline_item *it, const struct outline_item *in,
			       struct str text)
{
	enum { NAMESPACE = 3, METHOD = 6, FIELD = 8, FUNCTION = 12, VARIABLE = 13 };

	if (it->kind == OUTLINE_FUNCTION)
		return in && has_methods(in, text) ? METHOD : FUNCTION;
	if (it->kind == OUTLINE_VALUE)
		return in && has_methods(in, text) ? FIELD : VARIABLE;
	if (it->kind == OUTLINE_HEADING || it->kind == OUTLINE_TARGET)
		return it->kind == OUTLINE_HEADING ? SYMBOL_HEADING : SYMBOL_TARGET;
	return it->kind == OUTLINE_TYPE ? type_kind_of(it, text) : NAMESPACE;
}

static struct range range_of(struct doc *d, struct span s)
{
	return (struct range){ doc_pos(d, s.at, POS_UTF8), doc_pos(d, s.end, POS_UTF8) };
}

/* The parents come before their children. */
static struct symbol symbol_of(struct doc *d, const struct outline *o, size_t i,
			       struct symbols *out)
{
	const struct outline_item *it = &o->v[i], *in = it->parent ? &o->v[it->parent - 1] : NULL;
	struct str text = doc_text(d);
	struct symbol s = { .name = str_sub(text, it->name.at, it->name.end),
			    .path = arena_str(&out->texts, str_of(doc_path(d))),
			    .kind = symbol_text_kind_of(it, in, text),
			    .doubtful = it->doubtful };
	struct buf path SCOPED(buf_release) = BUF_INIT;

	if (it->parent) {
		symbol_path(&out->v[it->parent - 1], &path);
		s.container = arena_str(&out->texts, buf_str(&path));
		s.depth = out->v[it->parent - 1].depth + 1;
	}
	s.name = arena_str(&out->texts, s.name);
	s.range = range_of(d, it->all);
	s.name_range = range_of(d, it->name);
	return s;
}

bool symbols_of_text(const struct language *lang, struct doc *d, struct symbols *out, struct err *e)
{
	struct outline o SCOPED(outline_release) = { 0 };
	bool ok = outline_of(lang, doc_text(d), &o, e);

	for (size_t i = 0; ok && i < o.n; i++) {
		struct symbol s = symbol_of(d, &o, i, out);

		mem_add(out->v, out->n, out->cap, s);
		if (s.depth > SYMBOL_DEPTH_MOST)
			return err_set(e, ERR_UNSUPPORTED,
				       "symbols are nested deeper than %d levels",
				       SYMBOL_DEPTH_MOST);
	}
	return ok;
}

/* The first of several: they are the same macro under different conditions. */
void symbols_add_macro(struct doc *d, struct str name, enum pos_enc enc, struct symbols *out)
{
	struct str text = doc_text(d);
	struct macros in = macros_of(text);
	size_t at = 0;
	struct symbol s;

	if (!name.n || !macros_next_define(&in, name, &at))
		return;
	for (size_t i = 0; i < out->n; i++)
		if (str_eq(out->v[i].name, name) &&
		    out->v[i].name_range.from.line == doc_pos(d, at, enc).line)
			return; /* this server does */
	s = (struct symbol){ .name = arena_str(&out->texts, name),
			     .path = arena_str(&out->texts, str_of(doc_path(d))),
			     .kind = SYMBOL_MACRO };
	s.range = (struct range){ doc_pos(d, line_start(text, at), enc),
				  doc_pos(d, macro_line_end(text, at), enc) };
	s.name_range = (struct range){ doc_pos(d, at, enc), doc_pos(d, at + name.n, enc) };
	mem_add(out->v, out->n, out->cap, s);
}

static bool is_behind(struct pos a, struct pos b)
{
	return a.line != b.line ? a.line > b.line : a.col > b.col;
}

/* Of the symbols with this path the last that begins before `at`, or the first; *listed: one of
 * them is what is there, or another symbol has its name there: of Go the text tells no
 * receiver, and a method's path is not the server's. SIZE_MAX: there is none. */
static size_t namesake(const struct symbols *list, struct str path, struct pos at, bool *listed)
{
	size_t found = SIZE_MAX;
	struct buf plain SCOPED(buf_release) = BUF_INIT;

	*listed = false;
	for (size_t i = 0; i < list->n; i++) {
		const struct range *r = &list->v[i].range;
		struct pos name = list->v[i].name_range.from;

		*listed |= name.line == at.line && name.col == at.col;
		symbol_plain_path(&list->v[i], &plain);
		if (!str_eq(buf_str(&plain), path))
			continue;
		if (found == SIZE_MAX || !is_behind(r->from, at))
			found = i;
		*listed |= !is_behind(r->from, at) && is_behind(r->to, at);
	}
	return found;
}

static void symbol_text_insert(struct symbols *list, size_t at, const struct symbol *s)
{
	list->v = mem_grow(list->v, &list->cap, list->n + 1, sizeof(*list->v));
	memmove(list->v + at + 1, list->v + at, (list->n - at) * sizeof(*list->v));
	list->v[at] = *s;
	list->n++;
}

static struct range in_encoding(struct doc *d, struct range r, enum pos_enc enc)
{
	return (struct range){ doc_pos(d, doc_byte(d, r.from, POS_UTF8), enc),
			       doc_pos(d, doc_byte(d, r.to, POS_UTF8), enc) };
}

void symbols_add_doubles(struct symbols *list, struct str want, const struct language *lang,
			 struct doc *d, enum pos_enc enc)
{
	struct symbols text SCOPED(symbols_release) = { 0 };
	struct buf path SCOPED(buf_release) = BUF_INIT;

	symbols_of_text(lang, d, &text, ERR_IGNORED);
	for (size_t i = 0; i < text.n; i++) {
		struct range all, name;
		struct symbol s;
		size_t at;
		bool listed;

		symbol_plain_path(&text.v[i], &path);
		if (str_find(want, symbol_last(buf_str(&path))) < 0)
			continue;
		all = in_encoding(d, text.v[i].range, enc);
		name = in_encoding(d, text.v[i].name_range, enc);
		at = namesake(list, buf_str(&path), name.from, &listed);
		if (text.v[i].doubtful || at == SIZE_MAX || listed)
			continue;
		s = list->v[at];
		at += !is_behind(s.range.from, all.from);
		s.range = all;
		s.name_range = name;
		symbol_text_insert(list, at, &s);
	}
}

size_t symbol_name_at(const struct symbol *sym, struct doc *d, enum pos_enc enc)
{
	struct str text = str_sub(doc_text(d), 0, doc_byte(d, sym->range.to, enc));
	size_t whole = doc_byte(d, sym->range.from, enc), named = whole;
	size_t at = doc_byte(d, sym->name_range.from, enc);
	struct buf path SCOPED(buf_release) = BUF_INIT;
	bool stands;

	symbol_plain_path(sym, &path);
	stands = at == whole && str_find_name(text, symbol_last(buf_str(&path)), &named);
	return stands ? named : at;
}
