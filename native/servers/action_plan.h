#ifndef OX_ACTION_PLAN_H
#define OX_ACTION_PLAN_H

#include "../lsp/action.h"
#include "../lsp/wsedit.h"
#include "server.h"

/*
 * What one code action would change, as a plan: by its edit, by the one that the server adds when
 * it is asked for the details, or by the one that it asks for while it executes the action's
 * command. A command beside an edit is not executed: it is for what the editor shows afterwards.
 *
 *     p = action_plan_start(ox, server, action, moves, timeout_ms, fn, arg)
 *     fn(arg, plan, notes, e)    // once, not from inside; the plan, finished, is the caller's
 *
 * The action is borrowed until then; `moves` is of the workspace when it was offered. Of one server
 * only one is worked out at a time. Nothing has changed when fn is called; a server that has
 * executed a command was told that its change is taken. ERR_UNSUPPORTED: the action changes
 * nothing. ERR_STALE: a file has changed since the action was offered.
 */

/* Whether its server can say what it changes at all; some actions are the client's to carry out. */
bool action_plan_possible(const struct server *s, const struct action *a);

typedef void action_plan_done(void *arg, struct plan *p, const struct wsedit_notes *notes,
			      const struct err *e);
struct action_plan *action_plan_start(struct oxide *ox, struct server *s, const struct action *a,
				      uint64_t moves, uint64_t timeout_ms, action_plan_done *fn,
				      void *arg);
void action_plan_cancel(void *action_plan); /* fn comes all the same: ERR_CANCELLED */

#endif
