#include "gate_impl.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../code/lex.h"
#include "../core/workspace.h"
#include "../io/loop.h"
#include "pool.h"
#include "server_impl.h"

/* The texts as they would be are shown to the servers, and taken back. */
static void list_servers(struct gate *g)
{
	for (size_t i = 0; i < g->files; i++) {
		struct server *s = g->file[i]->server;
		bool known = !s;

		for (size_t k = 0; k < g->servers && !known; k++)
			known = g->server[k] == s;
		if (known)
			continue;
		mem_add(g->server, g->servers, g->server_cap, s);
	}
}

static void try_change(struct gate *g);

static void on_gate_news(void *arg, const char *path)
{
	struct gate *g = arg;

	(void)path;
	timer_set(g->turn, 0);
}

static void look_for_turn(void *arg)
{
	struct gate *g = arg;
	bool still = true;

	for (size_t i = 0; i < g->servers; i++)
		still = still && !server_in_use(g->server[i]);
	if (!still && !g->late && !g->cancelled)
		return;
	g->queued = false;
	pool_unwatch(g->ox->pool, on_gate_news, g);
	timer_set(g->turn, UINT64_MAX);
	if (g->late || g->cancelled)
		gate_conclude(g);
	else
		try_change(g);
}

/* Nobody may be waiting for a word of theirs about the texts as they are. */
void gate_await_still(struct gate *g)
{
	list_servers(g);
	g->queued = true;
	g->turn = timer_new(g->ox->loop, look_for_turn, g);
	pool_watch(g->ox->pool, on_gate_news, g);
	timer_set(g->turn, 0);
}

/* Whether another text on trial may include it, as clangd does it. */
static bool is_among(const struct gate_file *f)
{
	return f->gate->paths > 1 &&
	       (gate_is_c(f->gate, f->path) || server_work(f->server, f->path) != WORK_UNKNOWN);
}

/* What makes the new text of the document's, which is the one that the plan was made for
 * (same_texts()); NULL: another file is put over it. */
static const struct edits *edits_of(const struct gate_file *f)
{
	const struct plan_file *c = f->change;

	return c && !c->new_path && c->edits.n ? &c->edits : NULL;
}

/* A text that the server has open is changed, also where a file is put over it. */
static void show_changed(struct gate_file *f)
{
	struct workspace *w = f->gate->ox->workspace;
	struct doc *d = workspace_known(w, f->path);

	if (d && server_version(f->server, f->path) >= 0) {
		f->shown =
			(!f->change && server_can(f->server, LSP_PULL_DIAGNOSTICS)) ||
			server_try_text(f->server, d, doc_text(f->now), edits_of(f), is_among(f));
	} else if (f->change) {
		doc_own(f->now); /* a server that starts again reads it once more */
		server_show(f->server, f->now, workspace_filetype(w, f->path));
		f->opened = true;
	}
}

static void note_shown(struct gate_file *f)
{
	server_flush(f->server);
	f->shown = f->shown || (f->opened && server_version(f->server, f->path) >= 0);
	if (f->shown)
		return;
	server_hide(f->server, f->now);
	f->opened = false;
	gate_skip_as(f, "cannot preview a change");
}

/* The plan's texts are still there; those of uses are looked up. */
static bool same_texts(struct gate *g)
{
	for (size_t i = 0; i < g->files; i++) {
		struct gate_file *f = g->file[i];
		const char *path = f->change ? f->change->path : f->path;
		struct err e = ERR_INIT;
		struct doc *d = f->change && !f->change->existed
					? NULL
					: workspace_doc(g->ox->workspace, path, &e);

		if (d && !f->change)
			f->was = f->now = doc_new(path, doc_text(d));
		else if (!d && !f->change)
			gate_skip(f, e.msg);
		else if (f->change->existed && (!d || doc_hash(d) != f->change->was_hash))
			return err_set(&g->why, ERR_STALE,
				       "%.*s changed since the change was computed; try again",
				       STR_ARG(workspace_shown(g->ox->workspace, path)));
	}
	return true;
}

static void on_diagnosed_after(void *arg, struct server *s, bool complete, const struct err *e)
{
	struct gate_file *f = arg;

	(void)s;
	f->waiting = NULL;
	f->complete = f->complete && complete && !e->code;
	f->answered = !e->code;
	if (e->code && e->code != ERR_CANCELLED && !f->why)
		f->why = mem_dup(e->msg, strlen(e->msg));
	gate_answered(f->gate);
}

static void on_gate_fixes(void *arg, const struct err *e)
{
	struct gate *g = arg;

	(void)e;
	for (size_t i = 0; i < code_actions_count(g->fixes); i++)
		g->fresh[0][i].fixes = &code_actions_offer(g->fixes, i)->actions;
	gate_answered(g);
}

/* What is said of the change itself: a fix that makes it right, most likely a missing import. The
 * servers are not picked: that would wait for the end of this trial. */
