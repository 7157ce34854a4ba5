
#include "../base/log.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../core/pruning.h"
#include "../core/workspace.h"
#include "../tool/change_result.h"
#include "watch_impl.h"

/* The steps between the two texts of a file. Of those that were made while somebody looked, a look
 * has seen what led to the text that it found, and not what led away from it. Where that was
 * written in between by the agent, it cannot be placed, and nothing of it is the agent's: rather
 * too little is than anything of the user's. */
struct steps_between {
	const struct watch_step *from, *until; /* `until` is not one of them; NULL: to the last */
	const struct watch_step *early;	       /* the last one that may have been seen before */
	bool begins, ends;		       /* the text is placed */
};

static bool leads_from(const struct watch_step *s, const struct watch_text *t)
{
	return s->was_known && watch_text_same(t, &s->was);
}

static struct steps_between steps_between(const struct watched *p, const struct watch_diff *d)
{
	struct steps_between b = { .from = STAILQ_FIRST(&p->steps), .begins = true, .ends = true };
	const struct watch_text *at = &d->a;
	const struct watch_step *s;
	size_t i = 0;

	STAILQ_FOREACH(s, &p->steps, all) {
		bool early = i < p->early_steps, late = i >= p->old_steps;

		i++;
		if (strcmp(s->path, d->path) != 0)
			continue;
		if (early) {
			bool after = watch_text_same(&d->a, &s->now), before = leads_from(s, &d->a);

			b.begins = after || before || (b.begins && b.early);
			b.from = after ? STAILQ_NEXT(s, all) : before ? s : b.from;
			b.early = s;
		}
		if (late && !b.until) {
			bool here = watch_text_same(&d->b, at) || leads_from(s, &d->b);

			b.ends = here || watch_text_same(&d->b, &s->now);
			b.until = here ? s : NULL;
		}
		at = &s->now;
	}
	return b;
}

/* What the agent has made of a file: what is left of its way from the one text to the other, where
 * steps of others are taken out. */
static void add_parts(struct watched *p, struct watch_parts *parts, struct watch_diff *d)
{
	struct steps_between between = steps_between(p, d);
	const struct watch_step *s = between.from;
	struct watch_text at = d->a;
	unsigned round = 0;

	d->a = (struct watch_text){ 0 };
	if (!between.begins) {
		s = STAILQ_NEXT(between.early, all);
		watch_text_copy(&at, &between.early->now);
	}
	for (; s && s != between.until; s = STAILQ_NEXT(s, all)) {
		struct watch_text to = { 0 };

		if (strcmp(s->path, d->path) != 0)
			continue;
		if (s->was_known && !watch_text_same(&at, &s->was)) {
			watch_text_copy(&to, &s->was);
			watch_parts_add(parts, d->path, round++, &at, &to);
		}
		watch_text_copy(&at, &s->now);
	}
	if (between.ends)
		watch_parts_add(parts, d->path, round, &at, &d->b);
	buf_release(&at.text);
	buf_release(&d->b.text);
	d->b = (struct watch_text){ 0 };
}

static bool had_step(const struct watched *p, const char *path)
{
	const struct watch_step *s;

	STAILQ_FOREACH(s, &p->steps, all)
		if (!strcmp(s->path, path))
			return true;
	return false;
}

/* Servers and documents learn of it, whoever has done it. */
static void tell_changed(struct watched *p, const struct watch_diff *d)
{
	char *path SCOPED(mem_release) = path_join(p->root, d->path);
	struct txn_file f = { .path = path,
			      .existed = d->was,
			      .exists = d->now,
			      .now = buf_str(&d->b.text),
			      .mode = d->b.mode };

	if (d->known)
		workspace_disk_changed(p->ox->workspace, &f);
}

static void watch_report_collect(struct watch_look *l, struct watch_parts *parts, json *unkept)
{
	for (size_t i = 0; i < l->n; i++) {
		struct watch_diff *d = &l->v[i];

		tell_changed(l->of, d);
		if (d->known)
			add_parts(l->of, parts, d);
		else if (!had_step(l->of, d->path))
			json_push(unkept, json_of({ "file", json_strz(d->path) },
						  { "reason", json_strz(d->why) }));
	}
}

