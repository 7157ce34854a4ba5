#include "uses.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../lsp/touched.h"
#include "mentions.h"
#include "projects.h"
#include "workspace.h"

/*
 *     start -> on_picked -> on_symbols -> on_places (once a symbol) -+-> end
 *                       (nothing is found) search -> on_searched ----+
 */
struct uses {
	struct oxide *ox;
	const struct plan *plan;
	const struct plan_file *file;
	uses_found *fn;
	void *arg;
	struct pick *pick; /* until it is picked */
	struct server *server;
	int64_t *asked;
	size_t n_asked, left; /* left: answers to come */
	struct map seen;      /* paths found */
	const char **found;
	size_t n, cap;
	struct str *name; /* of the symbols, as far as they are searched for */
	struct mentions **mentions;
	size_t names;
	struct arena texts;
	bool complete, cancelled;
};

static void end(struct uses *u)
{
	u->fn(u->arg, u->found, u->n, u->complete);
	for (size_t i = 0; u->mentions && i < u->names; i++)
		mentions_free(u->mentions[i]);
	map_release(&u->seen);
	arena_release(&u->texts);
	free(u->mentions);
	free(u->name);
	free(u->found);
	free(u->asked);
	free(u);
}

static void add(struct uses *u, struct str path)
{
	struct str kept;

	if (!path.n || str_eq(path, str_of(u->file->path)) || map_get(&u->seen, path))
		return;
	kept = arena_str(&u->texts, path);
	map_put(&u->seen, kept, u);
	u->found = mem_grow(u->found, &u->cap, u->n + 1, sizeof(*u->found));
	u->found[u->n++] = kept.p;
}

static void on_searched(void *arg)
{
	struct uses *u = arg;
	size_t most = (size_t)config_get(&u->ox->config, CFG_GATE_FILES) + 1; /* one is too many */

	if (--u->left)
		return;
	for (size_t i = 0; i < u->names; i++) {
		const char **paths;
		size_t n = mentions_files(u->mentions[i], u->plan, most, &paths);

		for (size_t k = 0; k < n; k++)
			add(u, str_of(paths[k]));
		free(paths);
	}
	end(u);
}

static void search(struct uses *u)
{
	const char *path = u->file->path, *root = projects_home(u->ox->projects, path)->root;
	const char *filetype = workspace_filetype(u->ox->workspace, path);

	u->left = u->names;
	u->mentions = mem_new(u->names * sizeof(struct mentions *));
	for (size_t i = 0; i < u->names; i++) {
		u->mentions[i] = mentions_start(u->ox, root, u->name[i], filetype);
		mentions_wait(u->mentions[i], on_searched, u);
	}
}

static void on_places(void *arg, struct msg *m, const struct err *why)
{
	struct uses *u = arg;
	struct locations l = { 0 };
	struct err e = *why;
	size_t foreign = 0;

	if (!e.code)
		proto_locations(m->raw, &l, &foreign, &e);
	for (size_t i = 0; !e.code && i < l.n; i++)
		add(u, l.v[i].path);
	u->complete = u->complete && !e.code;
	locations_release(&l);
	if (--u->left)
		return;
	if (!u->n && u->names && !u->cancelled && !server_knows(u->server))
		search(u);
	else
		end(u);
}

static void keep_names(struct uses *u, const struct symbol *const *v, size_t n)
{
	size_t most = (size_t)config_get(&u->ox->config, CFG_GATE_SEARCHES);

	u->names = n > most ? most : n;
	u->name = mem_new((u->names + 1) * sizeof(*u->name));
	for (size_t i = 0; i < u->names; i++)
		u->name[i] = arena_str(&u->texts, v[i]->name);
}

static void ask_places(struct uses *u, struct doc *d, const struct symbol *const *v, size_t n)
{
	size_t most = (size_t)config_get(&u->ox->config, CFG_GATE_SYMBOLS);
	enum pos_enc enc = server_encoding(u->server);

	if (n > most)
		u->complete = false;
	u->left = u->n_asked = n > most ? most : n;
	if (!u->left) {
		end(u);
		return;
	}
	keep_names(u, v, n);
	free(u->asked);
	u->asked = mem_new(u->left * sizeof(*u->asked));
	for (size_t i = 0; i < u->n_asked; i++) {
		json *params = proto_references(d, symbol_name_at(v[i], d, enc), enc, false);

		u->asked[i] = pool_ask(u->server, LSP_REFERENCES, params, 0, on_places, u);
	}
}

static void on_symbols(void *arg, struct msg *m, const struct err *why)
{
	struct uses *u = arg;
	struct doc *d = workspace_known(u->ox->workspace, u->file->path);
	enum pos_enc enc = server_encoding(u->server);
	struct symbols all = { 0 };
	struct err e = *why;
	const struct symbol **v;

	u->n_asked = 0;
	if (e.code || !d || !symbols_of_document(m->raw, u->file->path, &all, &e)) {
		u->complete = false;
		end(u);
		return;
	}
	v = mem_new((all.n + 1) * sizeof(struct symbol *));
	ask_places(u, d, v, symbols_touched(&all, d, enc, &u->file->edits, v));
	free(v);
	symbols_release(&all);
}

static void on_picked(void *arg, struct server *s, bool settled, const struct err *e)
{
	struct uses *u = arg;

	u->pick = NULL;
	u->server = s;
	u->complete = s ? settled : e->code == ERR_UNSUPPORTED;
	if (!s) {
		end(u);
		return;
	}
	u->asked = mem_new(sizeof(*u->asked));
	u->n_asked = 1;
	*u->asked = pool_ask(s, LSP_DOCUMENT_SYMBOLS, proto_doc(u->file->path), 0, on_symbols, u);
}

struct uses *uses_start(struct oxide *ox, const struct plan *p, const struct plan_file *f,
			uses_found *fn, void *arg)
{
	struct uses *u = mem_new(sizeof(*u));

	u->ox = ox;
	u->plan = p;
	u->file = f;
	u->fn = fn;
	u->arg = arg;
	u->pick = pool_pick(ox->pool, f->path, LSP_REFERENCES, POOL_SETTLED, on_picked, u);
	return u;
}

void uses_cancel(struct uses *u)
{
	u->cancelled = true;
	if (u->pick)
		pool_unpick(u->pick);
	for (size_t i = 0; i < u->n_asked; i++)
		pool_cancel(u->server, u->asked[i]);
}
