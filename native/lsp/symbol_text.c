#include <stdlib.h>

#include "../base/mem.h"
#include "../text/outline.h"
#include "symbol.h"

/* LSP's SymbolKind */
static int kind_of(const struct outline_item *it)
{
	enum { NAMESPACE = 3, CLASS = 5, METHOD = 6, FUNCTION = 12 };

	if (it->kind == OUTLINE_FUNCTION)
		return it->parent ? METHOD : FUNCTION;
	return it->kind == OUTLINE_TYPE ? CLASS : NAMESPACE;
}

static struct range range_of(struct doc *d, struct span s)
{
	return (struct range){ doc_pos(d, s.at, POS_UTF8), doc_pos(d, s.end, POS_UTF8) };
}

/* The parents come before their children. */
static struct symbol symbol_of(struct doc *d, const struct outline_item *it, struct symbols *out)
{
	struct str text = doc_text(d);
	struct symbol s = { .name = str_sub(text, it->name.at, it->name.end),
			    .path = arena_str(&out->texts, str_of(doc_path(d))),
			    .kind = kind_of(it),
			    .doubtful = it->doubtful };
	struct buf path = BUF_INIT;

	if (it->parent) {
		symbol_path(&out->v[it->parent - 1], &path);
		s.container = arena_str(&out->texts, buf_str(&path));
		s.depth = out->v[it->parent - 1].depth + 1;
	}
	s.name = arena_str(&out->texts, s.name);
	s.range = range_of(d, it->all);
	s.name_range = range_of(d, it->name);
	buf_release(&path);
	return s;
}

bool symbols_of_text(const struct language *lang, struct doc *d, struct symbols *out, struct err *e)
{
	struct outline o = { 0 };
	bool ok = outline_of(lang, doc_text(d), &o, e);

	for (size_t i = 0; ok && i < o.n; i++) {
		out->v = mem_grow(out->v, &out->cap, out->n + 1, sizeof(*out->v));
		out->v[out->n] = symbol_of(d, &o.v[i], out);
		out->n++;
	}
	outline_release(&o);
	return ok;
}

size_t symbol_name_at(const struct symbol *sym, struct doc *d, enum pos_enc enc)
{
	struct str text = str_sub(doc_text(d), 0, doc_byte(d, sym->range.to, enc));
	size_t whole = doc_byte(d, sym->range.from, enc), named = whole;
	size_t at = doc_byte(d, sym->name_range.from, enc);
	struct buf path = BUF_INIT;
	bool stands;

	symbol_plain_path(sym, &path);
	stands = at == whole && str_find_name(text, symbol_last(buf_str(&path)), &named);
	buf_release(&path);
	return stands ? named : at;
}
