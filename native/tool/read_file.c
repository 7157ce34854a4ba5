#include "../base/utf.h"
#include "../core/workspace.h"
#include "../text/line_numbers.h"
#include "call_lines.h"
#include "target.h"

/* read_file: the buffer's text where the file is open, else the disk's, numbered for a model. */
struct lines_asked {
	size_t from, to; /* from 1 */
	size_t all;
};

static bool read_file_read_range(const json *args, struct doc *d, struct lines_asked *r,
				 struct err *e)
{
	r->all = doc_line_count(d);
	r->from = (size_t)json_get_int(args, "start_line", 1);
	r->to = (size_t)json_get_int(args, "end_line", (int64_t)(r->all ? r->all : 1));
	if (r->to > r->all)
		r->to = r->all;
	if (r->from > r->all && r->from > 1)
		return target_past_end(d, "start_line", (int64_t)r->from, e);
	if (r->from > r->to && r->all)
		return err_set(e, ERR_INVALID, "start_line %zu comes after end_line %zu", r->from,
			       r->to);
	return true;
}

static json *hashes_of(const struct line_table *t, struct str text, const struct lines_asked *r)
{
	json *list = json_array();
	char hash[LINE_HASH_SIZE];

	for (size_t i = r->from; i <= r->to; i++) {
		struct span s = lines_span(t, text, i - 1);

		line_hash(hash, str_sub(text, s.at, s.end));
		json_push(list, json_strz(hash));
	}
	return list;
}

/* It also tells where the end is, whichever lines it shows. */
static void note_shown(struct call *call, struct doc *d, const struct lines_asked *r)
{
	bool whole = r->from == 1 && r->to == r->all;

	call_shows(call, doc_path(d), doc_text(d), r->from, whole ? SHOWN_END : r->to);
	if (!whole)
		call_shows(call, doc_path(d), doc_text(d), r->all + 1, SHOWN_END);
}

static json *answer_of(struct call *call, struct doc *d, struct err *e)
{
	const json *args = call_args(call);
	const struct line_table *t = doc_lines(d, LINES_VIM);
	struct str text = doc_text(d), part = STR("");
	struct oxide *ox = call_oxide(call);
	struct lines_asked r;
	struct buf out SCOPED(buf_release) = BUF_INIT;
	json *v;

	if (!read_file_read_range(args, d, &r, e))
		return NULL;
	if (r.to)
		part = str_sub(text, t->at[r.from - 1], r.to < t->n ? t->at[r.to] : text.n);
	if (json_get_bool(args, "numbered", true))
		number_lines(&out, part, r.from);
	else
		buf_add(&out, part);
	v = json_of({ "file", json_str(call_shown(call, doc_path(d))) },
		    { "content", json_str(buf_str(&out)) },
		    { "start_line", json_int((int64_t)r.from) },
		    { "end_line", json_int((int64_t)r.to) },
		    { "total_lines", json_int((int64_t)r.all) },
		    { "where",
		      json_strz(workspace_buffer_at(ox->workspace, doc_path(d)) ? "buffer"
										: "disk") });
	if (!utf_clean(part))
		json_put(v, "not_utf8",
			 json_strz("bytes that are not UTF-8 are shown as U+10FE80 to U+10FEFF, "
				   "byte E9 as U+10FEE9; pass them back the same way"));
	if (json_get_bool(args, "hashes", false))
		json_put(v, "line_hashes", hashes_of(t, text, &r));
	note_shown(call, d, &r);
	return v;
}

static void read_file_run(struct call *call)
{
	struct err e = ERR_INIT;
	char *path SCOPED(mem_release) = target_path(call, "file_path", &e);
	struct doc *d = path ? call_doc(call, path, &e) : NULL;
	json *v = d ? answer_of(call, d, &e) : NULL;

	call_end(call, v, &e);
}

static const struct param params[] = {
	{ "file_path", P_PATH, true, NULL, "file to read" },
	{ "start_line", P_INT, false, NULL, "first line of the present text, from 1" },
	{ "end_line", P_INT, false, NULL, "last line" },
	{ "numbered", P_BOOL, false, NULL, "true (default): each line as \"N: text\"" },
	{ "hashes", P_BOOL, false, NULL, "a short hash of each line, for edit_file's line_hash" },
	PARAMS_END,
};

const struct tool tool_read_file = {
	.name = "read_file",
	.title = "Read a file",
	.doc = "Read a file, or some of its lines, as the editor has it, with line numbers",
	.less = "continue with start_line, one more than the last number shown",
	.params = params,
	.flags = TOOL_CORE | TOOL_RUST | TOOL_TEXT,
	.run = read_file_run,
	.print = print_file,
};
