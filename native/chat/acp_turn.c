#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../io/loop.h"
#include "acp_impl.h"

/*
 * A turn of a conversation with an agent: what was said goes out as blocks, what the agent says,
 * thinks and does comes as updates, and the answer to the prompt is its end.
 *
 *     acp_engine_begin -> on_opened -> on_prompted -> (all that it asked for is answered)
 *         -> turn_end()
 */
/* What has come so far is a message, and the results of its calls are another one. */
static void acp_turn_close_message(struct acp_turn *a)
{
	struct acp_pieces *said = &a->said;
	struct chat *chat = &a->of->of->chat;

	if (!said->n)
		return;
	acp_pieces_put(said, chat);
	turn_tell_message(a->of);
	if (acp_pieces_put_results(said, chat))
		turn_tell_message(a->of);
	acp_pieces_clear(said);
}

static void acp_turn_count_bytes(struct acp_turn *a, size_t n)
{
	struct turn *t = a->of;
	int64_t most = config_get(&t->of->ox->config, CFG_CHAT_ANSWER);
	struct err e = ERR_INIT;

	t->answered += n;
	if (t->answered <= (size_t)most || t->over.code)
		return;
	err_set(&e, ERR_LIMIT, "the answer was longer than %lld bytes (chat.answer_bytes)",
		(long long)most);
	t->of->engine->stop(t, &e);
}

static void acp_turn_on_text(struct acp_turn *a, struct str more, bool thought)
{
	struct turn *t = a->of;

	if (t->over.code)
		return;
	if (acp_pieces_called(&a->said) && !acp_pieces_running(&a->said))
		acp_turn_close_message(a);
	buf_add(&acp_piece_of(&a->said, thought ? CHAT_THOUGHT : CHAT_TEXT)->text, more);
	acp_turn_count_bytes(a, more.n);
	if (t->events.text)
		t->events.text(t->self, more, thought);
}

void acp_turn_call(struct acp_turn *a, struct acp_call *c)
{
	bool is_new, was_told;
	struct acp_doing *d = acp_doing_of(a, c, &is_new);
	struct turn *t = a->of;

	if (d->ended)
		return;
	was_told = d->args.n;
	if (is_new)
		acp_piece_of(&a->said, CHAT_CALL)->doing = d;
	acp_doing_look(t->of->ox->workspace, d);
	if (t->events.call && (is_new || was_told))
		t->events.call(t->self, &d->part);
	if (c->ended)
		acp_doing_end(a, d, false);
}

static void acp_turn_on_cost(struct acp_program *p, const json *usage)
{
	const json *amount = json_get(usage, "cost.amount");

	if (json_is(amount, JSON_NUMBER))
		p->cost = json_double(amount);
}

static void acp_turn_update(struct acp_program *p, const struct acp_update *u)
{
	struct turn *t = acp_program_turn(p);
	json *text;

	if (p->replay && acp_replay_take(p, u))
		return;
	switch (u->kind) {
	case ACP_TEXT:
	case ACP_THOUGHT:
		if (t)
			acp_turn_on_text(t->acp, u->text, u->kind == ACP_THOUGHT);
		break;
	case ACP_CALL:
		if (t)
			acp_turn_call(t->acp, u->call);
		break;
	case ACP_PLAN:
		acp_program_tell(p, "plan", u->value);
		break;
	case ACP_COMMANDS:
		json_free(p->commands);
		p->commands = json_copy(u->value);
		acp_program_tell(p, "commands", u->value);
		break;
	case ACP_OPTIONS:
		acp_program_tell(p, "options", u->value);
		break;
	case ACP_USAGE:
		acp_turn_on_cost(p, u->value);
		break;
	case ACP_TITLE:
		text = json_str(u->text);
		acp_program_tell(p, "title", text);
		json_free(text);
		break;
	case ACP_USER_TEXT: /* said before, and shown already */
		break;
	}
}

/* What is sent */

static void acp_turn_push_text(json *blocks, struct str text)
{
	json_push(blocks, json_of({ "type", json_strz("text") }, { "text", json_str(text) }));
}

/* Lines are numbered as a model sees them: under a heading that says so, as a resource where the
 * agent takes such, else as a text with a link. */
