#include <stdlib.h>

#include "../base/mem.h"
#include "../core/own_changes.h"
#include "../core/workspace.h"
#include "call_impl.h"

/*
 * A call that was refused as stale, or for what texts were that changed meanwhile, is made again
 * where all that has changed since it came is Oxide's own doing, or it only asks, and what it is
 * about can still be told: a symbol by its name, or by its place (call_place.c). call_again ->
 * settled -> call_run.
 */
void call_may_again(struct call *c)
{
	c->again.begun = workspace_moves(c->ox->workspace);
	if (!c->again.may)
		c->again.since = c->again.begun;
	c->again.may = true;
}

void call_not_again(struct call *c)
{
	c->again.may = false;
}

bool call_is_again(const struct call *c)
{
	return c->again.tries;
}

void call_permit(struct call *c)
{
	c->permitted = true;
}

bool call_is_permitted(const struct call *c)
{
	return c->permitted;
}

void call_saw(struct call *c, const struct plan *p)
{
	if (c->again.may)
		read_set_add_plan(&c->again.seen, p);
}

void call_again_release(struct call *c)
{
	own_changes_unfollow(&c->again.follower);
	read_set_release(&c->again.seen);
	buf_release(&c->again.text);
	buf_release(&c->again.about);
	free(c->again.path);
}

bool call_about(struct call *c, struct str text, struct err *e)
{
	struct again *a = &c->again;

	if (!a->about.n)
		buf_add(&a->about, text);
	if (str_eq(text, buf_str(&a->about)))
		return true;
	call_not_again(c);
	return err_set(e, ERR_STALE, "another change was applied first; read it again");
}

/* The answer to a question may rest on what anybody has written. */
static bool only_asks(const struct call *c)
{
	return !(c->tool->flags & TOOL_WRITES);
}

static void settled(void *arg)
{
	struct call *c = arg;
	struct again *a = &c->again;
	struct err e = ERR_INIT;

	if (c->cancelled) {
		err_set(&a->stale, ERR_CANCELLED, "cancelled; nothing was changed");
		call_answered(c, a->object, &a->stale);
	} else if (only_asks(c) || (workspace_only_own(c->ox->workspace, a->since) &&
				    read_set_only_own(&a->seen, c, NULL, NULL, &e))) {
		json_free(a->object);
		a->object = NULL;
		call_run(c);
	} else if (a->waits++ < READ_SET_WAITS_MOST) {
		read_set_settle(&a->seen, c, settled, c);
	} else {
		call_answered(c, a->object, &a->stale);
	}
}

/* What is said of texts that change meanwhile is not said of what they are now: a server that
 * speaks of one that is gone finds no symbol, or another one. */
static bool call_again_overtaken(const struct call *c, enum err_code code)
{
	switch (code) {
	case ERR_STALE:
		return true;
	case ERR_INVALID:
	case ERR_NOT_FOUND:
	case ERR_AMBIGUOUS:
	case ERR_CONFLICT:
	case ERR_INCOMPLETE:
	case ERR_UNSUPPORTED:
	case ERR_PEER:
		return workspace_moves(c->ox->workspace) != c->again.begun;
	default:
		return false;
	}
}

bool call_again(struct call *c, const struct err *e, json *object)
{
	struct again *a = &c->again;
	int64_t most = config_get(&c->ox->config, CFG_EDIT_TRIES);

	if (!a->may || !call_again_overtaken(c, e->code) || a->tries >= most)
		return false;
	a->tries++;
	a->waits = 0;
	a->stale = *e;
	a->object = object;
	call_on_cancel(c, NULL, NULL);
	read_set_settle(&a->seen, c, settled, c);
	return true;
}
