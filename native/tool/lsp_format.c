#include <stdlib.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../core/style.h"
#include "../core/style_file.h"
#include "../core/workspace.h"
#include "../servers/pool.h"
#include "../servers/trial.h"
#include "operations.h"
#include "target.h"

/*
 * lsp_format: a file, or some of its lines, in the project's style.
 *
 *     format_run -> on_format_target -> on_format_edits -> call_change
 *
 * Lines outside of the range stay as they are: a server that only formats whole files is asked for
 * that, and what it would change elsewhere is dropped, or would join with a line of the range.
 */
struct lines {
	size_t from, to; /* from 1, both included */
};

struct format {
	struct call *call;
	struct target *target;
	enum lsp_feature feature;
	struct lines *range; /* what to format, in order; none: the whole file */
	size_t ranges;
	uint64_t moves;	    /* of the workspace when the server was asked */
	char *folder;	    /* of a style that the server finds in no file of the project */
	struct doc *styled; /* the same text in there; NULL: the document itself is formatted */
	struct pool *pool;  /* that has been shown it */
};

static void format_find(struct format *f);

static void format_free(struct format *f)
{
	if (f->styled) {
		pool_close(f->pool, f->styled);
		doc_free(f->styled);
	}
	style_folder_drop(f->folder);
	target_free(f->target);
	free(f->range);
	free(f);
}

static void format_end(struct format *f, const struct err *e)
{
	struct call *call = f->call;

	format_free(f);
	call_fail(call, e);
}

/* The bytes of these lines, their ends included. */
static struct span span_of(struct format *f, size_t from, size_t to)
{
	struct doc *d = f->target->doc;
	const struct line_table *t = doc_lines(d, LINES_VIM);

	return (struct span){ t->at[from - 1], to < t->n ? t->at[to] : doc_text(d).n };
}

/* Whether what is behind the range begins a line afterwards as well. */
static bool keeps_end(const struct edit *edit, struct str text, struct span in)
{
	bool ended = in.end > in.at && text.p[in.end - 1] == '\n';

	if (edit->span.end < in.end || !ended)
		return true;
	if (edit->with.n)
		return str_ends(edit->with, STR("\n"));
	return edit->span.at == in.at || text.p[edit->span.at - 1] == '\n';
}

static bool lsp_format_is_inside(struct format *f, const struct edit *edit)
{
	for (size_t i = 0; i < f->ranges; i++) {
		struct span in = span_of(f, f->range[i].from, f->range[i].to);

		if (edit->span.at >= in.at && edit->span.end <= in.end)
			return keeps_end(edit, doc_text(f->target->doc), in);
	}
	return false;
}

static void keep_inside(struct format *f, struct edits *set)
{
	size_t kept = 0;

	for (size_t i = 0; i < set->n; i++)
		if (lsp_format_is_inside(f, &set->v[i]))
			set->v[kept++] = set->v[i];
	set->n = kept;
}

static bool lsp_format_make_plan(struct format *f, struct msg *m, struct plan *plan, struct err *e)
{
	struct doc *d = f->target->doc;
	struct str text = doc_text(d);
	struct edits set SCOPED(edits_release) = EDITS_INIT;
	struct edit_clash clash;
	bool ok = proto_edits(m->raw, doc_lines(d, LINES_LSP), text,
			      server_encoding(f->target->server), &set, e);

	if (ok && !edits_check(&set, text.n, &clash))
		ok = err_set(e, ERR_CONFLICT, "edits %d and %d overlap", clash.a, clash.b);
	if (ok && f->ranges) {
		edits_reduce(&set, text);
		keep_inside(f, &set);
	}
	return ok && plan_edit(plan, f->target->path, text, &set, e) && plan_finish(plan, e) &&
	       workspace_still(call_oxide(f->call)->workspace, plan, f->moves, e);
}

