#ifndef OX_CHECK_JOIN_H
#define OX_CHECK_JOIN_H

#include "checker_diags.h"
#include "places.h"

/*
 * What checkers and language servers say of a project, each thing once: where both mean the same,
 * the checker's words stand, and the server's are kept beside them, since fixes are asked for with
 * those.
 */
struct merged {
	struct diag diag; /* first, so that one of a list can be told to be one of these */
	const struct checker_diag *check; /* by a checker; NULL: by a server alone */
	const struct diag *said;	  /* by a server; NULL: by a checker alone */
	struct place at;
};

struct merge {
	const struct diag *
		*v; /* each is the first member of a struct merged; as diag_sort() has it */
	size_t n;
	struct arena texts;
};

/* `server`: of all that they have said, those of files below `root` that are errors, warnings or
 * information count; they are copied. `checks` is borrowed until the release. */
void merge_make(struct merge *j, struct oxide *ox, const char *root,
		const struct checker_diags *checks, const struct diag *const *server, size_t n);
void merge_release(struct merge *j);
const struct merged *merge_at(const struct merge *j, size_t i);

#endif
