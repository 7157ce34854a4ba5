#include "member_search.h"

#include <stdlib.h>
#include <string.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "../code/member.h"
#include "../core/workspace.h"
#include "../io/disk.h"
#include "../io/loop.h"

/*
 *     member_search_start -> next_slice -> (worker) read_slice -> on_slice_read -> next_slice ...
 *         -> member_search_over -> fn
 */
#define SLICE 128 /* files that are read at a time */

struct member_file {
	char *path;		    /* as that of a use */
	const char **also;	    /* likewise, in one piece with its names */
	const struct word_use *use; /* of the name, in order */
	size_t n;
	bool renamed; /* some of them, by the plan */
	bool left;
	/* of the slice in hand */
	const struct language *lang;
	struct buf text; /* a document's; else the worker reads it */
	bool is_doc;
};

struct member_search {
	struct oxide *ox;
	const struct plan *plan;
	struct word_use *use;
	struct member_file *file; /* those with a place that the plan changes are the first */
	size_t files, cap, changed;
	size_t from, to; /* the slice */
	uint64_t biggest;
	bool renamed; /* what the plan changes is a member */
	struct member_found *found;
	size_t n, found_cap;
	bool cancelled;
	void (*fn)(void *arg);
	void *arg;
};

static void find_members(struct member_search *s, const struct member_file *f)
{
	struct member_text t SCOPED(member_text_release) = { 0 };
	struct str type;

	if (hash_of(buf_str(&f->text)) != f->use->text)
		return;
	member_text_init(&t, f->lang, buf_str(&f->text));
	for (size_t i = 0; i < f->n; i++) {
		const struct word_use *u = &f->use[i];
		bool declared = member_is_declared(&t, u->at, u->at + u->n, &type);

		if (word_in_plan(u, s->plan))
			s->renamed = s->renamed || declared || member_is_accessed(&t, u->at);
		else if (declared && !member_is_accessed(&t, u->at))
			mem_add(s->found, s->n, s->found_cap,
				(struct member_found){ f->path, mem_dup(type.p, type.n) });
	}
}

static bool read_text(const struct member_search *s, struct member_file *f)
{
	const struct fs *fs = disk_fs();
	struct fs_stat st;

	return f->is_doc ||
	       (fs->stat(fs->self, f->path, &st, ERR_IGNORED) && st.kind == FS_FILE &&
		st.size <= s->biggest && fs->read(fs->self, f->path, &f->text, NULL, ERR_IGNORED));
}

static void read_slice(void *arg)
{
	struct member_search *s = arg;

	for (size_t i = s->from; i < s->to; i++) {
		struct member_file *f = &s->file[i];

		if (member_by_shape(f->lang) && (f->left || !s->renamed) && read_text(s, f))
			find_members(s, f);
		buf_release(&f->text);
	}
}

static void member_search_over(void *arg)
{
	struct member_search *s = arg;

	free(s->use);
	s->use = NULL;
	s->fn(s->arg);
}

static void next_slice(struct member_search *s);

static void on_slice_read(void *arg)
{
	struct member_search *s = arg;

	s->from = s->to;
	/* where what is renamed is no member, the others do not matter */
	if (s->cancelled || s->from == s->files || (s->from == s->changed && !s->renamed))
		member_search_over(s);
	else
		next_slice(s);
}

/* The worker knows of no document. */
static void next_slice(struct member_search *s)
{
	struct workspace *w = s->ox->workspace;
	size_t end = s->from < s->changed ? s->changed : s->files;

	for (s->to = s->from; s->to < end && s->to - s->from < SLICE; s->to++) {
		struct member_file *f = &s->file[s->to];
		struct doc *d = workspace_known(w, f->path);

		f->lang = language_of(workspace_filetype(w, f->path));
		f->is_doc = d;
		if (d)
			buf_add(&f->text, doc_text(d));
	}
	loop_work(s->ox->loop, read_slice, on_slice_read, s);
}

static const char **copied(const char *const *names)
{
	size_t n = 0, bytes = 0;
	const char **v;
	char *text;

	for (; names[n]; n++)
		bytes += strlen(names[n]) + 1;
	v = mem_new((n + 1) * sizeof(*v) + bytes);
	text = (char *)(v + n + 1);
	for (size_t i = 0; i < n; i++) {
		v[i] = strcpy(text, names[i]);
		text += strlen(text) + 1;
	}
	return v;
}

/* Those in which the plan changes a place, or those in which it does not. */
static void add_files(struct member_search *s, size_t n, bool renamed)
{
	for (size_t from = 0, to; from < n; from = to) {
		const char *path = s->use[from].path;
		struct member_file f = { .use = &s->use[from] };

		for (to = from; to < n && !strcmp(s->use[to].path, path); to++) {
			bool planned = word_in_plan(&s->use[to], s->plan);

			f.renamed |= planned;
			f.left |= !planned;
		}
		f.n = to - from;
		if (f.renamed != renamed)
			continue;
		f.path = mem_dup(path, strlen(path));
		f.also = f.use->also ? copied(f.use->also) : NULL;
		for (size_t i = from; i < to; i++) { /* those of a buffer end with it */
			s->use[i].path = f.path;
			s->use[i].also = f.also;
		}
		mem_add(s->file, s->files, s->cap, f);
	}
}

static bool leaves_any(const struct member_search *s)
{
	for (size_t i = 0; i < s->files; i++)
		if (s->file[i].left)
			return true;
	return false;
}

struct member_search *member_search_start(struct oxide *ox, const struct word_search *mentions,
					  const struct plan *plan, void (*fn)(void *arg), void *arg)
{
	struct member_search *s = mem_new(sizeof(*s));
	size_t n;

	s->ox = ox;
	s->plan = plan;
	s->fn = fn;
	s->arg = arg;
	s->biggest = (uint64_t)config_get(&ox->config, CFG_FILE_BYTES);
	s->use = word_search_code(mentions, &n);
	add_files(s, n, true);
	s->changed = s->files;
	add_files(s, n, false);
	if (s->changed && leaves_any(s)) {
		next_slice(s);
		return s;
	}
	member_search_free(s);
	return NULL;
}

void member_search_cancel(struct member_search *s)
{
	s->cancelled = true;
}

const struct member_found *member_search_found(const struct member_search *s, size_t *n)
{
	*n = s->renamed ? s->n : 0;
	return s->found;
}

void member_search_free(struct member_search *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->files; i++) {
		free(s->file[i].path);
		free(s->file[i].also);
	}
	for (size_t i = 0; i < s->n; i++)
		free(s->found[i].type);
	free(s->file);
	free(s->found);
	free(s->use);
	free(s);
}
