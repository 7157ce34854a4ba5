#include "symbols_touched.h"

#include "../base/mem.h"

enum { METHOD = 6, CONSTRUCTOR = 9, FUNCTION = 12 }; /* LSP's SymbolKind */

bool symbol_is_function(const struct symbol *s)
{
	return s->kind == METHOD || s->kind == CONSTRUCTOR || s->kind == FUNCTION;
}

struct extent {
	struct span whole;
	bool local; /* inside of a function */
	bool touched;
};

/* Symbols come with their children behind them, one deeper. */
static void mark_locals(const struct symbols *all, struct extent *v)
{
	unsigned inside = 0; /* deeper than this: in a function; 0: in none */

	for (size_t i = 0; i < all->n; i++) {
		if (inside && all->v[i].depth < inside)
			inside = 0;
		v[i].local = inside;
		if (!inside && symbol_is_function(&all->v[i]))
			inside = all->v[i].depth + 1;
	}
}

static bool meets(struct span symbol, struct span edit)
{
	return edit.at < symbol.end && (edit.end > symbol.at || edit.at == symbol.at);
}

static bool covers(struct span symbol, struct span edit)
{
	return symbol.at <= edit.at && edit.end <= symbol.end;
}

/* An edit inside of a symbol is that of the innermost one alone. */
static void touch(struct extent *v, size_t n, struct span edit)
{
	struct extent *innermost = NULL;

	for (size_t i = 0; i < n; i++) {
		if (v[i].local || !meets(v[i].whole, edit))
			continue;
		if (!covers(v[i].whole, edit))
			v[i].touched = true;
		else if (!innermost || covers(innermost->whole, v[i].whole))
			innermost = &v[i];
	}
	if (innermost)
		innermost->touched = true;
}

size_t symbols_touched(const struct symbols *all, struct doc *before, enum pos_enc enc,
		       const struct edits *set, const struct symbol **v)
{
	struct extent *x SCOPED(mem_release) = mem_new((all->n + 1) * sizeof(*x));
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		x[i].whole = (struct span){ doc_byte(before, all->v[i].range.from, enc),
					    doc_byte(before, all->v[i].range.to, enc) };
	mark_locals(all, x);
	for (size_t i = 0; i < set->n; i++)
		touch(x, all->n, set->v[i].span);
	for (size_t i = 0; i < all->n; i++)
		if (x[i].touched)
			v[n++] = &all->v[i];
	return n;
}