static void on_format_edits(void *arg, struct msg *m, const struct err *why)
{
	struct format *f = arg;
	const char *server = server_name(f->target->server);
	struct change ch = { .server = server };
	struct buf title SCOPED(buf_release) = BUF_INIT;
	struct err e = *why;

	call_on_cancel(f->call, NULL, NULL);
	if (!e.code) {
		ch.plan = plan_new(call_source(f->call));
		if (!lsp_format_make_plan(f, m, ch.plan, &e))
			err_in(&e, "the formatting by %s was refused; nothing was changed", server);
	}
	if (e.code) {
		plan_free(ch.plan);
		format_end(f, &e);
		return;
	}
	buf_addf(&title, "format %.*s", STR_ARG(call_shown(f->call, f->target->path)));
	ch.title = title.p;
	ch.report = json_object();
	ch.verify = json_get_bool(call_args(f->call), "verify", true);
	ch.dry_run = json_get_bool(call_args(f->call), "dry_run", false);
	json_put(ch.report, "server", json_strz(server));
	call_change(f->call, &ch);
	format_free(f);
}

static bool add_range(struct format *f, int64_t from, int64_t to, struct err *e)
{
	size_t lines = doc_line_count(f->target->doc);
	struct lines *last = f->ranges ? &f->range[f->ranges - 1] : NULL;

	if (from > to)
		return err_set(e, ERR_INVALID, "start_line %lld comes after end_line %lld",
			       (long long)from, (long long)to);
	if ((size_t)from > lines)
		return target_past_end(f->target->doc, "start_line", from, e);
	if (last && (size_t)from <= last->to)
		return err_set(e, ERR_INVALID, "line_ranges must be in order and must not overlap");
	f->range[f->ranges++] =
		(struct lines){ (size_t)from, (size_t)to < lines ? (size_t)to : lines };
	return true;
}

static bool read_pair(struct format *f, const json *pair, struct err *e)
{
	const json *from = json_first(pair), *to = from ? json_next(from) : NULL;

	if (!json_is_int(from) || !json_is_int(to) || json_next(to) || json_number(from) < 1)
		return err_set(e, ERR_INVALID,
			       "line_ranges must be pairs of lines from 1, such as [[3, 5], [9, "
			       "9]]");
	return add_range(f, json_number(from), json_number(to), e);
}

static bool read_pairs(struct format *f, const json *list, struct err *e)
{
	f->range = mem_new((json_len(list) + 1) * sizeof(*f->range));
	json_each(pair, list)
		if (!read_pair(f, pair, e))
			return false;
	return f->ranges || err_set(e, ERR_INVALID, "line_ranges is empty");
}

static bool read_ranges(struct format *f, struct err *e)
{
	const json *args = call_args(f->call);
	int64_t from = json_get_int(args, "start_line", 0), to = json_get_int(args, "end_line", 0);
	json *list SCOPED(json_release) = NULL;

	if (!json_get(args, "line_ranges")) {
		f->range = mem_new(sizeof(*f->range));
		return (!from && !to) || add_range(f, from ? from : 1, to ? to : INT32_MAX, e);
	}
	if (from || to)
		return err_set(e, ERR_INVALID,
			       "give either line_ranges or start_line and end_line");
	list = list_tree(args, "line_ranges", e);
	return list && read_pairs(f, list, e);
}

/* Of a server that heeds no options, and whose style is in no file of the project, the text is
 * shown under a path where there is such a file. Where that cannot be made it is formatted as it
 * is. */
static void apply_style(struct format *f, const struct format_style *style)
{
	struct target *t = f->target;
	struct err e = ERR_INIT;
	char *path SCOPED(mem_release) = NULL;

	if (!style->told || !server_clang_formats(t->server) || style_file_above(t->path))
		return;
	f->folder = style_folder_make(style, &e);
	if (!f->folder) {
		log_line(LOG_WARN, "formatted without .editorconfig: %s", e.msg);
		return;
	}
	path = path_join(f->folder, path_base(str_of(t->path)).p);
	f->pool = call_oxide(f->call)->pool;
	f->styled = doc_new(path, doc_text(t->doc));
	server_show(t->server, f->styled,
		    workspace_filetype(call_oxide(f->call)->workspace, t->path));
}

