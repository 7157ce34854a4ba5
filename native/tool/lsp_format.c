#include <stdlib.h>

#include "../base/mem.h"
#include "../core/style.h"
#include "../core/workspace.h"
#include "target.h"

/*
 * lsp_format: a file, or some of its lines, in the project's style.
 *
 *     run -> on_target -> on_edits -> call_change
 *
 * Lines outside of the range stay as they are: a server that only formats whole files is asked for
 * that, and what it would change elsewhere is dropped.
 */
struct format {
	struct call *call;
	struct target *target;
	enum lsp_feature feature;
	size_t from, to; /* lines from 1; 0: the whole file */
	int64_t asked;
	uint64_t moves; /* of the workspace when the server was asked */
};

static void find(struct format *f);

static void format_end(struct format *f, const struct err *e)
{
	struct call *call = f->call;

	target_free(f->target);
	free(f);
	call_fail(call, e);
}

/* The bytes of the lines asked for, their ends included. */
static struct span asked_span(struct format *f)
{
	struct doc *d = f->target->doc;
	const struct line_table *t = doc_lines(d, LINES_VIM);
	size_t from = f->from ? f->from - 1 : 0, to = f->from ? f->to : t->n;
	size_t end = to < t->n ? t->at[to] : doc_text(d).n;

	return (struct span){ t->at[from], end };
}

static void keep_inside(struct edits *set, struct span in)
{
	size_t kept = 0;

	for (size_t i = 0; i < set->n; i++)
		if (set->v[i].span.at >= in.at && set->v[i].span.end <= in.end)
			set->v[kept++] = set->v[i];
	set->n = kept;
}

static bool make_plan(struct format *f, struct msg *m, struct plan *plan, struct err *e)
{
	struct doc *d = f->target->doc;
	struct str text = doc_text(d);
	struct edits set = EDITS_INIT;
	struct op op = { .kind = OP_SPANS, .path = f->target->path, .spans = &set };
	struct edit_clash clash;
	bool ok = proto_edits(m->raw, doc_lines(d, LINES_LSP), text,
			      server_encoding(f->target->server), &set, e);

	if (ok && !edits_check(&set, text.n, &clash))
		ok = err_set(e, ERR_CONFLICT, "edits %d and %d overlap", clash.a, clash.b);
	if (ok && f->from) {
		edits_reduce(&set, text);
		keep_inside(&set, asked_span(f));
	}
	ok = ok && plan_add(plan, &op, e) && plan_finish(plan, e) &&
	     workspace_still(call_oxide(f->call)->workspace, plan, f->moves, e);
	edits_release(&set);
	return ok;
}

static void on_edits(void *arg, struct msg *m, const struct err *why)
{
	struct format *f = arg;
	struct oxide *ox = call_oxide(f->call);
	const char *server = server_name(f->target->server);
	struct change ch = { .server = server };
	struct buf title = BUF_INIT;
	struct err e = *why;

	call_on_cancel(f->call, NULL, NULL);
	if (!e.code) {
		ch.plan = plan_new(workspace_source(ox->workspace));
		if (!make_plan(f, m, ch.plan, &e))
			err_in(&e, "the formatting by %s is refused, nothing was changed", server);
	}
	if (e.code) {
		plan_free(ch.plan);
		format_end(f, &e);
		return;
	}
	buf_addf(&title, "format %.*s", STR_ARG(workspace_shown(ox->workspace, f->target->path)));
	ch.title = title.p;
	ch.report = json_object();
	ch.dry_run = json_get_bool(call_args(f->call), "dry_run", false);
	json_put(ch.report, "server", json_strz(server));
	call_change(f->call, &ch);
	buf_release(&title);
	target_free(f->target);
	free(f);
}

static void format_cancel(void *state)
{
	struct format *f = state;

	pool_cancel(f->target->server, f->asked);
}

static bool read_range(struct format *f, struct err *e)
{
	const json *args = call_args(f->call);
	size_t lines = doc_lines(f->target->doc, LINES_VIM)->n;

	f->from = (size_t)json_get_int(args, "start_line", 0);
	f->to = (size_t)json_get_int(args, "end_line", 0);
	if (!f->from && f->to)
		f->from = 1;
	if (f->from && !f->to)
		f->to = lines;
	if (f->from > f->to)
		return err_set(e, ERR_INVALID, "start_line %zu is behind end_line %zu", f->from,
			       f->to);
	if (f->from > lines)
		return err_set(e, ERR_INVALID, "start_line %zu is past the end: %s has %zu lines",
			       f->from, f->target->path, lines);
	if (f->to > lines)
		f->to = lines;
	return true;
}

static void on_target(void *arg, struct target *t, const struct err *e)
{
	struct format *f = arg;
	const struct format_style *editor;
	struct format_style guess, style;
	struct err bad = ERR_INIT;
	struct span range;
	bool ranged;

	if (!t && e->code == ERR_UNSUPPORTED && f->feature == LSP_RANGE_FORMAT) {
		f->feature = LSP_FORMAT;
		find(f);
		return;
	}
	if (!t) {
		format_end(f, e);
		return;
	}
	f->target = t;
	if (!read_range(f, &bad)) {
		format_end(f, &bad);
		return;
	}
	editor = call_context(f->call)->style;
	if (!editor)
		style_guess(doc_text(t->doc), &guess);
	style_for(t->path, editor ? editor : &guess, &style);
	f->moves = workspace_moves(call_oxide(f->call)->workspace);
	ranged = f->feature == LSP_RANGE_FORMAT;
	range = asked_span(f);
	f->asked = pool_ask(t->server, f->feature,
			    proto_format(t->doc, ranged ? &range : NULL, server_encoding(t->server),
					 &style),
			    call_context(f->call)->timeout_ms, on_edits, f);
	call_on_cancel(f->call, format_cancel, f);
}

static void find(struct format *f)
{
	target_find(f->call, f->feature, POOL_OPEN, TARGET_FILE, on_target, f);
}

static void run(struct call *call)
{
	struct format *f = mem_new(sizeof(*f));
	const json *args = call_args(call);

	f->call = call;
	f->feature = json_get(args, "start_line") || json_get(args, "end_line") ? LSP_RANGE_FORMAT
										: LSP_FORMAT;
	find(f);
}

static const struct param params[] = {
	{ "file_path", P_PATH, true, "file to format", NULL },
	{ "start_line", P_INT, false, "first line to format, from 1; the rest stays as it is",
	  NULL },
	{ "end_line", P_INT, false, "last line to format", NULL },
	{ "dry_run", P_BOOL, false, "only show what would change", NULL },
	{ NULL, P_STR, false, NULL, NULL },
};

const struct tool tool_lsp_format = {
	.name = "lsp_format",
	.doc = "Format a file, or some of its lines, by the language server and the project's own "
	       "style; only bytes that differ change",
	.params = params,
	.flags = TOOL_WRITES,
	.run = run,
};

const struct tool tool_format_code = {
	.name = "format_code",
	.doc = "The same as lsp_format",
	.params = params,
	.flags = TOOL_WRITES,
	.run = run,
};

static const struct param document_params[] = {
	{ "file_path", P_PATH, true, "file to format", NULL },
	{ "dry_run", P_BOOL, false, "only show what would change", NULL },
	{ NULL, P_STR, false, NULL, NULL },
};

const struct tool tool_format_document = {
	.name = "format_document",
	.doc = "Format a whole file; as lsp_format",
	.params = document_params,
	.flags = TOOL_WRITES,
	.run = run,
};
