#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../core/workspace.h"
#include "../servers/project_sources.h"
#include "../servers/word_search.h"
#include "resolve_impl.h"

#define ALIKE 1000 /* symbols that are only called alike */

/*
 *     resolve_symbol -> on_resolve_searched -> look_at (each file) -> on_resolve_picked
 *        -> on_resolve_symbols
 *        -> (nothing mentions it) on_resolve_tree -> look_at ...
 *     on_resolve_picked -> (each server once) ask_project -> on_resolve_project -> look_at ...
 *     answered (the last) -> resolve_choose
 */

static void look_free(struct look *l)
{
	symbols_release(&l->symbols);
	free(l->path);
	free(l);
}

void resolve_end(struct resolving *r, struct resolved *found, const struct err *e, json *refusal)
{
	struct err why = *e; /* it may lie in what is freed here */
	resolve_done *fn = r->fn;
	void *arg = r->arg;

	call_on_cancel(r->call, NULL, NULL);
	word_search_free(r->mentions);
	for (size_t i = 0; i < r->founds; i++)
		free(r->found[i].plain);
	for (size_t i = 0; i < r->n; i++)
		look_free(r->v[i]);
	free(r->found);
	free(r->v);
	map_release(&r->paths);
	free(r->last);
	free(r);
	fn(arg, found, &why, refusal);
}

static void resolve_answered(struct resolving *r)
{
	if (!--r->waiting)
		resolve_choose(r);
}

static void resolve_add(struct look *l, const struct symbol *s, enum symbol_match match)
{
	struct resolving *r = l->of;
	struct buf plain = BUF_INIT;
	struct symbol_rank rank = { match, resolve_hint(r, s->path.p),
				    path_below(str_of(call_root(r->call)), s->path), s->kind };

	symbol_plain_path(s, &plain);
	mem_add(r->found, r->founds, r->found_cap,
		(struct candidate){
			.look = l, .symbol = s, .rank = rank, .plain = buf_detach(&plain) });
}

/* All that are named so, or the one that "name[1]" is. */
static size_t named_so(struct look *l, struct symbol_choice *out)
{
	struct err e = ERR_INIT;

	out->symbol = symbols_find(&l->symbols, l->of->want, &e);
	if (out->symbol)
		return 1;
	return e.code == ERR_AMBIGUOUS
		       ? symbols_choices(&l->symbols, l->of->want, out, RESOLVE_IN_A_FILE)
		       : 0;
}

static void resolve_add_all(struct look *l)
{
	struct symbol_choice named[RESOLVE_IN_A_FILE];
	size_t n = named_so(l, named);

	for (size_t i = 0; i < n; i++)
		resolve_add(l, named[i].symbol, SYMBOL_EXACT);
	for (size_t i = 0; !n && i < l->symbols.n && l->of->founds < ALIKE; i++) {
		enum symbol_match m = symbol_alike(&l->symbols.v[i], l->of->want);

		if (m != SYMBOL_OTHER)
			resolve_add(l, &l->symbols.v[i], m);
	}
}

static void resolve_add_macro(struct look *l)
{
	struct workspace *w = call_oxide(l->of->call)->workspace;
	struct doc *d = language_has_macros(language_of(workspace_filetype(w, l->path)))
				? workspace_doc(w, l->path, ERR_IGNORED)
				: NULL;

	if (d)
		symbols_add_macro(d, str_of(l->of->last), server_encoding(l->server), &l->symbols);
}

/* Of several definitions of one path servers may list the last alone: "[n]" means any of them. */
static void add_doubles(struct look *l)
{
	struct workspace *w = call_oxide(l->of->call)->workspace;
	struct doc *d =
		str_ends(l->of->want, STR("]")) ? workspace_doc(w, l->path, ERR_IGNORED) : NULL;

	if (d)
		symbols_add_doubles(&l->symbols, l->of->want,
				    language_of(workspace_filetype(w, l->path)), d,
				    server_encoding(l->server));
}

