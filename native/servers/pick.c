#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../core/workspace.h"
#include "../io/loop.h"
#include "client.h"
#include "presets.h"
#include "server_impl.h"

enum settling { SETTLED, ABILITY, FIRST_WORD, READING, INDEX, A_WORD };

/* Someone waits for a server: goes through the candidates, one at a time. */
struct pick {
	TAILQ_ENTRY(pick) all;
	struct pool *pool;
	char *path;
	char *only;	    /* the server's name; NULL: any */
	struct server *one; /* no other; NULL: any */
	enum lsp_feature feature;
	enum pool_need need;
	pool_picked *fn;
	void *arg;
	const struct server *client;	/* the last one looked at; then come presets */
	const struct server_spec *spec; /* the candidate */
	struct server *server;
	struct timer *patience;
	enum settling waiting;
	unsigned given_up; /* bits by what was waited for too long; not A_WORD once that has come */
	bool cancelled;
	bool seeing;	   /* as pick_seeing() has it */
	struct buf cannot; /* names of those that run and cannot */
	struct err last;   /* why the last candidate was of no use */
};

struct pick *pick_next(struct pick *k)
{
	return TAILQ_NEXT(k, all);
}

static void pick_finish(struct pick *k, const struct err *e, bool settled)
{
	TAILQ_REMOVE(&k->pool->picks, k, all);
	k->fn(k->arg, e->code ? NULL : k->server, settled, e);
	timer_free(k->patience);
	buf_release(&k->cannot);
	free(k->path);
	free(k->only);
	free(k);
}

static bool was_asked(const struct pick *k, const struct server_spec *s)
{
	struct pool *p = k->pool;

	for (size_t i = 0; i < p->n; i++)
		if (p->v[i]->spec == s && server_ready(p->v[i]) &&
		    !session_can(p->v[i]->session, k->feature))
			return true;
	return false;
}

static bool pick_is_named(const struct pick *k, const char *name)
{
	return !k->only || !strcmp(k->only, name);
}

/* A client answers to the name of its preset too. */
static bool is_named_client(const struct pick *k, const struct server *s)
{
	const struct server_spec *preset = s->client->preset;

	return pick_is_named(k, s->spec->name) || (preset && pick_is_named(k, preset->name));
}

static void offer_name(const char *name, const char *wanted, struct buf *all, const char **near,
		       size_t *least)
{
	size_t d = str_distance(str_of(wanted), str_of(name), *least);

	buf_addf(all, "%s%s", all->n ? ", " : "", name);
	if (d < *least) {
		*least = d;
		*near = name;
	}
}

/* Nobody of that name serves the file, installed or not: says who does. */
static bool is_unknown(struct pick *k, const char *ft, struct err *e)
{
	struct presets *ps = k->pool->ox->presets;
	size_t least = strlen(k->only) / 2 + 1;
	const struct server *c = NULL;
	const struct server_spec *s = NULL;
	const char *near = NULL;
	struct buf all SCOPED(buf_release) = BUF_INIT;
	bool known = false;

	while ((c = client_next(k->pool, k->path, ft, c))) {
		known = known || is_named_client(k, c);
		offer_name(c->spec->name, k->only, &all, &near, &least);
	}
	while ((s = presets_next(ps, ft, s))) {
		known = known || pick_is_named(k, s->name);
		if (!client_runs(k->pool, k->path, ft, s))
			offer_name(s->name, k->only, &all, &near, &least);
	}
	if (!known)
		err_set(e, ERR_NOT_FOUND, "no language server %s supports %.*s%s%s%s; %s%s",
			k->only, STR_ARG(workspace_shown(k->pool->ox->workspace, k->path)),
			near ? " (did you mean " : "", near ? near : "", near ? "?)" : "",
			all.n ? "available: " : "none is known", buf_str(&all).p);
	return !known;
}

/* No candidate is left: says what would have served. */
static void none_left(struct pick *k)
{
	struct presets *ps = k->pool->ox->presets;
	const char *ft = workspace_filetype(k->pool->ox->workspace, k->path);
	struct str shown = workspace_shown(k->pool->ox->workspace, k->path);
	const struct server_spec *s = presets_next(ps, ft, NULL);
	struct buf names SCOPED(buf_release) = BUF_INIT;
	struct err e = ERR_INIT;

	for (; s; s = presets_next(ps, ft, s))
		if (pick_is_named(k, s->name) && (!k->cannot.n || !was_asked(k, s)))
			buf_addf(&names, "%s%s%s%s%s", names.n ? "; or " : "", s->name,
				 *s->install ? " (" : "", s->install, *s->install ? ")" : "");
	if (k->only && is_unknown(k, ft, &e))
		k->cannot.n = 0;
	else if (k->cannot.n)
		err_set(&e, ERR_UNSUPPORTED, "%s does not support %s%s%s%s%s", k->cannot.p,
			lsp_feature_name(k->feature), names.n ? "; other servers for " : "",
			names.n ? ft : "", names.n ? " files: " : "", names.n ? names.p : "");
	else if (k->last.code)
		e = k->last;
	else if (names.n)
		err_set(&e, ERR_NO_SERVER,
			"no language server for %.*s is installed; for %s files, install %s",
			STR_ARG(shown), ft, names.p);
	else
		err_set(&e, ERR_NO_SERVER,
			"no language server is known for %.*s (filetype %s); add one under "
			"`servers` in the configuration",
			STR_ARG(shown), ft);
	pick_finish(k, &e, false);
}

