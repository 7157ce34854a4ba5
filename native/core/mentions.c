#include "mentions.h"

#include <stdlib.h>

#include "../base/map.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../io/disk.h"
#include "../io/loop.h"
#include "../text/lex.h"
#include "../text/macro.h"
#include "presets.h"
#include "sources.h"
#include "texts.h"
#include "workspace.h"

#define LINE_SHOWN 200		     /* bytes of a line in an answer */
#define BIGGEST	   (4 * 1024 * 1024) /* larger files are generated, or data */

struct hit {
	char *path;
	size_t line; /* from 1 */
	char *text;
	bool in_macro;
};

struct hits {
	struct hit *v;
	size_t n, cap;
};

struct mentions {
	struct oxide *ox;
	char *name, *root;
	struct map extensions; /* of the language's files */
	bool macros;	       /* it has those of C */
	size_t most_files;
	uint64_t biggest; /* larger ones are passed over */
	bool complete, over, abandoned;
	struct buf text; /* of the file in hand */
	struct texts texts;
	struct hits disk;
	void (*fn)(void *arg);
	void *arg;
};

static void hits_release(struct hits *h)
{
	for (size_t i = 0; i < h->n; i++) {
		free(h->v[i].path);
		free(h->v[i].text);
	}
	free(h->v);
}

static void add_hit(struct hits *h, const char *path, size_t line, struct str text, bool in_macro)
{
	text = str_trim(text);
	if (text.n > LINE_SHOWN)
		text.n = LINE_SHOWN;
	h->v = mem_grow(h->v, &h->cap, h->n + 1, sizeof(*h->v));
	h->v[h->n++] = (struct hit){ mem_dup(path, strlen(path)), line, mem_dup(text.p, text.n),
				     in_macro };
}

static struct str line_around(struct str text, size_t at)
{
	const char *end = memchr(text.p + at, '\n', text.n - at);
	size_t from = at;

	while (from && text.p[from - 1] != '\n')
		from--;
	return str_sub(text, from, end ? (size_t)(end - text.p) : text.n);
}

static void search(const struct mentions *m, struct hits *h, const char *path, struct str text)
{
	struct str name = str_of(m->name);
	size_t line = 1, counted = 0;
	struct macro macro;

	for (size_t at = 0; name.n && str_find_name(text, name, &at); at += name.n) {
		for (; counted < at; counted++)
			line += text.p[counted] == '\n';
		add_hit(h, path, line, line_around(text, at),
			m->macros && macro_using(text, at, &macro));
	}
}

static void search_file(void *arg, const char *path, const struct fs_stat *st)
{
	const struct fs *fs = disk_fs();
	struct mentions *m = arg;
	struct err e = ERR_INIT;
	size_t before = m->disk.n;
	struct fs_stat seen;

	buf_clear(&m->text);
	if (st->size > m->biggest || !fs->read(fs->self, path, &m->text, &seen, &e))
		return;
	search(m, &m->disk, path, buf_str(&m->text));
	if (m->disk.n > before)
		texts_keep(&m->texts, path, buf_str(&m->text), &seen);
}

static void work(void *arg)
{
	struct mentions *m = arg;
	struct sources s = { m->root, &m->extensions, m->most_files, m, search_file };

	m->complete = sources_walk(&s);
}

static void destroy(struct mentions *m)
{
	texts_release(&m->texts);
	hits_release(&m->disk);
	map_release(&m->extensions);
	buf_release(&m->text);
	free(m->name);
	free(m->root);
	free(m);
}

static void over(void *arg)
{
	struct mentions *m = arg;

	m->over = true;
	if (m->abandoned)
		destroy(m);
	else if (m->fn)
		m->fn(m->arg);
}

struct mentions *mentions_start(struct oxide *ox, const char *root, struct str name,
				const char *filetype)
{
	struct mentions *m = mem_new(sizeof(*m));

	m->ox = ox;
	m->name = mem_dup(name.p, name.n);
	m->root = mem_dup(root, strlen(root));
	m->most_files = (size_t)config_get(&ox->config, CFG_MENTION_FILES);
	m->biggest = (uint64_t)config_get(&ox->config, CFG_FILE_BYTES);
	if (m->biggest > BIGGEST)
		m->biggest = BIGGEST;
	m->texts.room = (size_t)config_get(&ox->config, CFG_MENTION_BYTES);
	m->macros = filetype && language_has_macros(language_of(filetype));
	if (filetype)
		presets_extensions(ox->presets, filetype, &m->extensions);
	else
		presets_served(ox->presets, &m->extensions);
	loop_work(ox->loop, work, over, m);
	return m;
}

void mentions_wait(struct mentions *m, void (*fn)(void *arg), void *arg)
{
	m->fn = fn;
	m->arg = arg;
	if (m->over)
		loop_soon(m->ox->loop, fn, arg);
}

struct texts *mentions_texts(struct mentions *m)
{
	return m->over ? &m->texts : NULL;
}

