#include "pruning.h"

#include "../io/loop.h"

/* Who reads the answer may be on the same processor, and has done so by then. */
#define PRUNE_AFTER_MS 100

void pruning_now(struct oxide *ox)
{
	if (!ox->prune_due)
		return;
	ox->prune_due = false;
	timer_set(ox->pruning, UINT64_MAX);
	history_prune(ox->history);
}

static void prune(void *arg)
{
	pruning_now(arg);
}

/* From the first on, for there may be another change every moment. */
void pruning_soon(struct oxide *ox)
{
	if (!ox->pruning)
		ox->pruning = timer_new(ox->loop, prune, ox);
	if (!ox->prune_due)
		timer_set(ox->pruning, loop_now(ox->loop) + PRUNE_AFTER_MS);
	ox->prune_due = true;
	if (ox->brief) /* the loop is not to go on for it */
		pruning_now(ox);
}

void pruning_free(struct oxide *ox)
{
	pruning_now(ox);
	timer_free(ox->pruning);
}