static void note_failure(struct resolving *r, const struct err *e)
{
	if (!r->why.code)
		r->why = *e;
}

static void on_resolve_symbols(void *arg, struct msg *m, const struct err *why)
{
	struct look *l = arg;
	struct err e = *why;

	l->asked = 0;
	if (!e.code && symbols_of_document(m->raw, l->path, &l->symbols, &e)) {
		resolve_add_macro(l);
		add_doubles(l);
		resolve_add_all(l);
	}
	if (e.code)
		note_failure(l->of, &e);
	resolve_answered(l->of);
}

static struct look *new_look(struct resolving *r, const char *path)
{
	struct look *l = mem_new(sizeof(*l));

	l->of = r;
	l->path = path ? mem_dup(path, strlen(path)) : NULL;
	r->v = mem_grow(r->v, &r->cap, r->n + 1, sizeof(struct look *));
	r->waiting++;
	return r->v[r->n++] = l;
}

static void resolve_look_at(struct resolving *r, const char *path, size_t *spent);

/* Files that it names have a bound of their own: what mentions a name is more often what uses it.
 * Of those outside of the project the list is the word. */
static void take_project(struct look *l)
{
	struct symbol_choice named[RESOLVE_IN_A_FILE];
	struct resolving *r = l->of;
	struct str root = str_of(call_root(r->call));
	size_t n = named_so(l, named);

	for (size_t i = 0; i < n; i++)
		if (path_below(root, named[i].symbol->path))
			resolve_look_at(r, named[i].symbol->path.p, &r->indexed);
		else
			resolve_add(l, named[i].symbol, SYMBOL_EXACT);
	for (size_t i = 0; i < l->symbols.n; i++) {
		const struct symbol *s = &l->symbols.v[i];
		enum symbol_match m = symbol_alike(s, str_of(r->last));

		if (!path_below(root, s->path))
			continue;
		if (m == SYMBOL_CASE)
			resolve_look_at(r, s->path.p, &r->indexed);
		else if (m != SYMBOL_OTHER && !n)
			resolve_look_at(r, s->path.p, &r->mentioned);
	}
}

static void on_resolve_project(void *arg, struct msg *m, const struct err *why)
{
	struct look *l = arg;
	struct err e = *why;

	l->asked = 0;
	if (!e.code && symbols_of_workspace(m->raw, &l->symbols, &e))
		take_project(l);
	resolve_answered(l->of);
}

static void ask_project(struct resolving *r, struct server *s)
{
	struct look *l;

	for (size_t i = 0; i < r->n; i++)
		if (!r->v[i]->path && r->v[i]->server == s)
			return;
	if (!server_can(s, LSP_WORKSPACE_SYMBOLS))
		return;
	l = new_look(r, NULL);
	l->server = s;
	l->settled = true;
	l->asked = server_ask(s, LSP_WORKSPACE_SYMBOLS, proto_workspace_symbols(str_of(r->last)),
			      call_context(r->call)->timeout_ms, on_resolve_project, l);
}

static void on_resolve_picked(void *arg, struct server *s, bool settled, const struct err *e)
{
	struct look *l = arg;
	struct resolving *r = l->of;

	l->pick = NULL;
	if (e->code || call_cancelled(r->call)) {
		note_failure(r, e);
		resolve_answered(r);
		return;
	}
	l->server = s;
	l->settled = settled;
	l->asked = server_ask(s, LSP_DOCUMENT_SYMBOLS, proto_doc(l->path),
			      call_context(r->call)->timeout_ms, on_resolve_symbols, l);
	ask_project(r, s);
}

/* A buffer may be of another project. */
static bool may_look_at(struct resolving *r, const char *path)
{
	const struct project *of = projects_of(call_oxide(r->call)->projects, path);

	return !map_get(&r->paths, str_of(path)) && (!of || of == call_project(r->call)) &&
	       target_shows(r->call, path, ERR_IGNORED);
}

