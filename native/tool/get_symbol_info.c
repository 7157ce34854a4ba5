#include <stdlib.h>

#include "../base/mem.h"
#include "../core/workspace.h"
#include "../lsp/hover.h"
#include "../servers/references.h"
#include "auto_update.h"
#include "location_rows.h"
#include "macro_find.h"
#include "resolve.h"

/*
 * get_symbol_info and find_symbol_usages: a symbol of the project by its name alone. What it is:
 * where, what is said about it, and its code; and where it is used, which its declarations are not.
 *
 *     run -> on_symbol_info_resolved -> (on_symbol_info_picked) -> symbol_info_ask
 *         -> on_symbol_info_hover, on_symbol_info_references -> symbol_info_end
 *         -> (a macro's usages) ask_macro -> on_symbol_info_macro -> symbol_info_end
 */
struct inquiry {
	struct call *call;
	bool usages;
	uint64_t moves; /* of the workspace when it came */
	struct resolved *symbol;
	json *result;
	struct macro_find *macro;
};

static void symbol_info_end(struct inquiry *q, const struct err *why, json *refusal)
{
	struct call *call = q->call;
	json *result = q->result;
	struct err moved = ERR_INIT;
	const struct err *e = why;

	if (!why->code && !workspace_still_at(call_oxide(call)->workspace, q->symbol->target->path,
					      q->moves, &moved))
		e = &moved;
	call_on_cancel(call, NULL, NULL);
	resolved_free(q->symbol);
	macro_find_free(q->macro);
	free(q);
	if (e->code)
		json_free(result);
	call_end(call, e->code ? refusal : result, e);
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
		put_code(q->call, q->result, "definition_code",
			 str_sub(doc_text(t->doc), all.at, all.end), last);
	else
		json_put(q->result, "code_missing", json_strz(hidden.msg));
}

static void tell_end(struct inquiry *q, const struct err *e)
{
	if (!e->code)
		auto_update(call_oxide(q->call));
	symbol_info_end(q, e, NULL);
}

/* That a server has nothing to say about it is not a failure. */
static void on_symbol_info_hover(void *arg, struct msg *m, const struct err *why)
{
	struct inquiry *q = arg;
	struct buf text SCOPED(buf_release) = BUF_INIT;
	struct err e = *why, ignored = ERR_INIT;

	if (e.code && e.code != ERR_CANCELLED) {
		json_put(q->result, "documentation_missing", json_strz(e.msg));
		e = (struct err)ERR_INIT;
	} else if (!e.code && proto_hover(m->raw, &text, &ignored)) {
		json_put(q->result, "documentation", json_str(hover_documentation(buf_str(&text))));
	}
	tell_end(q, &e);
}

/* `reach`: NULL for what the text alone tells. */
static void put_usages(struct inquiry *q, struct locations *l, enum pos_enc enc,
		       struct completeness *reach)
{
	locations_join_names(call_oxide(q->call), l);
	locations_sort(l);
	json_put(q->result, "total", json_int((int64_t)l->n));
	json_put(q->result, "files", json_int((int64_t)locations_files(l)));
	if (!q->symbol->complete)
		reasons_add(q->result,
			    "not all files that contain the name were searched for its definition "
			    "(symbol.files), or a server was still indexing");
	if (reach)
		completeness_report(reach, q->result);
	else if (q->symbol->complete)
		json_put(q->result, "complete", json_bool(true));
	if (!l->n)
		json_put(q->result, "message",
			 json_strf(json_get_bool(q->result, "complete", false)
					   ? "%s is not used in the project"
					   : "no use of %s was found, but this may not be all",
				   q->symbol->name_path));
	json_put(q->result, "usages", location_rows(q->call, l, enc, ROWS, false));
}

static void on_symbol_info_references(void *arg, struct server *s, struct locations *l,
				      struct completeness *reach, const struct err *e)
{
	struct inquiry *q = arg;

	if (!e->code)
		put_usages(q, l, server_encoding(s), reach);
	symbol_info_end(q, e, NULL);
}

static void ask_references(struct inquiry *q, struct server *s)
{
	struct target *t = q->symbol->target;
	struct references_spec spec = { .server = s,
					.path = t->path,
					.root = call_root(q->call),
					.byte = t->byte,
					.settled = q->symbol->complete,
					.timeout_ms = call_context(q->call)->timeout_ms };

	call_on_cancel(q->call, references_cancel,
		       references_find(call_oxide(q->call), &spec, on_symbol_info_references, q));
}

static bool is_use(struct inquiry *q, const struct macro_place *p)
{
	return p->means == MACRO_WORD ||
	       (p->means == MACRO_USED && !strcmp(p->defined, q->symbol->target->path));
}

