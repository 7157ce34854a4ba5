#include <stdlib.h>

#include "../agent/hook.h"
#include "../base/mem.h"
#include "../io/loop.h"
#include "../tool/tool.h"
#include "ide_impl.h"

/*
 * openDiff is the question that the agent's hook asks when it is about to write a file (hook.h), in
 * other words, and is answered by the same review. The agent then writes what was accepted.
 *
 *     ide_diff_open -> (the review) -> ide_diff_answer
 *                   -> the client closes the tab, or goes, or nobody answers: the review is taken
 *                      back
 */
struct ide_diff {
	struct ide_call *call;
	struct ide_diff_spec spec; /* its strings are in the call's arguments */
	bool silent;
	int64_t number, question;
	json *accepted; /* the text */
	struct timer *patience;
};

static void ide_diff_free(struct ide_diff *d)
{
	timer_free(d->patience);
	json_free(d->accepted);
	free(d);
}

/* What the user hears of how it has ended: a review that is open says so. */
static void ide_diff_tell(const struct ide_call *c, const struct err *e)
{
	nvim_event(c->client->ide->nvim, "remote_client",
		   json_of({ "who", json_strz(c->client->who) },
			   { "question", json_int(c->diff->question) }, { "title", json_strz("") },
			   { "error", e->code ? json_strz(e->msg) : NULL }));
}

/* Before anybody was asked: the protocol has no words for the reason, so the user gets them. */
static void ide_diff_explain(const struct ide_call *c, const struct err *e)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;

	if (e->code == ERR_CANCELLED || c->diff->question)
		return;
	buf_addf(&text, "%s: %s", c->client->who, e->msg);
	nvim_say(c->client->ide->nvim, "warn", text.p);
}

/* What the file is now is kept: it may write. */
static void ide_diff_give(void *arg)
{
	struct ide_call *c = arg;
	struct ide_diff *d = c->diff;

	c->client->waits--;
	d->spec.accepted(c, json_text(d->accepted));
	ide_diff_free(d);
}

/* The text that the hook would give to the agent in place of its own, or that. */
static json *ide_diff_text(const struct ide_call *c, const json *result)
{
	const json *input = json_get(json_get(result, "output.hookSpecificOutput"),
				     c->client->ide->kind->instead),
		   *text = json_get(input, "content");

	return text ? json_copy(text) : json_str(c->diff->spec.text);
}

/* A prompt that was given while it still connected leaves out all that it would ask for, so that
 * the user has to know what the model does not. */
static void ide_diff_say_later(const struct ide_client *c)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;

	buf_addf(&text, "%s hears with its next change what you made of this one", c->who);
	nvim_say(c->ide->nvim, "warn", text.p);
}

/* What the hook would tell the model; where nobody was asked here, it has. */
static void ide_diff_say_context(const struct ide_call *c, const json *result)
{
	struct str text =
		json_get_str(json_get(result, "output.hookSpecificOutput"), "additionalContext");

	if (!text.n || !c->diff->question || !c->client->ide->kind->tells)
		return;
	ide_diagnostics_tell(c->client, c->diff->spec.path, text);
	if (!c->client->prompted)
		ide_diff_say_later(c->client);
}

static void ide_diff_answer(void *arg, json *result, const struct err *e)
{
	struct ide_call *c = arg;
	struct ide_diff *d = c->diff;
	struct nvim_ide_agent agent = ide_client_agent(c->client);

	c->pends = false;
	ide_diff_tell(c, e);
	if (e->code) {
		ide_diff_explain(c, e);
		d->spec.rejected(c, d->spec.tab);
		ide_diff_free(d);
	} else {
		d->accepted = ide_diff_text(c, result);
		ide_diff_say_context(c, result);
		c->client->waits++;
		nvim_agent_watch_prompt(c->client->ide->nvim, &agent, false, ide_diff_give, c);
	}
	json_free(result);
}

bool ide_put_caller(struct pending_call *p, int64_t question, json *v)
{
	struct ide_call *c = (struct ide_call *)p;

	if (!p || p->answer != ide_diff_answer)
		return false;
	c->diff->question = question;
	json_put(v, "call", json_int(c->diff->number));
	json_put(v, "who", json_strz(c->client->who));
	return true;
}

static void ide_diff_too_late(void *arg)
{
	struct ide_call *c = arg;

	pending_call_cancel(&c->pending);
}

/* As the agent's hook would tell it. */
static json *ide_diff_event(const struct ide_call *c)
{
	const struct ide_kind *kind = c->client->ide->kind;
	const char *root = c->client->ide->nvim->ox->root;
	json *input = json_of({ "file_path", json_str(c->diff->spec.path) },
			      { "content", json_str(c->diff->spec.text) });
	json *event SCOPED(json_release) =
		json_of({ "hook_event_name", json_strz(kind->event) }, { "cwd", json_strz(root) },
			{ "tool_name", json_strz(kind->write) }, { "tool_input", input });
	struct buf text = BUF_INIT;

	json_print(&text, event);
	return json_take(&text);
}

static void ide_diff_start(struct ide_call *c)
{
	struct nvim *n = c->client->ide->nvim;
	struct pending_call *p = &c->pending;

	c->diff->patience = timer_new(n->ox->loop, ide_diff_too_late, c);
	timer_set(c->diff->patience,
		  loop_now(n->ox->loop) + (uint64_t)config_get(&n->ox->config, CFG_AGENT_REVIEW));
	p->tool = &tool_agent_hook;
	p->args = json_of({ "agent", json_strz(c->client->ide->kind->agent) },
			  { "event", ide_diff_event(c) });
	p->answer = ide_diff_answer;
	p->context = (struct call_context){ .confirm = CONFIRM_ALWAYS,
					    .errors = ERRORS_ASK,
					    .last_project = &c->client->last_project,
					    .origin = "mcp",
					    .who = c->client->who };
	ide_call_pend(c);
}

void ide_diff_open(struct ide_call *c, const struct ide_diff_spec *spec)
{
	c->diff = mem_new(sizeof(*c->diff));
	c->diff->spec = *spec;
	c->diff->number = -++c->client->ide->nvim->last_other;
	ide_diagnostics_forget(c->client);
	ide_diff_start(c);
}

size_t ide_close_diffs(struct ide_client *client, const struct str *tab, bool silent)
{
	struct pending_call *p, *next;
	size_t n = 0;

	for (p = TAILQ_FIRST(&client->calls); p; p = next) {
		struct ide_call *c = (struct ide_call *)p;

		next = TAILQ_NEXT(p, all);
		if (!c->diff || (tab && !str_eq(*tab, c->diff->spec.tab)))
			continue;
		c->diff->silent = silent;
		if (!p->cancelled)
			pending_call_cancel(p);
		n++;
	}
	return n;
}

bool ide_diff_is_silent(const struct ide_call *c)
{
	return c->diff->silent;
}