static void resolve_look_at(struct resolving *r, const char *path, size_t *spent)
{
	struct oxide *ox = call_oxide(r->call);
	struct look *l;

	if (!may_look_at(r, path))
		return;
	if (*spent >= (size_t)config_get(&ox->config, CFG_SYMBOL_FILES)) {
		r->cut = true;
		return;
	}
	++*spent;
	l = new_look(r, path);
	map_put(&r->paths, str_of(path), l);
	l->pick =
		pool_pick(ox->pool, path, LSP_DOCUMENT_SYMBOLS, POOL_SETTLED, on_resolve_picked, l);
}

static void resolve_cancel(void *state)
{
	struct resolving *r = state;

	word_search_cancel(r->mentions);
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i]->pick)
			pool_unpick(r->v[i]->pick);
		else if (r->v[i]->asked)
			server_cancel(r->v[i]->server, r->v[i]->asked);
	for (size_t i = 0; i < r->founds; i++)
		if (r->found[i].asked)
			server_cancel(r->found[i].look->server, r->found[i].asked);
}

/* Nothing mentions it: what the hint speaks of, and a file of each kind, for its server to know
 * what is called alike. */
static void on_resolve_tree(void *arg, const struct tree *t)
{
	struct resolving *r = arg;
	struct oxide *ox = call_oxide(r->call);
	struct map seen SCOPED(map_release) = MAP_INIT;

	if (call_cancelled(r->call)) {
		resolve_answered(r);
		return;
	}
	for (size_t i = 0; i < t->n && r->hint.n; i++)
		if (resolve_hint(r, t->v[i].path))
			resolve_look_at(r, t->v[i].path, &r->mentioned);
	for (size_t i = 0; i < t->n; i++) {
		const char *ft = workspace_filetype(ox->workspace, t->v[i].path);

		if (!map_put(&seen, str_of(ft), r))
			resolve_look_at(r, t->v[i].path, &r->mentioned);
	}
	resolve_answered(r);
}

static void look_at_mentioning(struct resolving *r)
{
	const char **path;
	size_t n = word_search_all_files(r->mentions, &path);

	for (size_t i = 0; i < n; i++)
		if (may_look_at(r, path[i]))
			path[r->mentioning++] = path[i];
	resolve_order(r, path, r->mentioning);
	for (size_t i = 0; i < r->mentioning; i++)
		resolve_look_at(r, path[i], &r->mentioned);
	free(path);
}

static void on_resolve_searched(void *arg)
{
	struct resolving *r = arg;

	if (call_cancelled(r->call)) {
		resolve_choose(r);
		return;
	}
	call_on_cancel(r->call, resolve_cancel, r);
	r->waiting = 1; /* this call, or the walk */
	look_at_mentioning(r);
	if (r->mentioning)
		resolve_answered(r);
	else
		project_sources_walk(call_oxide(r->call), call_root(r->call), on_resolve_tree, r);
}

static void resolve_nameless(void *arg)
{
	struct resolving *r = arg;
	struct err e = ERR_INIT;

	err_set(&e, ERR_INVALID, "symbol_name \"%.*s\" contains no name", STR_ARG(r->want));
	resolve_end(r, NULL, &e, NULL);
}

void resolve_symbol(struct call *c, bool exact, resolve_done *fn, void *arg)
{
	struct resolving *r = mem_new(sizeof(*r));
	const json *args = call_args(c);

	*r = (struct resolving){ .call = c,
				 .exact = exact,
				 .fn = fn,
				 .arg = arg,
				 .moves = workspace_moves(call_oxide(c)->workspace) };
	r->want = str_trim(json_get_str(args, "symbol_name"));
	r->hint = str_trim(json_get_str(args, "file_hint"));
	r->last = symbol_word(r->want);
	if (!*r->last) {
		oxide_soon(call_oxide(c), resolve_nameless, r);
		return;
	}
	r->mentions = word_search_start(call_oxide(c), call_root(c), str_of(r->last), NULL);
	call_on_cancel(c, resolve_cancel, r);
	word_search_wait(r->mentions, on_resolve_searched, r);
}