static void format_ask(struct format *f)
{
	const struct format_style *editor = call_context(f->call)->style;
	bool ranged = f->feature == LSP_RANGE_FORMAT;
	struct format_style guess, style;
	struct target *t = f->target;
	struct span range;

	if (!editor)
		style_guess(doc_text(t->doc), &guess);
	style_for(t->path, editor ? editor : &guess, &style);
	apply_style(f, &style);
	f->moves = workspace_moves(call_oxide(f->call)->workspace);
	if (ranged)
		range = span_of(f, f->range[0].from, f->range[f->ranges - 1].to);
	target_ask(t, f->feature,
		   proto_format(f->styled ? f->styled : t->doc, ranged ? &range : NULL,
				server_encoding(t->server), &style),
		   on_format_edits, f);
}

static void on_format_target(void *arg, struct target *t, const struct err *e)
{
	struct format *f = arg;
	struct err bad = ERR_INIT;

	if (!t && e->code == ERR_UNSUPPORTED && f->feature == LSP_RANGE_FORMAT) {
		f->feature = LSP_FORMAT;
		format_find(f);
		return;
	}
	if (!t) {
		format_end(f, e);
		return;
	}
	f->target = t;
	if (!read_ranges(f, &bad)) {
		format_end(f, &bad);
		return;
	}
	format_ask(f);
}

static void format_find(struct format *f)
{
	target_find(f->call, f->feature, POOL_OPEN, TARGET_FILE, on_format_target, f);
}

static void format_run(struct call *call)
{
	struct format *f = mem_new(sizeof(*f));
	const json *args = call_args(call);

	call_may_again(call);
	f->call = call;
	f->feature = json_get(args, "start_line") || json_get(args, "end_line") ||
				     json_get(args, "line_ranges")
			     ? LSP_RANGE_FORMAT
			     : LSP_FORMAT;
	format_find(f);
}

static const struct param params[] = {
	{ "file_path", P_PATH, true, NULL, "file to format" },
	{ "start_line", P_INT, false, NULL,
	  "first line to format, from 1; the rest stays as it is" },
	{ "end_line", P_INT, false, NULL, "last line to format" },
	{ "line_ranges", P_LIST, false, NULL, "several ranges instead, such as [[3, 5], [9, 9]]" },
	{ "server", P_STR, false, NULL,
	  "the language server that formats, where there are several" },
	VERIFY_PARAM,
	DRY_RUN_PARAM,
	PARAMS_END,
};

const struct tool tool_lsp_format = {
	.name = "lsp_format",
	.title = "Format code",
	.doc = "Format a file, or some of its lines, with the language server and the project's "
	       "own style; only bytes that differ change",
	.less = LESS_OF_A_CHANGE,
	.params = params,
	.flags = TOOL_WRITES | TOOL_REPEATS | TOOL_CORE | TOOL_DRAFTS,
	.run = format_run,
	.print = print_change,
};

const struct tool tool_format_code = {
	.name = "format_code",
	.title = "Format code (format_code)",
	.doc = "The same as lsp_format",
	.less = LESS_OF_A_CHANGE,
	.params = params,
	.flags = TOOL_WRITES | TOOL_REPEATS | TOOL_DRAFTS,
	.run = format_run,
	.print = print_change,
};

static const struct param document_params[] = {
	{ "file_path", P_PATH, true, NULL, "file to format" },
	VERIFY_PARAM,
	DRY_RUN_PARAM,
	PARAMS_END,
};

const struct tool tool_format_document = {
	.name = "format_document",
	.title = "Format a whole file",
	.doc = "Format a whole file, like lsp_format",
	.less = LESS_OF_A_CHANGE,
	.params = document_params,
	.flags = TOOL_WRITES | TOOL_REPEATS | TOOL_DRAFTS,
	.run = format_run,
	.print = print_change,
};
