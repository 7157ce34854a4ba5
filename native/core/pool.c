#include "pool.h"

#include <stdlib.h>
#include <unistd.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../io/loop.h"
#include "presets.h"
#include "server.h"
#include "workspace.h"

struct watch {
	pool_watcher *fn;
	void *arg;
};

struct pool {
	struct oxide *ox;
	struct server **v;
	size_t n, cap;
	struct pick *picks;
	struct watch *watch;
	size_t watches, watch_cap;
	bool stirred, stopping;
};

/* Someone waits for a server: goes through the candidates, one at a time. */
struct pick {
	struct pick *next;
	struct pool *pool;
	char *path;
	enum lsp_feature feature;
	enum pool_need need;
	pool_picked *fn;
	void *arg;
	const struct server_spec *spec; /* the candidate */
	struct server *server;
	struct timer *patience;
	bool out_of_patience, cancelled;
	struct buf cannot; /* names of those that run and cannot */
	struct err last;   /* why the last candidate was of no use */
};

struct pool *pool_new(struct oxide *ox)
{
	struct pool *p = mem_new(sizeof(*p));

	p->ox = ox;
	return p;
}

void pool_free(struct pool *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		server_free(p->v[i]);
	free(p->v);
	free(p->watch);
	free(p);
}

struct oxide *pool_oxide(struct pool *p)
{
	return p->ox;
}

void pool_stop(struct pool *p)
{
	p->stopping = true;
	for (size_t i = 0; i < p->n; i++)
		server_stop(p->v[i]);
	pool_stir(p, NULL);
}

static bool has_marker(const char *dir, const char *const *markers)
{
	for (; markers && *markers; markers++) {
		char *path = path_join(dir, *markers);
		bool there = !access(path, F_OK);

		free(path);
		if (there)
			return true;
	}
	return false;
}

/* The nearest folder with a marker over the file, but inside the project where the file is. */
static char *root_for(struct pool *p, const char *path, const char *const *markers)
{
	struct str top = str_of(p->ox->root), dir = path_dir(str_of(path));
	bool inside = path_below(top, str_of(path));
	char *found = NULL;

	for (;; dir = path_dir(dir)) {
		char *here = mem_dup(dir.p, dir.n);

		if (has_marker(here, markers))
			found = here;
		else
			free(here);
		if (found || dir.n == 1 || (inside && dir.n <= top.n))
			break;
	}
	if (found)
		return found;
	dir = inside ? top : path_dir(str_of(path));
	return mem_dup(dir.p, dir.n);
}

static struct server *server_for(struct pool *p, const struct server_spec *spec, const char *path)
{
	char *root = root_for(p, path, spec->root_markers);
	struct server *s = NULL;

	for (size_t i = 0; i < p->n && !s; i++)
		if (p->v[i]->spec == spec && !strcmp(p->v[i]->root, root))
			s = p->v[i];
	if (!s) {
		s = server_new(p, spec, root);
		p->v = mem_grow(p->v, &p->cap, p->n + 1, sizeof(struct server *));
		p->v[p->n++] = s;
	}
	free(root);
	return s;
}

static void finish(struct pick *k, const struct err *e, bool settled)
{
	struct pick **at = &k->pool->picks;

	while (*at != k)
		at = &(*at)->next;
	*at = k->next;
	k->fn(k->arg, e->code ? NULL : k->server, settled, e);
	timer_free(k->patience);
	buf_release(&k->cannot);
	free(k->path);
	free(k);
}

/* No candidate is left: says what would have served. */
static void none_left(struct pick *k)
{
	struct presets *ps = k->pool->ox->presets;
	const char *ft = workspace_filetype(k->pool->ox->workspace, k->path);
	struct str shown = workspace_shown(k->pool->ox->workspace, k->path);
	const struct server_spec *s = presets_next(ps, ft, NULL);
	struct buf names = BUF_INIT;
	struct err e = ERR_INIT;

	for (; s; s = presets_next(ps, ft, s))
		buf_addf(&names, "%s%s%s%s%s", names.n ? "; or " : "", s->name,
			 *s->install ? " (" : "", s->install, *s->install ? ")" : "");
	if (k->cannot.n)
		err_set(&e, ERR_UNSUPPORTED, "%s cannot %s; servers for %s files: %s", k->cannot.p,
			lsp_feature_name(k->feature), ft, names.p);
	else if (k->last.code)
		e = k->last;
	else if (names.n)
		err_set(&e, ERR_NO_SERVER,
			"no language server for %.*s is installed; %s files are "
			"served by %s",
			STR_ARG(shown), ft, names.p);
	else
		err_set(&e, ERR_NO_SERVER,
			"no language server is known for %.*s (filetype %s); "
			"name one under `servers` in the configuration",
			STR_ARG(shown), ft);
	buf_release(&names);
	finish(k, &e, false);
}

