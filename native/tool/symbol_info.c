#include <stdlib.h>

#include "../base/mem.h"
#include "../lsp/hover.h"
#include "auto_update.h"
#include "location_rows.h"
#include "resolve.h"

/*
 * get_symbol_info and find_symbol_usages: a symbol of the project by its name alone. What it is:
 * where, what is said about it, and its code; and where it is used, which its declarations are not.
 *
 *     run -> on_resolved -> (on_picked) -> ask -> on_hover -> end
 *                                              -> on_references -> end
 */
struct inquiry {
	struct call *call;
	bool usages;
	struct resolved *symbol;
	json *result;
	struct pick *pick;
	struct server *server; /* that is asked about it */
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
		call_done(call, result);
		return;
	}
	json_free(result);
	call_fail_with(call, e, refusal);
}

static void cancel(void *state)
{
	struct inquiry *q = state;

	if (q->pick)
		pool_unpick(q->pick);
	else
		pool_cancel(q->server, q->asked);
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
	struct err hidden = ERR_INIT;

	doc_where(t->doc, t->byte, &line, &column);
	doc_where(t->doc, all.at, &first, &ignored);
	doc_where(t->doc, all.end, &last, &ignored);
	json_put(at, "start_line", json_int((int64_t)first));
	json_put(at, "end_line", json_int((int64_t)last));
	json_put(at, "line", json_int((int64_t)line));
	json_put(at, "column", json_int((int64_t)column));
	if (target_shows(q->call, t->path, &hidden))
		put_code(q, str_sub(doc_text(t->doc), all.at, all.end), last);
	else
		json_put(q->result, "code_missing", json_strz(hidden.msg));
}

static void tell_end(struct inquiry *q, const struct err *e)
{
	if (!e->code)
		auto_update(call_oxide(q->call));
	end(q, e, NULL);
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
	tell_end(q, &e);
}

static void put_usages(struct inquiry *q, struct locations *l)
{
	locations_sort(l);
	json_put(q->result, "total", json_int((int64_t)l->n));
	json_put(q->result, "files", json_int((int64_t)locations_files(l)));
	json_put(q->result, "complete", json_bool(q->symbol->complete));
	if (!l->n)
		json_put(q->result, "message",
			 json_strf("%s is used nowhere in the project", q->symbol->name_path));
	json_put(q->result, "usages", location_rows(q->call, l, server_encoding(q->server)));
}

static void on_references(void *arg, struct msg *m, const struct err *why)
{
	struct inquiry *q = arg;
	struct locations l = { 0 };
	struct err e = *why;
	size_t foreign = 0;

	if (!e.code && proto_locations(m->raw, &l, &foreign, &e))
		put_usages(q, &l);
	locations_release(&l);
	end(q, &e, NULL);
}

static void ask(struct inquiry *q, struct server *s)
{
	struct target *t = q->symbol->target;
	enum pos_enc enc = server_encoding(s);
	json *params = q->usages ? proto_references(t->doc, t->byte, enc, false)
				 : proto_at(t->doc, t->byte, enc);

	q->server = s;
	q->asked = pool_ask(s, q->usages ? LSP_REFERENCES : LSP_HOVER, params,
			    call_context(q->call)->timeout_ms, q->usages ? on_references : on_hover,
			    q);
}

static void on_picked(void *arg, struct server *s, bool settled, const struct err *why)
{
	struct inquiry *q = arg;

	q->pick = NULL;
	q->symbol->complete = q->symbol->complete && settled;
	if (s)
		ask(q, s);
	else if (q->usages)
		end(q, why, NULL);
	else
		on_hover(q, NULL, why);
}

/* The server that knows the symbol may have died since, or be unable to do more than that. */
static void ask_somebody(struct inquiry *q)
{
	struct target *t = q->symbol->target;
	enum lsp_feature f = q->usages ? LSP_REFERENCES : LSP_HOVER;

	call_on_cancel(q->call, cancel, q);
	if (server_can(t->server, f))
		ask(q, t->server);
	else
		q->pick = pool_pick(call_oxide(q->call)->pool, t->path, f, POOL_SETTLED, on_picked,
				    q);
}

static void on_resolved(void *arg, struct resolved *s, const struct err *e, json *refusal)
{
	struct inquiry *q = arg;

	q->symbol = s;
	if (!s) {
		end(q, e, refusal);
		return;
	}
	q->result = json_object();
	resolved_put(s, q->result);
	if (!q->usages) {
		json_put(q->result, "documentation", json_strz(""));
		put_definition(q);
	}
	ask_somebody(q);
}

static void start(struct call *call, bool usages)
{
	struct inquiry *q = mem_new(sizeof(*q));

	q->call = call;
	q->usages = usages;
	resolve_symbol(call, false, on_resolved, q);
}

static void run_info(struct call *call)
{
	start(call, false);
}

static void run_usages(struct call *call)
{
	start(call, true);
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
	.run = run_info,
};

const struct tool tool_find_symbol_usages = {
	.name = "find_symbol_usages",
	.title = "Find where a symbol is used",
	.doc = "Find all uses of a symbol of the project by its name alone: file, line and the "
	       "line's text of each",
	.less = "give a name path or a file_hint, if another symbol was meant",
	.params = params,
	.flags = TOOL_RUST,
	.run = run_usages,
};
