#include <stdlib.h>

#include "../base/mem.h"
#include "../code/macro.h"
#include "../core/workspace.h"
#include "../io/disk.h"
#include "sources.h"
#include "word_search_impl.h"

/*
 * A macro that has the name in its body uses it wherever the macro is expanded, in files that need
 * not have the name. The project is gone through again for the macros that were found last, until
 * no macro has those in its body.
 */
#define NO_MACRO SIZE_MAX /* the name itself */

static void add_nesting(struct word_macros *a, size_t outer, size_t inner)
{
	for (size_t i = 0; i < a->nestings; i++)
		if (a->nesting[i].outer == outer && a->nesting[i].inner == inner)
			return;
	mem_add(a->nesting, a->nestings, a->nesting_cap, (struct macro_nesting){ outer, inner });
}

static void macro_search_add_macro(struct word_search *m, struct str macro, size_t inner)
{
	struct word_macros *a = &m->around;
	size_t number = (size_t)(uintptr_t)map_get(&a->number, macro);

	if (str_eq(macro, str_of(m->name)))
		return;
	if (!number && a->n >= a->most) {
		a->more = true;
		return;
	}
	if (!number) {
		mem_add(a->name, a->n, a->cap, mem_dup(macro.p, macro.n));
		number = a->n;
		map_put(&a->number, macro, (void *)(uintptr_t)number);
	}
	if (inner != NO_MACRO && inner != number - 1)
		add_nesting(a, number - 1, inner);
}

void word_macros_add(struct word_search *m, struct str text)
{
	struct macros in = macros_of(text);
	struct str name = str_of(m->name);
	struct macro macro;

	for (size_t at = 0; name.n && macros_next_use(&in, name, &at, &macro); at += name.n)
		macro_search_add_macro(m, str_sub(text, macro.name.at, macro.name.end), NO_MACRO);
}

/* Where macro number `i` is in one text; what is code of that expands it. */
static void search_text(const struct word_search *m, size_t i, const char *path, struct str text,
			struct hits *out)
{
	struct macros in = macros_of(text);
	size_t before = out->n;
	struct span macro;

	word_search_search_for(m, str_of(m->around.name[i]), out, path, text);
	for (size_t k = before; k < out->n; k++) {
		struct word_use *use = &out->v[k].at;

		use->macro = i;
		use->code = use->code && !use->in_macro && !use->unread &&
			    out->v[k].text[0] != '#' && !macros_around(&in, use->at, &macro);
	}
}

static void search_for_macros(struct word_search *m, const char *path, struct str text,
			      int64_t changed)
{
	struct word_macros *a = &m->around;
	struct macro macro;

	for (size_t i = a->from; i < a->to; i++) {
		struct macros in = macros_of(text);
		size_t before = a->uses.n;

		search_text(m, i, path, text, &a->uses);
		for (size_t k = before; k < a->uses.n; k++) {
			struct word_use *use = &a->uses.v[k].at;

			use->changed = changed;
			if (use->in_macro && macros_using(&in, use->at, &macro))
				macro_search_add_macro(m,
						       str_sub(text, macro.name.at, macro.name.end),
						       i);
		}
	}
}

static void search_file_for_macros(void *arg, const char *path, const struct fs_stat *st)
{
	const struct fs *fs = disk_fs();
	struct word_walk *w = arg;
	struct fs_stat seen;

	buf_clear(&w->text);
	/* why it cannot be read has been told already */
	if (st->size > w->biggest || !fs->read(fs->self, path, &w->text, &seen, ERR_IGNORED))
		return;
	for (size_t i = 0; i < w->n; i++)
		search_for_macros(w->v[i], path, buf_str(&w->text), st->mtime_ns);
}

/* Those that were found last are what is searched for next; whether there are any. */
static bool next_macros(struct word_walk *w)
{
	bool any = false;

	for (size_t i = 0; i < w->n; i++) {
		struct word_macros *a = &w->v[i]->around;

		a->from = a->to;
		a->to = a->n;
		any |= a->from < a->to;
	}
	return any;
}

void word_macros_search(struct word_walk *w)
{
	struct sources s = { w->root, &w->extensions,	      w->most_files,
			     w,	      search_file_for_macros, &w->stop,
			     NULL };

	while (!word_walk_stops(w) && next_macros(w))
		sources_walk(&s);
}

void word_macros_release(struct word_macros *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->name[i]);
	map_release(&a->number);
	hits_release(&a->uses);
	free(a->name);
	free(a->nesting);
}

size_t word_search_n_macros(const struct word_search *m)
{
	return m->around.n;
}

bool word_search_macros_whole(const struct word_search *m)
{
	return !m->around.more;
}

int word_search_macro(const struct word_search *m, struct str macro)
{
	return (int)(uintptr_t)map_get(&m->around.number, macro) - 1;
}

void word_search_mark_inside(const struct word_search *m, bool *marked)
{
	const struct word_macros *a = &m->around;

	for (bool grown = true; grown;) {
		grown = false;
		for (size_t i = 0; i < a->nestings; i++) {
			const struct macro_nesting *one = &a->nesting[i];

			grown |= marked[one->outer] && !marked[one->inner];
			marked[one->inner] |= marked[one->outer];
		}
	}
}

static void push_expansion(struct word_use **v, size_t *n, size_t *cap, const char *path,
			   const char *const *also, const struct word_use *at)
{
	if (!at->code)
		return;
	*v = mem_grow(*v, cap, *n + 1, sizeof(**v));
	(*v)[*n] = *at;
	(*v)[*n].also = also;
	(*v)[(*n)++].path = path;
}

struct word_use *word_search_expansions(const struct word_search *m, size_t *n)
{
	struct workspace *w = m->ox->workspace;
	struct word_twins twins SCOPED(word_twins_release) = { 0 };
	struct word_use *v = NULL;
	size_t cap = 0;

	*n = 0;
	word_twins_init(&twins, m, &m->around.uses);
	for (size_t i = 0; i < m->around.uses.n; i++) {
		struct hit *h = &m->around.uses.v[i];

		if (!workspace_buffer_at(w, h->path))
			push_expansion(&v, n, &cap, h->path, twins.also[i], &h->at);
	}
	for (size_t i = 0; m->around.n && i < workspace_buffers(w); i++) {
		struct doc *d = workspace_buffer_number(w, i)->doc;
		struct hits hits SCOPED(hits_release) = { 0 };

		for (size_t k = 0; !twins.is[i] && sources_has(&m->walk->extensions, doc_path(d)) &&
				   k < m->around.n;
		     k++)
			search_text(m, k, doc_path(d), doc_text(d), &hits);
		for (size_t k = 0; k < hits.n; k++) {
			hits.v[k].at.changed = INT64_MAX;
			push_expansion(&v, n, &cap, doc_path(d), NULL, &hits.v[k].at);
		}
	}
	return v;
}