static bool next_candidate(struct pick *k)
{
	struct oxide *ox = k->pool->ox;
	const char *ft = workspace_filetype(ox->workspace, k->path);

	do
		k->spec = presets_next(ox->presets, ft, k->spec);
	while (k->spec && !presets_installed(k->spec));
	k->server = k->spec ? server_for(k->pool, k->spec, k->path) : NULL;
	return k->server;
}

static void patience_over(void *arg)
{
	struct pick *k = arg;

	k->out_of_patience = true;
	pool_stir(k->pool, NULL);
}

static bool settled(struct pick *k)
{
	struct server *s = k->server;
	int64_t version;

	if (s->spec->ready_on_diagnostics &&
	    !diag_seen(k->pool->ox->diags, s->key, k->path, &version))
		return false;
	return !session_busy(s->session);
}

/* The candidate runs and can do it: shows it the file, and waits for its index if asked. */
static void use(struct pick *k)
{
	struct oxide *ox = k->pool->ox;
	struct err e = ERR_INIT;
	struct doc *d = workspace_doc(ox->workspace, k->path, &e);

	if (!d) {
		finish(k, &e, false);
		return;
	}
	server_show(k->server, d, workspace_filetype(ox->workspace, k->path));
	if (k->need == POOL_OPEN || settled(k)) {
		finish(k, &e, true);
	} else if (k->out_of_patience) {
		finish(k, &e, false);
	} else if (!k->patience) {
		k->patience = timer_new(ox->loop, patience_over, k);
		timer_set(k->patience,
			  loop_now(ox->loop) + (uint64_t)config_get(&ox->config, CFG_LSP_INDEX));
	}
}

/* One look at a pick; it is finished, or waits for the next stir. */
static void step(struct pick *k)
{
	struct server *s = k->server;
	struct err e = ERR_INIT;

	if (k->cancelled || k->pool->stopping) {
		err_set(&e, ERR_CANCELLED, "cancelled");
		finish(k, &e, false);
		return;
	}
	if (!s && !next_candidate(k)) {
		none_left(k);
		return;
	}
	s = k->server;
	if ((s->state == SERVER_DOWN || s->state == SERVER_ENDED) && !server_start(s, &e)) {
		k->last = e;
		k->server = NULL;
		step(k);
	} else if (s->state == SERVER_GIVEN_UP) {
		k->last = s->why;
		err_in(&k->last,
		       "%s is left alone after %d deaths; `:Oxide core restart` starts it "
		       "again",
		       s->spec->name, s->deaths);
		k->server = NULL;
		step(k);
	} else if (server_ready(s) && k->feature != LSP_FEATURES &&
		   !session_can(s->session, k->feature)) {
		buf_addf(&k->cannot, "%s%s", k->cannot.n ? " and " : "", s->spec->name);
		k->server = NULL;
		step(k);
	} else if (server_ready(s)) {
		use(k);
	}
}

static void look_again(void *arg)
{
	struct pool *p = arg;

	p->stirred = false;
	for (struct pick *k = p->picks, *next; k; k = next) {
		next = k->next;
		step(k);
	}
}

void pool_stir(struct pool *p, const char *path)
{
	if (!p->stirred) {
		p->stirred = true;
		loop_soon(p->ox->loop, look_again, p);
	}
	for (size_t i = p->watches; i--;)
		if (i < p->watches)
			p->watch[i].fn(p->watch[i].arg, path);
}

struct pick *pool_pick(struct pool *p, const char *path, enum lsp_feature f, enum pool_need need,
		       pool_picked *fn, void *arg)
{
	struct pick *k = mem_new(sizeof(*k));

	k->pool = p;
	k->path = mem_dup(path, strlen(path));
	k->feature = f;
	k->need = need;
	k->fn = fn;
	k->arg = arg;
	k->next = p->picks;
	p->picks = k;
	pool_stir(p, NULL);
	return k;
}

void pool_unpick(struct pick *k)
{
	k->cancelled = true;
	pool_stir(k->pool, NULL);
}

struct ask {
	struct server *server;
	peer_reply *fn;
	void *arg;
};

static void answered(void *arg, struct msg *m, const struct err *e)
{
	struct ask *a = arg;
	struct err named = *e;

	if (named.code)
		err_in(&named, "%s", a->server->spec->name);
	a->fn(a->arg, m, &named);
	free(a);
}