static void add_use(struct inquiry *q, const struct macro_place *p, struct locations *l)
{
	struct doc *d = workspace_doc(call_oxide(q->call)->workspace, p->path, ERR_IGNORED);
	size_t n = strlen(q->symbol->name_path);

	if (!d)
		return;
	mem_add(l->v, l->n, l->cap,
		(struct location){
			.path = str_of(p->path),
			.range = { doc_pos(d, p->at, POS_UTF8), doc_pos(d, p->at + n, POS_UTF8) },
		});
}

static void on_symbol_info_macro(void *arg)
{
	struct inquiry *q = arg;
	struct locations l SCOPED(locations_release) = { 0 };
	struct err e = ERR_INIT;
	size_t n;
	const struct macro_place *p = macro_found(q->macro, &n, &e);

	for (size_t i = 0; p && i < n; i++)
		if (is_use(q, &p[i]))
			add_use(q, &p[i], &l);
	if (p)
		put_usages(q, &l, POS_UTF8, NULL);
	symbol_info_end(q, &e, NULL);
}

/* Of a macro servers know a part of the uses. */
static void ask_macro(struct inquiry *q)
{
	struct target *t = q->symbol->target;

	q->macro =
		macro_find(q->call, t->path, str_of(q->symbol->name_path), on_symbol_info_macro, q);
	call_on_cancel(q->call, macro_find_cancel, q->macro);
}

static void symbol_info_ask(struct inquiry *q, struct server *s)
{
	struct target *t = q->symbol->target;

	t->server = s;
	if (q->usages)
		ask_references(q, s);
	else
		target_ask(t, LSP_HOVER, proto_at(t->doc, t->byte, server_encoding(s)),
			   on_symbol_info_hover, q);
}

static void on_symbol_info_picked(void *arg, struct server *s, bool settled, const struct err *why)
{
	struct inquiry *q = arg;

	q->symbol->complete = q->symbol->complete && settled;
	if (s)
		symbol_info_ask(q, s);
	else if (q->usages)
		symbol_info_end(q, why, NULL);
	else
		on_symbol_info_hover(q, NULL, why);
}

/* The server that knows the symbol may have died since, or be unable to do more than that. */
static void ask_somebody(struct inquiry *q)
{
	struct target *t = q->symbol->target;
	enum lsp_feature f = q->usages ? LSP_REFERENCES : LSP_HOVER;
	struct pick *pick;

	if (server_can(t->server, f)) {
		symbol_info_ask(q, t->server);
		return;
	}
	pick = pool_pick(call_oxide(q->call)->pool, t->path, f, POOL_SETTLED, on_symbol_info_picked,
			 q);
	call_on_cancel(q->call, pool_unpick, pick);
}

static void on_symbol_info_resolved(void *arg, struct resolved *s, const struct err *e,
				    json *refusal)
{
	struct inquiry *q = arg;

	q->symbol = s;
	if (!s) {
		symbol_info_end(q, e, refusal);
		return;
	}
	q->result = json_object();
	resolved_put(s, q->result);
	if (!q->usages) {
		json_put(q->result, "documentation", json_strz(""));
		put_definition(q);
	}
	if (q->usages && s->kind == SYMBOL_MACRO)
		ask_macro(q);
	else
		ask_somebody(q);
}

static void symbol_info_start(struct call *call, bool usages)
{
	struct inquiry *q = mem_new(sizeof(*q));

	call_may_again(call);
	q->call = call;
	q->usages = usages;
	q->moves = workspace_moves(call_oxide(call)->workspace);
	resolve_symbol(call, false, on_symbol_info_resolved, q);
}

static void symbol_info_run_info(struct call *call)
{
	symbol_info_start(call, false);
}

static void symbol_info_run_usages(struct call *call)
{
	symbol_info_start(call, true);
}

static const struct param params[] = {
	SYMBOL_PARAMS,
	PARAMS_END,
};

const struct tool tool_get_symbol_info = {
	.name = "get_symbol_info",
	.title = "Look up a symbol by name",
	.doc = "Find a symbol of the project by name alone: its kind, file and lines, its "
	       "documentation and its code",
	.less = "give a name path, or use read_file for some of its lines",
	.params = params,
	.flags = TOOL_CORE | TOOL_RUST | TOOL_JSON,
	.run = symbol_info_run_info,
	.print = print_symbol,
};

const struct tool tool_find_symbol_usages = {
	.name = "find_symbol_usages",
	.title = "Find where a symbol is used",
	.doc = "Find all uses of a symbol of the project by name alone: file, line and the line's "
	       "text of each",
	.less = "give a name path or a file_hint, if another symbol was meant",
	.params = params,
	.flags = TOOL_CORE | TOOL_RUST | TOOL_JSON,
	.run = symbol_info_run_usages,
	.print = print_usages,
};
