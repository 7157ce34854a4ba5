#ifndef OX_TASK_OUTCOME_H
#define OX_TASK_OUTCOME_H

#include "project_tasks.h"

/*
 * Whether what a program printed can be relied on. A checker that was killed, or failed and printed
 * nothing that is understood, has found nothing, which is not the same as that there is nothing.
 */
enum task_outcome {
	TASK_WELL,   /* it ended as it does when all is well */
	TASK_FOUND,  /* it failed, which what it found explains */
	TASK_FAILED, /* it failed beside what it found */
	TASK_UNKNOWN /* what it found is not known, or not all of it */
};

/* What was to be run and is not installed, as far as what brings it says so; NULL: nothing. */
const char *task_absent(const struct task_run *t);
/* Adds the reason of the last two, in a sentence, with the last line that was printed. */
enum task_outcome task_outcome(const struct task_run *t, struct buf *why);

#endif
