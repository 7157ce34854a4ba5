#include "files_using_impl.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../code/macro.h"
#include "../core/workspace.h"
#include "../lsp/symbols_touched.h"
#include "completeness.h"
#include "pool.h"

/*
 *     start -> on_files_using_picked -> files_using_ask_ahead, on_files_using_symbols
 *         -> on_files_using_places, files_using_answered (each once a symbol) -> widen
 *     widen -+-> (macros around those macros) files_using_answered -> widen ...
 *            +-> files_using_end
 */

void files_using_end(struct files_using *u)
{
	if (u->due) {
		u->over = true;
		return;
	}
	files_using_forget_ahead(u);
	u->fn(u->arg, u->found, u->n, u->complete);
	for (size_t i = 0; i < u->names; i++)
		word_search_free(u->mentions[i]);
	map_release(&u->seen);
	map_release(&u->macros);
	arena_release(&u->texts);
	free(u->mentions);
	free(u->found);
	free(u->asked);
	free(u->ahead);
	free(u);
}

static void files_using_add(struct files_using *u, struct str path)
{
	struct str kept;

	if (!path.n || str_eq(path, str_of(u->file->path)) || map_get(&u->seen, path))
		return;
	kept = arena_str(&u->texts, path);
	map_put(&u->seen, kept, u);
	mem_add(u->found, u->n, u->cap, kept.p);
}

/* Whether what the server said rests on that file, as it is. What others have had it read since it
 * was asked came too late. */
static bool has_read(const struct files_using *u, const struct word_search *of,
		     const struct word_use *m)
{
	struct server *s = u->server;
	uint64_t mark = completeness_mark(of, m->text);

	return server_had_open(s, m->path, u->readings) ||
	       server_read(s, m->path, mark, u->readings) == READ_BEFORE ||
	       (server_knows(s) && server_began_after(s, m->changed));
}

static void add_unread(struct files_using *u, const struct word_search *of)
{
	size_t most = (size_t)config_get(&u->ox->config, CFG_GATE_FILES) + 1; /* one is too many */
	size_t n;
	struct word_use *v SCOPED(mem_release) = word_search_code(of, &n);

	for (size_t i = 0; i < n && u->n < most; i++)
		if (!has_read(u, of, &v[i]))
			files_using_add(u, str_of(v[i].path));
	u->complete = u->complete && word_search_whole(of) && !map_count(word_search_passed(of));
}

/* Servers do not list what a macro is expanded to: every file with its name counts. */
static void files_using_add_all(struct files_using *u, const struct word_search *of)
{
	size_t most = (size_t)config_get(&u->ox->config, CFG_GATE_FILES) + 1;
	size_t n;
	struct word_use *v SCOPED(mem_release) = word_search_code(of, &n);

	for (size_t i = 0; i < n && u->n < most; i++)
		files_using_add(u, str_of(v[i].path));
	u->complete = u->complete && word_search_whole(of) && !map_count(word_search_passed(of));
}

static void search(struct files_using *u, struct str name);

static void files_using_add_macro(struct files_using *u, struct str name)
{
	if (map_get(&u->macros, name))
		return;
	if (map_count(&u->macros) >= (size_t)config_get(&u->ox->config, CFG_GATE_SYMBOLS)) {
		u->complete = false;
		return;
	}
	name = arena_str(&u->texts, name);
	map_put(&u->macros, name, u);
	search(u, name);
}

static void add_around(struct files_using *u, const struct word_search *of)
{
	const char **path;
	size_t n = word_search_macros(of, &path);
	struct str name = word_search_name(of);

	for (size_t i = 0; i < n; i++) {
		struct err e = ERR_INIT;
		struct doc *d = workspace_doc(u->ox->workspace, path[i], &e);
		struct macros in = macros_of(d ? doc_text(d) : STR(""));
		struct macro m;

		for (size_t at = 0; macros_next_use(&in, name, &at, &m); at += name.n)
			files_using_add_macro(u, str_sub(in.text, m.name.at, m.name.end));
	}
	free(path);
}

/* A macro is used where those are that have it in their body. */
static void files_using_widen(struct files_using *u)
{
	for (; u->widened < u->names && !u->cancelled; u->widened++)
		if (map_get(&u->macros, word_search_name(u->mentions[u->widened])))
			add_around(u, u->mentions[u->widened]);
}

static void files_using_answered(void *arg)
{
	struct files_using *u = arg;

	if (--u->left)
		return;
	u->left = 1; /* this call */
	files_using_widen(u);
	if (--u->left)
		return;
	for (size_t i = 0; i < u->names && !u->cancelled; i++) {
		if (map_get(&u->macros, word_search_name(u->mentions[i])))
			files_using_add_all(u, u->mentions[i]);
		else
			add_unread(u, u->mentions[i]);
	}
	files_using_end(u);
}

void files_using_take(struct files_using *u, struct str answer, const struct err *why)
{
	struct locations l SCOPED(locations_release) = { 0 };
	struct err e = *why;
	size_t foreign = 0;

	if (!e.code)
		proto_locations(answer, &l, &foreign, &e);
	for (size_t i = 0; !e.code && i < l.n; i++)
		files_using_add(u, l.v[i].path);
	u->complete = u->complete && !e.code;
	files_using_answered(u);
}