int64_t pool_ask(struct server *s, enum lsp_feature f, json *params, uint64_t timeout_ms,
		 peer_reply *fn, void *arg)
{
	struct ask *a = mem_new(sizeof(*a));
	uint64_t patience =
		timeout_ms ? timeout_ms : (uint64_t)config_get(&s->ox->config, CFG_LSP_TIMEOUT);
	int64_t id;

	*a = (struct ask){ s, fn, arg };
	if (!s->session)
		BUG("asking a server that is down: pool_pick() comes first");
	id = session_ask(s->session, f, params, loop_now(s->ox->loop), patience, answered, a);
	server_wake(s);
	return id;
}

void pool_cancel(struct server *s, int64_t id)
{
	if (!s->session)
		return;
	session_cancel(s->session, id);
	server_wake(s);
}

const char *server_name(const struct server *s)
{
	return s->spec->name;
}

const char *server_root(const struct server *s)
{
	return s->root;
}

const char *server_key(const struct server *s)
{
	return s->key;
}

enum pos_enc server_encoding(const struct server *s)
{
	return s->session ? session_encoding(s->session) : POS_UTF16;
}

bool server_can(const struct server *s, enum lsp_feature f)
{
	return server_ready(s) && session_can(s->session, f);
}

int64_t server_version(const struct server *s, const char *path)
{
	return s->session ? session_version(s->session, path) : -1;
}

bool server_versioned(const struct server *s)
{
	return !s->unversioned;
}

void server_flush(struct server *s)
{
	if (s->session)
		session_flush(s->session);
	server_wake(s);
}

const char *pool_root_over(struct pool *p, const char *path)
{
	for (size_t i = 0; i < p->n; i++)
		if (path_below(str_of(p->v[i]->root), str_of(path)))
			return p->v[i]->root;
	return NULL;
}

void pool_saved(struct pool *p, struct doc *d)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i]->session && session_is_open(p->v[i]->session, d)) {
			session_saved(p->v[i]->session, d);
			server_wake(p->v[i]);
		}
}

void pool_close(struct pool *p, struct doc *d)
{
	for (size_t i = 0; i < p->n; i++)
		server_hide(p->v[i], d);
}

void pool_disk_changed(struct pool *p, const char *path, struct doc *d, int type)
{
	for (size_t i = 0; i < p->n; i++) {
		struct server *s = p->v[i];

		if (!s->session || !path_below(str_of(s->root), str_of(path)))
			continue;
		if (d && session_is_open(s->session, d))
			session_saved(s->session, d);
		else
			session_watched(s->session, path, type);
		server_wake(s);
	}
}

void pool_watch(struct pool *p, pool_watcher *fn, void *arg)
{
	p->watch = mem_grow(p->watch, &p->watch_cap, p->watches + 1, sizeof(*p->watch));
	p->watch[p->watches++] = (struct watch){ fn, arg };
}

void pool_unwatch(struct pool *p, pool_watcher *fn, void *arg)
{
	for (size_t i = 0; i < p->watches; i++)
		if (p->watch[i].fn == fn && p->watch[i].arg == arg) {
			memmove(&p->watch[i], &p->watch[i + 1],
				(--p->watches - i) * sizeof(*p->watch));
			return;
		}
}

static bool each(struct pool *p, const char *name, void (*fn)(struct server *), struct err *e)
{
	size_t hits = 0;

	for (size_t i = 0; i < p->n; i++)
		if (!name || !strcmp(p->v[i]->spec->name, name)) {
			fn(p->v[i]);
			hits++;
		}
	return hits || !name || err_set(e, ERR_NOT_FOUND, "no server %s runs", name);
}

bool pool_restart(struct pool *p, const char *name, struct err *e)
{
	return each(p, name, server_again, e);
}

bool pool_end(struct pool *p, const char *name, struct err *e)
{
	return each(p, name, server_stop, e);
}

json *pool_status(const struct pool *p)
{
	static const char *const states[] = { "down", "up", "restarting", "given up", "stopped" };
	json *list = json_array();

	for (size_t i = 0; i < p->n; i++) {
		const struct server *s = p->v[i];
		json *row = json_push(list, json_object());
		const char *busy = s->session ? session_busy(s->session) : NULL;

		json_put(row, "name", json_strz(s->spec->name));
		json_put(row, "root", json_strz(s->root));
		json_put(row, "state",
			 json_strz(s->state != SERVER_UP ? states[s->state]
				   : server_ready(s)	 ? "ready"
							 : "starting"));
		json_put(row, "pid", json_int(s->job ? job_pid(s->job) : 0));
		json_put(row, "documents", json_int((int64_t)s->n_docs));
		if (busy)
			json_put(row, "busy", json_strz(busy));
		if (s->why.code)
			json_put(row, "reason", json_strz(s->why.msg));
	}
	return list;
}
