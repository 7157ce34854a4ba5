#ifndef OX_DIAG_COMPARE_H
#define OX_DIAG_COMPARE_H

#include "../text/diff.h"
#include "../text/doc.h"
#include "diag.h"

/*
 * What a change brought: the diagnostics of the text after it that have no counterpart among those
 * of the text before. Counterparts have the same severity, code and message, and are on the same
 * line, counted as the change moved the lines; in lines that the change replaced, anywhere in what
 * they were replaced by. Each counts once, so that a second one of the same is new.
 */
struct diag_side {
	const struct diag *const *v; /* of one file and one server */
	size_t n;
	struct doc *doc; /* the text they speak of */
};

/* Sets fresh[i] for each of `after`. `moved`: from the text before to the one after. */
void diag_compare(const struct diag_side *before, const struct diag_side *after,
		  const struct diff *moved, bool *fresh);

#endif
