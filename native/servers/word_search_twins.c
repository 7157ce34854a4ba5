#include <stdlib.h>
#include <string.h>

#include "../base/mem.h"
#include "../core/workspace.h"
#include "../io/disk.h"
#include "word_search_impl.h"

static bool is_same_file(const char *a, const char *b)
{
	const struct fs *fs = disk_fs();
	struct fs_stat x, y;

	return fs->stat(fs->self, a, &x, ERR_IGNORED) && fs->stat(fs->self, b, &y, ERR_IGNORED) &&
	       x.kind == FS_FILE && x.ino && x.ino == y.ino && x.dev == y.dev;
}

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
		if (!workspace_buffer_at(m->ox->workspace, last) && is_same_file(last, name))
			return i;
	}
	return h->n;
}

void word_twins_init(struct word_twins *t, const struct word_search *m, const struct hits *h)
{
	struct workspace *w = m->ox->workspace;

	t->also = mem_new((h->n + 1) * sizeof(*t->also));
	t->is = mem_new((workspace_buffers(w) + 1) * sizeof(*t->is));
	for (size_t i = 0; i < workspace_buffers(w); i++) {
		struct doc *d = workspace_buffer_number(w, i)->doc;
		size_t from = first_of(m, h, d);

		for (size_t k = from; k < h->n && !strcmp(h->v[k].path, h->v[from].path); k++)
			t->also[k] = doc_path(d);
		t->is[i] = from < h->n;
	}
}

void word_twins_release(struct word_twins *t)
{
	free(t->also);
	free(t->is);
}
