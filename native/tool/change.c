#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../core/registry.h"
#include "../core/workspace.h"
#include "auto_update.h"
#include "verify.h"

/*
 * call_change -> (verified) look -> on_found -> go_on -> (asked) on_verdict -> begin -> (permitted)
 * apply -> on_applied
 *
 * What a person leaves out nobody has verified without: the rest is looked at again, and where it
 * would bring new errors, they are asked once more: on_verdict -> look -> on_rest -> ask or begin.
 */
struct changing {
	struct call *call;
	struct change ch;
	char *title, *undoes, *server, *name;
	const struct project *project; /* that it changes */
	struct buf labels, notes;
	struct gate *gate;	/* until the servers may see the documents again */
	json *refusal;		/* the error object, where it is not the plain one */
	struct waiting waiting; /* while a person is being asked */
	bool plan_taken;
	bool cut; /* a person has left out some of the plan */
	int64_t question;
};

static void add_more(struct changing *c, json *report)
{
	if (c->ch.more)
		c->ch.more(c->ch.arg, c->ch.plan, report);
	c->ch.more = NULL;
}

/* The plan goes, or back to where it can be named. */
static void let_go(struct changing *c)
{
	struct registered *a = c->ch.action;

	if (c->plan_taken || !a || c->cut) {
		registered_free(a);
		if (!c->plan_taken)
			plan_free(c->ch.plan);
		return;
	}
	a->plan = c->ch.plan;
	registry_put(call_oxide(c->call)->registry, a);
}

static void end(struct changing *c, const struct err *e)
{
	struct call *call = c->call;
	json *report = c->ch.report, *refusal = c->refusal;

	gate_end(c->gate, c->plan_taken && !e->code);
	add_more(c, NULL);
	let_go(c);
	free(c->title);
	free(c->undoes);
	free(c->server);
	free(c->name);
	buf_release(&c->labels);
	buf_release(&c->notes);
	free(c);
	if (e->code) {
		json_free(report);
		if (refusal)
			call_fail_with(call, e, refusal);
		else
			call_fail(call, e);
	} else {
		call_done(call, report);
	}
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

/* The members of "Answers that change text", for the plan as it is now. */
static void describe(struct changing *c, bool applied)
{
	const struct plan *p = c->ch.plan;
	json *r = c->ch.report, *files = json_array();
	struct buf diff = BUF_INIT;
	int64_t lines = 0;

	add_more(c, r);
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
}

static void on_applied(void *arg, const struct apply_result *res, const struct err *e)
{
	struct changing *c = arg;
	json *r = c->ch.report;

	if (res) {
		if (*res->transaction)
			json_put(r, "transaction", json_strz(res->transaction));
		if (res->saved || res->left_modified) {
			json_put(r, "saved", json_int((int64_t)res->saved));
			json_put(r, "left_modified", json_int((int64_t)res->left_modified));
		}
		if (*res->warning)
			json_put(r, "warning", json_strz(res->warning));
	}
	end(c, e);
}

static void on_applying(void *arg)
{
	describe(arg, true);
}

static void apply(struct changing *c)
{
	struct apply_spec spec = { c->ch.plan, c->title, str_of(c->undoes),
				   call_context(c->call)->origin, on_applying };

	call_on_cancel(c->call, NULL, NULL); /* from here on it happens whole */
	c->plan_taken = true;
	apply_start(call_oxide(c->call), &spec, on_applied, c);
}

static void give_up(void *arg)
{
	struct err e = ERR_INIT;

	err_set(&e, ERR_CANCELLED, "cancelled; nothing was changed");
	end(arg, &e);
}

static void on_permit(void *arg, bool yes)
{
	struct changing *c = arg;

	if (yes && !call_cancelled(c->call))
		apply(c);
	else
		give_up(c);
}

static void begin(struct changing *c)
{
	const struct call_context *ctx = call_context(c->call);

	call_on_cancel(c->call, NULL, NULL);
	if (ctx->permit)
		ctx->permit(ctx->of, c->title, c->project->root, on_permit, c);
	else
		apply(c);
}

/* The same for the same change of the same texts. */
static char *id_of(const struct changing *c)
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

	a->id = id_of(c);
	a->title = mem_dup(c->title, strlen(c->title));
	a->kind = mem_dup(call_tool(c->call)->name, strlen(call_tool(c->call)->name));
	a->about = mem_dup("", 0);
	a->labels = mem_dup(labels.p, labels.n);
	a->annotated = c->ch.annotated && c->ch.dry_run; /* else a person was told */
	a->unverified = !c->ch.verify;
	return a;
}

/* What is not made now can be made later, by its name. */
static void put_action(struct changing *c)
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

/* What the person did not accept: whole files, or some of a file's hunks. False: nothing. */
static bool put_left_out(struct changing *c, const struct verdict *v)
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

/* It is listed meanwhile, and holds up nothing that is done when no call is under way. */
static void wait(struct changing *c)
{
	const struct registered *a = c->ch.action;

	c->waiting = (struct waiting){ .id = a ? mem_dup(a->id, strlen(a->id)) : id_of(c),
				       .title = c->title,
				       .kind = call_tool(c->call)->name,
				       .who = call_context(c->call)->who,
				       .plan = c->ch.plan };
	registry_wait(call_oxide(c->call)->registry, &c->waiting);
	auto_update_goes_on(call_oxide(c->call));
}

