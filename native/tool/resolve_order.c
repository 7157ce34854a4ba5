#include <stdlib.h>

#include "../base/mem.h"
#include "../core/workspace.h"
#include "places.h"
#include "resolve_impl.h"

#define OUTLINED 256 /* files whose text is looked at to find those that define a name */

struct word_file {
	const char *path;
	enum path_hint hint;
	bool defines;
	size_t at; /* in the order of names */
};

/* A hint may name directories over the project, but what they are called says nothing of a file. */
enum path_hint resolve_hint(struct resolving *r, const char *path)
{
	enum path_hint whole = path_hinted(str_of(path), r->hint);

	return whole >= HINT_STEM ? whole : path_hinted(call_shown(r->call, path), r->hint);
}

static bool defines(struct resolving *r, struct places *places, const char *path)
{
	struct workspace *w = call_oxide(r->call)->workspace;
	struct doc *d = places_doc(places, path);
	struct symbol_choice v[RESOLVE_IN_A_FILE];
	struct symbols all SCOPED(symbols_release) = { 0 };
	struct err e = ERR_INIT;
	bool found = false;
	size_t n = 0;

	if (d && symbols_of_text(language_of(workspace_filetype(w, path)), d, &all, &e))
		n = symbols_choices(&all, r->want, v, RESOLVE_IN_A_FILE);
	for (size_t i = 0; i < n && !found; i++)
		found = v[i].name.n && resolve_opens(r, d, v[i].symbol, POS_UTF8);
	return found;
}

static int by_promise(const void *a, const void *b)
{
	const struct word_file *x = a, *y = b;

	if (x->hint != y->hint)
		return (int)y->hint - (int)x->hint;
	if (x->defines != y->defines)
		return y->defines - x->defines;
	return (x->at > y->at) - (x->at < y->at);
}

static void look_for_definitions(struct resolving *r, struct word_file *v, size_t n)
{
	struct places places SCOPED(places_release) = { 0 };

	places_init(&places, call_oxide(r->call));
	for (size_t i = 0; i < n && i < OUTLINED; i++)
		v[i].defines = defines(r, &places, v[i].path);
	qsort(v, n, sizeof(*v), by_promise);
}

void resolve_order(struct resolving *r, const char **path, size_t n)
{
	struct word_file *v SCOPED(mem_release) = mem_new((n + 1) * sizeof(*v));

	for (size_t i = 0; i < n; i++)
		v[i] = (struct word_file){ path[i], resolve_hint(r, path[i]), false, i };
	qsort(v, n, sizeof(*v), by_promise);
	if (n > (size_t)config_get(&call_oxide(r->call)->config, CFG_SYMBOL_FILES))
		look_for_definitions(r, v, n);
	for (size_t i = 0; i < n; i++)
		path[i] = v[i].path;
}
