#include "code_actions_impl.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../core/workspace.h"
#include "action_plan.h"
#include "trial.h"

/*
 * begin_next_file (several at a time) -> [on_file_read] -> ask_about_file
 *     -> on_server_picked (for each question) -> code_actions_ask -> on_actions_offered
 *     -> file_answered -> begin_next_file ... -> all_answered
 */
static void all_answered(void *arg)
{
	struct code_actions *c = arg;

	if (--c->waiting)
		return;
	if (c->at_place)
		code_place_drop_repeated(c);
	if (c->cancelled)
		err_set(&c->why, ERR_CANCELLED, "cancelled");
	c->fn(c->arg, &c->why);
}

static void begin_next_file(struct code_actions *c);

static void file_answered(struct asked_file *f)
{
	struct code_actions *c = f->of;
	struct workspace *w = c->ox->workspace;

	if (--f->waiting)
		return;
	if (f->server)
		server_leave(f->server);
	if (f->glance && !workspace_buffer_at(w, f->path))
		pool_close(c->ox->pool, workspace_known(w, f->path));
	begin_next_file(c);
	all_answered(c);
}

static void note_missing(struct code_actions *c, const struct err *e)
{
	if (!c->missing.code)
		c->missing = *e;
}

static bool is_wanted_action(const struct action_question *q, const struct action *a)
{
	const struct offer *o = &q->offer;
	struct str kind = q->file->of->spec.kind;

	return (!kind.n || action_is(a, kind)) && (!o->fixes || action_mends(a, o->about[0])) &&
	       action_plan_possible(o->server, a);
}

/* Some servers offer all they know of the place, whatever was asked for. */
static void keep_wanted_actions(struct action_question *q)
{
	struct actions *all = &q->offer.actions;
	size_t kept = 0;

	for (size_t i = 0; i < all->n; i++)
		if (is_wanted_action(q, &all->v[i]))
			all->v[kept++] = all->v[i];
	all->n = kept;
}

static void on_actions_offered(void *arg, struct msg *m, const struct err *why)
{
	struct action_question *q = arg;
	struct err e = *why;

	q->asked = 0;
	if (!e.code && actions_read(m->raw, &q->offer.actions, &e))
		keep_wanted_actions(q);
	else
		note_missing(q->file->of, &e);
	file_answered(q->file);
}

void code_actions_ask(struct action_question *q, struct server *s, struct range place)
{
	struct code_actions *c = q->file->of;
	struct offer *o = &q->offer;

	o->server = s;
	o->moves = c->moves;
	server_use(s);
	q->file->waiting++;
	q->asked = server_ask(s, LSP_CODE_ACTIONS,
			      actions_ask(o->path, place, o->about, o->abouts, c->spec.kind),
			      c->spec.timeout_ms, on_actions_offered, q);
}

/* What it offers for a diagnostic of that text could be an edit of it. */
static bool speaks_of_older_text(struct code_actions *c, struct server *s, const char *path)
{
	int64_t version;

	diag_seen(c->ox->diags, server_key(s), path, &version);
	return version >= 0 && version < server_version(s, path);
}

static void ask_to_fix(struct action_question *q, struct server *s)
{
	const struct diag *d = q->offer.about[0];
	struct code_actions *c = q->file->of;
	struct str path = workspace_shown(c->ox->workspace, d->path);
	struct err e = ERR_INIT;

	if (!s || strcmp(d->server, server_key(s)) != 0)
		err_set(&e, ERR_NO_SERVER, "%s does not serve %.*s any more", d->server,
			STR_ARG(path));
	else if (!c->spec.n_servers && speaks_of_older_text(c, s, d->path))
		err_set(&e, ERR_STALE, "%s has not reported on the present text of %.*s",
			server_name(s), STR_ARG(path));
	else if (server_can(s, LSP_CODE_ACTIONS))
		code_actions_ask(q, s, d->range);
	if (e.code)
		note_missing(c, &e);
}

static void on_server_picked(void *arg, struct server *s, bool settled, const struct err *e)
{
	struct action_question *q = arg;
	struct code_actions *c = q->file->of;

	(void)settled;
	q->pick = NULL;
	if (!s && c->at_place && q == c->v[0])
		c->why = *e;
	else if (!s)
		note_missing(c, e);
	else if (!c->cancelled && c->at_place)
		code_place_ask(q, s);
	else if (!c->cancelled)
		ask_to_fix(q, s);
	file_answered(q->file);
}

void code_actions_pick(struct action_question *q, const char *name)
{
	struct code_actions *c = q->file->of;

	q->file->waiting++;
	q->pick = pool_pick_named(c->ox->pool, q->file->path, str_of(name),
				  c->at_place ? LSP_CODE_ACTIONS : LSP_FEATURES,
				  c->at_place ? POOL_OPEN : POOL_READ, on_server_picked, q);
}

/* By the server that has reported it. */
static void begin_fix(struct action_question *q)
{
	struct code_actions *c = q->file->of;
	const char *key = q->offer.about[0]->server;
	struct server *s = c->spec.n_servers ? NULL : pool_keyed(c->ox->pool, key);

	for (size_t i = 0; i < c->spec.n_servers && !s; i++)
		if (!strcmp(server_key(c->spec.servers[i]), key))
			s = c->spec.servers[i];
	if (s && !c->spec.n_servers)
		code_actions_pick(q, server_name(s));
	else
		ask_to_fix(q, s);
}

static void ask_about_file(void *arg)
{
	struct asked_file *f = arg;
	struct code_actions *c = f->of;

	if (c->at_place && !c->cancelled)
		code_actions_pick(code_actions_question(f), "");
	for (size_t i = f->first; i < f->end && !c->cancelled; i++)
		begin_fix(c->v[i]);
	file_answered(f);
}