static void asked(struct changing *c)
{
	auto_update_gives_way(call_oxide(c->call));
	registry_waited(call_oxide(c->call)->registry, &c->waiting);
	free((char *)(uintptr_t)c->waiting.id);
}

static void look(struct changing *c, gate_found *fn);
static void on_rest(void *arg, const struct gate_finding *f, const struct err *why);

static void on_verdict(void *arg, const struct verdict *v)
{
	struct changing *c = arg;
	struct err e = ERR_INIT;

	asked(c);
	if (v->later) {
		describe(c, false);
		json_put(c->ch.report, "needs_confirmation", json_bool(true));
		put_action(c);
		end(c, &e);
	} else if (!v->yes) {
		err_set(&e, ERR_CANCELLED, "%s was not confirmed; nothing was changed", c->title);
		end(c, &e);
	} else {
		bool cut = put_left_out(c, v);

		c->cut = c->cut || cut;
		if (!verdict_take(v, c->ch.plan, &e))
			end(c, &e);
		else if (cut && c->ch.verify && plan_files(c->ch.plan))
			look(c, on_rest);
		else
			begin(c);
	}
}

static void cancel_question(void *state)
{
	struct changing *c = state;
	const struct editor *ed = &call_oxide(c->call)->editor;

	call_on_cancel(c->call, NULL, NULL);
	asked(c);
	ed->unconfirm(ed->self, c->question);
	oxide_soon(call_oxide(c->call), give_up, c);
}

static bool wants_asking(const struct changing *c)
{
	enum call_confirm how = call_context(c->call)->confirm;

	if (how == CONFIRM_NEVER || !plan_files(c->ch.plan) || !call_oxide(c->call)->editor.confirm)
		return false;
	return how == CONFIRM_ALWAYS || c->ch.must || c->ch.annotated;
}

static void ask(struct changing *c)
{
	const struct editor *ed = &call_oxide(c->call)->editor;
	struct question q = { c->ch.plan,
			      c->title,
			      call_tool(c->call)->name,
			      c->server,
			      buf_str(&c->labels).p,
			      c->ch.annotated,
			      c->ch.must,
			      call_context(c->call)->of,
			      buf_str(&c->notes).p };

	gate_end(c->gate, false); /* a person may take long */
	c->gate = NULL;
	wait(c);
	c->question = ed->confirm(ed->self, &q, on_verdict, c);
	call_on_cancel(c->call, cancel_question, c);
}

static void go_on(struct changing *c)
{
	struct err none = ERR_INIT;

	if (c->ch.dry_run || !plan_files(c->ch.plan)) {
		describe(c, true);
		if (plan_files(c->ch.plan) && !c->undoes[0] && !c->ch.nameless)
			put_action(c);
		end(c, &none);
	} else if (wants_asking(c)) {
		ask(c);
	} else {
		begin(c);
	}
}

static void on_found(void *arg, const struct gate_finding *f, const struct err *why)
{
	struct changing *c = arg;
	struct err e = *why;

	call_on_cancel(c->call, NULL, NULL);
	if (!e.code && f->errors)
		c->refusal = verify_refusal(c->call, f, &e);
	if (e.code) {
		end(c, &e);
		return;
	}
	verify_report(c->call, f, c->ch.report);
	verify_notes(c->call, f, &c->notes);
	go_on(c);
}

/* What is left of a change, of which all was verified. */
static void on_rest(void *arg, const struct gate_finding *f, const struct err *why)
{
	struct changing *c = arg;

	call_on_cancel(c->call, NULL, NULL);
	if (why->code) {
		struct err e = *why;

		end(c, &e);
		return;
	}
	verify_report(c->call, f, c->ch.report);
	if (!f->errors) {
		begin(c);
		return;
	}
	verify_accept(c->call, f, c->ch.report);
	buf_clear(&c->notes);
	buf_addf(&c->notes,
		 "what is left would bring %zu new error%s: apply it all the same, or "
		 "discard it\n",
		 f->errors, f->errors == 1 ? "" : "s");
	verify_notes(c->call, f, &c->notes);
	c->ch.annotated = true;
	ask(c);
}

static void cancel_gate(void *state)
{
	struct changing *c = state;

	call_on_cancel(c->call, NULL, NULL);
	gate_cancel(c->gate);
}

static void look(struct changing *c, gate_found *fn)
{
	struct gate_spec spec = { c->ch.patience_ms, c->ch.alone };

	if (!spec.timeout_ms)
		spec.timeout_ms = call_context(c->call)->timeout_ms;
	c->gate = gate_start(call_oxide(c->call), c->ch.plan, &spec, fn, c);
	call_on_cancel(c->call, cancel_gate, c);
}

void call_change(struct call *call, const struct change *ch)
{
	struct changing *c = mem_new(sizeof(*c));
	struct err e = ERR_INIT;

	c->call = call;
	c->ch = *ch;
	c->title = mem_dup(ch->title, strlen(ch->title));
	c->undoes = mem_dup(ch->undoes.p, ch->undoes.n);
	c->server = ch->server ? mem_dup(ch->server, strlen(ch->server)) : NULL;
	c->name = ch->name ? mem_dup(ch->name, strlen(ch->name)) : NULL;
	buf_adds(&c->labels, ch->labels ? ch->labels : "");
	buf_adds(&c->notes, ch->notes ? ch->notes : "");
	c->project = apply_project(call_oxide(call), ch->plan, &e);
	if (!c->project)
		end(c, &e);
	else if (ch->verify && plan_files(ch->plan))
		look(c, on_found);
	else
		go_on(c);
}