static bool is_blind(struct pick *k)
{
	const struct server *s = k->server;

	if (!k->seeing || !server_blind(s))
		return false;
	err_set(&k->last, ERR_UNSUPPORTED,
		"%s does not see changes in included files: it runs without %s, or without the "
		"init_options of Oxide's preset",
		s->spec->name, pool_preset(s)->sees_unsaved);
	return true;
}

/* The reason stays where no other candidate is left. */
static bool pick_takes(struct pick *k, const struct server *s)
{
	return server_takes(s, k->path, &k->last);
}

static struct server *server_of(struct pick *k, const char *ft)
{
	if (!k->spec)
		return NULL;
	return pool_server(k->pool, k->spec, k->path,
			   k->seeing && client_runs(k->pool, k->path, ft, k->spec));
}

/* One that runs needs no program any more. */
static bool pick_can_run(const struct pick *k)
{
	const struct pool *p = k->pool;

	for (size_t i = 0; i < p->n; i++)
		if (p->v[i]->spec == k->spec && p->v[i]->state == SERVER_UP)
			return true;
	return presets_installed(k->spec);
}

static bool next_candidate(struct pick *k)
{
	struct oxide *ox = k->pool->ox;
	const char *ft = workspace_filetype(ox->workspace, k->path);

	if (k->one) {
		k->server = k->last.code ? NULL : k->one;
		return k->server && pick_takes(k, k->server) && !is_blind(k);
	}
	while (!k->spec && (k->server = client_next(k->pool, k->path, ft, k->client))) {
		k->client = k->server;
		if (is_named_client(k, k->server) && pick_takes(k, k->server) && !is_blind(k))
			return true;
	}
	do {
		do
			k->spec = presets_next(ox->presets, ft, k->spec);
		while (k->spec && (!pick_is_named(k, k->spec->name) || !pick_can_run(k) ||
				   (!k->seeing && client_runs(k->pool, k->path, ft, k->spec))));
		k->server = server_of(k, ft);
	} while (k->server && !pick_takes(k, k->server));
	return k->server;
}

static void patience_over(void *arg)
{
	struct pick *k = arg;

	k->given_up |= 1u << k->waiting;
	pool_stir(k->pool, NULL);
}

/* A server that only builds its index once a file was diagnosed has to speak of it first; then the
 * index has to be whole, and what is in the documents that it has open has to be in there. One
 * that tells when it is settled is of no use at all until then. */
static enum settling waits_for(struct pick *k)
{
	struct server *s = k->server;

	if (k->need == POOL_OPEN && !s->spec->ready_on_status)
		return SETTLED;
	if (!server_has_begun(s, k->path) && !(k->given_up & 1u << FIRST_WORD))
		return FIRST_WORD;
	if (k->need == POOL_SETTLED && server_reads(s) && !(k->given_up & 1u << READING))
		return READING;
	if (session_settled(s->session) || k->given_up & 1u << INDEX)
		return SETTLED;
	return k->need == POOL_READ && !s->spec->ready_on_status ? SETTLED : INDEX;
}

static void pick_wait_for(struct pick *k, enum settling what)
{
	struct oxide *ox = k->pool->ox;
	enum config_key bound = what == INDEX	  ? CFG_LSP_INDEX
				: what == ABILITY ? CFG_LSP_QUIET
				: what == A_WORD  ? CFG_LSP_TIMEOUT
						  : CFG_LSP_DIAGNOSTICS;

	if (k->waiting == what)
		return;
	k->waiting = what;
	if (!k->patience)
		k->patience = timer_new(ox->loop, patience_over, k);
	timer_set(k->patience, loop_now(ox->loop) + (uint64_t)config_get(&ox->config, bound));
	server_ping(k->server);
}

/* What it is not shown a server reads from the disk, and would name places of that text. */
static void show_modified(struct server *s)
{
	struct workspace *w = s->ox->workspace;

	for (size_t i = 0; i < workspace_buffers(w); i++) {
		struct buffer *b = workspace_buffer_number(w, i);
		const char *path = doc_path(b->doc), *ft = workspace_filetype(w, path);

		if (b->modified && path_below(str_of(s->root), str_of(path)) &&
		    str_among(str_of(ft), s->spec->filetypes))
			server_show(s, b->doc, ft);
	}
}

