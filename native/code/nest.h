#ifndef OX_NEST_H
#define OX_NEST_H

#include "../text/edit.h"

/*
 * Edits of one text that may hold each other: a call stands in the arguments of a call. Put the
 * inner ones first; one that is put around others takes their place, and has to hold what
 * nest_text() made of them:
 *
 *     struct nest n = { .text = text };
 *     nest_put(&n, name, STR("new"));
 *     nest_text(&n, argument, &out);      // the argument, with the new name in it
 *     nest_put(&n, list, buf_str(&out));
 *     nest_edits(&n, &set);
 *     nest_release(&n);
 */
struct nested {
	struct span span;
	struct str with;
};

struct nest {
	struct str text;  /* borrowed */
	struct nested *v; /* by position */
	size_t n, cap;
	struct arena texts;
};

void nest_put(struct nest *n, struct span s, struct str with); /* copied */
/* Appends the bytes of the span as they are after the edits inside of it. */
void nest_text(const struct nest *n, struct span s, struct buf *out);
/* Whether an edit lies inside of it. */
bool nest_has(const struct nest *n, struct span s);
void nest_edits(const struct nest *n, struct edits *out); /* lent: they live as long as the nest */
void nest_release(struct nest *n);

#endif
