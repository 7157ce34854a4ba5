#ifndef OX_PATCH_SCOPE_H
#define OX_PATCH_SCOPE_H

#include "../base/map.h"
#include "match.h"

/*
 * The anchors of V4A hunks in a text: each may be any line of its words, and what belongs to that
 * by indentation is the line's scope.
 *
 *     struct scope_index x = { .text = &lookup };       // borrowed
 *     if (scopes_find(&x, anchors, n, &s, &missing))    // those of the last one
 *             n = scopes_keep(&x, &s, places, n);
 *     scopes_release(&s);
 *     scope_index_release(&x);
 *
 * All hunks of a file share the index: lines are compared with an anchor once, however often it
 * comes, and a hunk that has few places looks at few scopes.
 */
struct scope {
	size_t at, end; /* lines [at, end) */
	size_t back; /* the one around it comes so many before it in the list; 0: there is none */
};

struct scopes { /* by position; none overlaps another, but for being in it */
	const struct scope *v;
	size_t n;
	bool deep;	   /* there may be lines in them behind their own */
	struct scope *own; /* else they belong to the index */
};

struct scope_index {
	struct lookup *text;
	struct map anchors; /* -> those of each */
	size_t looked;	    /* how many lines and scopes, of all that was asked */
};

/* The lines that the last of `n` anchors may mean: with its indentation or, where there is none,
 * with another; in a scope of the anchor before or, where there is none, behind that. False: anchor
 * number *missing is nowhere. */
bool scopes_find(struct scope_index *x, const struct str *anchors, size_t n, struct scopes *s,
		 size_t *missing);
/* Of `n` places, which are in order, keeps those that belong to a scope: right at its line, else in
 * it, else behind the first. How many these are. */
size_t scopes_keep(struct scope_index *x, const struct scopes *s, size_t *place, size_t n);
void scopes_release(struct scopes *s);
void scope_index_release(struct scope_index *x);

#endif
