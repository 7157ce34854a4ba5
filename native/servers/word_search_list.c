#include <stdlib.h>
#include <string.h>

#include "../base/mem.h"
#include "../code/macro.h"
#include "../core/workspace.h"
#include "sources.h"
#include "word_search_impl.h"

static const struct plan_file *in_plan(const struct plan *plan, const char *path)
{
	if (!path)
		return NULL;
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

/* By whichever of its names the file is changed. */
static const struct plan_file *use_in_plan(const struct word_use *m, const struct plan *plan)
{
	const struct plan_file *f = in_plan(plan, m->path);

	for (const char *const *name = m->also; !f && name && *name; name++)
		f = in_plan(plan, *name);
	return f;
}

bool word_is_in(const struct word_use *m, struct str path)
{
	bool is = str_eq(path, str_of(m->path));

	for (const char *const *name = m->also; !is && name && *name; name++)
		is = str_eq(path, str_of(*name));
	return is;
}

/* The first edit that touches the place, of those after which come in order; edits.n: none does.
 * What is left of an edit is what differs of the two names. */
static size_t first_edit(const struct word_use *m, const struct plan_file *f)
{
	size_t lo = 0, hi = f->edits.n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (f->edits.v[mid].span.end < m->at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < f->edits.n && f->edits.v[lo].span.at <= m->at + m->n ? lo : f->edits.n;
}

bool word_in_plan(const struct word_use *m, const struct plan *plan)
{
	const struct plan_file *f = use_in_plan(m, plan);

	return f && f->was_hash == m->text && first_edit(m, f) < f->edits.n;
}

bool word_kept(const struct word_use *m, const struct plan *plan, struct str name)
{
	const struct plan_file *f = use_in_plan(m, plan);
	size_t i = f && f->was_hash == m->text ? first_edit(m, f) : SIZE_MAX;
	size_t from = m->at, at = 0;
	struct buf now SCOPED(buf_release) = BUF_INIT;

	for (; i != SIZE_MAX && i < f->edits.n && f->edits.v[i].span.at <= m->at + m->n; i++) {
		const struct edit *e = &f->edits.v[i];

		if (e->span.at > from)
			buf_add(&now, str_sub(name, from - m->at, e->span.at - m->at));
		buf_add(&now, e->with);
		from = e->span.end;
	}
	if (from < m->at + m->n)
		buf_add(&now, str_sub(name, from - m->at, m->n));
	return now.n && str_find_name(buf_str(&now), name, &at);
}

/* Those of `h`, and of buffers with the name. */
static size_t files_with(const struct word_search *m, struct str name, const struct hits *hits,
			 const char ***paths)
{
	struct workspace *w = m->ox->workspace;
	const char **v = mem_new((hits->n + workspace_buffers(w) + 1) * sizeof(*v));
	struct word_twins twins SCOPED(word_twins_release) = { 0 };
	size_t n = 0;

	word_twins_init(&twins, m, hits);
	for (size_t i = 0; i < hits->n; i++) {
		const struct hit *h = &hits->v[i];

		if (!h->at.unread && (!n || strcmp(v[n - 1], h->path) != 0) &&
		    !workspace_buffer_at(w, h->path))
			v[n++] = h->path;
	}
	for (size_t i = 0; i < workspace_buffers(w); i++) {
		struct doc *d = workspace_buffer_number(w, i)->doc;
		size_t at = 0;

		if (!twins.is[i] && sources_has(&m->walk->extensions, doc_path(d)) &&
		    str_find_name(doc_text(d), name, &at))
			v[n++] = doc_path(d);
	}
	*paths = v;
	return n;
}

size_t word_search_all_files(const struct word_search *m, const char ***paths)
{
	return files_with(m, str_of(m->name), &m->disk, paths);
}

bool word_search_has_beside(const struct word_search *m, struct str name, const char *filetype)
{
	return m->beside && str_eq(str_of(m->beside), name) && m->walk->filetype && filetype &&
	       !strcmp(m->walk->filetype, filetype);
}

size_t word_search_files_beside(const struct word_search *m, const char ***paths)
{
	return files_with(m, str_of(m->beside), &m->disk_beside, paths);
}

static struct word_use *word_list_push(struct word_use **v, size_t *n, size_t *cap,
				       const char *path, const struct word_use *at)
{
	*v = mem_grow(*v, cap, *n + 1, sizeof(**v));
	(*v)[*n] = *at;
	(*v)[*n].path = path;
	return &(*v)[(*n)++];
}

static bool is_code(const struct word_use *at)
{
	return at->code && !at->unread;
}

static bool is_unread(const struct word_use *at)
{
	return at->code && at->unread;
}

static bool is_in_body(const struct word_use *at)
{
	return at->in_macro && !at->unread;
}

/* Those in the text of a buffer that the disk has as well, where the worker has found them already;
 * how many there are. 0: none, or it is another text. */
static size_t hits_of_same_text(const struct word_search *m, struct doc *d, const struct hit **v)
{
	const struct hits *h = &m->disk;
	size_t from = 0, n = 0;

	while (from < h->n &&
	       (h->v[from].at.text != doc_hash(d) || strcmp(h->v[from].path, doc_path(d)) != 0))
		from++;
	while (from + n < h->n && !strcmp(h->v[from + n].path, doc_path(d)))
		n++;
	*v = n ? &h->v[from] : NULL;
	return n;
}

static struct word_use *such(const struct word_search *m, bool (*is)(const struct word_use *at),
			     size_t *n)
{
	struct workspace *w = m->ox->workspace;
	struct word_twins twins SCOPED(word_twins_release) = { 0 };
	struct word_use *v = NULL;
	size_t cap = 0;

	*n = 0;
	word_twins_init(&twins, m, &m->disk);
	for (size_t i = 0; i < m->disk.n; i++) {
		const struct hit *h = &m->disk.v[i];

		if (is(&h->at) && !workspace_buffer_at(w, h->path))
			word_list_push(&v, n, &cap, h->path, &h->at)->also = twins.also[i];
	}
	for (size_t i = 0; i < workspace_buffers(w); i++) {
		struct doc *d = workspace_buffer_number(w, i)->doc;
		struct hits hits SCOPED(hits_release) = { 0 };
		const struct hit *hit;
		struct word_use *use;
		size_t found;

		if (twins.is[i] || !word_search_searched(m, doc_path(d)))
			continue;
		found = hits_of_same_text(m, d, &hit);
		if (!found) {
			word_search_search(m, &hits, doc_path(d), doc_text(d));
			hit = hits.v;
			found = hits.n;
		}
		for (size_t k = 0; k < found; k++) {
			if (!is(&hit[k].at))
				continue;
			use = word_list_push(&v, n, &cap, doc_path(d), &hit[k].at);
			use->changed = INT64_MAX;
			use->also = hits.n ? NULL : word_twins_names(m, doc_path(d), NULL);
		}
	}
	return v;
}

struct word_use *word_search_code(const struct word_search *m, size_t *n)
{
	return such(m, is_code, n);
}

struct word_use *word_search_unread(const struct word_search *m, size_t *n)
{
	return such(m, is_unread, n);
}

struct word_use *word_search_bodies(const struct word_search *m, size_t *n)
{
	return such(m, is_in_body, n);
}

const struct map *word_search_passed(const struct word_search *m)
{
	return &m->walk->passed;
}

bool word_search_only_c(const struct word_search *m)
{
	return m->walk->macros && m->walk->complete && !m->walk->other_c;
}

const char *word_search_gap(const struct word_search *m)
{
	if (!map_count(&m->walk->walked))
		return "no file was searched for the name: which files have this type is not known";
	return m->walk->complete ? NULL
				 : "not all files were searched for the name (mentions.files)";
}

bool word_search_whole(const struct word_search *m)
{
	return !word_search_gap(m);
}

size_t word_search_macros(const struct word_search *m, const char ***paths)
{
	struct workspace *w = m->ox->workspace;
	const char **v = mem_new((m->disk.n + workspace_buffers(w) + 1) * sizeof(*v));
	struct word_twins twins SCOPED(word_twins_release) = { 0 };
	size_t n = 0;

	word_twins_init(&twins, m, &m->disk);
	for (size_t i = 0; i < m->disk.n; i++) {
		const struct hit *h = &m->disk.v[i];

		if (h->at.in_macro && !h->at.unread && (!n || strcmp(v[n - 1], h->path) != 0) &&
		    !workspace_buffer_at(w, h->path))
			v[n++] = h->path;
	}
	for (size_t i = 0; m->walk->macros && i < workspace_buffers(w); i++) {
		struct doc *d = workspace_buffer_number(w, i)->doc;
		struct macros in = macros_of(doc_text(d));
		struct macro macro;
		size_t at = 0;

		if (!twins.is[i] && sources_has(&m->walk->extensions, doc_path(d)) &&
		    macros_next_use(&in, str_of(m->name), &at, &macro))
			v[n++] = doc_path(d);
	}
	*paths = v;
	return n;
}

static bool word_list_is_text(const struct word_use *at)
{
	return at->text && !is_code(at) && !at->directive;
}

struct word_use *word_search_texts_left(const struct word_search *m, const struct plan *plan,
					size_t *n)
{
	size_t most = (size_t)config_get(&m->ox->config, CFG_MENTION_LIST), all;
	struct word_use *v = such(m, word_list_is_text, &all);

	*n = 0;
	for (size_t i = 0; i < all && *n < most; i++)
		if (!word_in_plan(&v[i], plan))
			v[(*n)++] = v[i];
	return v;
}

/* By another name only where that is of the same text. */
static bool buffer_in_plan(const struct word_search *m, struct doc *d, const struct plan *plan)
{
	struct word_use any = { .path = doc_path(d),
				.also = word_twins_names(m, doc_path(d), NULL) };
	const struct plan_file *f = use_in_plan(&any, plan);

	return f && (!strcmp(f->path, any.path) || f->was_hash == doc_hash(d));
}

/* Those of the disk and of buffers, which hide it, in files that `skip` does not name. */
static void word_list_collect(struct word_search *m, const struct plan *skip, struct hits *out)
{
	struct workspace *w = m->ox->workspace;
	struct word_twins twins SCOPED(word_twins_release) = { 0 };

	word_twins_init(&twins, m, &m->disk);
	for (size_t i = 0; i < m->disk.n; i++) {
		struct hit *h = &m->disk.v[i];

		struct word_use at = h->at;

		at.path = h->path;
		at.also = twins.also[i];
		if ((skip && use_in_plan(&at, skip)) || workspace_buffer_at(w, h->path))
			continue;
		hits_add(out, h->path, &at, str_of(h->text));
	}
	for (size_t i = 0; i < workspace_buffers(w); i++) {
		struct doc *d = workspace_buffer_number(w, i)->doc;

		if (!twins.is[i] && word_search_searched(m, doc_path(d)) &&
		    !(skip && buffer_in_plan(m, d, skip)))
			word_search_search(m, out, doc_path(d), doc_text(d));
	}
}

static json *word_list_rows_of(struct word_search *m, const struct hits *h)
{
	size_t most = (size_t)config_get(&m->ox->config, CFG_MENTION_LIST);
	json *list = json_array();

	for (size_t i = 0; i < h->n && i < most; i++) {
		json_push(list, json_of({ "file", json_str(workspace_shown(m->ox->workspace,
									   h->v[i].path)) },
					{ "line", json_int((int64_t)h->v[i].at.line) },
					{ "column", json_int((int64_t)h->v[i].at.column + 1) },
					{ "text", json_strz(h->v[i].text) }));
	}
	return list;
}

json *word_search_left(struct word_search *m, const struct plan *plan, size_t *total)
{
	struct hits left SCOPED(hits_release) = { 0 };
	json *list;

	for (size_t i = 0; i < plan_files(plan); i++) {
		const struct plan_file *f = plan_file(plan, i);

		word_search_search(m, &left, plan_path_after(f), f->now);
	}
	word_list_collect(m, plan, &left);
	list = word_list_rows_of(m, &left);
	*total = left.n;
	return list;
}

static bool is_known(const struct hit *h, word_known *known, void *arg)
{
	bool is = known(arg, h->path, h->at.line);

	for (const char *const *name = h->at.also; !is && name && *name; name++)
		is = known(arg, *name, h->at.line);
	return is;
}

json *word_search_unknown(struct word_search *m, word_known *known, void *arg, size_t *total)
{
	struct hits all SCOPED(hits_release) = { 0 }, left SCOPED(hits_release) = { 0 };
	json *list;

	word_list_collect(m, NULL, &all);
	for (size_t i = 0; i < all.n; i++) {
		const struct hit *h = &all.v[i];

		if (!is_known(h, known, arg))
			hits_add(&left, h->path, &h->at, str_of(h->text));
	}
	list = word_list_rows_of(m, &left);
	*total = left.n;
	return list;
}
