#ifndef OX_NESTED_EDITS_H
#define OX_NESTED_EDITS_H

#include "../text/edit.h"

/*
 * Edits of one text that may hold each other: a call is in the arguments of a call. Put the
 * inner ones first; one that is put around others takes their place, and has to hold what
 * nested_text() made of them:
 *
 *     struct nested_edits n = { .text = text };
 *     nested_put(&n, name, STR("new"));
 *     nested_text(&n, argument, &out);      // the argument, with the new name in it
 *     nested_put(&n, list, buf_str(&out));
 *     nested_edits(&n, &set);
 *     nested_release(&n);
 */
struct nested_edit {
	struct span span;
	struct str with;
};

struct nested_edits {
	struct str text;       /* borrowed */
	struct nested_edit *v; /* by position */
	size_t n, cap;
	struct arena texts;
};

void nested_put(struct nested_edits *n, struct span s, struct str with); /* copied */
/* Appends the bytes of the span as they are after the edits inside of it. */
void nested_text(const struct nested_edits *n, struct span s, struct buf *out);
/* Whether an edit lies inside of it. */
bool nested_has(const struct nested_edits *n, struct span s);
void nested_edits(const struct nested_edits *n,
		  struct edits *out); /* lent: they live as long as the nest */
void nested_release(struct nested_edits *n);

#endif
