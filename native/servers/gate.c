#include "gate_impl.h"

#include <stdio.h>
#include <stdlib.h>

#include "../base/mem.h"
#include "../code/lex.h"
#include "../core/workspace.h"
#include "../io/loop.h"

/* A look that is over sooner is not told of: nobody notices it. */
#define TELL_MS 200

/*
 *     start -> gate_ask_before, gate_ask_uses             what is said of the texts as they are
 *           -> gate_await_still -> try_change -> look_for_fixes     ... and as they would be
 *           -> gate_conclude
 *
 * Each step asks for several things at once, counts the answers, and goes on to `next` with the
 * last. When time is up or the caller loses interest, all that is waited for is cancelled; the
 * answers come all the same, and gate_conclude() is next.
 */
void gate_answered(struct gate *g)
{
	if (--g->waiting)
		return;
	if (g->late || g->cancelled)
		gate_conclude(g);
	else
		g->next(g);
}

void gate_skip(struct gate_file *f, const char *why)
{
	f->server = NULL;
	if (!f->why)
		f->why = mem_dup(why, strlen(why));
}

void gate_skip_as(struct gate_file *f, const char *does)
{
	struct buf why SCOPED(buf_release) = BUF_INIT;

	buf_addf(&why, "%s %s", server_name(f->server), does);
	gate_skip(f, why.p);
}

struct gate_file *gate_add_file(struct gate *g, const char *path)
{
	struct gate_file *f = mem_new(sizeof(*f));

	f->gate = g;
	f->path = mem_dup(path, strlen(path));
	f->complete = f->uses_complete = true;
	mem_add(g->file, g->files, g->cap, f);
	return f;
}

static void take_change(struct gate_file *f, const struct plan_file *change)
{
	f->change = change;
	f->was = change->existed ? doc_lent(change->path, change->was) : NULL;
	f->now = doc_lent(f->path, change->now);
}

struct gate_file *gate_add_beside(const struct gate_file *f, struct server *s)
{
	struct gate_file *made = gate_add_file(f->gate, f->path);

	made->beside = made->server = s;
	if (f->change)
		take_change(made, f->change);
	return made;
}

/* Files at their first server: looked at, and all of them. */
static size_t count_looked(const struct gate *g, size_t *of)
{
	size_t looked = 0;

	*of = 0;
	for (size_t i = 0; i < g->files; i++) {
		const struct gate_file *f = g->file[i];

		*of += !f->beside;
		looked += !f->beside && (f->answered || f->why);
	}
	return looked;
}

static void gate_tell(struct gate *g, bool done)
{
	const struct editor *ed = &g->ox->editor;
	size_t of, looked = count_looked(g, &of);
	char id[40], message[60] = "";

	snprintf(id, sizeof(id), "oxide/gate/%p", (void *)g);
	if (of > 1)
		snprintf(message, sizeof(message), "%zu of %zu files", looked, of);
	ed->progress(ed->self, NULL, id, STR("looking for new errors"), str_of(message), -1, done);
	g->told = looked;
	g->told_of = of;
}

static void gate_tell_again(void *arg)
{
	struct gate *g = arg;
	size_t of, looked = count_looked(g, &of);

	if (looked != g->told || of != g->told_of)
		gate_tell(g, false);
	timer_set(g->telling, loop_now(g->ox->loop) + TELL_MS);
}

static void gate_begin_telling(struct gate *g)
{
	if (!g->ox->editor.progress)
		return;
	g->telling = timer_new(g->ox->loop, gate_tell_again, g);
	timer_set(g->telling, loop_now(g->ox->loop) + TELL_MS);
}

static void gate_end_telling(struct gate *g)
{
	if (!g->telling)
		return;
	timer_set(g->telling, UINT64_MAX);
	if (g->told_of)
		gate_tell(g, true);
}

void gate_conclude(struct gate *g)
{
	timer_set(g->deadline, UINT64_MAX);
	gate_end_telling(g);
	if (g->cancelled)
		err_set(&g->why, ERR_CANCELLED, "cancelled; nothing was changed");
	if (!g->why.code && !g->found)
		gate_find(g);
	g->fn(g->arg, g->why.code ? NULL : &g->finding, &g->why);
}

static void gate_stop(struct gate *g)
{
	for (size_t i = 0; i < g->files; i++) {
		struct gate_file *f = g->file[i];

		if (f->pick)
			pool_unpick(f->pick);
		if (f->reading)
			diagnose_file_cancel(f->reading);
		if (f->waiting)
			diagnose_cancel(f->waiting);
		if (f->uses)
			files_using_cancel(f->uses);
	}
	if (g->fixes)
		code_actions_cancel(g->fixes);
	if (g->queued)
		timer_set(g->turn, 0);
}

/* Half of the time is over, and what is not known yet is what the servers say of the texts as they
 * are: those beside the first would take the time in which that one can tell of the change. */
static void gate_has_enough(void *arg)
{
	struct gate *g = arg;

	for (size_t i = 0; i < g->files; i++) {
		struct gate_file *f = g->file[i];

		if (f->reading)
			diagnose_file_enough(f->reading);
		else if (f->beside && f->pick)
			pool_unpick(f->pick);
	}
}

