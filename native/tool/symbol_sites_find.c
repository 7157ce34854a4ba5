#include "symbol_sites_find.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../core/workspace.h"

/*
 *     symbol_sites_find -> sites_ask (a place) -> on_sites_picked -> on_places (each) -> round
 *     round -> sites_ask (each declaration that is new) ... -> on_sites_reached -> sites_ask
 *                                                                   -> sites_end
 */
struct finder {
	const struct target *target;
	struct str name;
	struct symbol_sites *spots;
	symbol_sites_found *fn;
	void *arg;
	struct inquiry **v; /* one for each place asked about */
	size_t n, cap;
	size_t waiting; /* answers still to come */
	struct word_search *mentions;
	struct completeness *reach;
	struct err why;
};

/* About one place: where it is named, and what implements it. */
struct inquiry {
	struct finder *f;
	char *path;
	size_t byte;
	struct pick *pick;
	struct server *server;
	int64_t asked[2];
};

static void inquiries_free(struct finder *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->v[i]->path);
		free(f->v[i]);
	}
	free(f->v);
}

static void sites_end(struct finder *f)
{
	inquiries_free(f);
	call_on_cancel(f->target->call, NULL, NULL);
	f->fn(f->arg, f->mentions, f->reach, &f->why);
	free(f);
}

static void sites_ask(struct finder *f, const char *path, size_t byte);
static void look_for_more(struct finder *f);

static bool was_asked(const struct finder *f, const char *path, size_t byte)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i]->byte == byte && !strcmp(f->v[i]->path, path))
			return true;
	return false;
}

static bool is_outside(struct finder *f, const char *path)
{
	struct workspace *w = f->spots->ox->workspace;

	return !workspace_root_over(w, path) && !workspace_buffer_at(w, path);
}

/* Another declaration may be of what overrides it, or is overridden. C knows nothing of that. */
static void ask_declarations(struct finder *f)
{
	size_t most = (size_t)config_get(&f->spots->ox->config, CFG_SIGNATURE_DECLARATIONS);

	for (size_t i = 0; i < f->spots->n; i++) {
		struct site_file *file = f->spots->v[i];

		for (size_t k = 0; k < file->n; k++) {
			struct site *s = &file->v[k];

			if (s->kind != SITE_DECLARATION || is_outside(f, file->path) ||
			    language_dialect(file->lang) == DIALECT_C ||
			    !str_eq(site_name(file, s), f->name) ||
			    was_asked(f, file->path, s->name.at))
				continue;
			if (f->n >= most) {
				err_set(&f->why, ERR_LIMIT,
					"%.*s has more than %zu declarations "
					"(signature.declarations)",
					STR_ARG(f->name), most);
				return;
			}
			sites_ask(f, file->path, s->name.at);
		}
	}
}

/* All that was asked has been answered. */
static void next_round(struct finder *f)
{
	if (!f->why.code) {
		symbol_sites_read(f->spots);
		ask_declarations(f);
	}
	if (f->waiting)
		return;
	if (f->why.code)
		sites_end(f);
	else
		look_for_more(f);
}

static void sites_answered(struct finder *f)
{
	if (!--f->waiting)
		next_round(f);
}

static void note_failure(struct finder *f, const struct err *e)
{
	if (!f->why.code)
		f->why = *e;
}

/* It is not changed, and not asked about: what is asked about a file of the standard library loads
 * that as a project. A type of Go implements what has its methods, wherever it is. */
static void leave_outside(struct finder *f, const struct location *l, struct err *e)
{
	struct workspace *w = f->spots->ox->workspace;
	const struct language *lang = language_of(workspace_filetype(w, f->target->path));
	unsigned line = l->range.from.line + 1;
	struct buf place SCOPED(buf_release) = BUF_INIT;

	buf_addf(&place, "%s:%u", l->path.p, line);
	if (language_dialect(lang) != DIALECT_GO)
		err_set(e, ERR_CONFLICT,
			"%.*s is declared outside of the project too, as in %s, and cannot be "
			"changed there",
			STR_ARG(f->name), place.p);
	else if (!f->spots->outside)
		f->spots->outside = mem_dup(place.p, place.n);
}

static void take_places(struct inquiry *q, struct msg *m, bool declared, struct err *e)
{
	struct finder *f = q->f;
	struct locations l = { 0 };
	size_t foreign = 0;

	if (!proto_locations(m->raw, &l, &foreign, e))
		return;
	for (size_t i = 0; i < l.n && !e->code; i++)
		if (declared && is_outside(f, l.v[i].path.p))
			leave_outside(f, &l.v[i], e);
		else
			symbol_sites_add(f->spots, &l.v[i], server_encoding(q->server), f->name, e);
	locations_release(&l);
}

static void on_sites_references(void *arg, struct msg *m, const struct err *why)
{
	struct inquiry *q = arg;
	struct err e = *why;

	if (!e.code)
		take_places(q, m, false, &e);
	if (e.code)
		note_failure(q->f, &e);
	sites_answered(q->f);
}

