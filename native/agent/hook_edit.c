#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "../core/workspace.h"
#include "hook_edit_impl.h"
#include "permissions.h"

/*
 * hook_edit_start -> hook_edit_ask -> call_change -> hook_edit_agreed, hook_edit_over
 *                                                 -> (stale: hook_edit_ask)
 */
struct hook_edit {
	struct call *call;
	const struct hook_agent *agent;
	json *event;
	struct hook_event ev;
	struct hook_files files;
	char *title;
	bool sure;
	int64_t tries; /* made again, beside what was changed meanwhile */
};

static void hook_edit_free(struct hook_edit *h)
{
	json_free(h->event);
	hook_files_release(&h->files);
	free(h->title);
	free(h);
}

static bool all_whole(const struct hook_files *files)
{
	for (size_t i = 0; i < files->n; i++)
		if (!hook_file_is_whole(&files->v[i]))
			return false;
	return true;
}

/* By the person, in the review. */
static bool is_changed(const json *report)
{
	return json_get(report, "changed_by_user");
}

/* What the model has to know beside that it is done; NULL: nothing. */
static char *hook_context(struct hook_edit *h, bool whole, const json *report)
{
	const json *errors = json_get(report, "new_errors"),
		   *unverified = json_get(report, "not_verified");
	struct buf out = BUF_INIT;

	if (!whole && is_changed(report))
		buf_adds(&out,
			 "The user changed what you asked for before accepting it. What is written "
			 "differs from it as follows; build on that, and do not change it back:\n");
	else if (!whole)
		buf_adds(&out,
			 "The user accepted your change in part. What is written differs from "
			 "what you asked for; what was left out is not wanted:\n");
	for (size_t i = 0; i < h->files.n; i++)
		hook_file_say_left(h->call, &h->files.v[i], &out);
	for (size_t i = 0; i < h->files.n; i++)
		hook_file_say_unsaved(h->call, &h->files.v[i], &out);
	if (json_len(errors)) {
		buf_adds(&out, "The user accepted it in spite of new errors: ");
		json_print(&out, errors);
		buf_addc(&out, '\n');
	}
	if (json_len(unverified)) {
		buf_adds(&out, "Not verified by a language server: ");
		json_print(&out, unverified);
		buf_addc(&out, '\n');
	}
	return out.n ? buf_detach(&out) : NULL;
}

/* An agent that takes Neovim for an IDE may show by openDiff, which comes here too
 * (nvim/ide_diff.c), what its hook has shown a moment ago: of the same text, leading to the one
 * that was accepted. */
#define IDE_CLIENT STR("ide")

static bool hook_is_ide(const struct hook_edit *h)
{
	return !h->ev.session.n && h->files.n == 1;
}

static void hook_change_key(const struct hook_file *f, struct str now, struct buf *key)
{
	buf_addf(key, "%s %" PRIx64 " %" PRIx64, f->path, hash_of(buf_str(&f->disk)), hash_of(now));
}

static void hook_give_change(const struct hook_edit *h)
{
	struct permissions *p = permissions_shared(call_oxide(h->call), ERR_IGNORED);
	const struct hook_file *f = h->files.v;
	struct buf key SCOPED(buf_release) = BUF_INIT;

	if (!p || hook_is_ide(h) || h->files.n != 1)
		return;
	hook_change_key(f, buf_str(&f->written), &key);
	permission_give(p, IDE_CLIENT, buf_str(&key), "");
}

static bool hook_was_accepted(const struct hook_edit *h)
{
	struct permissions *p = call_oxide(h->call)->permissions;
	const struct hook_file *f = h->files.v;
	struct buf key SCOPED(buf_release) = BUF_INIT;
	char *given SCOPED(mem_release) = NULL;

	if (!p || !hook_is_ide(h))
		return false;
	hook_change_key(f, buf_str(&f->asked), &key);
	given = permission_take_given(p, IDE_CLIENT, buf_str(&key));
	return given;
}

/* It may ask once more before it does it, or has to be told after that. */
static void hook_give(struct hook_edit *h, const json *input, const char *context)
{
	struct permissions *p = permissions_shared(call_oxide(h->call), ERR_IGNORED);
	struct buf what SCOPED(buf_release) = BUF_INIT;

	hook_event_key(&h->ev, input, &what);
	if (p && (h->agent->permit || (h->agent->after && context)))
		permission_give(p, h->ev.session, buf_str(&what), context ? context : "");
}