/* The candidate runs and can do it: shows it the file, and waits for its index if asked. */
static void pick_use(struct pick *k)
{
	struct oxide *ox = k->pool->ox;
	struct err e = ERR_INIT;
	enum settling what;
	struct doc *d;

	if (k->need == POOL_RUNS) {
		pick_finish(k, &e, !k->given_up);
		return;
	}
	d = workspace_doc(ox->workspace, k->path, &e);
	if (!d) {
		pick_finish(k, &e, false);
		return;
	}
	server_show(k->server, d, workspace_filetype(ox->workspace, k->path));
	show_modified(k->server);
	what = waits_for(k);
	if (what == SETTLED)
		pick_finish(k, &e, !k->given_up);
	else
		pick_wait_for(k, what);
}

/* What a server can do it may also register once it has started, unasked. */
static bool may_yet(struct pick *k)
{
	struct oxide *ox = k->pool->ox;
	uint64_t quiet = (uint64_t)config_get(&ox->config, CFG_LSP_QUIET);

	return !(k->given_up & 1u << ABILITY) && loop_now(ox->loop) < k->server->ready_at + quiet;
}

static void pass_over(struct pick *k)
{
	k->server = NULL;
	k->given_up = 0;
	k->waiting = SETTLED;
	pick_step(k);
}

static void pick_cannot(struct pick *k)
{
	buf_addf(&k->cannot, "%s%s", k->cannot.n ? " and " : "", k->server->spec->name);
	pass_over(k);
}

/* It is asked nothing while it hangs; whether it is killed, or goes on, it is heard of. */
static void await_word(struct pick *k)
{
	struct server *s = k->server;

	if (!(k->given_up & 1u << A_WORD)) {
		pick_wait_for(k, A_WORD);
		return;
	}
	err_set(&k->last, ERR_TIMEOUT,
		"%s has been unresponsive for %llu ms; `:Oxide core restart %s` restarts it",
		s->spec->name, (unsigned long long)(loop_now(s->ox->loop) - s->hung_since),
		s->spec->name);
	pass_over(k);
}

static void left_alone(struct pick *k)
{
	const struct server *s = k->server;

	k->last = s->why;
	err_in(&k->last,
	       "%s was not restarted after %d crashes; `:Oxide core restart %s`, or "
	       "manage_projects with restart_server, restarts it",
	       s->spec->name, s->deaths, s->spec->name);
	pass_over(k);
}

/* Any feature will do: but then of a client that knows the language, not one that only completes
 * or checks the style, unless that one was named. */
static bool pick_is_able(const struct pick *k, const struct server *s)
{
	if (k->feature == LSP_FEATURES)
		return !s->client || k->only || k->one || session_can(s->session, LSP_DEFINITION);
	return session_can(s->session, k->feature);
}

void pick_step(struct pick *k)
{
	struct server *s = k->server;
	struct err e = ERR_INIT;

	if (k->cancelled || k->pool->stopping) {
		err_set(&e, ERR_CANCELLED, "cancelled");
		pick_finish(k, &e, false);
		return;
	}
	if (!s && !next_candidate(k)) {
		none_left(k);
		return;
	}
	s = k->server;
	if (client_is_gone(s)) {
		k->last = s->why;
		pass_over(k);
	} else if ((s->state == SERVER_DOWN || s->state == SERVER_ENDED) && !server_start(s, &e)) {
		k->last = e;
		pass_over(k);
	} else if (s->state == SERVER_GIVEN_UP) {
		left_alone(k);
	} else if (server_ready(s) && s->hung_since) {
		await_word(k);
	} else if (server_ready(s) && is_blind(k)) {
		pass_over(k);
	} else if (server_ready(s) && !pick_is_able(k, s)) {
		if (may_yet(k))
			pick_wait_for(k, ABILITY);
		else
			pick_cannot(k);
	} else if (server_ready(s) && !s->trial) {
		k->given_up &= ~(1u << A_WORD);
		pick_use(k);
	}
}

struct pick *pool_pick(struct pool *p, const char *path, enum lsp_feature f, enum pool_need need,
		       pool_picked *fn, void *arg)
{
	return pool_pick_named(p, path, STR(""), f, need, fn, arg);
}

struct pick *pool_pick_named(struct pool *p, const char *path, struct str name, enum lsp_feature f,
			     enum pool_need need, pool_picked *fn, void *arg)
{
	struct pick *k = mem_new(sizeof(*k));

	k->pool = p;
	k->path = mem_dup(path, strlen(path));
	k->only = name.n ? mem_dup(name.p, name.n) : NULL;
	k->feature = f;
	k->need = need;
	k->fn = fn;
	k->arg = arg;
	TAILQ_INSERT_TAIL(&p->picks, k, all);
	pool_stir(p, NULL);
	return k;
}

struct pick *pool_pick_server(struct pool *p, const char *path, struct server *s,
			      enum pool_need need, pool_picked *fn, void *arg)
{
	struct pick *k = pool_pick(p, path, LSP_FEATURES, need, fn, arg);

	k->one = s;
	return k;
}

void pick_seeing(struct pick *k)
{
	k->seeing = true;
}

void pool_unpick(void *pick)
{
	struct pick *k = pick;

	k->cancelled = true;
	pool_stir(k->pool, NULL);
}
