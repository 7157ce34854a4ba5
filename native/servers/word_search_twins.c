#include <stdlib.h>
#include <string.h>

#include "../base/mem.h"
#include "../core/workspace.h"
#include "word_search_impl.h"

/* Where in `h` the hits of the file begin that the buffer has by another name; h->n: nowhere. Its
 * text tells first: of all other files the disk need not be asked. */
static size_t first_of(const struct word_search *m, const struct hits *h, struct doc *d)
{
	const char *name = doc_path(d), *last = NULL;

	for (size_t i = 0; i < h->n; i++) {
		const struct hit *hit = &h->v[i];

		if (hit->at.text != doc_hash(d) || !strcmp(hit->path, name) ||
		    (last && !strcmp(hit->path, last)))
			continue;
		last = hit->path;
		if (!workspace_buffer_at(m->ox->workspace, last) &&
		    workspace_is_same_file(last, name))
			return i;
	}
	return h->n;
}

void word_twins_note(void *word_walk, const char *path, const char *first)
{
	struct word_walk *w = word_walk;
	struct file_names *f = map_get(&w->twins, str_of(first));

	if (!f) {
		f = mem_new(sizeof(*f));
		mem_add(f->v, f->n, f->cap, arena_str(&w->names_of_files, str_of(first)).p);
		map_put(&w->twins, str_of(first), f);
	}
	mem_add(f->v, f->n, f->cap, arena_str(&w->names_of_files, str_of(path)).p);
	map_put(&w->twins, str_of(path), f);
}

void word_twins_forget(struct word_walk *w)
{
	map_each(it, &w->twins) {
		struct file_names *f = it.value;

		if (!str_eq(it.key, str_of(f->v[f->n - 1])))
			continue; /* comes by the last of its names */
		free(f->v);
		free(f);
	}
	map_release(&w->twins);
	arena_release(&w->names_of_files);
}

const char *const *word_twins_names(const struct word_search *m, const char *path,
				    const char *buffer)
{
	const struct file_names *f = map_get(&m->walk->twins, str_of(path));
	const char **v;
	size_t n = 0;

	if (!f && !buffer)
		return NULL;
	v = arena_new(&m->walk->names_of_files, ((f ? f->n : 0) + 2) * sizeof(*v));
	for (size_t i = 0; f && i < f->n; i++)
		if (strcmp(f->v[i], path) != 0 && !workspace_buffer_at(m->ox->workspace, f->v[i]))
			v[n++] = f->v[i];
	if (buffer)
		v[n++] = buffer;
	return v;
}

void word_twins_init(struct word_twins *t, const struct word_search *m, const struct hits *h)
{
	struct workspace *w = m->ox->workspace;
	const char **buffer SCOPED(mem_release) = mem_new((h->n + 1) * sizeof(*buffer));

	t->also = mem_new((h->n + 1) * sizeof(*t->also));
	t->is = mem_new((workspace_buffers(w) + 1) * sizeof(*t->is));
	for (size_t i = 0; i < workspace_buffers(w); i++) {
		struct doc *d = workspace_buffer_number(w, i)->doc;
		size_t from = first_of(m, h, d);

		for (size_t k = from; k < h->n && !strcmp(h->v[k].path, h->v[from].path); k++)
			buffer[k] = doc_path(d);
		t->is[i] = from < h->n;
	}
	for (size_t k = 0; k < h->n && (map_count(&m->walk->twins) || workspace_buffers(w)); k++)
		t->also[k] = k && !strcmp(h->v[k].path, h->v[k - 1].path)
				     ? t->also[k - 1]
				     : word_twins_names(m, h->v[k].path, buffer[k]);
}

void word_twins_release(struct word_twins *t)
{
	free(t->also);
	free(t->is);
}
