#include "turn_drafts.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../base/mem.h"
#include "../io/loop.h"
#include "workspace.h"

void turn_new_id(struct oxide *ox, char id[TURN_ID])
{
	time_t now = (time_t)(loop_wall_ms() / 1000);
	char second[32];
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(second, sizeof(second), "%Y%m%d-%H%M%S", &tm);
	snprintf(id, TURN_ID, "%s-%ld-%zu", second, (long)getpid(), ++ox->turns);
}

struct turn_draft *turn_draft_new(struct oxide *ox, const struct turn_draft_about *about,
				  turn_settled *fn, void *arg)
{
	struct turn_draft *t = mem_new(sizeof(*t));

	snprintf(t->id, sizeof(t->id), "%s", about->id);
	t->title = mem_dup(about->title, strlen(about->title));
	t->who = mem_dup(about->who, strlen(about->who));
	t->draft = draft_new(workspace_source(ox->workspace, ox->root));
	t->busy = true;
	t->settled = fn;
	t->arg = arg;
	LIST_INSERT_HEAD(&ox->drafts, t, all);
	return t;
}

void turn_draft_free(struct turn_draft *t)
{
	LIST_REMOVE(t, all);
	draft_free(t->draft);
	free(t->title);
	free(t->who);
	free(t->root);
	free(t);
}

/* Nobody listens any more. */
static void leave_draft(struct turn_draft *t)
{
	if (t->calls)
		return;
	t->busy = false;
	if (!draft_files(t->draft))
		turn_draft_free(t);
}

void turn_drafts_forget(struct oxide *ox, void *arg)
{
	struct turn_draft *t, *next;

	for (t = LIST_FIRST(&ox->drafts); t; t = next) {
		next = LIST_NEXT(t, all);
		if (t->arg != arg)
			continue;
		t->settled = NULL;
		t->arg = NULL;
		leave_draft(t);
	}
}

void turn_draft_use(struct turn_draft *t)
{
	t->busy = true;
	t->calls++;
}

void turn_draft_done(struct turn_draft *t)
{
	t->calls--;
	if (!t->arg)
		leave_draft(t);
}

void turn_drafts_free(struct oxide *ox)
{
	while (!LIST_EMPTY(&ox->drafts))
		turn_draft_free(LIST_FIRST(&ox->drafts));
}

struct turn_draft *turn_draft_find(struct oxide *ox, struct str id)
{
	struct turn_draft *t;

	LIST_FOREACH(t, &ox->drafts, all)
		if (draft_files(t->draft) && (!id.n || str_eq(id, str_of(t->id))))
			return t;
	return NULL;
}

struct turn_draft *turn_draft_going(struct oxide *ox, struct str id, const void *arg)
{
	struct turn_draft *t;

	LIST_FOREACH(t, &ox->drafts, all)
		if ((!arg || t->arg == arg) && str_eq(id, str_of(t->id)))
			return t;
	return NULL;
}

static const char *const fates[] = { [TURN_ACCEPTED] = "accepted",
				     [TURN_ACCEPTED_IN_PART] = "accepted_in_part",
				     [TURN_REJECTED] = "rejected",
				     [TURN_UNDECIDED] = "undecided",
				     [TURN_LOST] = "lost" };

const char *turn_fate_name(enum turn_fate fate)
{
	return fates[fate];
}

enum turn_fate turn_fate_of(struct str name)
{
	for (size_t i = 0; i < sizeof(fates) / sizeof(*fates); i++)
		if (str_eq(name, str_of(fates[i])))
			return (enum turn_fate)i;
	return TURN_UNDECIDED;
}

void turn_draft_settle(struct turn_draft *t, const struct turn_changes *what)
{
	turn_settled *fn = t->settled;
	void *arg = t->arg;
	struct turn_changes told = *what;
	char id[TURN_ID];

	memcpy(id, t->id, sizeof(id));
	told.turn = id;
	if (what->fate != TURN_UNDECIDED)
		turn_draft_free(t);
	if (fn)
		fn(arg, &told);
}