static void acp_turn_push_shown(json *blocks, const struct chat_part *part, bool embeds)
{
	struct buf text SCOPED(buf_release) = BUF_INIT, uri SCOPED(buf_release) = BUF_INIT;

	buf_addf(&text, "%.*s (each line as `N: text`; the number is not part of the text):",
		 STR_ARG(part->name));
	if (part->id.n)
		uri_from_path(&uri, part->id);
	if (!embeds || !uri.n)
		buf_addf(&text, "\n%.*s", STR_ARG(part->text));
	acp_turn_push_text(blocks, buf_str(&text));
	if (uri.n && embeds)
		json_push(blocks,
			  json_of({ "type", json_strz("resource") },
				  { "resource", json_of({ "uri", json_str(buf_str(&uri)) },
							{ "mimeType", json_strz("text/plain") },
							{ "text", json_str(part->text) }) }));
	else if (uri.n)
		json_push(blocks, json_of({ "type", json_strz("resource_link") },
					  { "uri", json_str(buf_str(&uri)) },
					  { "name", json_str(path_base(part->id)) }));
}

static json *blocks_of(const struct conversation *c, bool embeds)
{
	json *blocks = json_array();
	const struct chat_message *m = NULL;

	for (size_t i = c->chat.n; i-- && !m;)
		if (c->chat.v[i]->role == CHAT_PERSON)
			m = c->chat.v[i];
	for (size_t i = 0; m && i < m->n; i++)
		if (m->v[i].kind == CHAT_SHOWN)
			acp_turn_push_shown(blocks, &m->v[i], embeds);
		else
			acp_turn_push_text(blocks, m->v[i].text);
	return blocks;
}

/* How it ends */

/* What it has written itself is in the history by now, as part of this turn. */
static void acp_turn_on_looked(void *arg, const struct watch_outcome *o)
{
	struct acp_turn *a = arg;
	struct err e = a->end;

	a->watched = false;
	if (o->report && a->program)
		acp_program_tell(a->program, "changed", o->report);
	if (o->report && a->program)
		turn_record_past(a->of, watch_root(a->program->watch), o->report);
	turn_end(a->of, &e);
}

void acp_turn_maybe_end(struct acp_turn *a)
{
	struct turn *t = a->of;
	struct err e = a->end;

	if (!a->answered || a->tasks)
		return;
	a->answered = false; /* once */
	timer_set(a->patience, UINT64_MAX);
	if (a->watched && a->program)
		watch_turn_end(a->program->watch, acp_turn_on_looked, a);
	else
		turn_end(t, &e);
}

static void answer_turn(struct acp_turn *a, const struct err *e)
{
	for (size_t i = 0; i < a->n_doings; i++)
		if (!a->doings[i]->ended)
			acp_doing_end(a, a->doings[i], true);
	acp_turn_close_message(a);
	a->answered = true;
	a->end = a->of->over.code ? a->of->over : *e;
	if (a->of->cancelled && !a->of->over.code)
		err_set(&a->end, ERR_CANCELLED, "cancelled");
	acp_turn_maybe_end(a);
}

static void acp_turn_say_stop(const char *who, struct str reason, struct err *e)
{
	if (str_eq(reason, STR("cancelled")))
		err_set(e, ERR_CANCELLED, "%s has cancelled the turn", who);
	else if (str_eq(reason, STR("max_tokens")))
		err_set(e, ERR_LIMIT,
			"the answer of %s was cut off at its token limit; ask it to go on", who);
	else if (str_eq(reason, STR("max_turn_requests")))
		err_set(e, ERR_LIMIT,
			"%s has made as many requests as it may in one turn; ask it to "
			"go on",
			who);
	else if (str_eq(reason, STR("refusal")))
		err_set(e, ERR_DENIED, "%s refused to answer", who);
}

static void acp_turn_count_usage(struct acp_turn *a, const json *usage)
{
	const struct llm_usage more = { json_get_int(usage, "input", -1),
					json_get_int(usage, "output", -1),
					json_get_int(usage, "cached", -1), -1 };

	llm_usage_add(&a->of->of->usage, &more);
	llm_usage_add(&a->of->used, &more);
}

static void acp_turn_on_prompted(void *arg, const json *result, const struct err *failed)
{
	struct acp_turn *a = arg;
	struct err e = *failed;

	if (result) {
		acp_turn_count_usage(a, json_get(result, "usage"));
		acp_turn_say_stop(conversation_who(a->of->of), json_get_str(result, "stopReason"),
				  &e);
	} else if (a->program && e.code != ERR_IO) {
		err_in(&e, "%s", a->program->name);
	}
	answer_turn(a, &e);
}

