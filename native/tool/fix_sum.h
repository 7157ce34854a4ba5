#ifndef OX_FIX_SUM_H
#define OX_FIX_SUM_H

#include "../base/map.h"
#include "fixes.h"

/* What rounds of fixes came to: the results of the changes added up, what was fixed, and what was
 * left out. Zero it to start. */
struct fix_sum {
	struct change_result change; /* of all of them */
	json *transactions;	     /* NULL: none was applied */
	struct fix_list fixed, refused;
	size_t applied;	     /* of `fixed`: the last ones may wait for a person */
	struct err stopped;  /* why there were no more rounds; ERR_OK: nothing was left to do */
	struct map before;   /* how many there were of each diagnostic, */
	size_t gone, remain; /* and what became of them */
};

/* The diagnostics that there were, and those that there are at the end. */
void fix_sum_before(struct fix_sum *s, const struct diag *const *v, size_t n);
void fix_sum_after(struct fix_sum *s, const struct diag *const *v, size_t n);
void fix_sum_add(struct fix_sum *s, const struct change_result *change,
		 const struct fix_list *fixed);
void fix_sum_refuse(struct fix_sum *s, const struct fix *f, const char *reason);
void fix_sum_forget(struct fix_sum *s); /* what was refused: it is tried again */
bool fix_sum_tried(const struct fix_sum *s, const struct fix *f); /* applied, or refused */
/* Into lsp_diagnostic's answer about the texts as they are now: `fixes_applied`, `resolved`,
 * `remaining`, `not_applied` and `stopped` where there is such, and what answers that change text
 * have. */
void fix_sum_report(struct fix_sum *s, json *after);
void fix_sum_release(struct fix_sum *s);

#endif