/* A server that knows of none may say so by an error. */
static void on_sites_implementations(void *arg, struct msg *m, const struct err *why)
{
	struct inquiry *q = arg;
	struct err e = ERR_INIT;

	if (!why->code)
		take_places(q, m, true, &e);
	else if (why->code != ERR_PEER)
		e = *why;
	if (e.code)
		note_failure(q->f, &e);
	sites_answered(q->f);
}

static void on_sites_picked(void *arg, struct server *s, bool settled, const struct err *why)
{
	struct inquiry *q = arg;
	struct finder *f = q->f;
	struct err e = *why;
	struct doc *d = s ? workspace_doc(f->spots->ox->workspace, q->path, &e) : NULL;
	uint64_t patience = call_context(f->target->call)->timeout_ms;

	(void)settled;
	q->pick = NULL;
	q->server = s;
	if (!d) {
		note_failure(f, &e);
		sites_answered(f);
		return;
	}
	if (server_can(s, LSP_IMPLEMENTATION)) {
		f->waiting++;
		q->asked[1] =
			server_ask(s, LSP_IMPLEMENTATION, proto_at(d, q->byte, server_encoding(s)),
				   patience, on_sites_implementations, q);
	}
	q->asked[0] = server_ask(s, LSP_REFERENCES,
				 proto_references(d, q->byte, server_encoding(s), true), patience,
				 on_sites_references, q);
}

static void sites_cancel(void *state)
{
	struct finder *f = state;

	completeness_cancel(f->reach);
	for (size_t i = 0; i < f->n; i++) {
		struct inquiry *q = f->v[i];

		if (q->pick)
			pool_unpick(q->pick);
		for (size_t k = 0; q->server && k < 2; k++)
			if (q->asked[k])
				server_cancel(q->server, q->asked[k]);
	}
}

static void sites_ask(struct finder *f, const char *path, size_t byte)
{
	struct inquiry *q = mem_new(sizeof(*q));

	q->f = f;
	q->path = mem_dup(path, strlen(path));
	q->byte = byte;
	mem_add(f->v, f->n, f->cap, q);
	f->waiting++;
	q->pick =
		pool_pick(f->spots->ox->pool, path, LSP_REFERENCES, POOL_READ, on_sites_picked, q);
	call_on_cancel(f->target->call, sites_cancel, f);
}

/* What was found was found in half of the project, or in texts that have gone. */
static void sites_begin_anew(struct finder *f)
{
	struct oxide *ox = f->spots->ox;

	inquiries_free(f);
	f->v = NULL;
	f->n = f->cap = 0;
	symbol_sites_release(f->spots);
	*f->spots = (struct symbol_sites){ .ox = ox, .moves = workspace_moves(ox->workspace) };
	sites_ask(f, f->target->path, f->target->byte);
}

static void on_sites_reached(void *arg, bool again)
{
	struct finder *f = arg;

	if (call_cancelled(f->target->call))
		err_set(&f->why, ERR_CANCELLED, "cancelled; nothing was changed");
	if (again && !f->why.code)
		sites_begin_anew(f);
	else
		sites_end(f);
}

static bool has_gone(const struct site_file *file)
{
	for (size_t i = 0; i < file->n; i++)
		if (site_is_gone(file, &file->v[i]))
			return true;
	return false;
}

static bool sites_has_place(void *arg, const struct word_use *m)
{
	const struct finder *f = arg;
	const struct site_file *file = symbol_sites_file(f->spots, m->path);

	for (const char *const *name = m->also; !file && name && *name; name++)
		file = symbol_sites_file(f->spots, *name);
	for (size_t i = 0; file && i < file->n; i++)
		if (file->v[i].name.at <= m->at && m->at < file->v[i].name.end)
			return true;
	return false;
}

static void look_for_more(struct finder *f)
{
	const struct target *t = f->target;
	size_t found = 0;

	for (size_t i = 0; i < f->spots->n; i++) {
		found += f->spots->v[i]->n;
		if (has_gone(f->spots->v[i]))
			completeness_reread(f->reach, f->spots->v[i]->path);
	}
	completeness_look(f->reach, t->server, found, sites_has_place, on_sites_reached, f);
}

void symbol_sites_find(const struct target *t, struct str name, struct symbol_sites *s,
		       symbol_sites_found *fn, void *arg)
{
	struct finder *f = mem_new(sizeof(*f));

	f->target = t;
	f->name = name;
	f->spots = s;
	f->fn = fn;
	f->arg = arg;
	s->moves = workspace_moves(s->ox->workspace);
	f->mentions = word_search_start(s->ox, call_root(t->call), name,
					workspace_filetype(s->ox->workspace, t->path));
	f->reach = completeness_new(s->ox, f->mentions, t->path, t->byte);
	completeness_overrides(f->reach, NULL);
	completeness_leaves_bodies(f->reach);
	sites_ask(f, t->path, t->byte);
}
