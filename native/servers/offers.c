#include "offers.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../core/workspace.h"
#include "diagnose.h"
#include "pool.h"
#include "remedy.h"
#include "trial.h"

/* start -> next, next ... (a file each) -> on_picked -> on_actions (once a diagnostic) -> file_over
 * -> next ... -> over */
struct asking {
	struct offers_file *of;
	struct offer offer;
	int64_t asked;
};

struct offers_file {
	struct offers *of;
	size_t first, end; /* of its diagnostics */
	size_t waiting;
	bool glance; /* it was not open before */
	struct pick *pick;
	struct diagnose *reading;
	struct server *server; /* in use until the end */
};

struct offers {
	struct oxide *ox;
	struct offers_spec spec;
	offers_made *fn;
	void *arg;
	struct asking *v;
	struct offers_file *file;
	size_t n, files, begun, waiting;
	uint64_t moves;
	struct arena texts;
	struct err why; /* the first server that did not answer */
	bool cancelled;
};

static void over(void *arg)
{
	struct offers *o = arg;
	struct err e = ERR_INIT;

	if (--o->waiting)
		return;
	if (o->cancelled)
		err_set(&e, ERR_CANCELLED, "cancelled");
	o->fn(o->arg, &e);
}

static void next(struct offers *o);

/* Its last answer is here: it can be closed. */
static void file_over(struct offers_file *f)
{
	struct offers *o = f->of;
	const char *path = o->v[f->first].offer.diag.path;

	if (--f->waiting)
		return;
	if (f->glance && f->server && !workspace_buffer_at(o->ox->workspace, path))
		server_hide(f->server, workspace_known(o->ox->workspace, path));
	next(o);
	over(o);
}

/* Some servers offer all they know of the place, whatever was asked for. */
static void keep_fitting(struct asking *q)
{
	struct offer *offer = &q->offer;
	struct actions *all = &offer->fixes;
	size_t kept = 0;

	for (size_t i = 0; i < all->n; i++)
		if (action_is(&all->v[i], q->of->of->spec.kind) &&
		    action_mends(&all->v[i], &offer->diag) &&
		    remedy_possible(offer->server, &all->v[i]))
			all->v[kept++] = all->v[i];
	all->n = kept;
}

static void on_actions(void *arg, struct msg *m, const struct err *why)
{
	struct asking *q = arg;
	struct err e = *why;

	q->asked = 0;
	if (!e.code && actions_read(m->raw, &q->offer.fixes, &e))
		keep_fitting(q);
	if (e.code && !q->of->of->why.code)
		q->of->of->why = e;
	file_over(q->of);
}

static void ask(struct asking *q, struct server *s)
{
	const struct offers *o = q->of->of;
	const struct diag *d = &q->offer.diag;

	if (strcmp(d->server, server_key(s)) != 0 || !server_can(s, LSP_CODE_ACTIONS))
		return;
	q->of->waiting++;
	q->offer.server = s;
	q->asked =
		server_ask(s, LSP_CODE_ACTIONS, actions_ask(d->path, d->range, &d, 1, o->spec.kind),
			   o->spec.timeout_ms, on_actions, q);
}

static void on_picked(void *arg, struct server *s, bool settled, const struct err *e)
{
	struct offers_file *f = arg;
	struct offers *o = f->of;

	(void)settled;
	(void)e;
	f->pick = NULL;
	f->reading = NULL;
	f->server = s;
	if (s)
		server_use(s);
	for (size_t i = f->first; s && i < f->end && !o->cancelled; i++)
		ask(&o->v[i], s);
	file_over(f);
}

static void next(struct offers *o)
{
	struct workspace *w = o->ox->workspace;
	struct offers_file *f = o->begun < o->files ? &o->file[o->begun] : NULL;
	const char *path = f ? o->v[f->first].offer.diag.path : NULL;
	struct doc *d = f ? workspace_known(w, path) : NULL;

	if (!f || o->cancelled)
		return;
	o->begun++;
	o->waiting++;
	f->waiting = 1;
	f->glance = o->spec.glance && !(d && pool_shows(o->ox->pool, d));
	/* What a server said when it was open before is no word of its having read it now. */
	if (f->glance)
		f->reading = diagnose_start(o->ox, path, o->spec.timeout_ms, on_picked, f);
	else
		f->pick = pool_pick(o->ox->pool, path, LSP_FEATURES, POOL_READ, on_picked, f);
}

/* `v` is grouped by file. */
static void list_files(struct offers *o)
{
	o->file = mem_new((o->n + 1) * sizeof(*o->file));
	for (size_t i = 0; i < o->n; i++) {
		const char *path = o->v[i].offer.diag.path;

		if (!i || strcmp(path, o->v[i - 1].offer.diag.path) != 0)
			o->file[o->files++] = (struct offers_file){ .of = o, .first = i };
		o->file[o->files - 1].end = i + 1;
	}
	for (size_t i = 0; i < o->files; i++)
		for (size_t k = o->file[i].first; k < o->file[i].end; k++)
			o->v[k].of = &o->file[i];
}

struct offers *offers_start(struct oxide *ox, const struct diag *const *v, size_t n,
			    const struct offers_spec *spec, offers_made *fn, void *arg)
{
	struct offers *o = mem_new(sizeof(*o));

	*o = (struct offers){ .ox = ox, .spec = *spec, .fn = fn, .arg = arg, .n = n };
	o->moves = workspace_moves(ox->workspace);
	o->v = mem_new((n + 1) * sizeof(*o->v));
	for (size_t i = 0; i < n; i++) {
		o->v[i].offer.diag = diag_copy(&o->texts, v[i]);
	}
	list_files(o);
	o->waiting = 1; /* this call */
	for (int64_t i = config_get(&ox->config, CFG_DIAGNOSTIC_AT_ONCE); i--;)
		next(o);
	oxide_soon(ox, over, o);
	return o;
}

void offers_cancel(struct offers *o)
{
	o->cancelled = true;
	for (size_t i = 0; i < o->files; i++)
		if (o->file[i].pick)
			pool_unpick(o->file[i].pick);
		else if (o->file[i].reading)
			diagnose_cancel(o->file[i].reading);
	for (size_t i = 0; i < o->n; i++)
		if (o->v[i].asked)
			server_cancel(o->v[i].offer.server, o->v[i].asked);
}

size_t offers_count(const struct offers *o)
{
	return o->n;
}

const char *offers_missing(const struct offers *o)
{
	return o->why.code ? o->why.msg : NULL;
}

const struct offer *offers_at(const struct offers *o, size_t i)
{
	return &o->v[i].offer;
}

uint64_t offers_moves(const struct offers *o)
{
	return o->moves;
}

void offers_free(struct offers *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->files; i++)
		if (o->file[i].server)
			server_leave(o->file[i].server);
	for (size_t i = 0; i < o->n; i++)
		actions_release(&o->v[i].offer.fixes);
	arena_release(&o->texts);
	free(o->file);
	free(o->v);
	free(o);
}
