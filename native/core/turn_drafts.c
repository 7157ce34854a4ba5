#include "turn_drafts.h"

#include <stdio.h>
#include <stdlib.h>

#include "../base/mem.h"
#include "workspace.h"

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

void turn_drafts_forget(struct oxide *ox, void *arg)
{
	struct turn_draft *t, *next;

	for (t = LIST_FIRST(&ox->drafts); t; t = next) {
		next = LIST_NEXT(t, all);
		if (t->arg != arg)
			continue;
		t->busy = false;
		t->settled = NULL;
		t->arg = NULL;
		if (!draft_files(t->draft))
			turn_draft_free(t);
	}
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