/* Or there is no use in going on. */
static void gate_out_of_time(void *arg)
{
	struct gate *g = arg;

	g->late = true;
	gate_stop(g);
}

void gate_cancel(void *gate)
{
	struct gate *g = gate;

	g->cancelled = true;
	gate_stop(g);
}

/* What is gone after the change no server can be shown, nor that a name is gone. */
static void add_change(struct gate *g, const struct plan_file *change)
{
	const char *path = plan_path_after(change);
	struct gate_file *f;

	if (!change->exists || change->new_path)
		g->lacks |= LACK_MOVED;
	if (!change->exists || plan_file_links(change))
		return;
	f = gate_add_file(g, path);
	take_change(f, change);
	gate_ask_before(f);
	gate_ask_uses(f);
}

static void add_changes(struct gate *g, struct plan *p, const struct gate_spec *spec)
{
	for (size_t i = 0; i < plan_files(p) && !g->why.code; i++) {
		const struct plan_file *f = plan_file(p, i);

		if (spec->looks && !spec->looks(spec->arg, plan_path_after(f)))
			map_put(&g->left, str_of(plan_path_after(f)), g);
		else if (plan_want(p, i, &g->why))
			add_change(g, f);
	}
}

bool gate_is_c(const struct gate *g, const char *path)
{
	enum dialect d = language_dialect(language_of(workspace_filetype(g->ox->workspace, path)));

	return d == DIALECT_C || d == DIALECT_CPP;
}

/* Whether a file that changes is read with others that include it: from the disk, where a server
 * does not see more. Two files of a language that is not C's may always be such. */
static bool needs_seeing(const struct gate *g, const struct plan *p)
{
	for (size_t i = 0; i < plan_files(p); i++) {
		const char *path = plan_file(p, i)->path;

		if (gate_is_c(g, path) ? language_header(str_of(path)) : plan_files(p) > 1)
			return true;
	}
	return false;
}

static void gate_begun(void *arg)
{
	gate_answered(arg);
}

struct gate *gate_start(struct oxide *ox, struct plan *p, const struct gate_spec *spec,
			gate_found *fn, void *arg)
{
	struct gate *g = mem_new(sizeof(*g));
	uint64_t patience = spec->timeout_ms ? spec->timeout_ms
					     : (uint64_t)config_get(&ox->config, CFG_GATE_WAIT);

	g->ox = ox;
	g->plan = p;
	g->timeout_ms = spec->timeout_ms;
	g->patience_ms = patience;
	g->fn = fn;
	g->arg = arg;
	g->was = diag_new();
	g->said = diag_new();
	g->alone = spec->alone;
	g->next = gate_await_still;
	g->deadline = timer_new(ox->loop, gate_out_of_time, g);
	timer_set(g->deadline, loop_now(ox->loop) + patience);
	g->enough = timer_new(ox->loop, gate_has_enough, g);
	timer_set(g->enough, loop_now(ox->loop) + patience / 2);
	gate_begin_telling(g);
	g->waiting = 1; /* this call */
	g->seeing = needs_seeing(g, p);
	add_changes(g, p, spec);
	for (size_t i = 0; i < spec->n_also; i++)
		gate_ask_before(gate_add_file(g, spec->also[i]));
	for (size_t i = 0; i < spec->n_seen; i++)
		gate_ask_before_by(gate_add_file(g, spec->seen[i]), spec->by);
	if (g->why.code)
		gate_out_of_time(g);
	oxide_soon(ox, gate_begun, g);
	return g;
}

struct server *gate_shown(const struct gate *g, const char *path, struct doc **text)
{
	for (size_t i = 0; i < g->files; i++) {
		const struct gate_file *f = g->file[i];

		if (f->beside || !f->shown || strcmp(f->path, path) != 0 ||
		    !server_on_trial(f->server, g->said))
			continue;
		*text = f->now;
		return f->server;
	}
	return NULL;
}

static void gate_file_free(struct gate_file *f)
{
	if (f->was != f->now)
		doc_free(f->was);
	doc_free(f->now);
	free(f->path);
	free(f->why);
	free(f);
}

/* It is likely that one of them is changed next. */
static void list_symbols_soon(const struct gate *g)
{
	for (size_t i = 0; i < g->files; i++)
		if (g->file[i]->uses_asked && g->file[i]->server && !g->file[i]->beside)
			server_list_symbols_soon(g->file[i]->server, g->file[i]->path);
}

void gate_end(struct gate *g, bool made)
{
	if (!g)
		return;
	gate_take_back(g, made);
	if (made)
		list_symbols_soon(g);
	for (size_t i = 0; i < g->files; i++)
		gate_file_free(g->file[i]);
	code_actions_free(g->fixes);
	arena_release(&g->texts);
	map_release(&g->left);
	timer_free(g->turn);
	timer_free(g->telling);
	timer_free(g->enough);
	timer_free(g->deadline);
	diag_free(g->was);
	diag_free(g->said);
	for (size_t i = 0; i < g->reasons; i++)
		free(g->reason[i]);
	free(g->fresh[0]);
	free(g->fresh[1]);
	free(g->skip);
	free(g->server);
	free(g->file);
	free(g);
}