static const struct plan_file *in_plan(const struct plan *plan, const char *path)
{
	for (size_t lo = 0, hi = plan_files(plan); lo < hi;) {
		size_t mid = (lo + hi) / 2;
		int c = strcmp(path, plan_file(plan, mid)->path);

		if (!c)
			return plan_file(plan, mid);
		if (c < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return NULL;
}

size_t mentions_files(const struct mentions *m, const struct plan *plan, size_t most,
		      const char ***paths)
{
	const char **v = mem_new((most + 1) * sizeof(*v));
	size_t n = 0;

	/* Hits come file by file. */
	for (size_t i = 0; i < m->disk.n && n < most; i++) {
		const char *path = m->disk.v[i].path;

		if ((!n || strcmp(v[n - 1], path) != 0) && !in_plan(plan, path))
			v[n++] = path;
	}
	*paths = v;
	return n;
}

size_t mentions_all_files(const struct mentions *m, const char ***paths)
{
	struct workspace *w = m->ox->workspace;
	const char **v = mem_new((m->disk.n + workspace_buffers(w) + 1) * sizeof(*v));
	size_t n = 0;

	for (size_t i = 0; i < m->disk.n; i++) {
		const char *path = m->disk.v[i].path;

		if ((!n || strcmp(v[n - 1], path) != 0) && !workspace_buffer_at(w, path))
			v[n++] = path;
	}
	for (size_t i = 0; i < workspace_buffers(w); i++) {
		struct doc *d = workspace_buffer_number(w, i)->doc;
		size_t at = 0;

		if (sources_has(&m->extensions, doc_path(d)) &&
		    str_find_name(doc_text(d), str_of(m->name), &at))
			v[n++] = doc_path(d);
	}
	*paths = v;
	return n;
}

size_t mentions_macros(const struct mentions *m, const char ***paths)
{
	struct workspace *w = m->ox->workspace;
	const char **v = mem_new((m->disk.n + workspace_buffers(w) + 1) * sizeof(*v));
	size_t n = 0;

	for (size_t i = 0; i < m->disk.n; i++) {
		const struct hit *h = &m->disk.v[i];

		if (h->in_macro && (!n || strcmp(v[n - 1], h->path) != 0) &&
		    !workspace_buffer_at(w, h->path))
			v[n++] = h->path;
	}
	for (size_t i = 0; m->macros && i < workspace_buffers(w); i++) {
		struct doc *d = workspace_buffer_number(w, i)->doc;
		struct macro macro;
		size_t at = 0;

		if (sources_has(&m->extensions, doc_path(d)) &&
		    macro_next_use(doc_text(d), str_of(m->name), &at, &macro))
			v[n++] = doc_path(d);
	}
	*paths = v;
	return n;
}

/* Those of the disk and of buffers, which hide it, in files that `skip` does not name. */
static void collect(struct mentions *m, const struct plan *skip, struct hits *out)
{
	struct workspace *w = m->ox->workspace;

	for (size_t i = 0; i < m->disk.n; i++) {
		struct hit *h = &m->disk.v[i];

		if (!(skip && in_plan(skip, h->path)) && !workspace_buffer_at(w, h->path))
			add_hit(out, h->path, h->line, str_of(h->text), h->in_macro);
	}
	for (size_t i = 0; i < workspace_buffers(w); i++) {
		struct doc *d = workspace_buffer_number(w, i)->doc;

		if (sources_has(&m->extensions, doc_path(d)) &&
		    !(skip && in_plan(skip, doc_path(d))))
			search(m, out, doc_path(d), doc_text(d));
	}
}

static json *rows_of(struct mentions *m, const struct hits *h)
{
	size_t most = (size_t)config_get(&m->ox->config, CFG_MENTION_LIST);
	json *list = json_array();

	for (size_t i = 0; i < h->n && i < most; i++) {
		json *row = json_push(list, json_object());

		json_put(row, "file", json_str(workspace_shown(m->ox->workspace, h->v[i].path)));
		json_put(row, "line", json_int((int64_t)h->v[i].line));
		json_put(row, "text", json_strz(h->v[i].text));
	}
	return list;
}

json *mentions_left(struct mentions *m, const struct plan *plan, size_t *total, bool *complete)
{
	struct hits left = { 0 };
	json *list;

	for (size_t i = 0; i < plan_files(plan); i++) {
		const struct plan_file *f = plan_file(plan, i);

		search(m, &left, f->new_path ? f->new_path : f->path, f->now);
	}
	collect(m, plan, &left);
	list = rows_of(m, &left);
	*total = left.n;
	*complete = m->complete;
	hits_release(&left);
	return list;
}

json *mentions_unknown(struct mentions *m, mention_known *known, void *arg, size_t *total,
		       bool *complete)
{
	struct hits all = { 0 }, left = { 0 };
	json *list;

	collect(m, NULL, &all);
	for (size_t i = 0; i < all.n; i++)
		if (!known(arg, all.v[i].path, all.v[i].line))
			add_hit(&left, all.v[i].path, all.v[i].line, str_of(all.v[i].text),
				all.v[i].in_macro);
	list = rows_of(m, &left);
	*total = left.n;
	*complete = m->complete;
	hits_release(&all);
	hits_release(&left);
	return list;
}

void mentions_free(struct mentions *m)
{
	if (!m)
		return;
	m->fn = NULL;
	m->abandoned = true;
	if (m->over)
		destroy(m);
}
