#include <stdlib.h>
#include <string.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../core/filetypes.h"
#include "../core/workspace.h"
#include "../io/disk.h"
#include "../io/loop.h"
#include "presets.h"
#include "sources.h"
#include "unserved_sources.h"
#include "word_search_impl.h"

/*
 *     word_walk_join (each name) -> word_walk_wait, for some turns -> word_walk_begin
 *         -> work, on a worker -> word_walk_over -> word_search_over (each)
 */
static bool is_other_c(const char *path)
{
	static const char *const names[] = { "cc",  "cpp", "cxx", "c++", "C",  "hh",  "hpp",
					     "hxx", "h++", "m",	  "mm",	 "cu", "cuh", NULL };

	return str_among(path_ext(str_of(path)), names);
}

/* Of C and its kin: what is read with each of the files that include it. */
bool word_search_is_header(const char *path)
{
	static const char *const names[] = { "h", "hh", "hpp", "hxx", "h++", "inl", "inc", NULL };

	return str_among(path_ext(str_of(path)), names);
}

uint64_t word_walk_mix(uint64_t into, const char *path, uint64_t a, uint64_t b)
{
	struct str piece[] = { { (const char *)&into, sizeof(into) },
			       str_of(path),
			       { (const char *)&a, sizeof(a) },
			       { (const char *)&b, sizeof(b) } };

	return hash_pieces(piece, 4);
}

static void pass_over(struct word_walk *w, const char *path, const char *why)
{
	free(map_put(&w->passed, str_of(path), mem_dup(why, strlen(why))));
}

/* Of the hits in the file, which are the last ones. */
static void note_bare(struct word_search *m, const char *path)
{
	for (size_t i = m->before; i < m->disk.n; i++)
		if (!m->disk.v[i].at.bare)
			return;
	free(map_put(&m->bare, str_of(path),
		     mem_copy(&m->disk.v[m->before].at.text, sizeof(uint64_t))));
}

/* What was found in the file belongs to it; whether there is anything. */
static bool note_found(struct word_search *m, const char *path, const struct fs_stat *st)
{
	bool macros = m->walk->macros;

	if (m->disk.n == m->before)
		return false;
	if (macros)
		word_macros_add(m, buf_str(&m->walk->text));
	note_bare(m, path);
	for (; m->before < m->disk.n; m->before++)
		m->disk.v[m->before].at.changed = st->mtime_ns;
	return true;
}

static void search_file(void *arg, const char *path, const struct fs_stat *st)
{
	const struct fs *fs = disk_fs();
	struct word_walk *w = arg;
	struct err e = ERR_INIT;
	struct fs_stat seen;
	bool found = false;

	w->other_c = w->other_c || is_other_c(path);
	if (w->macros && word_search_is_header(path))
		w->headers = word_walk_mix(w->headers, path, (uint64_t)st->mtime_ns, st->size);
	buf_clear(&w->text);
	if (st->size > w->biggest) {
		pass_over(w, path, "it is larger than file.bytes");
		return;
	}
	if (!fs->read(fs->self, path, &w->text, &seen, &e)) {
		if (e.code != ERR_NOT_FOUND)
			pass_over(w, path, e.msg);
		return;
	}
	word_search_find(w, w->names, w->n_names, path, buf_str(&w->text));
	if (w->macros)
		unserved_included(w->root, &w->extensions, path, buf_str(&w->text), &w->included);
	for (size_t i = 0; i < w->n; i++)
		found |= note_found(w->v[i], path, st);
	if (found)
		text_cache_keep(&w->texts, path, buf_str(&w->text), &seen);
}

/* What is included may include more. */
static void search_included(struct word_walk *w)
{
	struct map done SCOPED(map_release) = MAP_INIT;

	map_each(it, &w->included) {
		const struct fs *fs = disk_fs();
		struct err e = ERR_INIT;
		struct fs_stat st;

		if (word_walk_stops(w))
			return;
		if (map_put(&done, it.key, w) || !fs->stat(fs->self, it.key.p, &st, &e))
			continue;
		search_file(w, it.key.p, &st);
		it.i = 0; /* from the start: the map may have grown */
	}
}

static void list_names(struct word_walk *w)
{
	w->names = mem_new(2 * w->n * sizeof(*w->names));
	for (size_t i = 0; i < w->n; i++) {
		struct word_search *m = w->v[i];

		w->names[w->n_names++] =
			(struct name_sought){ str_of(m->name), &m->disk, 0, false };
		if (m->beside)
			w->names[w->n_names++] = (struct name_sought){ str_of(m->beside),
								       &m->disk_beside, 0, false };
	}
}