static void look_for_fixes(struct gate *g)
{
	struct code_actions_spec spec = { .kind = STR("quickfix"),
					  .timeout_ms = g->timeout_ms,
					  .servers = g->server,
					  .n_servers = g->servers };
	size_t most = (size_t)config_get(&g->ox->config, CFG_GATE_LIST), n = 0;
	const struct diag **asked = mem_new((most + 1) * sizeof(*asked));

	gate_find(g);
	for (; n < g->finding.errors && n < most; n++)
		asked[n] = &g->fresh[0][n].diag;
	g->next = gate_conclude;
	g->waiting = 1;
	g->fixes = code_actions_for(g->ox, asked, n, &spec, on_gate_fixes, g);
	free(asked);
}

/* All of it before anything is sent: headers go out first (sync.h). */
static void show_all(struct gate *g)
{
	for (size_t i = 0; i < g->files; i++)
		if (g->file[i]->server)
			show_changed(g->file[i]);
	for (size_t i = 0; i < g->files; i++)
		if (g->file[i]->server)
			note_shown(g->file[i]);
}

/* Where a source of C alone is changed, and behind its first declaration: what it includes stays as
 * it is. */
static bool keeps_head(const struct gate_file *f)
{
	const struct gate *g = f->gate;
	const char *filetype = workspace_filetype(g->ox->workspace, f->path);
	struct token t = { .kind = TOKEN_DIRECTIVE };
	struct lexer l;

	if (!edits_of(f) || g->files > 1 || g->seeing || !gate_is_c(g, f->path))
		return false;
	l = lex_from(language_of(filetype), doc_text(f->was), 0);
	while (t.kind == TOKEN_DIRECTIVE)
		t = lex_next_code(&l);
	return t.kind != TOKEN_END && t.kind != TOKEN_SIGN &&
	       f->change->edits.v[0].span.at >= t.span.end;
}

static bool has_file(const struct gate *g, const char *path, const struct server *s)
{
	for (size_t i = 0; i < g->files; i++)
		if (g->file[i]->server == s && !strcmp(g->file[i]->path, path))
			return true;
	return false;
}

/* Each part of a project may have a server of its own, of one kind. What that says of its files may
 * rest on those of another part, which it would read from the disk. */
static void add_neighbours(struct gate *g)
{
	size_t files = g->files;

	for (size_t k = 0; k < g->servers; k++)
		for (size_t i = 0; i < files; i++) {
			struct gate_file *f = g->file[i];
			struct server *s = g->server[k];

			if (f->change && f->server && !f->beside && f->server != s &&
			    pool_preset(f->server) == pool_preset(s) && !has_file(g, f->path, s))
				gate_add_beside(f, s)->unasked = true;
		}
}

static void try_change(struct gate *g)
{
	g->next = look_for_fixes;
	g->waiting = 1; /* this call */
	if (!same_texts(g)) {
		gate_conclude(g);
		return;
	}
	for (size_t i = 0; i < g->servers; i++)
		server_try(g->server[i], g->said);
	add_neighbours(g);
	show_all(g);
	for (size_t i = 0; i < g->files; i++) {
		struct gate_file *f = g->file[i];

		if (!f->shown || f->unasked)
			continue;
		g->waiting++;
		f->waiting = diagnose_shown(g->ox, f->server, f->beside, f->path, keeps_head(f),
					    g->timeout_ms, on_diagnosed_after, f);
	}
	gate_answered(g);
}

static void tell_diagnosed(void *arg, const char *path)
{
	struct gate *g = arg;

	if (g->ox->editor.diagnostics)
		g->ox->editor.diagnostics(g->ox->editor.self, path);
}

static void on_read_again(void *arg, struct server *s, bool complete, const struct err *e)
{
	(void)s;
	(void)complete;
	(void)e;
	server_rereads(arg, -1);
}

/* clangd answers from an index that has the text on trial until it has read the one before again.
 */
static void gate_try_read_again(struct gate_file *f)
{
	if (server_work(f->server, f->path) == WORK_UNKNOWN)
		return;
	server_rereads(f->server, 1);
	diagnose_shown(f->gate->ox, f->server, f->beside, f->path, false, 0, on_read_again,
		       f->server);
}

/* True: the server has been told of another text. */
static bool gate_try_take_back(struct gate_file *f)
{
	struct doc *d = workspace_known(f->gate->ox->workspace, f->path);

	if (f->opened)
		server_hide(f->server, f->now); /* also from one that died and runs again */
	return !f->opened && f->shown && server_on_trial(f->server, f->gate->said) &&
	       server_untry_text(f->server, d);
}

void gate_take_back(struct gate *g, bool made)
{
	bool *again SCOPED(mem_release) = mem_new(g->files + 1);

	for (size_t i = 0; i < g->files; i++)
		again[i] = gate_try_take_back(g->file[i]);
	for (size_t i = 0; i < g->servers; i++) {
		struct server *s = g->server[i];

		server_flush(s); /* a program that ends now has no next turn to do it */
		if (!server_on_trial(s, g->said))
			continue;
		if (made) {
			diag_adopt(server_store(s), g->said, server_key(s), tell_diagnosed, g);
			server_untry(s);
		} else {
			server_untry_unmade(s);
		}
	}
	for (size_t i = 0; i < g->files; i++)
		if (again[i])
			gate_try_read_again(g->file[i]);
	for (size_t i = 0; i < g->servers; i++)
		server_spare(g->server[i]);
}
