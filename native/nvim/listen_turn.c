#include <stdio.h>
#include <string.h>

#include "listen_impl.h"

/*
 * Turns of models whose conversation is in another process (`oxide ask`): what their calls would
 * change is kept in a draft here, where the texts are, until that process has it reviewed.
 *
 *     remote_join_turn(), a call of the turn   the draft goes on
 *     remote_join_turn(), its review           a call of the tool `turn` -> remote_on_settled() ->
 *                                              remote_call_end()
 *     remote_on_leave(), remote_leaves_turns() no review: the draft stays for the user
 */
static void remote_on_settled(void *arg, const struct turn_changes *what)
{
	struct remote *client = arg;
	struct remote_call *held = client->held;

	peer_notify(client->peer, "settled",
		    json_of({ "turn", json_strz(what->turn) },
			    { "fate", json_strz(turn_fate_name(what->fate)) },
			    { "report", what->report ? json_copy(what->report) : NULL },
			    { "why", what->why ? json_strz(what->why->msg) : NULL },
			    { "code", what->why ? json_strz(err_name(what->why->code)) : NULL }));
	remote_send(client);
	if (held && !strcmp(held->turn, what->turn)) {
		client->held = NULL;
		remote_call_end(held, held->result, &held->why);
	}
}

static struct turn_draft *draft_of_call(const struct remote_call *c)
{
	return c->remote ? turn_draft_going(c->nvim->ox, str_of(c->turn), c->remote) : NULL;
}

static void begin_review(struct remote_call *c)
{
	struct turn_draft *t = draft_of_call(c);
	struct call_context *context = &c->pending.context;

	context->errors = context->confirm == CONFIRM_NEVER ? ERRORS_ACCEPT : ERRORS_ASK;
	context->shown = NULL; /* the model has seen each change as it was kept */
	if (t)
		t->busy = t->calls;
}

static void join_draft(struct remote_call *c, const json *turn)
{
	struct turn_draft *t = draft_of_call(c);
	struct turn_draft_about about = { c->turn, json_get_str(turn, "title").p,
					  json_get_str(turn, "who").p };

	if (!t)
		t = turn_draft_new(c->nvim->ox, &about, remote_on_settled, c->remote);
	turn_draft_use(t);
	c->pending.context.draft = t;
}

void remote_join_turn(struct remote_call *c, const json *turn)
{
	const struct tool *tool = c->pending.tool;

	snprintf(c->turn, sizeof(c->turn), "%s", json_get_str(turn, "id").p);
	if (!*c->turn)
		return;
	if (tool == &tool_turn && json_get_bool(turn, "review", false)) {
		begin_review(c);
		return;
	}
	c->pending.context.turn = c->turn;
	if (json_get_bool(turn, "draft", false) && tool->flags & (TOOL_TEXT | TOOL_DRAFTS) &&
	    !config_get(&c->nvim->ox->config, CFG_CHAT_APPLY))
		join_draft(c, turn);
}

bool remote_has_drafted(const struct remote_call *c)
{
	const struct turn_draft *t = draft_of_call(c);

	return t && draft_files(t->draft);
}

bool remote_hold_review(struct remote_call *c, json *result, const struct err *e)
{
	const struct turn_draft *t = c->pending.context.turn ? NULL : draft_of_call(c);

	if (!t || !t->review || c->remote->held)
		return false;
	c->result = result;
	c->why = *e;
	c->remote->held = c;
	return true;
}

void remote_on_leave(void *self, struct msg *m, const json *params)
{
	struct remote *client = self;
	struct turn_draft *t =
		turn_draft_going(client->listen->nvim->ox, json_get_str(params, "turn"), client);

	(void)m;
	if (t)
		t->busy = t->calls;
}

static void tell_waiting(struct nvim *n, const struct remote *client)
{
	struct turn_draft *t;

	LIST_FOREACH(t, &n->ox->drafts, all)
		if (t->arg == client && draft_files(t->draft)) {
			struct buf text SCOPED(buf_release) = BUF_INIT;

			buf_addf(&text,
				 "%s has disconnected; its changes wait for your review: "
				 "`:Oxide turn accept` or `reject`",
				 client->who);
			nvim_say(n, "warn", text.p);
			return;
		}
}

void remote_leaves_turns(struct remote *client)
{
	struct nvim *n = client->listen->nvim;
	struct remote_call *held = client->held;

	if (client->listen->socket) /* else Neovim is exiting */
		tell_waiting(n, client);
	turn_drafts_forget(n->ox, client);
	if (held) {
		client->held = NULL;
		held->remote = NULL;
		remote_call_end(held, held->result, &held->why);
	}
}