static void work(void *arg)
{
	struct word_walk *w = arg;
	struct sources s = { w->root,	  &w->walked, w->most_files,  w,
			     search_file, &w->stop,   word_twins_note };

	list_names(w);
	w->complete = sources_walk(&s);
	search_included(w);
	word_macros_search(w);
}

/* As long as one of them is wanted, all names are looked for. */
void word_walk_give_up(struct word_walk *w)
{
	if (++w->given_up == w->n && w->begun)
		atomic_store(&w->stop, true);
}

void word_walk_leave(struct word_walk *w)
{
	if (--w->users)
		return;
	text_cache_release(&w->texts);
	map_release_values(&w->passed);
	map_release(&w->extensions);
	map_release(&w->walked);
	map_release(&w->included);
	word_twins_forget(w);
	buf_release(&w->text);
	free(w->names);
	free(w->filetype);
	free(w->root);
	free(w->v);
	free(w);
}

static void word_walk_over(void *arg)
{
	struct word_walk *w = arg;

	w->users++; /* while it is used here */
	for (size_t i = 0; i < w->n; i++)
		word_search_over(w->v[i]);
	word_walk_leave(w);
}

static void word_walk_begin(void *arg)
{
	struct word_walk *w = arg;

	if (w->ox->walk == w)
		w->ox->walk = NULL;
	w->begun = true;
	atomic_store(&w->stop, w->given_up == w->n);
	loop_work(w->ox->loop, work, word_walk_over, w);
}

/* Of the questions that came together the first one is worked out while the others are read
 * (pending_call.c); those begin at the end of that turn, and find their servers at the end of the
 * next. */
#define TURNS 2

static void word_walk_wait(void *arg)
{
	struct word_walk *w = arg;

	loop_soon(w->ox->loop, w->waited++ < TURNS - 1 ? word_walk_wait : word_walk_begin, w);
}

/* Of a type that only the editor knows: as the names of its buffers end. */
static void add_of_buffers(struct workspace *ws, const char *filetype, struct map *out)
{
	for (size_t i = 0; i < workspace_buffers(ws); i++) {
		const char *path = doc_path(workspace_buffer_number(ws, i)->doc);
		struct str ext = path_ext(str_of(path));

		if (ext.n && !strcmp(workspace_filetype(ws, path), filetype))
			map_put(out, ext, ws);
	}
}

/* A type that no preset has may be served by a client of the editor's own, or looked at without a
 * server. */
void word_search_extensions(const struct oxide *ox, const char *filetype, struct map *out)
{
	if (!filetype)
		presets_served(ox->presets, out);
	else
		presets_extensions(ox->presets, filetype, out);
	if (filetype && !map_count(out))
		filetypes_extensions(ox->filetypes, filetype, out);
	if (filetype && !map_count(out))
		add_of_buffers(ox->workspace, filetype, out);
}

static struct word_walk *word_walk_new(struct oxide *ox, const char *root, const char *filetype)
{
	struct word_walk *w = mem_new(sizeof(*w));

	w->ox = ox;
	w->filetype = filetype ? mem_dup(filetype, strlen(filetype)) : NULL;
	w->root = mem_dup(root, strlen(root));
	w->most_files = (size_t)config_get(&ox->config, CFG_MENTION_FILES);
	w->biggest = (uint64_t)config_get(&ox->config, CFG_FILE_BYTES);
	w->texts.room = (size_t)config_get(&ox->config, CFG_MENTION_BYTES);
	w->lang = filetype ? language_of(filetype) : NULL;
	w->macros = w->lang && language_has_macros(w->lang);
	word_search_extensions(ox, filetype, &w->extensions);
	word_search_extensions(ox, filetype, &w->walked);
	if (w->lang)
		unserved_extensions(w->lang, &w->walked);
	loop_soon(ox->loop, word_walk_wait, w);
	return w;
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

struct word_walk *word_walk_join(struct word_search *m, const char *root, const char *filetype)
{
	struct word_walk *w = m->ox->walk;

	if (!w || strcmp(w->root, root) != 0 || !is_same(w->filetype, filetype))
		w = m->ox->walk = word_walk_new(m->ox, root, filetype);
	w->users++;
	mem_add(w->v, w->n, w->cap, m);
	return w;
}
