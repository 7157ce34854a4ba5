#include <stdlib.h>

#include "../base/mem.h"
#include "location_rows.h"
#include "resolve.h"

/* find_symbol_usages: where a symbol of the project is used, by its name: run -> on_resolved ->
 * on_references. Its declarations are no uses. */
struct inquiry {
	struct call *call;
	struct resolved *symbol;
	int64_t asked;
};

static void end(struct inquiry *q, json *result, const struct err *e, json *refusal)
{
	struct call *call = q->call;

	call_on_cancel(call, NULL, NULL);
	resolved_free(q->symbol);
	free(q);
	if (e->code)
		call_fail_with(call, e, refusal);
	else
		call_done(call, result);
}

static json *answer_of(struct inquiry *q, struct locations *l)
{
	enum pos_enc enc = server_encoding(q->symbol->target->server);
	json *result = json_object();

	locations_sort(l);
	resolved_put(q->symbol, result);
	json_put(result, "total", json_int((int64_t)l->n));
	json_put(result, "files", json_int((int64_t)locations_files(l)));
	json_put(result, "complete", json_bool(q->symbol->complete));
	if (!l->n)
		json_put(result, "message",
			 json_strf("%s is used nowhere in the project", q->symbol->name_path));
	json_put(result, "usages", location_rows(call_oxide(q->call), l, enc));
	return result;
}

static void on_references(void *arg, struct msg *m, const struct err *why)
{
	struct inquiry *q = arg;
	struct locations l = { 0 };
	struct err e = *why;
	size_t foreign = 0;
	json *result = NULL;

	if (!e.code && proto_locations(m->raw, &l, &foreign, &e))
		result = answer_of(q, &l);
	locations_release(&l);
	end(q, result, &e, NULL);
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
		end(q, NULL, e, refusal);
		return;
	}
	t = s->target;
	q->asked = pool_ask(t->server, LSP_REFERENCES,
			    proto_references(t->doc, t->byte, server_encoding(t->server), false),
			    call_context(q->call)->timeout_ms, on_references, q);
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

const struct tool tool_find_symbol_usages = {
	.name = "find_symbol_usages",
	.title = "Find where a symbol is used",
	.doc = "Find all uses of a symbol of the project by its name alone: file, line and the "
	       "line's text of each",
	.less = "give a name path or a file_hint, if another symbol was meant",
	.params = params,
	.flags = TOOL_RUST,
	.run = run,
};
