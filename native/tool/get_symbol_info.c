#include <stdlib.h>

#include "../base/mem.h"
#include "../lsp/hover.h"
#include "auto_update.h"
#include "resolve.h"

/*
 * get_symbol_info: what a symbol of the project is, by its name: where it is, what is said about
 * it, and its code.
 *
 *     run -> on_resolved -> (hover) on_hover -> end
 */
struct inquiry {
	struct call *call;
	struct resolved *symbol;
	json *result;
	int64_t asked;
};

static void end(struct inquiry *q, const struct err *e, json *refusal)
{
	struct call *call = q->call;
	json *result = q->result;

	call_on_cancel(call, NULL, NULL);
	resolved_free(q->symbol);
	free(q);
	if (!e->code) {
		auto_update(call_oxide(call));
		call_done(call, result);
		return;
	}
	json_free(result);
	call_fail_with(call, e, refusal);
}

/* Cut at a line, where it is long; the rest read_file has. */
static void put_code(struct inquiry *q, struct str code, size_t end_line)
{
	size_t most = (size_t)config_get(&call_oxide(q->call)->config, CFG_SYMBOL_CODE);
	size_t end = most;

	if (code.n <= most) {
		json_put(q->result, "definition_code", json_str(code));
		return;
	}
	while (end && code.p[end - 1] != '\n')
		end--;
	json_put(q->result, "definition_code", json_str(str_sub(code, 0, end ? end : most)));
	json_put(q->result, "cut",
		 json_strf("definition_code is %zu of %zu bytes; read_file up to line %zu has the "
			   "rest",
			   end ? end : most, code.n, end_line));
}

static void put_definition(struct inquiry *q)
{
	struct target *t = q->symbol->target;
	struct span all = resolved_span(q->symbol);
	json *at = json_put(q->result, "position", json_object());
	size_t line, column, first, last, ignored;

	doc_where(t->doc, t->byte, &line, &column);
	doc_where(t->doc, all.at, &first, &ignored);
	doc_where(t->doc, all.end, &last, &ignored);
	json_put(at, "start_line", json_int((int64_t)first));
	json_put(at, "end_line", json_int((int64_t)last));
	json_put(at, "line", json_int((int64_t)line));
	json_put(at, "column", json_int((int64_t)column));
	put_code(q, str_sub(doc_text(t->doc), all.at, all.end), last);
}

/* That a server has nothing to say about it is no failure. */
static void on_hover(void *arg, struct msg *m, const struct err *why)
{
	struct inquiry *q = arg;
	struct buf text = BUF_INIT;
	struct err e = *why, ignored = ERR_INIT;

	if (e.code && e.code != ERR_CANCELLED) {
		json_put(q->result, "documentation_missing", json_strz(e.msg));
		e = (struct err)ERR_INIT;
	} else if (!e.code && proto_hover(m->raw, &text, &ignored)) {
		json_put(q->result, "documentation", json_str(hover_documentation(buf_str(&text))));
	}
	buf_release(&text);
	end(q, &e, NULL);
}

static void cancel(void *state)
{
	struct inquiry *q = state;

	pool_cancel(q->symbol->target->server, q->asked);
}

static void on_resolved(void *arg, struct resolved *s, const struct err *e, json *refusal)
{
	struct inquiry *q = arg;
	struct target *t;

	q->symbol = s;
	if (!s) {
		end(q, e, refusal);
		return;
	}
	t = s->target;
	q->result = json_object();
	resolved_put(s, q->result);
	json_put(q->result, "documentation", json_strz(""));
	put_definition(q);
	if (!server_can(t->server, LSP_HOVER)) {
		end(q, e, NULL);
		return;
	}
	q->asked = pool_ask(t->server, LSP_HOVER,
			    proto_at(t->doc, t->byte, server_encoding(t->server)),
			    call_context(q->call)->timeout_ms, on_hover, q);
	call_on_cancel(q->call, cancel, q);
}

static void run(struct call *call)
{
	struct inquiry *q = mem_new(sizeof(*q));

	q->call = call;
	resolve_symbol(call, false, on_resolved, q);
}

static const struct param params[] = {
	SYMBOL_PARAMS,
	{ NULL, P_STR, false, NULL, NULL },
};

const struct tool tool_get_symbol_info = {
	.name = "get_symbol_info",
	.title = "Look a symbol up by its name",
	.doc = "Find a symbol of the project by its name alone: its kind, file and lines, its "
	       "documentation and its code",
	.less = "give a name path, or read_file some of its lines",
	.params = params,
	.flags = TOOL_RUST,
	.run = run,
};
