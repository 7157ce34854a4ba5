#include <stdlib.h>

#include "rename_impl.h"
#include "rename_printed.h"

#define QUICK_FILES 16 /* looked at within rename.verify_ms; more take their time */

static void rename_free(struct rename *r)
{
	rename_leave_headers(r);
	completeness_free(r->reach);
	rename_alike_free(r->alike);
	word_search_free(r->mentions);
	macro_uses_free(r->macros);
	wsedit_notes_release(&r->notes);
	for (size_t i = 0; i < r->n_too; i++)
		free(r->too[i].path);
	free(r->too);
	free(r->old_copy);
	free(r);
}

void rename_end(struct rename *r)
{
	struct call *call = r->call;
	struct err why = r->why;
	json *refusal = r->refusal;

	plan_free(r->plan);
	target_free(r->target);
	rename_free(r);
	call_fail_with(call, &why, refusal);
}

/* The last of it: the plan and the answer are call_change()'s. */
static void tell_mentions(void *arg, const struct plan *p, json *report)
{
	struct rename *r = arg;
	size_t total = 0;

	if (report) {
		json_put(report, "mentions", word_search_left(r->mentions, p, &total));
		json_put(report, "mentions_total", json_int((int64_t)total));
	}
	rename_free(r);
}

static bool has_to_verify(const struct rename *r, bool dry)
{
	return json_get_bool(call_args(r->call), "verify", false) && !dry;
}

bool rename_verifies(const struct rename *r)
{
	bool dry = json_get_bool(call_args(r->call), "dry_run", false);

	return json_get_bool(call_args(r->call), "verify", !dry) &&
	       (config_get(&call_oxide(r->call)->config, CFG_RENAME_VERIFIED) ||
		has_to_verify(r, dry));
}

bool rename_verifies_all(const struct rename *r)
{
	const struct config *config = &call_oxide(r->call)->config;

	return rename_verifies(r) &&
	       (has_to_verify(r, false) ||
		plan_files(r->plan) <= (size_t)config_get(config, CFG_RENAME_VERIFIED));
}

/* Who asks for it gets all of it verified, of any number of files, or nothing is changed. */
static void decide_to_verify(struct rename *r, struct change *ch)
{
	const struct config *config = &call_oxide(r->call)->config;
	uint64_t patience = call_context(r->call)->timeout_ms;
	bool quick;

	ch->must_verify = has_to_verify(r, ch->dry_run);
	ch->most = (size_t)config_get(config, CFG_RENAME_VERIFIED);
	ch->home = r->target->path;
	ch->verify = rename_verifies(r);
	ch->most = ch->must_verify ? 0 : ch->most;
	ch->alone = true;
	quick = !ch->must_verify && plan_files(r->plan) + ch->n_also <= QUICK_FILES;
	ch->patience_ms =
		patience ? patience
			 : (uint64_t)config_get(config, quick ? CFG_RENAME_WAIT : CFG_GATE_WAIT);
}

/* A macro that may mean several things by one name is changed only where a server looks at it. */
static bool in_doubt(struct rename *r, const struct change *ch)
{
	const char *macro = r->macros ? macro_uses_doubt(r->macros) : NULL;

	if (!macro || (ch->verify && (!ch->most || plan_files(r->plan) <= ch->most)) || ch->dry_run)
		return false;
	err_set(&r->why, ERR_UNSUPPORTED,
		"the macro %s may mean several things called %.*s, and servers do not check a "
		"change this large; raise rename.verified_files, or change the macro first",
		macro, STR_ARG(r->old_name));
	return true;
}

static void rename_end_put_complete(struct rename *r, json *report)
{
	json_put(report, "complete", json_bool(true));
	if (r->reach)
		completeness_report(r->reach, report);
	else if (word_search_gap(r->mentions))
		reasons_add(report, "%s", word_search_gap(r->mentions));
}

/* What may stand for what is renamed is looked at with it. */
static void put_alike(struct rename *r, struct change *ch)
{
	size_t more = r->alike ? rename_alike_more(r->alike) : 0;
	size_t types = r->alike ? rename_alike_types_more(r->alike) : 0;
	const char *gap = r->alike ? rename_alike_gap(r->alike) : NULL;

	if (r->alike)
		ch->also = rename_alike_files(r->alike, &ch->n_also);
	ch->by = r->target->server;
	if (more)
		completeness_doubt(r->reach, false,
				   "%zu more files with members called %.*s, or with their types, "
				   "were not checked (gate.files)",
				   more, STR_ARG(r->old_name));
	if (types)
		completeness_doubt(r->reach, false,
				   "what uses %zu more types with members called %.*s was not "
				   "checked",
				   types, STR_ARG(r->old_name));
	if (gap)
		completeness_doubt(r->reach, false,
				   "what uses types with members called %.*s may not all have been "
				   "checked: %s",
				   STR_ARG(r->old_name), gap);
}

bool rename_may_be_incomplete(const struct rename *r)
{
	return str_eq(json_get_str(call_args(r->call), "incomplete"), STR("allow"));
}

void rename_hand_over(struct rename *r)
{
	struct call *call = r->call;
	struct target *target = r->target;
	json *report = json_object();
	struct buf title SCOPED(buf_release) = BUF_INIT, name SCOPED(buf_release) = BUF_INIT;
	struct buf refused SCOPED(buf_release) = BUF_INIT;
	struct buf printed SCOPED(buf_release) = BUF_INIT;
	struct change ch = { 0 };

	buf_addf(&title, "rename %.*s to %.*s", STR_ARG(r->old_name), STR_ARG(r->new_name));
	buf_addf(&name, "rename_%.*s_to_%.*s", STR_ARG(r->old_name), STR_ARG(r->new_name));
	json_put(report, "old_name", json_str(r->old_name));
	json_put(report, "new_name", json_str(r->new_name));
	json_put(report, "server", json_strz(server_name(target->server)));
	put_alike(r, &ch);
	rename_end_put_complete(r, report);
	rename_printed(call, r->mentions, r->plan, &printed);
	if (printed.n) {
		answer_warn(report, str_trim(buf_str(&printed)));
		ch.notes = printed.p;
	}
	ch.more = tell_mentions;
	ch.offer = rename_offer;
	ch.arg = r;
	ch.plan = r->plan;
	ch.report = report;
	ch.title = title.p;
	ch.name = name.p;
	ch.server = server_name(target->server);
	ch.labels = buf_str(&r->notes.labels).p;
	ch.annotated = r->notes.confirm;
	ch.must = !str_eq(json_get_str(call_args(call), "confirm"), STR("apply"));
	ch.new_name = r->new_name;
	ch.searched = r->asked_again ? NULL : r->mentions;
	ch.dry_run = json_get_bool(call_args(call), "dry_run", false);
	if (r->reach && !rename_may_be_incomplete(r) && completeness_refuses(r->reach, &refused))
		ch.refused = refused.p;
	decide_to_verify(r, &ch);
	if (in_doubt(r, &ch)) {
		json_free(report);
		rename_end(r);
	} else {
		call_change(call, &ch);
		target_free(target);
	}
}
