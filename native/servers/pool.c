#include "pool.h"
#include "pick.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../core/project_types.h"
#include "../core/projects.h"
#include "../core/workspace.h"
#include "../io/loop.h"
#include "client.h"
#include "presets.h"
#include "server_impl.h"

struct pool *pool_new(struct oxide *ox)
{
	struct pool *p = mem_new(sizeof(*p));

	p->ox = ox;
	TAILQ_INIT(&p->picks);
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

void pool_stop(struct pool *p)
{
	p->stopping = true;
	for (size_t i = 0; i < p->n; i++)
		server_stop(p->v[i]);
	pool_stir(p, NULL);
}

/* The nearest directory with one of these over the file, but inside the project where it is. */
static char *nearest_with(const char *const *markers, const char *path,
			  const struct project *inside)
{
	struct str top = str_of(inside ? inside->root : ""), dir = path_dir(str_of(path));

	for (;; dir = path_dir(dir)) {
		char *here = mem_dup(dir.p, dir.n);

		if (folder_has(here, markers) && (inside || !folder_shared(here)))
			return here;
		free(here);
		if (dir.n == 1 || (inside && dir.n <= top.n))
			return NULL;
	}
}

static char *root_for(struct pool *p, const char *path, const struct server_spec *spec)
{
	const struct project *inside = projects_of(p->ox->projects, path);
	const char *const *const *group = spec->root_markers;
	char *found = NULL;
	struct str dir;

	for (; *group && !found; group++)
		found = nearest_with(*group, path, inside);
	if (found)
		return found;
	dir = inside ? str_of(inside->root) : path_dir(str_of(path));
	return mem_dup(dir.p, dir.n);
}

static struct server *leading_to(struct pool *p, const struct server_spec *spec, const char *root)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i]->spec == spec && !p->v[i]->ending &&
		    map_get(&p->v[i]->libraries, str_of(root)))
			return p->v[i];
	return NULL;
}

void pool_leads_to(struct pool *p, struct server *s, const char *path)
{
	char *root SCOPED(mem_release) = NULL;

	if (s->client || s->aside || path_below(str_of(s->root), str_of(path)) ||
	    projects_of(p->ox->projects, path))
		return;
	root = root_for(p, path, s->spec);
	map_put(&s->libraries, str_of(root), s);
}

struct server *pool_server(struct pool *p, const struct server_spec *spec, const char *path,
			   bool aside)
{
	char *root SCOPED(mem_release) = root_for(p, path, spec);
	struct server *s = NULL;

	for (size_t i = 0; i < p->n && !s; i++)
		if (p->v[i]->spec == spec && !p->v[i]->aside == !aside &&
		    !strcmp(p->v[i]->root, root))
			s = p->v[i];
	if (!s && !aside && !projects_of(p->ox->projects, path))
		s = leading_to(p, spec, root);
	if (!s)
		s = aside ? server_new_aside(p, spec, root) : server_new(p, spec, root, NULL);
	return s;
}

const struct server_spec *pool_preset(const struct server *s)
{
	return s->client && s->client->preset ? s->client->preset : s->spec;
}

/* It has the file open, or the editor has given it the file. */
static bool server_has_file(const struct server *s, const char *path, const char *ft)
{
	const struct server *c = NULL;

	while (s->client && (c = client_next(s->pool, path, ft, c)) && c != s)
		;
	return s->client ? c != NULL : server_ready(s) && server_version(s, path) >= 0;
}

size_t pool_serving(struct pool *p, const char *path, enum lsp_feature f, struct server ***out)
{
	const char *ft = workspace_filetype(p->ox->workspace, path);
	size_t n = 0;

	*out = mem_new((p->n + 1) * sizeof(struct server *));
	for (size_t i = 0; i < p->n; i++)
		if (!p->v[i]->aside && server_can(p->v[i], f) && server_has_file(p->v[i], path, ft))
			(*out)[n++] = p->v[i];
	return n;
}

/* One of Oxide's own that is there for all files of this type. */
static bool server_serves(struct server *s, const char *path, const char *ft)
{
	return !s->client && !s->spec->last_resort && str_among(str_of(ft), s->spec->filetypes) &&
	       presets_installed(s->spec) && !client_runs(s->pool, path, ft, s->spec) &&
	       pool_server(s->pool, s->spec, path, false) == s;
}

size_t pool_beside(struct pool *p, const char *path, const struct server *first,
		   struct server ***out)
{
	const char *ft = workspace_filetype(p->ox->workspace, path);
	bool own = !first->client && !first->aside;
	const struct server_spec *spec = NULL;
	size_t n = 0;

	while (own && (spec = presets_next(p->ox->presets, ft, spec)))
		if (!spec->last_resort && presets_installed(spec))
			pool_server(p, spec, path, false);
	*out = mem_new((p->n + 1) * sizeof(struct server *));
	for (size_t i = 0; i < p->n; i++) {
		struct server *s = p->v[i];

		if (!s->aside && pool_preset(s) != pool_preset(first) && !server_mute(s) &&
		    (server_has_file(s, path, ft) || (own && server_serves(s, path, ft))))
			(*out)[n++] = s;
	}
	return n;
}

static void pool_look_again(void *arg)
{
	struct pool *p = arg;

	p->stirred = false;
	for (struct pick *k = TAILQ_FIRST(&p->picks), *next; k; k = next) {
		next = pick_next(k);
		pick_step(k);
	}
}

