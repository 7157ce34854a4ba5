#include <stdlib.h>

#include "../base/mem.h"
#include "../front/front.h"
#include "../lsp/proto.h"
#include "ide.h"
#include "listen.h"
#include "nvim_chat.h"

/*
 * Neovim's calls of tools: nvim_call_start -> (until all buffers are known) nvim_run_held
 * -> nvim_call_answer. A call that is cancelled is answered like the others.
 */
struct nvim_call {
	struct pending_call pending;
	struct nvim *nvim;
	bool text; /* a person reads the answer */
	struct format_style style;
};

static void nvim_call_put_text(const struct tool *t, json *result)
{
	struct buf text = BUF_INIT;

	front_print_answer(&text, t, result, false);
	json_put(result, "text", json_take(&text));
}

static void nvim_call_answer(void *arg, json *result, const struct err *e)
{
	struct nvim_call *c = arg;
	json *v;

	if (c->text && !e->code)
		nvim_call_put_text(c->pending.tool, result);
	v = !e->code ? json_of({ "result", result }) : result ? result : error_object(e);
	json_put(v, "id", json_int(c->pending.id));
	nvim_event(c->nvim, "answer", v);
	free(c);
}

int64_t nvim_call_id(const struct pending_call *c)
{
	return c && c->answer == nvim_call_answer ? c->id : 0;
}

static enum call_confirm nvim_call_confirm(const json *context)
{
	struct str s = json_get_str(context, "confirm");

	return str_eq(s, STR("always"))	 ? CONFIRM_ALWAYS
	       : str_eq(s, STR("never")) ? CONFIRM_NEVER
					 : CONFIRM_AUTO;
}

/* Who has not said what becomes of new errors is a script. */
static enum call_errors nvim_call_errors(const json *context)
{
	struct str s = json_get_str(context, "errors");

	return str_eq(s, STR("ask"))	  ? ERRORS_ASK
	       : str_eq(s, STR("accept")) ? ERRORS_ACCEPT
					  : ERRORS_REFUSE;
}

/* What a person typed for each; what the tool does not take is refused with the rest. */
static json *nvim_call_words(const struct tool *t, json *words, struct err *e)
{
	json *args = json_object();

	json_each(v, words) {
		const struct param *p = t->params;

		while (p->name && strcmp(p->name, json_key(v)) != 0)
			p++;
		if (!p->name)
			json_put(args, json_key(v), json_copy(v));
		else if (!e->code)
			front_put_typed(args, p, json_text(v), e);
	}
	json_free(words);
	return args;
}

static void nvim_call_context(struct nvim_call *c, const json *context)
{
	const json *style = json_get(context, "style");

	c->text = json_get_bool(context, "text", false);
	c->pending.context = (struct call_context){
		.confirm = nvim_call_confirm(context),
		.errors = nvim_call_errors(context),
		.overrule = "",
		.flat = json_get_bool(context, "flat", false),
		.known = json_get_bool(context, "known", false),
		.by_text = json_get_bool(context, "by_text", false),
		.names = json_get_bool(context, "names", false),
		.no_diff = !json_get_bool(context, "diff", true),
		.timeout_ms = (uint64_t)json_get_int(context, "timeout_ms", 0),
		.last_project = &c->nvim->last_project,
		.shown_root = c->nvim->ox->root,
		.style = style ? &c->style : NULL,
	};
	c->style = (struct format_style){ (unsigned)json_get_int(style, "tab_size", 8),
					  json_get_bool(style, "spaces", false),
					  -1,
					  -1,
					  -1,
					  0,
					  false };
}

void nvim_run_held(struct nvim *n)
{
	if (n->attaching)
		return;
	pending_calls_start(&n->calls, n->ox);
	listen_run_held(n);
	ide_run_held(n);
	nvim_chats_run_held(n);
}

void nvim_call_start(struct nvim *n, const json *params)
{
	const json *id = json_first(params), *tool = id ? json_next(id) : NULL;
	const json *args = tool ? json_next(tool) : NULL, *context = args ? json_next(args) : NULL;
	struct nvim_call *c = mem_new(sizeof(*c));
	struct pending_call *p = &c->pending;
	struct err e = ERR_INIT, ignored = ERR_INIT; /* what is not JSON is refused by the tool */
	json *how SCOPED(json_release) = context ? json_parse(json_text(context), &ignored) : NULL;

	c->nvim = n;
	nvim_call_context(c, how);
	p->id = json_number(id);
	p->answer = nvim_call_answer;
	p->args = json_parse_outer(json_text(args), &ignored);
	p->tool = tool_find(json_text(tool), &e);
	if (p->tool && c->text)
		p->args = nvim_call_words(p->tool, p->args, &e);
	p->context.now = !n->attaching && TAILQ_EMPTY(&n->calls);
	pending_call_add(&n->calls, p);
	if (e.code)
		pending_call_answer(p, NULL, &e);
	else if (p->context.now)
		pending_call_start(p, n->ox);
	else
		nvim_run_held(n);
}

void nvim_call_cancel(struct nvim *n, const json *params)
{
	pending_calls_cancel(&n->calls, json_number(json_first(params)));
}