static void on_files_using_places(void *arg, struct msg *m, const struct err *why)
{
	files_using_take(arg, m ? m->raw : STR(""), why);
}

static void search(struct files_using *u, struct str name)
{
	struct word_search *m = files_using_search(u, name);

	mem_add(u->mentions, u->names, u->names_cap, m);
	u->left++;
	word_search_wait(m, files_using_answered, u);
}

static void ask_places(struct files_using *u, struct doc *d, const struct symbol *const *v,
		       size_t n)
{
	size_t most = (size_t)config_get(&u->ox->config, CFG_GATE_SYMBOLS);
	enum pos_enc enc = server_encoding(u->server);

	if (n > most)
		u->complete = false;
	u->n_asked = n > most ? most : n;
	u->left += u->n_asked;
	free(u->asked);
	u->asked = mem_new((u->n_asked + 1) * sizeof(*u->asked));
	for (size_t i = 0; i < u->n_asked; i++) {
		size_t at = symbol_name_at(v[i], d, enc);

		if (!files_using_asked_ahead(u, at, &u->asked[i]))
			u->asked[i] = server_ask(u->server, LSP_REFERENCES,
						 proto_references(d, at, enc, false), 0,
						 on_files_using_places, u);
		search(u, v[i]->name);
	}
}

static bool has_macros(struct oxide *ox, const struct plan_file *f)
{
	return language_has_macros(language_of(workspace_filetype(ox->workspace, f->path)));
}

bool files_using_macros(struct oxide *ox, const struct plan_file *f)
{
	struct macros in = macros_of(f->was);
	struct span macro;

	for (size_t i = 0; has_macros(ox, f) && i < f->edits.n; i++)
		if (macros_around(&in, f->edits.v[i].span.at, &macro))
			return true;
	return false;
}

/* Servers do not list them among the symbols. */
static void search_macros(struct files_using *u)
{
	const struct plan_file *f = u->file;
	struct macros in = macros_of(f->was);
	struct span macro;

	for (size_t i = 0; has_macros(u->ox, f) && i < f->edits.n; i++)
		if (macros_around(&in, f->edits.v[i].span.at, &macro))
			files_using_add_macro(u, str_sub(f->was, macro.at, macro.end));
}

static void on_files_using_symbols(void *arg, struct msg *m, const struct err *why)
{
	struct files_using *u = arg;
	struct doc *d = workspace_known(u->ox->workspace, u->file->path);
	enum pos_enc enc = server_encoding(u->server);
	struct symbols all = { 0 };
	struct err e = *why;
	const struct symbol **v;

	u->n_asked = 0;
	u->listed = true;
	if (e.code || !d || !symbols_of_document(m->raw, u->file->path, &all, &e)) {
		u->complete = false;
		files_using_end(u);
		return;
	}
	v = mem_new((all.n + 1) * sizeof(struct symbol *));
	u->left = 1; /* this call */
	ask_places(u, d, v, symbols_touched(&all, d, enc, &u->file->edits, v));
	files_using_forget_ahead(u);
	search_macros(u);
	free(v);
	symbols_release(&all);
	files_using_answered(u);
}

static void on_files_using_picked(void *arg, struct server *s, bool settled, const struct err *e)
{
	struct files_using *u = arg;

	u->pick = NULL;
	u->server = s;
	u->complete = s ? settled : e->code == ERR_UNSUPPORTED;
	if (!s) {
		files_using_end(u);
		return;
	}
	u->readings = pool_readings(u->ox->pool);
	u->asked = mem_new(sizeof(*u->asked));
	u->n_asked = 1;
	*u->asked = server_ask(s, LSP_DOCUMENT_SYMBOLS, proto_doc(u->file->path), 0,
			       on_files_using_symbols, u);
	files_using_ask_ahead(u);
}

static void search_macros_alone(void *arg)
{
	struct files_using *u = arg;

	u->left = 1; /* this call */
	search_macros(u);
	files_using_answered(u);
}

struct files_using *files_using_start(struct oxide *ox, const struct plan_file *f, bool only_macros,
				      files_using_found *fn, void *arg)
{
	struct files_using *u = mem_new(sizeof(*u));

	u->ox = ox;
	u->file = f;
	u->fn = fn;
	u->arg = arg;
	u->complete = true;
	if (only_macros)
		oxide_soon(ox, search_macros_alone, u);
	else
		u->pick = pool_pick(ox->pool, f->path, LSP_REFERENCES, POOL_SETTLED,
				    on_files_using_picked, u);
	return u;
}

void files_using_cancel(struct files_using *u)
{
	u->cancelled = true;
	for (size_t i = 0; i < u->names; i++)
		word_search_cancel(u->mentions[i]);
	if (u->pick)
		pool_unpick(u->pick);
	for (size_t i = 0; i < u->n_asked; i++)
		server_cancel(u->server, u->asked[i]);
}