void pool_hurry(struct pool *p)
{
	if (p->stirred)
		pool_look_again(p);
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i]->link)
			peer_io_hurry(p->v[i]->link);
}

static void ignore_symbols(void *arg, struct msg *m, const struct err *e)
{
	(void)arg;
	(void)m;
	(void)e;
}

void pool_expect(struct pool *p, const char *path)
{
	struct server **all SCOPED(mem_release) = NULL;
	size_t n = pool_serving(p, path, LSP_REFERENCES, &all);

	for (size_t i = 0; i < n; i++)
		if (server_can(all[i], LSP_DOCUMENT_SYMBOLS) && !server_in_use(all[i]) &&
		    !all[i]->hung_since && server_version(all[i], path) >= 0) {
			server_ask(all[i], LSP_DOCUMENT_SYMBOLS, proto_doc(path), 0, ignore_symbols,
				   NULL);
			if (all[i]->link)
				peer_io_hurry(all[i]->link);
			return;
		}
}

void pool_stir(struct pool *p, const char *path)
{
	if (!p->stirred) {
		p->stirred = true;
		loop_soon(p->ox->loop, pool_look_again, p);
	}
	for (size_t i = p->watches; i--;)
		if (i < p->watches)
			p->watch[i].fn(p->watch[i].arg, path);
}

const char *pool_root_over(struct pool *p, const char *path)
{
	for (size_t i = 0; i < p->n; i++)
		if (*p->v[i]->root && !p->v[i]->ending &&
		    path_below(str_of(p->v[i]->root), str_of(path)))
			return p->v[i]->root;
	return NULL;
}

struct server *pool_keyed(const struct pool *p, const char *key)
{
	for (size_t i = 0; i < p->n; i++)
		if (!p->v[i]->aside && !strcmp(p->v[i]->key, key))
			return p->v[i];
	return NULL;
}

uint64_t pool_readings(const struct pool *p)
{
	return p->readings;
}

bool pool_shows(const struct pool *p, const struct doc *d)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i]->session && sync_has(session_sync(p->v[i]->session), d))
			return true;
	return false;
}

void pool_close(struct pool *p, struct doc *d)
{
	for (size_t i = 0; i < p->n; i++)
		server_hide(p->v[i], d);
}

void pool_disk_changed(struct pool *p, const char *path, struct doc *d, enum file_change type)
{
	for (size_t i = 0; i < p->n; i++) {
		struct server *s = p->v[i];

		if (!s->session || !server_takes(s, path, ERR_IGNORED))
			continue;
		if (d && sync_has(session_sync(s->session), d))
			session_saved(s->session, d);
		else if (path_below(str_of(s->root), str_of(path)))
			session_watched(s->session, path, type);
		server_wake(s);
	}
}

void pool_watch(struct pool *p, pool_watcher *fn, void *arg)
{
	mem_add(p->watch, p->watches, p->watch_cap, (struct watch){ fn, arg });
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

/* Those that are the pool's own: what the editor has started is the editor's to end. */
static bool each_own_server(struct pool *p, const char *name, void (*fn)(struct server *),
			    struct err *e)
{
	size_t hits = 0, clients = 0;

	for (size_t i = 0; i < p->n; i++) {
		struct server *s = p->v[i];

		if (client_is_gone(s) || (name && strcmp(s->spec->name, name)))
			continue;
		clients += s->client != NULL;
		hits += !s->client;
		if (!s->client)
			fn(s);
	}
	if (hits || !name)
		return true;
	return err_set(e, ERR_NOT_FOUND,
		       clients ? "%s runs in Neovim; restart it there" : "no server %s is running",
		       name);
}

bool pool_restart(struct pool *p, const char *name, struct err *e)
{
	return each_own_server(p, name, server_again, e);
}

bool pool_end(struct pool *p, const char *name, struct err *e)
{
	return each_own_server(p, name, server_stop, e);
}

void pool_leave(struct pool *p, const char *root)
{
	for (size_t i = 0; i < p->n; i++)
		if (!p->v[i]->client && path_below(str_of(root), str_of(p->v[i]->root)))
			server_stop(p->v[i]);
}

json *pool_status(const struct pool *p)
{
	static const char *const states[] = { "down", "up", "restarting", "left alone", "stopped" };
	json *list = json_array();

	for (size_t i = 0; i < p->n; i++) {
		const struct server *s = p->v[i];
		const char *busy = s->session ? session_busy(s->session) : NULL;
		json *row;

		if (client_is_gone(s) || (s->aside && s->state != SERVER_UP))
			continue;
		row = json_push(list,
				json_of({ "client", s->client ? json_int(s->client->id) : NULL },
					{ "name", json_strz(s->spec->name) },
					{ "root", json_strz(s->root) },
					{ "state",
					  json_strz(s->state != SERVER_UP ? states[s->state]
						    : s->hung_since	  ? "hung"
						    : server_ready(s)	  ? "ready"
									  : "starting") },
					{ "pid", json_int(s->job ? job_pid(s->job) : 0) },
					{ "documents", json_int((int64_t)s->n_docs) },
					{ "busy", busy ? json_strz(busy) : NULL }));
		if (s->why.code)
			json_put(row, "reason", json_strz(s->why.msg));
		else if (s->hung_since)
			json_put(row, "reason", json_strz("it does not respond"));
	}
	return list;
}