/* Without its diagnostics some fixes would be missing; that is all. */
static void on_file_read(void *arg, const struct file_diagnosis *v, size_t n, const struct err *e)
{
	struct asked_file *f = arg;

	(void)e;
	f->reading = NULL;
	f->server = n ? v[0].server : NULL;
	if (f->server)
		server_use(f->server);
	ask_about_file(f);
}

static void begin_next_file(struct code_actions *c)
{
	struct asked_file *f = c->begun < c->files ? &c->file[c->begun] : NULL;
	struct doc *d = f ? workspace_known(c->ox->workspace, f->path) : NULL;

	if (!f || c->cancelled)
		return;
	c->begun++;
	c->waiting++;
	f->waiting = 1;
	f->glance = c->spec.glance && !(d && pool_shows(c->ox->pool, d));
	/* What a server said when it was open before is not a sign of its having read it now. */
	if (c->at_place ? !code_place_is_shown(c) : f->glance)
		f->reading =
			diagnose_file_start(c->ox, f->path, c->spec.timeout_ms, on_file_read, f);
	else
		oxide_soon(c->ox, ask_about_file, f);
}

struct action_question *code_actions_question(struct asked_file *f)
{
	struct code_actions *c = f->of;
	struct action_question *q = mem_new(sizeof(*q));

	q->file = f;
	q->offer.path = f->path;
	mem_add(c->v, c->n, c->cap, q);
	return q;
}

void code_actions_about(struct action_question *q, const struct diag *d)
{
	struct arena *texts = &q->file->of->texts;
	struct diag *copy = arena_new(texts, sizeof(*copy));

	*copy = diag_copy(texts, d);
	q->offer.about[q->offer.abouts++] = copy;
}

static struct code_actions *code_actions_new(struct oxide *ox, size_t files,
					     const struct code_actions_spec *spec,
					     code_actions_done *fn, void *arg)
{
	struct code_actions *c = mem_new(sizeof(*c));

	*c = (struct code_actions){ .ox = ox, .spec = *spec, .fn = fn, .arg = arg };
	c->moves = workspace_moves(ox->workspace);
	c->file = mem_new((files + 1) * sizeof(*c->file));
	return c;
}

static struct asked_file *actions_add_file(struct code_actions *c, const char *path)
{
	struct asked_file *f = &c->file[c->files++];

	f->of = c;
	f->path = arena_str(&c->texts, str_of(path)).p;
	f->first = f->end = c->n;
	return f;
}

static void begin_files(struct code_actions *c)
{
	c->waiting = 1; /* this call */
	for (int64_t i = config_get(&c->ox->config, CFG_DIAGNOSTIC_AT_ONCE); i--;)
		begin_next_file(c);
	oxide_soon(c->ox, all_answered, c);
}

struct code_actions *code_actions_at(struct oxide *ox, const char *path,
				     const struct code_place *place,
				     const struct code_actions_spec *spec, code_actions_done *fn,
				     void *arg)
{
	struct code_actions *c = code_actions_new(ox, 1, spec, fn, arg);

	c->at_place = true;
	c->lines = *place;
	actions_add_file(c, path);
	begin_files(c);
	return c;
}

static void add_diag(struct code_actions *c, struct asked_file *f, const struct diag *d)
{
	struct action_question *q = code_actions_question(f);

	q->offer.place = d->range;
	q->offer.about = arena_new(&c->texts, sizeof(const struct diag *));
	code_actions_about(q, d);
	q->offer.fixes = true;
	f->end = c->n;
}

struct code_actions *code_actions_for(struct oxide *ox, const struct diag *const *v, size_t n,
				      const struct code_actions_spec *spec, code_actions_done *fn,
				      void *arg)
{
	struct code_actions *c = code_actions_new(ox, n, spec, fn, arg);
	struct asked_file *f = NULL;

	for (size_t i = 0; i < n; i++) {
		if (!f || strcmp(f->path, v[i]->path) != 0)
			f = actions_add_file(c, v[i]->path);
		add_diag(c, f, v[i]);
	}
	begin_files(c);
	return c;
}

void code_actions_cancel(void *code_actions)
{
	struct code_actions *c = code_actions;

	c->cancelled = true;
	for (size_t i = 0; i < c->files; i++)
		if (c->file[i].reading)
			diagnose_file_cancel(c->file[i].reading);
	for (size_t i = 0; i < c->n; i++)
		if (c->v[i]->pick)
			pool_unpick(c->v[i]->pick);
		else if (c->v[i]->asked)
			server_cancel(c->v[i]->offer.server, c->v[i]->asked);
}

size_t code_actions_count(const struct code_actions *c)
{
	return c->n;
}

const struct offer *code_actions_offer(const struct code_actions *c, size_t i)
{
	return &c->v[i]->offer;
}

const char *code_actions_missing(const struct code_actions *c)
{
	return c->missing.code ? c->missing.msg : NULL;
}

const struct diag *offer_diag(const struct offer *o, size_t action)
{
	const struct action *a = &o->actions.v[action];

	if (o->fixes || (!a->mends.n && o->abouts == 1 && action_is(a, STR("quickfix"))))
		return o->about[0];
	for (size_t i = 0; i < o->abouts && a->mends.n; i++)
		if (action_mends(a, o->about[i]))
			return o->about[i];
	return NULL;
}

void code_actions_free(struct code_actions *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++) {
		if (c->v[i]->offer.server)
			server_leave(c->v[i]->offer.server);
		actions_release(&c->v[i]->offer.actions);
		free(c->v[i]);
	}
	arena_release(&c->texts);
	free(c->file);
	free(c->v);
	free(c);
}
