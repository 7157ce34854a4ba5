#include "hook.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../core/trusted_commands.h"
#include "../hook/command_reads.h"
#include "hook_edit.h"
#include "permissions.h"

/*
 * hook_run -> (edit in a project) hook_edit_start -> its answer
 *          -> (all else) hook_ask -> on_hook_permitted
 */
struct hook {
	struct call *call;
	const struct hook_agent *agent;
	json *event;
	struct hook_event ev;
	struct hook_files files;
	struct buf title, digest;
	struct permission_request request;
	struct permission *asking;
};

static void hook_free(struct hook *h)
{
	json_free(h->event);
	hook_files_release(&h->files);
	buf_release(&h->title);
	buf_release(&h->digest);
	free(h);
}

static json *hook_answer(json *output)
{
	return json_of({ "output", output });
}

static void hook_end(struct hook *h, const struct err *e)
{
	const struct hook_agent *agent = h->agent;
	struct call *call = h->call;
	struct err why = *e;

	hook_free(h);
	if (why.code)
		call_fail(call, &why);
	else
		call_done(call, hook_answer(agent->allow("allowed in Oxide", NULL, NULL)));
}

static void on_hook_permitted(void *arg, const struct err *e)
{
	struct hook *h = arg;

	call_on_cancel(h->call, NULL, NULL);
	hook_end(h, e);
}

static void hook_cancel(void *state)
{
	struct hook *h = state;

	permission_cancel(h->asking);
}

/* The worst of its files. */
static enum permission_where hook_where(struct hook *h)
{
	enum permission_where worst = PERMISSION_INSIDE, where;

	for (size_t i = 0; i < h->files.n; i++) {
		struct hook_file *f = &h->files.v[i];

		where = permission_where(call_oxide(h->call), f->path);
		worst = where > worst ? where : worst;
		where = f->moved ? permission_where(call_oxide(h->call), f->moved) : where;
		worst = where > worst ? where : worst;
	}
	return worst;
}

/* All that is done: it is what is allowed. */
static void hook_put_title(struct hook *h)
{
	const struct hook_event *ev = &h->ev;

	if (ev->act == HOOK_ACT_COMMAND)
		buf_addf(&h->title, "run %.*s in %.*s", STR_ARG(ev->command), STR_ARG(ev->cwd));
	for (size_t i = 0; i < h->files.n; i++) {
		const struct hook_file *f = &h->files.v[i];

		buf_addf(&h->title, "%s%s %.*s", i ? ", " : "", f->gone ? "delete" : ev->tool->verb,
			 STR_ARG(call_shown(h->call, f->path)));
		if (f->moved)
			buf_addf(&h->title, " as %.*s", STR_ARG(call_shown(h->call, f->moved)));
	}
	if (ev->act == HOOK_ACT_SEALED)
		buf_adds(&h->title, ", a notebook, whose changes cannot be shown");
}

static void hook_read_where(void *arg, struct str path)
{
	struct hook *h = arg;
	struct buf whole SCOPED(buf_release) = BUF_INIT;
	enum permission_where where;

	path_normal(&whole, json_get_str(h->event, "cwd").p, path);
	where = permission_where(call_oxide(h->call), whole.p);
	if (where == PERMISSION_OUTSIDE)
		h->request.where = where;
}

/* "always" is for what no file of the project can change the meaning of. */
static void hook_prepare(struct hook *h)
{
	bool sealed = h->ev.act == HOOK_ACT_SEALED;

	hook_put_title(h);
	h->request = (struct permission_request){
		.what = h->ev.act == HOOK_ACT_COMMAND ? PERMISSION_COMMAND : PERMISSION_EDIT,
		.where = hook_where(h),
		.title = buf_str(&h->title).p,
		.tool = "hook",
		.who = call_context(h->call)->who,
		.root = call_root(h->call),
		.of = call_context(h->call)->of,
	};
	/* A command that only reads is what the table says of reading, as a tool for that is. */
	if (h->ev.act == HOOK_ACT_COMMAND && command_reads(h->ev.command, hook_read_where, h))
		h->request.what = PERMISSION_READ;
	if (h->request.where == PERMISSION_PROTECTED || sealed)
		return;
	trusted_commands_digest_text(buf_str(&h->title), &h->digest);
	h->request.digest = &h->digest;
}

