#include "gate_impl.h"

#include <stdlib.h>

#include "../code/same_tokens.h"
#include "../core/projects.h"
#include "../core/workspace.h"

/* What servers say of the texts as they are, of those too that use what changes. */
static bool has_file(const struct gate *g, const char *path)
{
	for (size_t i = 0; i < g->files; i++)
		if (!strcmp(g->file[i]->path, path))
			return true;
	return false;
}

/* It may see some errors all the same; that it sees none means nothing. */
static void note_ails(struct gate_file *f)
{
	struct buf why = BUF_INIT;
	const char *ails = f->server ? server_health_error(f->server) : NULL;

	if (!ails)
		return;
	buf_addf(&why, "%s reports a problem: %s", server_name(f->server), ails);
	f->why = buf_detach(&why);
}

/* What it publishes next may be less than its answer: it may speak of a text in parts. */
static void keep_before(struct gate_file *f)
{
	if (f->server && server_answers(f->server))
		diag_keep(f->gate->was, server_store(f->server), server_key(f->server),
			  f->was ? doc_path(f->was) : f->path);
}

static void note_before(struct gate_file *f, const struct file_diagnosis *d)
{
	int64_t version;

	f->complete = d->complete;
	if (f->beside && d->why.code == ERR_CANCELLED)
		f->server = NULL;
	else if (f->beside && d->why.code)
		gate_skip(f, d->why.msg);
	else if (!diag_seen(server_store(f->server), server_key(f->server), f->path, &version))
		gate_skip_as(f, "published no diagnostics for the text before the change");
	else
		note_ails(f);
	keep_before(f);
}

static void on_diagnosed_before(void *arg, const struct file_diagnosis *v, size_t n,
				const struct err *e)
{
	struct gate_file *f = arg;

	f->reading = NULL;
	f->complete = false;
	if (!n && e->code != ERR_CANCELLED)
		gate_skip(f, e->msg);
	f->server = n ? v[0].server : NULL;
	for (size_t i = 0; i < n; i++)
		note_before(i ? gate_add_beside(f, v[i].server) : f, &v[i]);
	gate_answered(f->gate);
}

static void on_gate_server(void *arg, struct server *s, bool settled, const struct err *e);

static void pick_for(struct gate_file *f)
{
	struct gate *g = f->gate;
	struct pool *p = g->ox->pool;

	g->waiting++;
	f->pick = f->beside ? pool_pick_server(p, f->path, f->beside, POOL_RUNS, on_gate_server, f)
			    : pool_pick(p, f->path, LSP_FEATURES, POOL_RUNS, on_gate_server, f);
	if (g->seeing)
		pick_seeing(f->pick);
}

static void pick_beside(struct gate_file *f)
{
	struct server **all;
	size_t n = pool_beside(f->gate->ox->pool, f->path, f->server, &all);

	for (size_t i = 0; i < n; i++)
		pick_for(gate_add_beside(f, all[i]));
	free(all);
}

/* A file that is not there yet: there is nothing to be said of it. */
static void on_gate_server(void *arg, struct server *s, bool settled, const struct err *e)
{
	struct gate_file *f = arg;

	(void)settled;
	f->pick = NULL;
	f->server = s;
	if (!s && e->code != ERR_CANCELLED)
		gate_skip(f, e->msg);
	else
		note_ails(f);
	keep_before(f);
	if (s && !f->beside)
		pick_beside(f);
	gate_answered(f->gate);
}

void gate_ask_before(struct gate_file *f)
{
	struct gate *g = f->gate;

	g->paths++;
	if (f->change && (!f->change->existed || f->change->new_path)) {
		pick_for(f);
		return;
	}
	g->waiting++;
	f->reading = diagnose_file_start(g->ox, f->path, g->timeout_ms, on_diagnosed_before, f);
	diagnose_file_exactly(f->reading, g->seeing);
}

static void on_seen_before(void *arg, struct server *s, bool complete, const struct err *e)
{
	struct gate_file *f = arg;
	struct file_diagnosis d = { .server = s, .complete = complete && !e->code };

	f->waiting = NULL;
	f->server = s;
	if (s && !e->code)
		note_before(f, &d);
	else if (e->code != ERR_CANCELLED)
		gate_skip(f, e->msg);
	gate_answered(f->gate);
}

void gate_ask_before_by(struct gate_file *f, struct server *s)
{
	struct gate *g = f->gate;

	g->paths++;
	g->waiting++;
	f->waiting = diagnose_start(g->ox, s, f->path, g->timeout_ms, on_seen_before, f);
	diagnose_exactly(f->waiting);
	if (g->seeing)
		diagnose_seeing(f->waiting);
}

static void on_gate_uses(void *arg, const char *const *path, size_t n, bool complete)
{
	struct gate_file *f = arg;
	struct gate *g = f->gate;
	size_t most = plan_files(g->plan) + (size_t)config_get(&g->ox->config, CFG_GATE_FILES);

	f->uses = NULL;
	f->uses_complete = complete;
	for (size_t i = 0; i < n && !g->late && !g->cancelled; i++) {
		if (has_file(g, path[i]) || map_get(&g->left, str_of(path[i])) ||
		    !projects_of(g->ox->projects, path[i]))
			continue;
		if (g->paths < most)
			gate_ask_before(gate_add_file(g, path[i]));
		else
			g->lacks |= LACK_MANY;
	}
	gate_answered(g);
}

/* Whether others can see that it is another text. What is not a header they know by what it
 * declares, and that is the same where all tokens are, as after formatting. */
static bool gate_before_is_seen(const struct gate_file *f)
{
	const struct gate *g = f->gate;
	const char *filetype = workspace_filetype(g->ox->workspace, f->path);

	return language_header(str_of(f->path)) ||
	       !same_tokens(language_of(filetype), doc_text(f->was), doc_text(f->now));
}

void gate_ask_uses(struct gate_file *f)
{
	struct gate *g = f->gate;

	if (!f->was || !f->change->edits.n || (g->alone && !files_using_macros(g->ox, f->change)) ||
	    !gate_before_is_seen(f))
		return;
	g->waiting++;
	f->uses_asked = !g->alone;
	f->uses = files_using_start(g->ox, f->change, g->alone, on_gate_uses, f);
}
