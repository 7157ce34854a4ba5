#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "../core/registry.h"
#include "../core/swap_scan.h"
#include "../core/workspace.h"
#include "change_impl.h"

void change_add_more(struct changing *c, json *report)
{
	if (c->ch.more)
		c->ch.more(c->ch.arg, c->ch.plan, report);
	c->ch.more = NULL;
}

static json *file_row(struct call *c, const struct plan_file *f)
{
	json *row = json_object();
	const char *kind = !f->existed	 ? "create"
			   : !f->exists	 ? "delete"
			   : f->new_path ? "rename"
					 : NULL;

	json_put(row, "file", json_str(call_shown(c, f->path)));
	if (f->new_path)
		json_put(row, "new_file", json_str(call_shown(c, f->new_path)));
	if (kind)
		json_put(row, "kind", json_strz(kind));
	json_put(row, "edits", json_int((int64_t)f->edits.n));
	json_put(row, "lines_added", json_int((int64_t)f->lines_added));
	json_put(row, "lines_removed", json_int((int64_t)f->lines_removed));
	json_put(row, "where", json_strz(apply_buffer(call_oxide(c), f) ? "buffer" : "disk"));
	return row;
}

/* Who else has the files open, where the change goes past what is unsaved there. */
static void warn_of_swaps(struct changing *c)
{
	struct buf all = BUF_INIT;
	struct str rest, line;

	swap_scan_report(call_oxide(c->call), c->ch.plan, call_shown_root(c->call), &all);
	rest = buf_str(&all);
	while (str_line(&rest, &line))
		answer_warn(c->ch.report, line);
	buf_release(&all);
}

void change_describe(struct changing *c, bool applied)
{
	const struct plan *p = c->ch.plan;
	json *r = c->ch.report, *files = json_array();
	struct buf diff = BUF_INIT;
	int64_t lines = 0;

	change_add_more(c, r);
	for (size_t i = 0; i < plan_files(p); i++) {
		const struct plan_file *f = plan_file(p, i);

		json_push(files, file_row(c->call, f));
		lines += (int64_t)f->lines_added - (int64_t)f->lines_removed;
	}
	json_put(r, "success", json_bool(applied));
	json_put(r, "files_changed", json_int((int64_t)plan_files(p)));
	json_put(r, "total_changes", json_int(lines));
	json_put(r, "edits", json_int((int64_t)plan_edits(p)));
	json_put(r, "files", files);
	if (c->ch.dry_run || !call_context(c->call)->no_diff) {
		plan_preview(p, &diff);
		json_put(r, "diff", json_take(&diff));
	}
	if (!json_get(r, "syntax_check"))
		json_put(r, "syntax_check", json_strz("skipped: the server was not asked"));
	warn_of_swaps(c);
}

char *change_id(const struct changing *c)
{
	struct buf all = BUF_INIT, id = BUF_INIT;
	uint64_t hash;

	for (size_t i = 0; i < plan_files(c->ch.plan); i++) {
		const struct plan_file *f = plan_file(c->ch.plan, i);

		buf_addf(&all, "%s\n%s\n%llx %llx %o\n", f->path, f->new_path ? f->new_path : "",
			 (unsigned long long)f->was_hash, (unsigned long long)f->now_hash,
			 f->now_mode);
	}
	hash = hash_of(buf_str(&all));
	if (c->name) {
		registry_name(call_oxide(c->call)->registry, str_of(c->name), hash, &id);
	} else {
		registry_slug(str_of(c->title), &id);
		buf_addf(&id, "-%012llx", (unsigned long long)hash & 0xffffffffffff);
	}
	buf_release(&all);
	return buf_detach(&id);
}

static struct registered *action_of(const struct changing *c)
{
	struct registered *a = mem_new(sizeof(*a));
	struct str labels = buf_str(&c->labels);

	a->id = change_id(c);
	a->title = mem_dup(c->title, strlen(c->title));
	a->kind = mem_dup(call_tool(c->call)->name, strlen(call_tool(c->call)->name));
	a->about = mem_dup("", 0);
	a->labels = mem_dup(labels.p, labels.n);
	a->new_name = mem_dup(c->ch.new_name.p, c->ch.new_name.n);
	a->home = c->home ? mem_dup(c->home, strlen(c->home)) : NULL;
	a->most = c->ch.most;
	a->annotated = c->ch.annotated && c->ch.dry_run; /* else a person was told */
	a->unverified = !c->ch.verify;
	return a;
}

void change_put_action(struct changing *c)
{
	if (!c->ch.action)
		c->ch.action = action_of(c);
	json_put(c->ch.report, "action_id", json_strz(c->ch.action->id));
}

static size_t left_out(const struct hunk_choice *h)
{
	size_t n = 0;

	for (size_t i = 0; h && h->keep && i < h->n; i++)
		n += !h->keep[i];
	return n;
}

/* Where each hunk that was left out changes something first, in the text as it was. */
static json *left_out_lines(const struct plan_file *f, const struct hunk_choice *h)
{
	json *lines = json_array();
	size_t hunk = 0;

	for (size_t i = 0; i < f->diff.n && hunk < h->n; i = diff_group(&f->diff, i, DIFF_CONTEXT))
		if (!h->keep[hunk++])
			json_push(lines, json_int((int64_t)f->diff.v[i].old_at + 1));
	return lines;
}

bool change_put_left_out(struct changing *c, const struct verdict *v)
{
	json *list = (json *)json_get(c->ch.report, "left_out");
	bool any = false;

	for (size_t i = 0; i < plan_files(c->ch.plan); i++) {
		bool whole = v->keep && !v->keep[i];
		const struct hunk_choice *choice = v->hunks ? &v->hunks[i] : NULL;
		size_t hunks = whole ? 0 : left_out(choice);
		const struct plan_file *f = plan_file(c->ch.plan, i);
		json *row;

		if (!whole && !hunks)
			continue;
		any = true;
		if (!list)
			list = json_put(c->ch.report, "left_out", json_array());
		row = json_push(list, json_object());
		json_put(row, "file", json_str(call_shown(c->call, f->path)));
		if (!hunks)
			continue;
		json_put(row, "hunks", json_int((int64_t)hunks));
		json_put(row, "lines", left_out_lines(f, choice));
	}
	return any;
}