/* Files are kept as they are; now it may begin. */
static void acp_turn_on_watched(void *arg)
{
	struct acp_turn *a = arg;
	struct turn *t = a->of;
	struct acp_program *p = a->program;
	struct err e = ERR_INIT;

	if (p->state != ACP_READY)
		err_set(&e, ERR_PEER, "%s has ended", p->name);
	if (e.code || t->cancelled || t->over.code) {
		answer_turn(a, &e);
		return;
	}
	a->prompted = true;
	acp_forget_calls(p->acp);
	acp_seen_forget(p);
	acp_prompt(p->acp, blocks_of(t->of, acp_agent(p->acp)->embeds), acp_turn_on_prompted, a);
	acp_program_wake(p);
}

static void acp_turn_on_opened(void *arg, const struct err *e)
{
	struct turn *t = arg;
	struct acp_turn *a = t->acp;
	struct acp_program *p = a->program;
	struct buf title SCOPED(buf_release) = BUF_INIT;

	a->opening = false;
	if (e->code || t->cancelled || t->over.code) {
		answer_turn(a, e);
		return;
	}
	if (!p->watch)
		p->watch = watch_start(p->ox, p->cwd, p->name, ERR_IGNORED);
	a->watched = p->watch;
	turn_own_title(t, &title);
	if (p->watch)
		watch_turn_begin(p->watch, t->of->turn, title.p, acp_turn_on_watched, a);
	else
		acp_turn_on_watched(a);
}

static void acp_turn_on_impatient(void *arg)
{
	struct acp_turn *a = arg;
	struct err e = ERR_INIT;

	if (!a->program)
		return;
	err_set(&e, ERR_TIMEOUT, "%s did not end the turn that was cancelled, and was killed",
		a->program->name);
	acp_program_kill(a->program, &e);
}

static void acp_engine_begin(struct turn *t)
{
	struct acp_turn *a = mem_new(sizeof(*a));
	struct err e = ERR_INIT;

	*a = (struct acp_turn){ .of = t, .program = t->of->program };
	t->acp = a;
	a->patience = timer_new(t->of->ox->loop, acp_turn_on_impatient, a);
	if (!a->program)
		err_set(&e, ERR_NOT_FOUND, "the agent is closed");
	if (t->cancelled || e.code) {
		answer_turn(a, &e);
		return;
	}
	a->opening = true;
	acp_program_open(a->program, acp_turn_on_opened, t);
}

static void end_early(struct turn *t)
{
	struct acp_turn *a = t->acp;
	struct oxide *ox = t->of->ox;
	uint64_t patience = (uint64_t)config_get(&ox->config, CFG_ACP_CANCEL);
	struct err e = ERR_INIT;

	if (!a || a->answered || !a->program)
		return;
	if (a->opening) {
		acp_program_give_up(a->program);
		a->opening = false;
		answer_turn(a, &e);
	} else if (a->prompted && a->program->acp) {
		acp_cancel(a->program->acp);
		acp_cancel_requests(a->program->acp);
		acp_program_wake(a->program);
		timer_set(a->patience, loop_now(ox->loop) + patience);
	}
}

static void acp_engine_stop(struct turn *t, const struct err *why)
{
	if (t->over.code)
		return;
	t->over = *why;
	end_early(t);
}

/* Once more: it is not waited for any longer. */
static void acp_engine_cancel(struct turn *t)
{
	struct acp_turn *a = t->acp;

	if (a && a->program && t->unreviewed && a->prompted)
		acp_turn_on_impatient(a);
	else
		end_early(t);
}

static void acp_engine_free(struct turn *t)
{
	struct acp_turn *a = t->acp;

	if (!a)
		return;
	timer_free(a->patience);
	acp_pieces_release(&a->said);
	for (size_t i = 0; i < a->n_doings; i++)
		acp_doing_free(a->doings[i]);
	free(a->doings);
	free(a);
	t->acp = NULL;
}

static const char *acp_engine_who(const struct conversation *c)
{
	return c->program ? c->program->name : "the agent";
}

static double acp_engine_cost(const struct conversation *c)
{
	return c->program ? c->program->cost : -1;
}

const struct engine engine_acp = { .name = "acp",
				   .begin = acp_engine_begin,
				   .stop = acp_engine_stop,
				   .cancel = acp_engine_cancel,
				   .free = acp_engine_free,
				   .who = acp_engine_who,
				   .cost = acp_engine_cost };

static void acp_turn_on_update(void *self, const struct acp_update *u)
{
	acp_turn_update(self, u);
}

const struct acp_host acp_host = { .update = acp_turn_on_update,
				   .request = acp_task_start,
				   .cancel = acp_task_cancel };