static void hook_review(struct hook *h, bool asks)
{
	struct hook_edit_spec spec = { .call = h->call,
				       .agent = h->agent,
				       .event = h->event,
				       .title = h->title.p,
				       .sure = !asks };

	h->event = NULL; /* taken */
	hook_edit_start(&spec);
	hook_free(h);
}

static void hook_decide(struct hook *h)
{
	struct err e = ERR_INIT;
	struct permissions *p = permissions_shared(call_oxide(h->call), &e);
	enum permission_rule rule = p ? permissions_rule(p, &h->request) : PERMISSION_DENY;
	bool inside = h->request.where == PERMISSION_INSIDE && h->ev.act == HOOK_ACT_EDIT;

	if (p && rule == PERMISSION_DENY)
		permission_deny(&h->request, &e);
	if (e.code) {
		hook_end(h, &e);
	} else if (inside && rule != PERMISSION_ASK) {
		hook_review(h, rule == PERMISSION_REVIEW);
	} else if (rule == PERMISSION_ALLOW) {
		hook_end(h, &e);
	} else {
		h->asking = permission_ask(p, &h->request, on_hook_permitted, h);
		call_on_cancel(h->call, hook_cancel, h);
	}
}

/* What the user has reviewed a moment ago is not asked about once more, and is told now. */
static void hook_follow(struct hook *h)
{
	struct permissions *p = call_oxide(h->call)->permissions;
	struct call *call = h->call;
	struct buf what SCOPED(buf_release) = BUF_INIT;
	json *output = NULL;
	char *text SCOPED(mem_release) = NULL;

	hook_event_key(&h->ev, h->ev.input, &what);
	text = p ? permission_take_given(p, h->ev.session, buf_str(&what)) : NULL;
	if (text && h->ev.kind == HOOK_PERMIT && h->agent->permit)
		output = h->agent->permit();
	if (text && h->ev.kind == HOOK_AFTER && h->agent->after)
		output = h->agent->after(text);
	hook_free(h);
	call_done(call, hook_answer(output ? output : json_object()));
}

static void hook_run(struct call *call)
{
	struct hook *h = mem_new(sizeof(*h));
	struct err e = ERR_INIT;

	h->call = call;
	h->agent = hook_agent_find(json_get_str(call_args(call), "agent"), &e);
	h->event = h->agent ? json_parse(json_get_str(call_args(call), "event"), &e) : NULL;
	if (!h->event || !hook_event_read(&h->ev, h->event, &e)) {
		hook_end(h, &e);
	} else if (h->ev.kind == HOOK_PERMIT || h->ev.kind == HOOK_AFTER) {
		hook_follow(h);
	} else if (h->ev.kind != HOOK_BEFORE || h->ev.act == HOOK_ACT_OTHER) {
		hook_free(h);
		call_done(call, hook_answer(json_object())); /* it goes on as without us */
	} else if (!hook_event_files(&h->ev, &h->files, &e)) {
		hook_end(h, &e);
	} else {
		hook_prepare(h);
		hook_decide(h);
	}
}

static const struct param params[] = {
	{ "agent", P_STR, true, NULL, "who asks" },
	{ "event", P_TEXT, true, NULL, "what it has told its hook" },
	PARAMS_END,
};

const struct tool tool_agent_hook = {
	.name = "hook",
	.title = "What an agent asks its hook",
	.doc = "Ask the user whether an agent may do what it is about to do",
	.params = params,
	.flags = TOOL_WRITES | TOOL_DESTROYS | TOOL_USER,
	.run = hook_run,
	.print = print_change,
};
