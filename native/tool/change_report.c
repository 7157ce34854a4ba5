#include <stdarg.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "../core/registry.h"
#include "../core/swap_scan.h"
#include "../servers/completeness.h"
#include "change_impl.h"
#include "verify.h"

void change_add_more(struct changing *c, json *report)
{
	if (c->ch.more)
		c->ch.more(c->ch.arg, c->ch.plan, report);
	c->ch.more = NULL;
	c->ch.n_also = 0;
}

static void change_report_add_file(struct changing *c, const struct plan_file *f)
{
	struct changed_file *to =
		change_result_planned(&c->result, f, str_of(call_shown_root(c->call)));

	to->in_buffer = apply_buffer(call_oxide(c->call), f);
}

/* Who else has the files open, where the change goes past what is unsaved there. */
static void warn_of_swaps(struct changing *c)
{
	struct buf all SCOPED(buf_release) = BUF_INIT;
	struct str rest, line;

	swap_scan_report(call_oxide(c->call), c->ch.plan, call_shown_root(c->call), &all);
	rest = buf_str(&all);
	while (str_line(&rest, &line))
		change_result_warn(&c->result, line);
}

void change_describe(struct changing *c, bool applied)
{
	const struct call_context *ctx = call_context(c->call);
	struct change_result *r = &c->result;
	struct buf kept = BUF_INIT;

	change_add_more(c, c->ch.report);
	r->applied = applied;
	r->edits = plan_edits(c->ch.plan);
	for (size_t i = 0; i < plan_files(c->ch.plan); i++)
		change_report_add_file(c, plan_file(c->ch.plan, i));
	r->has_diff = c->ch.dry_run || !ctx->no_diff;
	if (r->has_diff)
		plan_preview(c->ch.plan, &r->diff);
	if (!r->syntax_check.n)
		change_result_syntax(r, "skipped: the server was not asked");
	warn_of_swaps(c);
	if (ctx->came_to)
		buf_add(&kept, buf_str(&r->diff));
	change_result_put(r, c->ch.report);
	r->diff = kept;
}

const struct err *change_hand_over(struct changing *c, struct err *e)
{
	change_describe(c, false);
	c->ch.instead(c->ch.arg, c->ch.plan, c->ch.report, e);
	return e;
}

char *change_id(const struct changing *c)
{
	struct buf all SCOPED(buf_release) = BUF_INIT, id = BUF_INIT;
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
	c->result.action_id = arena_str(&c->result.texts, str_of(c->ch.action->id));
}

void change_end_result(struct changing *c, const struct err *e)
{
	struct change_result *wanted = call_context(c->call)->came_to;

	if (!e->code)
		change_result_put_end(&c->result, c->ch.report);
	if (e->code || !wanted) {
		change_result_release(&c->result);
		return;
	}
	change_result_release(wanted);
	*wanted = c->result;
}

void change_put_large(struct changing *c, const char *fmt, ...)
{
	struct change_result *r = &c->result;
	struct buf why SCOPED(buf_release) = BUF_INIT;
	va_list args;

	buf_addf(&why, "it changes %zu files, and servers ", plan_files(c->ch.plan));
	va_start(args, fmt);
	buf_addv(&why, fmt, args);
	va_end(args);
	buf_adds(&why, " (rename.verified_files)");
	if (!r->looked || str_eq(r->syntax_check, STR("ok")))
		change_result_syntax(r, "skipped: %s", why.p);
	reasons_add(c->ch.report, "not verified: %s", why.p);
	buf_addf(&c->notes, "not verified: %s\n", why.p);
}

void change_put_found(struct changing *c, const struct gate_finding *f)
{
	struct change_result *r = &c->result;

	verify_report(c->call, f, r);
	json_drop(c->ch.report, "reasons");
	json_put(c->ch.report, "complete", json_bool(r->complete));
	json_each(why, c->reasons)
		reasons_add(c->ch.report, "%.*s", STR_ARG(json_text(why)));
	if (c->taken && taken_part(c->taken) == TAKEN_SOME)
		change_put_large(c, "checked those that the new name may affect");
	change_result_put_checks(r, c->ch.report);
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
	json **list = &c->result.rows[CHANGE_LEFT_OUT];
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
		*list = *list ? *list : json_array();
		row = json_push(*list, json_object());
		json_put(row, "file", json_str(call_shown(c->call, f->path)));
		if (!hunks)
			continue;
		json_put(row, "hunks", json_int((int64_t)hunks));
		json_put(row, "lines", left_out_lines(f, choice));
	}
	if (any)
		json_put(c->ch.report, "left_out", json_copy(*list));
	return any;
}

void change_note_unverified(struct changing *c)
{
	struct str why = c->result.syntax_check;

	if (c->ch.verify || c->undoes[0] || c->told.n || c->notes.n)
		return;
	if (!str_skip(&why, STR("skipped: ")))
		why = STR("no language server was asked");
	buf_addf(&c->notes, "not verified: %.*s\n", STR_ARG(why));
}

void change_note_reasons(const struct changing *c, struct buf *notes)
{
	json_each(why, c->reasons)
		if (str_find(buf_str(&c->refused), json_text(why)) < 0)
			buf_addf(notes, "may be incomplete: %.*s\n", STR_ARG(json_text(why)));
}
