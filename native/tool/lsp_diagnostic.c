#include <stdlib.h>

#include "../base/mem.h"
#include "../core/workspace.h"
#include "../io/loop.h"
#include "places.h"
#include "target.h"

/*
 * lsp_diagnostic: what the language server finds wrong with a file, in its present text; without a
 * file, what is known of all that are open.
 *
 *     run -> on_target -+-> (pull) on_pulled ----------> answer
 *                       +-> (push) watch, look, ... ---> answer
 *
 * Waiting is for the event that speaks of the present text. Where a server never says which text
 * it speaks of, silence for lsp.quiet_ms has to do, and the answer says `complete: false`.
 */
struct diagnosing {
	struct call *call;
	struct target *target; /* NULL: all files */
	enum diag_severity worst;
	struct timer *deadline, *quiet;
	int64_t asked, wanted; /* the version to be spoken of */
	uint64_t seen;
	bool complete, watching;
};

static void on_news(void *arg, const char *path);

static void stop_waiting(struct diagnosing *d)
{
	call_on_cancel(d->call, NULL, NULL);
	if (d->watching)
		pool_unwatch(call_oxide(d->call)->pool, on_news, d);
	timer_free(d->deadline);
	timer_free(d->quiet);
	target_free(d->target);
}

static void fail(struct diagnosing *d, const struct err *e)
{
	struct call *call = d->call;

	stop_waiting(d);
	free(d);
	call_fail(call, e);
}

static json *row_of(struct oxide *ox, const struct diag *g, const struct place *at)
{
	json *row = json_object();

	json_put(row, "file", json_str(workspace_shown(ox->workspace, g->path)));
	place_put(row, at);
	json_put(row, "severity", json_strz(diag_severity_name(g->severity)));
	json_put(row, "code", json_str(g->code));
	json_put(row, "source", json_str(g->source));
	json_put(row, "message", json_str(g->message));
	json_put(row, "fixes", json_array());
	return row;
}

static void put_rows(struct diagnosing *d, const struct diag *const *v, size_t n, json *result)
{
	struct oxide *ox = call_oxide(d->call);
	json *list = json_put(result, "diagnostics", json_array());
	struct places places;
	struct place at;

	places_init(&places, ox);
	for (size_t i = 0; i < n; i++) {
		places_look(&places, v[i]->path, &v[i]->range, v[i]->enc, &at);
		json_push(list, row_of(ox, v[i], &at));
	}
	places_release(&places);
}

static void put_text(struct buf *list, struct str s)
{
	if (list->n)
		buf_addc(list, ',');
	json_quote(list, s);
}

static void put_flat(struct diagnosing *d, const struct diag *const *v, size_t n, json *result)
{
	struct buf severity = BUF_INIT, code = BUF_INIT, source = BUF_INIT, message = BUF_INIT,
		   out = BUF_INIT;
	struct flat flat = { 0 };
	struct places places;
	struct place at;

	places_init(&places, call_oxide(d->call));
	for (size_t i = 0; i < n; i++) {
		places_look(&places, v[i]->path, &v[i]->range, v[i]->enc, &at);
		flat_add(&flat, v[i]->path, &at);
		buf_addf(&severity, i ? ",%d" : "%d", (int)v[i]->severity);
		put_text(&code, v[i]->code);
		put_text(&source, v[i]->source);
		put_text(&message, v[i]->message);
	}
	flat_begin(&flat, &out);
	buf_addf(&out, ",\"severity\":[%s],\"code\":[%s],\"source\":[%s],\"message\":[%s]}",
		 buf_str(&severity).p, buf_str(&code).p, buf_str(&source).p, buf_str(&message).p);
	json_put(result, "flat", json_raw(buf_str(&out)));
	places_release(&places);
	flat_release(&flat);
	buf_release(&severity);
	buf_release(&code);
	buf_release(&source);
	buf_release(&message);
	buf_release(&out);
}

static void answer(struct diagnosing *d)
{
	struct oxide *ox = call_oxide(d->call);
	struct call *call = d->call;
	json *result = json_object(), *by;
	struct buf summary = BUF_INIT;
	struct diag_counts counts;
	const struct diag **v;
	size_t n = diag_list(ox->diags, d->target ? d->target->path : NULL, d->worst, &v);

	diag_count(v, n, &counts);
	diag_summary(&counts, &summary);
	if (call_context(call)->flat)
		put_flat(d, v, n, result);
	else
		put_rows(d, v, n, result);
	by = json_put(result, "counts", json_object());
	for (int s = DIAG_ERROR; s <= DIAG_HINT; s++)
		json_put(by, diag_severity_name((enum diag_severity)s),
			 json_int((int64_t)counts.of[s]));
	json_put(result, "summary", json_str(buf_str(&summary)));
	json_put(result, "files", json_int((int64_t)counts.files));
	json_put(result, "complete", json_bool(d->complete));
	if (d->target)
		json_put(result, "server", json_strz(server_name(d->target->server)));
	free(v);
	buf_release(&summary);
	stop_waiting(d);
	free(d);
	call_done(call, result);
}

