#ifndef OX_FIX_SUM_H
#define OX_FIX_SUM_H

#include "tool.h"

/* What rounds of fixes came to: the answers of the changes added up, and what was left out. Zero it
 * to start. */
struct fix_sum {
	json *change;  /* as of one change; NULL: there was none */
	json *refused; /* rows of fixes that were not applied, each with its `reason` */
	json *stopped; /* why there were no more rounds; NULL: nothing was left to do */
	size_t applied;
};

void fix_sum_add(struct fix_sum *s, json *change); /* taken */
void fix_sum_refuse(struct fix_sum *s, const json *row, const char *reason);
void fix_sum_forget(struct fix_sum *s); /* what was refused: it is tried again */
void fix_sum_stop(struct fix_sum *s, const char *reason);
json *fix_sum_tried(const struct fix_sum *s); /* rows of what was applied or refused, new */
/* Into lsp_diagnostic's answer about the texts as they are now: `fixes_applied`, `resolved`,
 * `remaining`, `not_applied` and `stopped` where there is such, and what answers that change text
 * have. `before`: the diagnostics that there were. */
void fix_sum_report(struct fix_sum *s, const json *before, json *after);
void fix_sum_release(struct fix_sum *s);

#endif
