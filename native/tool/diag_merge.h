#ifndef OX_DIAG_MERGE_H
#define OX_DIAG_MERGE_H

#include "checker_diags.h"
#include "places.h"

/*
 * What checkers and language servers say of a project, each thing once: where both mean the same,
 * the checker's words are, and the server's are kept beside them, since fixes are asked for with
 * those.
 */
struct merged_diag {
	struct diag diag; /* first, so that one of a list can be told to be one of these */
	const struct checker_diag *check; /* by a checker; NULL: by a server alone */
	const struct diag *said;	  /* by a server; NULL: by a checker alone */
	struct place at;
};

struct diag_merge {
	/* Each is the first member of a struct merged_diag; in the order of diag_sort(). */
	const struct diag **v;
	size_t n;
	struct arena texts;
};

/* `server`: of all that they have said, those of files below `root` that are errors, warnings or
 * information count; they are copied. `checks` is borrowed until the release. */
void diag_merge_make(struct diag_merge *j, struct oxide *ox, const char *root,
		     const struct checker_diags *checks, const struct diag *const *server,
		     size_t n);
void diag_merge_release(struct diag_merge *j);
const struct merged_diag *diag_merge_at(const struct diag_merge *j, size_t i);

#endif