static void add_files(struct watched *p, struct change_result *r, const struct plan *plan)
{
	for (size_t i = 0; i < plan_files(plan); i++) {
		struct change_result one SCOPED(change_result_release) = { 0 };

		change_result_planned(&one, plan_file(plan, i), str_of(p->root));
		change_result_add(r, &one);
	}
	plan_preview(plan, &r->diff);
	r->edits += plan_edits(plan);
}

static void keep_in_history(struct watch *w, const struct plan *plan, struct change_result *r)
{
	struct oxide *ox = w->of->ox;
	struct history_about about = { .root = w->of->root,
				       .origin = w->who,
				       .title = w->title,
				       .turn = w->id,
				       .time_ms = loop_wall_ms() };
	struct buf record SCOPED(buf_release) = BUF_INIT, id SCOPED(buf_release) = BUF_INIT;
	struct err e = ERR_INIT;

	if (!ox->history)
		err_set(&e, ERR_IO,
			"no directory for the history; set XDG_STATE_HOME to a "
			"writable directory");
	else
		history_record(&record, plan, &about);
	if (!e.code &&
	    history_add(ox->history, buf_str(&record), w->of->root, about.time_ms, &id, &e))
		r->transaction = arena_str(&r->texts, buf_str(&id));
	else
		err_in(&e, "this turn cannot be undone");
	if (id.n)
		pruning_soon(ox);
	if (e.code)
		change_result_warn(r, str_of(e.msg));
}

static void report_round(struct watch *w, struct watch_parts *parts, unsigned round,
			 struct change_result *r)
{
	struct watch_source source SCOPED(watch_source_release) = { 0 };
	struct err e = ERR_INIT;
	struct plan *plan = watch_plan(&source, w->of->root, w->of->tree, parts, round, &e);

	if (plan && plan_files(plan)) {
		add_files(w->of, r, plan);
		keep_in_history(w, plan, r);
	} else if (!plan) {
		log_line(LOG_ERROR, "watch: %s", e.msg);
		err_in(&e, "what was changed cannot be undone");
		change_result_warn(r, str_of(e.msg));
	}
	plan_free(plan);
}

static json *unsure_of(const struct watch *w)
{
	if (!w->with.n)
		return NULL;
	return json_strf("%s worked in this project at the same time; some of this may be %s",
			 w->with.p,
			 str_find(buf_str(&w->with), STR(", ")) < 0 ? "its work" : "their work");
}

json *watch_report(struct watch *w, struct watch_look *l)
{
	struct change_result r SCOPED(change_result_release) = { .applied = true,
								 .has_diff = true };
	struct watch_parts parts SCOPED(watch_parts_release) = { 0 };
	json *report, *unkept SCOPED(json_release) = json_array();
	json *conflicts SCOPED(json_release) = watch_bases_conflicts(w->of);

	watch_report_collect(l, &parts, unkept);
	for (unsigned i = 0; i < parts.rounds; i++)
		report_round(w, &parts, i, &r);
	if (l->next->cut)
		change_result_warn(&r, STR("there are more files than were looked at "
					   "(agent.watch_files)"));
	change_result_syntax(&r, "skipped: it was changed past Oxide");
	report = json_of({ "turn", json_strz(w->id) }, { "title", json_strz(w->title) },
			 { "who", json_strz(w->who) }, { "unsure", unsure_of(w) });
	change_result_put(&r, report);
	change_result_put_end(&r, report);
	if (json_len(l->git_did))
		json_put(report, "git", json_copy(l->git_did));
	if (!parts.n && !json_len(unkept)) {
		json_free(report);
		report = NULL;
	}
	if (report && json_len(unkept))
		json_put(report, "unkept", json_copy(unkept));
	if (report && json_len(conflicts))
		json_put(report, "conflicts", json_copy(conflicts));
	return report;
}
