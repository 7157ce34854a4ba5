#include <stdlib.h>

#include "../base/mem.h"
#include "../lsp/proto.h"
#include "front.h"
#include "listen.h"
#include "nvim_impl.h"

/*
 * Neovim's calls of tools: nvim_call_start -> (held until all buffers are known) start_call
 * -> nvim_call_answer. A call that is cancelled is answered like the others.
 */
struct nvim_call {
	struct asker asker;
	LIST_ENTRY(nvim_call) all;
	struct nvim *nvim;
	struct call *call;
	const struct tool *tool;
	bool text; /* a person reads the answer */
	struct format_style style;
};

static void put_text(const struct nvim_call *c, json *result)
{
	struct buf text = BUF_INIT;

	text_answer(&text, c->tool, result, false);
	json_put(result, "text", json_take(&text));
}

static void nvim_call_answer(void *arg, json *result, const struct err *e)
{
	struct nvim_call *c = arg;
	json *v = !e->code ? json_object() : result ? result : error_object(e);

	if (c->text && !e->code)
		put_text(c, result);
	json_put(v, "id", json_int(c->asker.id));
	if (!e->code)
		json_put(v, "result", result);
	nvim_event_json(c->nvim, "answer", v);
	LIST_REMOVE(c, all);
	free(c);
}

static enum call_confirm read_confirm(const json *context)
{
	struct str s = json_get_str(context, "confirm");

	return str_eq(s, STR("always"))	 ? CONFIRM_ALWAYS
	       : str_eq(s, STR("never")) ? CONFIRM_NEVER
					 : CONFIRM_AUTO;
}

/* Who has not said what becomes of new errors is a script. */
static enum call_errors read_errors(const json *context)
{
	struct str s = json_get_str(context, "errors");

	return str_eq(s, STR("ask"))	  ? ERRORS_ASK
	       : str_eq(s, STR("accept")) ? ERRORS_ACCEPT
					  : ERRORS_REFUSE;
}

/* What a person typed for each; what the tool does not take is refused with the rest. */
static json *read_words(const struct tool *t, json *words, struct err *e)
{
	json *args = json_object();

	json_each(v, words) {
		const struct param *p = t->params;

		while (p->name && strcmp(p->name, json_key(v)) != 0)
			p++;
		if (!p->name)
			json_put(args, json_key(v), json_copy(v));
		else if (!e->code)
			front_put_word(args, p, json_text(v), e);
	}
	json_free(words);
	return args;
}

/* Takes args and context. */
static void start_call(struct nvim *n, int64_t id, const char *tool, json *args, json *context)
{
	struct nvim_call *c = mem_new(sizeof(*c));
	struct call_context ctx = { .confirm = read_confirm(context),
				    .errors = read_errors(context),
				    .overrule = "",
				    .flat = json_get_bool(context, "flat", false),
				    .known = json_get_bool(context, "known", false),
				    .no_diff = !json_get_bool(context, "diff", true),
				    .timeout_ms = (uint64_t)json_get_int(context, "timeout_ms", 0),
				    .last_project = &n->last_project,
				    .shown_root = n->ox->root,
				    .of = &c->asker };
	const json *style = json_get(context, "style");
	struct err e = ERR_INIT;
	const struct tool *t = tool_find(str_of(tool), &e);

	c->nvim = n;
	c->asker.id = id;
	LIST_INSERT_HEAD(&n->calls, c, all);
	if (style) {
		c->style = (struct format_style){ (unsigned)json_get_int(style, "tab_size", 8),
						  json_get_bool(style, "spaces", false),
						  -1,
						  -1,
						  -1,
						  0,
						  false };
		ctx.style = &c->style;
	}
	c->text = json_get_bool(context, "text", false);
	if (t && c->text)
		args = read_words(t, args, &e);
	json_free(context);
	c->tool = t;
	if (!e.code) {
		c->call = call_start(n->ox, t, args, &ctx, nvim_call_answer, c);
	} else {
		json_free(args);
		nvim_call_answer(c, NULL, &e);
	}
}

void nvim_run_held(struct nvim *n)
{
	struct held *h;

	while (!n->attaching && (h = STAILQ_FIRST(&n->held))) {
		STAILQ_REMOVE_HEAD(&n->held, all);
		start_call(n, h->id, h->tool, h->args, h->context);
		free(h->tool);
		free(h);
	}
	if (!n->attaching)
		listen_run_held(n);
}

void nvim_call_start(struct nvim *n, const json *params)
{
	const json *id = json_first(params), *tool = id ? json_next(id) : NULL;
	const json *args = tool ? json_next(tool) : NULL, *context = args ? json_next(args) : NULL;
	struct held *h = mem_new(sizeof(*h));
	struct err e = ERR_INIT;

	h->id = json_number(id);
	h->tool = mem_dup(json_text(tool).p, json_text(tool).n);
	h->args = json_parse_outer(json_text(args), &e);
	h->context = context ? json_parse(json_text(context), &e) : NULL;
	STAILQ_INSERT_TAIL(&n->held, h, all);
	nvim_run_held(n);
}

void nvim_call_cancel(struct nvim *n, const json *params)
{
	int64_t id = json_number(json_first(params));

	struct nvim_call *c;

	LIST_FOREACH(c, &n->calls, all)
		if (c->asker.id == id && c->call) {
			call_cancel(c->call);
			return;
		}
}
