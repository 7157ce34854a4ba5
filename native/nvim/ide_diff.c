#include <stdlib.h>

#include "../agent/hook.h"
#include "../agent/permissions.h"
#include "../base/mem.h"
#include "../io/loop.h"
#include "../tool/tool.h"
#include "ide_impl.h"

/*
 * openDiff is the question that Claude Code's hook asks when it is about to write a file (hook.h),
 * in other words, and is answered by the same review. Claude Code then writes what was accepted.
 *
 *     ide_open_diff -> (the review) -> ide_diff_answer
 *                   -> the client closes the tab, or goes, or nobody answers: the review is taken
 *                      back
 */
struct ide_diff {
	struct ide_call *call;
	char *tab; /* the name of what it takes for a tab page */
	int64_t number, question;
	json *accepted; /* the text */
	struct timer *patience;
};

static void ide_diff_free(struct ide_diff *d)
{
	timer_free(d->patience);
	json_free(d->accepted);
	free(d->tab);
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
	struct buf text = BUF_INIT;

	if (e->code == ERR_CANCELLED || c->diff->question)
		return;
	buf_addf(&text, "%s: %s", c->client->who, e->msg);
	nvim_say(c->client->ide->nvim, "warn", text.p);
	buf_release(&text);
}

/* What the file is now is kept: it may write. */
static void ide_diff_give(void *arg)
{
	struct ide_call *c = arg;
	struct ide_diff *d = c->diff;

	c->client->waits--;
	ide_call_done(c, "FILE_SAVED", json_text(d->accepted));
	ide_diff_free(d);
}

static void ide_diff_answer(void *arg, json *result, const struct err *e)
{
	struct ide_call *c = arg;
	struct ide_diff *d = c->diff;
	const json *input = json_get(result, "output.hookSpecificOutput.updatedInput"),
		   *text = json_get(input, "content");

	c->pends = false;
	ide_diff_tell(c, e);
	if (e->code)
		ide_diff_explain(c, e);
	if (e->code) {
		ide_call_done(c, "DIFF_REJECTED", str_of(d->tab));
	} else {
		d->accepted = json_copy(text ? text : json_get(c->args, "new_file_contents"));
		c->client->waits++;
		nvim_agent_watch_prompt(c->client->ide->nvim, c->client->pid, false, ide_diff_give,
					c);
	}
	json_free(result);
	if (e->code)
		ide_diff_free(d);
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

/* As Claude Code's hook would tell it. */
static json *ide_diff_event(const struct ide_call *c)
{
	const char *root = c->client->ide->nvim->ox->root;
	json *input = json_of({ "file_path", json_str(json_get_str(c->args, "new_file_path")) },
			      { "content", json_str(json_get_str(c->args, "new_file_contents")) });
	json *event =
		json_of({ "hook_event_name", json_strz("PreToolUse") }, { "cwd", json_strz(root) },
			{ "tool_name", json_strz("Write") }, { "tool_input", input });
	struct buf text = BUF_INIT;

	json_print(&text, event);
	json_free(event);
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
	p->args = json_of({ "agent", json_strz("claude") }, { "event", ide_diff_event(c) });
	p->answer = ide_diff_answer;
	p->context = (struct call_context){ .confirm = CONFIRM_ALWAYS,
					    .errors = ERRORS_ASK,
					    .last_project = &c->client->last_project,
					    .origin = "mcp",
					    .who = c->client->who };
	ide_call_pend(c);
}

void ide_open_diff(struct ide_call *c)
{
	struct str tab = json_get_str(c->args, "tab_name");

	if (!json_get_str(c->args, "new_file_path").n ||
	    !json_is(json_get(c->args, "new_file_contents"), JSON_STRING)) {
		ide_call_fail(c, "openDiff needs new_file_path and new_file_contents");
		return;
	}
	c->diff = mem_new(sizeof(*c->diff));
	c->diff->tab = mem_dup(tab.p, tab.n);
	c->diff->number = -++c->client->ide->nvim->last_other;
	ide_diff_start(c);
}

/* Takes back those of a name, or all; how many those were. */
static size_t ide_close_diffs(struct ide_client *client, const struct str *tab)
{
	struct pending_call *p, *next;
	size_t n = 0;

	for (p = TAILQ_FIRST(&client->calls); p; p = next) {
		struct ide_call *c = (struct ide_call *)p;

		next = TAILQ_NEXT(p, all);
		if (!c->diff || (tab && !str_eq(*tab, str_of(c->diff->tab))))
			continue;
		pending_call_cancel(p);
		n++;
	}
	return n;
}

void ide_close_tab(struct ide_call *c)
{
	struct str tab = json_get_str(c->args, "tab_name");

	ide_close_diffs(c->client, &tab);
	ide_call_done(c, "TAB_CLOSED", (struct str){ 0 });
}

static void ide_prompt_begun(void *arg)
{
	struct ide_call *c = arg;
	struct buf text = BUF_INIT;

	c->client->waits--;
	buf_addf(&text, "CLOSED_%zu_DIFF_TABS", c->closed);
	ide_call_done(c, text.p, (struct str){ 0 });
	buf_release(&text);
}

/* Claude Code asks for it with each prompt: a turn begins. */
void ide_close_all_diffs(struct ide_call *c)
{
	struct nvim *n = c->client->ide->nvim;

	c->closed = ide_close_diffs(c->client, NULL);
	if (n->ox->permissions)
		permission_forget_given(n->ox->permissions);
	c->client->waits++;
	nvim_agent_watch_prompt(n, c->client->pid, true, ide_prompt_begun, c);
}