static void over(void *arg)
{
	answer(arg);
}

/* Has the server spoken of the present text? */
static void look(struct diagnosing *d)
{
	struct oxide *ox = call_oxide(d->call);
	struct server *s = d->target->server;
	int64_t version = -1;
	uint64_t seen = diag_seen(ox->diags, server_key(s), d->target->path, &version);
	uint64_t quiet = (uint64_t)config_get(&ox->config, CFG_LSP_QUIET);

	if (!seen || version < d->wanted)
		return;
	if (server_versioned(s)) {
		d->complete = true;
		timer_set(d->deadline, 0);
	} else if (seen != d->seen) {
		d->seen = seen;
		timer_set(d->quiet, loop_now(ox->loop) + quiet);
	}
}

static void on_news(void *arg, const char *path)
{
	struct diagnosing *d = arg;

	if (path && !strcmp(path, d->target->path))
		look(d);
	else if (!path && server_version(d->target->server, d->target->path) < 0)
		timer_set(d->deadline, 0); /* the server is gone */
}

static void on_pulled(void *arg, struct msg *m, const struct err *why)
{
	struct diagnosing *d = arg;
	struct server *s = d->target->server;
	struct buf id = BUF_INIT;
	struct err e = *why;

	d->complete = !e.code && diag_pulled(call_oxide(d->call)->diags, server_key(s),
					     d->target->path, server_encoding(s), m->raw, &id, &e);
	buf_release(&id);
	if (e.code)
		fail(d, &e);
	else
		answer(d);
}

static void cancelled(void *state)
{
	struct diagnosing *d = state;
	struct err e = ERR_INIT;

	if (d->asked) {
		pool_cancel(d->target->server, d->asked);
		return;
	}
	err_set(&e, ERR_CANCELLED, "cancelled");
	fail(d, &e);
}

static void on_target(void *arg, struct target *t, const struct err *e)
{
	struct diagnosing *d = arg;
	struct oxide *ox = call_oxide(d->call);
	uint64_t patience = call_context(d->call)->timeout_ms;

	d->target = t;
	if (!t) {
		fail(d, e);
		return;
	}
	call_on_cancel(d->call, cancelled, d);
	if (server_can(t->server, LSP_PULL_DIAGNOSTICS)) {
		d->asked = pool_ask(t->server, LSP_PULL_DIAGNOSTICS, proto_doc(t->path), patience,
				    on_pulled, d);
		return;
	}
	server_flush(t->server);
	d->wanted = server_version(t->server, t->path);
	d->deadline = timer_new(ox->loop, over, d);
	d->quiet = timer_new(ox->loop, over, d);
	timer_set(d->deadline,
		  loop_now(ox->loop) +
			  (patience ? patience
				    : (uint64_t)config_get(&ox->config, CFG_LSP_DIAGNOSTICS)));
	pool_watch(ox->pool, on_news, d);
	d->watching = true;
	look(d);
}

static enum diag_severity read_severity(const json *args)
{
	struct str s = json_get_str(args, "severity");

	for (int i = DIAG_ERROR; i <= DIAG_HINT; i++)
		if (str_eq(s, str_of(diag_severity_name((enum diag_severity)i))))
			return (enum diag_severity)i;
	return DIAG_HINT;
}

static void run(struct call *call)
{
	struct diagnosing *d = mem_new(sizeof(*d));

	d->call = call;
	d->worst = read_severity(call_args(call));
	if (json_get(call_args(call), "file_path"))
		target_find(call, LSP_FEATURES, POOL_OPEN, TARGET_FILE, on_target, d);
	else
		answer(d);
}

static const struct param params[] = {
	{ "file_path", P_PATH, false, "the file; all that are open when left out", NULL },
	{ "severity", P_STR, false, "the mildest to list", "error|warning|info|hint" },
	{ NULL, P_STR, false, NULL, NULL },
};

const struct tool tool_lsp_diagnostic = {
	.name = "lsp_diagnostic",
	.doc = "List the errors, warnings and hints of the language server for the present text, by "
	       "file, severity and line",
	.params = params,
	.run = run,
};
