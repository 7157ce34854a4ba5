#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/mem.h"
#include "../core/workspace.h"
#include "diag_cache.h"
#include "pool.h"
#include "project_diags_impl.h"
#include "trial.h"

/*
 *     start -> on_project_file_picked -+-> (it can be asked about all) survey
 *                                      +-> show -> on_project_file_diagnosed
 */
void project_diags_file_missing(struct project_diags_file *f, const char *fmt, ...)
{
	char why[300];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	free(f->missing);
	f->missing = mem_dup(why, strlen(why));
	f->of->complete = false;
}

/* Later, and alone, if it is not the second time. */
static void project_diags_file_ended(struct project_diags_file *f)
{
	f->state = SWEEP_TODO;
	if (++f->ended > 1) {
		project_diags_file_missing(f, "%s exited twice while checking this file",
					   server_name(f->server->server));
		f->state = SWEEP_DONE;
	}
}

/* Whether it is closed now. */
static bool put_away(struct project_diags_file *f)
{
	struct workspace *w = f->of->ox->workspace;
	bool glance = f->glance;

	f->glance = false;
	return glance && !workspace_buffer_at(w, f->path) &&
	       server_glanced(f->server->server, workspace_known(w, f->path));
}

/* What a server said of the text that it has, or NULL: that it has said nothing. */
static bool has_spoken(const struct project_diags_file *f)
{
	struct server *s = f->server->server;
	int64_t version;

	return diag_seen(f->of->ox->diags, server_key(s), f->path, &version) &&
	       version >= server_version(s, f->path);
}

static void project_file_take(struct project_diags_file *f, bool complete)
{
	struct oxide *ox = f->of->ox;

	f->server->silent = 0;
	f->server->answered++;
	f->of->complete = f->of->complete && complete;
	if (put_away(f))
		diag_cache_keep(ox->findings, ox->diags, f->path, server_key(f->server->server),
				f->texts, complete);
}

static void diags_file_ask(struct project_diags_file *f);

/* A server that is asked about several at a time answers one after the other: the last ones may be
 * late for no other reason. One that has got on meanwhile is asked again. */
static bool is_in_line(const struct project_diags_file *f, const struct err *e)
{
	return e->code == ERR_TIMEOUT && !f->of->spec.timeout_ms &&
	       f->server->answered > f->answered;
}

static void on_project_file_diagnosed(void *arg, struct server *s, bool complete,
				      const struct err *e)
{
	struct project_diags_file *f = arg;

	f->waiting = NULL;
	f->state = SWEEP_DONE;
	if (f->of->cancelled) {
		f->of->complete = false;
	} else if (server_version(s, f->path) < 0) {
		project_diags_file_ended(f);
	} else if (is_in_line(f, e)) {
		f->state = SWEEP_BUSY;
		diags_file_ask(f);
		return;
	} else if (e->code) {
		project_diags_file_missing(f, "%s", e->msg);
	} else if (complete || has_spoken(f)) {
		project_file_take(f, complete);
	} else {
		f->server->silent++;
		project_diags_file_missing(f, "%s published nothing about it", server_name(s));
	}
	put_away(f);
	project_diags_file_done(f);
}

static void diags_file_ask(struct project_diags_file *f)
{
	f->answered = f->server->answered;
	f->waiting = diagnose_open(f->of->ox, f->server->server, f->beside, f->path,
				   f->of->spec.timeout_ms, on_project_file_diagnosed, f);
}

static void diags_file_show(struct project_diags_file *f)
{
	struct oxide *ox = f->of->ox;
	struct server *s = f->server->server;
	const char *filetype = workspace_filetype(ox->workspace, f->path);
	struct err e = ERR_INIT;
	struct doc *d = workspace_doc(ox->workspace, f->path, &e);

	if (!d) {
		project_diags_file_missing(f, "%s", e.msg);
		f->state = SWEEP_DONE;
		project_diags_file_done(f);
		return;
	}
	if (f->buffer)
		server_show(s, d, filetype);
	else
		f->glance = server_glance(s, d, filetype);
	diags_file_ask(f);
}

/* Whether it is done without being shown. */
static bool spared(struct project_diags_file *f)
{
	struct project_diags_server *s = f->server;
	size_t batch = (size_t)config_get(&f->of->ox->config, CFG_DIAGNOSTIC_AT_ONCE);

	if (f->buffer)
		return false;
	if (server_can(s->server, LSP_SURVEY) && !s->no_survey) {
		project_diags_survey(s);
		return true;
	}
	if (s->silent < batch)
		return false;
	project_diags_file_missing(f, "%s publishes no diagnostics for the files that it opens",
				   server_name(s->server));
	return true;
}

/* The other servers of the file are asked about it too. */
static void diags_file_spread(struct project_diags_file *f, const struct server *first)
{
	struct server **all;
	size_t n = pool_beside(f->of->ox->pool, f->path, first, &all);

	f->spread = true;
	for (size_t i = 0; i < n; i++)
		project_diags_add(f->of, f->path, f->texts, all[i]);
	free(all);
}

static void on_project_file_picked(void *arg, struct server *s, bool settled, const struct err *e)
{
	struct project_diags_file *f = arg;

	(void)settled;
	f->pick = NULL;
	f->state = SWEEP_DONE;
	if (s)
		f->server = project_diags_server(f->of, s);
	if (s && !f->beside && !f->spread)
		diags_file_spread(f, s);
	if (!s) {
		if (!f->of->cancelled && !(f->buffer && !f->beside && e->code == ERR_NO_SERVER))
			project_diags_file_missing(f, "%s", e->msg);
	} else if (!spared(f)) {
		f->state = SWEEP_BUSY;
		diags_file_show(f);
		return;
	}
	project_diags_file_done(f);
}

void project_diags_file_start(struct project_diags_file *f)
{
	struct pool *p = f->of->ox->pool;

	f->state = SWEEP_BUSY;
	f->buffer = workspace_buffer_at(f->of->ox->workspace, f->path);
	f->pick = f->beside ? pool_pick_server(p, f->path, f->beside, POOL_RUNS,
					       on_project_file_picked, f)
			    : pool_pick(p, f->path, LSP_FEATURES, POOL_RUNS, on_project_file_picked,
					f);
}

void project_diags_file_cancel(struct project_diags_file *f)
{
	if (f->pick)
		pool_unpick(f->pick);
	else if (f->waiting)
		diagnose_cancel(f->waiting);
}