static void hook_say_yes(struct hook_edit *h, json *report)
{
	bool whole = all_whole(&h->files), as_it_is = whole && !h->files.inexact;
	json *input = as_it_is ? NULL : h->ev.tool->instead(&h->ev, &h->files);
	char *context SCOPED(mem_release) = hook_context(h, whole, report);

	hook_give(h, input ? input : h->ev.input, context);
	hook_give_change(h);
	json_put(
		report, "output",
		h->agent->allow(whole ? "the user accepted it in Oxide's review"
				: is_changed(report)
					? "the user changed it in Oxide's review, and accepted that"
					: "the user accepted a part of it in Oxide's review",
				input, context));
}

static void hook_edit_agreed(void *arg, struct plan *p, json *report, struct err *e)
{
	struct hook_edit *h = arg;

	if (!plan_files(p)) {
		err_set(e, ERR_CANCELLED, "all of it was left out; nothing was changed");
		return;
	}
	for (size_t i = 0; i < h->files.n; i++)
		if (!hook_file_take(h->call, &h->files.v[i], p, e))
			return;
	hook_say_yes(h, report);
}

static void hook_edit_fail(struct hook_edit *h, const struct err *e)
{
	struct call *call = h->call;
	struct err why = *e;

	hook_edit_free(h);
	call_fail(call, &why);
}

/* The user has typed the same already. */
static void hook_edit_is_there(struct hook_edit *h)
{
	struct call *call = h->call;
	json *report = json_object();

	for (size_t i = 0; i < h->files.n; i++)
		buf_add(&h->files.v[i].written, buf_str(&h->files.v[i].asked));
	hook_say_yes(h, report);
	hook_edit_free(h);
	call_done(call, report);
}

/* Under the names that the editor has them by. */
static bool hook_read_files(struct hook_edit *h, struct err *e)
{
	struct workspace *w = call_oxide(h->call)->workspace;

	for (size_t i = 0; i < h->files.n; i++) {
		struct hook_file *f = &h->files.v[i];
		char *real = workspace_named(w, f->path);

		free(f->path);
		f->path = real;
		if (!hook_file_read(h->call, f, e))
			return false;
	}
	return true;
}

/* NULL, and no error: nothing is left to do. */
static struct plan *hook_plan(struct hook_edit *h, struct err *e)
{
	struct plan *p = plan_new(call_source(h->call));
	bool ok = true, some = false;

	for (size_t i = 0; ok && i < h->files.n; i++) {
		ok = hook_file_plan(h->call, &h->files.v[i], p, e);
		some = some || h->files.v[i].planned;
	}
	if (ok && some && plan_finish(p, e))
		return p;
	plan_free(p);
	return NULL;
}

static void hook_edit_over(void *arg, struct call *c, const struct err *stale);

static void hook_edit_ask(struct hook_edit *h)
{
	int64_t most = config_get(&call_oxide(h->call)->config, CFG_EDIT_TRIES);
	struct change ch = { .title = h->title,
			     .verify = true,
			     .must = !h->sure,
			     .instead = hook_edit_agreed,
			     .arg = h,
			     .over = hook_edit_over,
			     .over_arg = h,
			     .retry = h->tries < most,
			     .carries = h->tries < most };
	struct err e = ERR_INIT;

	if (hook_event_files(&h->ev, &h->files, &e) && hook_read_files(h, &e) &&
	    h->ev.tool->edit(&h->ev, &h->files, &e) && !hook_was_accepted(h))
		ch.plan = hook_plan(h, &e);
	if (ch.plan) {
		ch.report = json_object();
		call_change(h->call, &ch);
	} else if (e.code) {
		hook_edit_fail(h, &e);
	} else {
		hook_edit_is_there(h);
	}
}

static void hook_edit_over(void *arg, struct call *c, const struct err *stale)
{
	struct hook_edit *h = arg;

	(void)c;
	if (!stale) {
		hook_edit_free(h);
		return;
	}
	h->tries++;
	hook_files_release(&h->files);
	h->files = (struct hook_files){ 0 };
	hook_edit_ask(h);
}

void hook_edit_start(const struct hook_edit_spec *spec)
{
	struct hook_edit *h = mem_new(sizeof(*h));
	struct err e = ERR_INIT;

	h->call = spec->call;
	h->agent = spec->agent;
	h->event = spec->event;
	h->title = mem_dup(spec->title, strlen(spec->title));
	h->sure = spec->sure;
	if (hook_event_read(&h->ev, h->event, &e))
		hook_edit_ask(h);
	else
		hook_edit_fail(h, &e);
}
