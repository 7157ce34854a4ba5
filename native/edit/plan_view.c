#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "plan_impl.h"

const char *plan_path_after(const struct plan_file *f)
{
	return f->new_path ? f->new_path : f->path;
}

const char *plan_file_kind(const struct plan_file *f)
{
	return !f->existed ? "create" : !f->exists ? "delete" : f->new_path ? "rename" : NULL;
}

/* Takes the diff; what it was before goes. */
static void count_in(struct plan_file *f, struct diff d)
{
	diff_release(&f->diff);
	f->diff = d;
	for (size_t i = 0; i < d.n; i++) {
		f->lines_added += d.v[i].new_n;
		f->lines_removed += d.v[i].old_n;
	}
}

void plan_compare(struct plan_file *f)
{
	struct diff d;

	f->lines_added = f->lines_removed = 0;
	buf_release(&f->lines);
	if (plan_file_links(f)) {
		/* As a whole: what leads elsewhere is not changed in a part. */
		diff_lines(&d, f->was, STR(""));
		count_in(f, d);
		diff_lines(&d, STR(""), f->now);
	} else if (f->existed && f->exists) {
		diff_edited(&d, f->was, &f->edits, &f->lines);
	} else {
		diff_lines(&d, f->was, f->now);
	}
	count_in(f, d);
}

/* Describes what became of a file; false when nothing did. */
static bool plan_view_describe(struct node *n, struct plan_file *f)
{
	*f = (struct plan_file){ .path = n->was_path ? n->was_path : n->now_path,
				 .existed = n->was_path,
				 .exists = n->now_path,
				 .was = STR(""),
				 .now = STR(""),
				 .edits = { .checked = true } };
	if (!f->existed && !f->exists)
		return false;
	if (f->existed && f->exists && strcmp(n->was_path, n->now_path) != 0)
		f->new_path = n->now_path;
	if (f->existed) {
		f->was_mode = n->was_mode;
		f->was = buf_str(&n->was);
		f->was_hash = n->was_hash;
		f->seen = n->seen;
	}
	if (f->exists) {
		f->now_mode = n->now_mode;
		f->now = node_text(n);
		f->now_hash = n->changed ? hash_of(f->now) : n->was_hash;
	}
	if (plan_file_links(f) && f->was_mode == f->now_mode && str_eq(f->was, f->now))
		return f->new_path;
	if (!f->existed || !f->exists || plan_file_links(f)) {
		plan_compare(f);
		return true;
	}
	if (!n->changed || str_eq(f->was, f->now))
		return f->new_path || f->was_mode != f->now_mode;
	if (n->rewrites == 1) {
		f->edits = n->edits;
		n->edits = (struct edits)EDITS_INIT;
	} else {
		diff_edits(&f->edits, f->was, f->now);
	}
	plan_compare(f);
	return true;
}

/* The same of one that may rest: it goes on doing so if nothing came after. */
static bool describe_any(struct plan *p, struct node *n, struct plan_file *f, bool *is,
			 struct err *e)
{
	if (n->rested &&
	    (n->rewrites > 1 || !n->now_path || strcmp(n->was_path, n->now_path) != 0) &&
	    !plan_wake(p, n, e))
		return false;
	*is = true;
	if (!n->rested) {
		*is = plan_view_describe(n, f);
		return true;
	}
	*f = *n->rested;
	f->now_mode = n->now_mode;
	n->rested = NULL;
	return true;
}

static bool ask(struct plan *p, struct map *asked, const char *path, bool itself, struct err *e)
{
	struct buf by SCOPED(buf_release) = BUF_INIT;
	bool ok;

	if (!path || map_put(asked, str_of(path), p))
		return true;
	ok = p->src->allowed(p->src->self, path, itself, &p->exempt, &by, e);
	if (by.n)
		map_put(&p->exempted, str_of(path), (void *)arena_str(&p->arena, buf_str(&by)).p);
	return ok;
}

const char *plan_exempt(const struct plan *p, const char *path)
{
	return map_get(&p->exempted, str_of(path));
}

void plan_exempt_put(const struct plan *p, struct exemptions *out)
{
	map_each(it, &p->exempted)
		exempt_add(out, it.value);
}

bool plan_has_exempt(const struct plan *p)
{
	return map_count(&p->exempted);
}

static bool changes_name(const struct plan_file *f)
{
	return plan_file_links(f) || !f->exists || f->new_path;
}

static bool ask_of(struct plan *p, struct map *asked, const struct plan_file *f, struct err *e)
{
	return ask(p, asked, f->path, changes_name(f), e) &&
	       ask(p, asked, f->new_path, plan_file_links(f), e);
}

static void expect_texts(struct plan *p)
{
	const char **path SCOPED(mem_release) = mem_new((p->files + 1) * sizeof(*path));
	size_t n = 0;

	for (size_t i = 0; i < p->files; i++)
		if (!changes_name(&p->file[i]))
			path[n++] = p->file[i].path;
	p->src->permits(p->src->self, path, n);
}

bool plan_file_links(const struct plan_file *f)
{
	return f->was_mode == MODE_LINK || f->now_mode == MODE_LINK;
}

static int by_path(const void *a, const void *b)
{
	const struct plan_file *x = a, *y = b;
	int c = strcmp(x->path, y->path);

	/* What went from a path before what came to it. */
	return c ? c : (int)y->existed - (int)x->existed;
}

/* A directory sorts before what lies in it. */
static int deepest_first(const void *a, const void *b)
{
	return strcmp(*(const char *const *)b, *(const char *const *)a);
}

static void list_dirs(struct plan *p)
{
	p->dir = mem_new((map_count(&p->gone) + 1) * sizeof(*p->dir));
	map_each(it, &p->gone)
		if (!map_get(&p->above, it.key))
			p->dir[p->dirs++] = arena_str(&p->arena, it.key).p;
	qsort(p->dir, p->dirs, sizeof(*p->dir), deepest_first);
}

/* Directories that a new name needs, and that are not there or are files now. */
static bool find_made(struct plan *p, struct map *known, const struct plan_file *f, struct err *e)
{
	const char *fresh = f->new_path ? f->new_path : f->existed ? "" : f->path;
	struct str dir = path_dir(str_of(fresh));
	struct fs_stat st = { .kind = FS_NONE };

	for (; dir.n > 1 && st.kind != FS_DIR && !map_put(known, dir, p); dir = path_dir(dir)) {
		const char *name = arena_str(&p->arena, dir).p;

		if (!p->src->stat(p->src->self, name, &st, e))
			return false;
		if (st.kind == FS_DIR && !st.link)
			continue;
		if (st.link && !map_get(&p->shed, dir))
			continue;
		st.kind = FS_NONE;
		mem_add(p->made, p->n_made, p->made_cap, name);
	}
	return true;
}

static bool ask_all(struct plan *p, struct err *e)
{
	struct map asked SCOPED(map_release) = MAP_INIT,
			 known SCOPED(map_release) = MAP_INIT; /* directories that were looked at */
	bool ok = true;

	if (p->src->permits)
		expect_texts(p);
	for (size_t i = 0; i < p->files && ok; i++)
		ok = ask_of(p, &asked, &p->file[i], e) && find_made(p, &known, &p->file[i], e);
	for (size_t i = 0; i < p->dirs && ok; i++)
		ok = ask(p, &asked, p->dir[i], true, e);
	if (p->src->permits)
		p->src->permits(p->src->self, NULL, 0);
	return ok;
}

bool plan_finish(struct plan *p, struct err *e)
{
	bool ok = true;

	if (p->finished)
		BUG("plan_finish() twice");
	p->finished = true;
	p->file = mem_new((p->nodes + 1) * sizeof(*p->file));
	for (size_t i = 0; i < p->nodes && ok; i++) {
		bool is = false;

		ok = describe_any(p, p->node[i], &p->file[p->files], &is, e);
		p->files += ok && is;
	}
	qsort(p->file, p->files, sizeof(*p->file), by_path);
	list_dirs(p);
	ok = ok && ask_all(p, e);
	if (!ok && p->refusals && exempt_refused(&p->exempt))
		exempt_refuse(p->refusals, exempt_refused(&p->exempt));
	p->refusals = NULL;
	if (p->n_made)
		qsort(p->made, p->n_made, sizeof(*p->made), deepest_first);
	return ok;
}

static void must_be_finished(const struct plan *p)
{
	if (!p->finished)
		BUG("a plan was read before plan_finish()");
}

size_t plan_files(const struct plan *p)
{
	must_be_finished(p);
	return p->files;
}

const struct plan_file *plan_file(const struct plan *p, size_t i)
{
	must_be_finished(p);
	if (i >= p->files)
		BUG("file %zu of %zu", i, p->files);
	return &p->file[i];
}

size_t plan_edits(const struct plan *p)
{
	return p->asked;
}

size_t plan_empty_dirs(const struct plan *p, const char *const **dirs)
{
	must_be_finished(p);
	*dirs = p->dir;
	return p->dirs;
}

size_t plan_made_dirs(const struct plan *p, const char *const **dirs)
{
	must_be_finished(p);
	*dirs = p->made;
	return p->n_made;
}

void plan_file_diff(const struct plan *p, const struct plan_file *f, struct buf *out)
{
	const char *after = plan_path_after(f);

	diff_sides(out,
		   &(struct diff_side){ f->existed ? plan_shown(p, f->path) : NULL, f->was_mode,
					f->was },
		   &(struct diff_side){ f->exists ? plan_shown(p, after) : NULL, f->now_mode,
					f->lines.n ? buf_str(&f->lines) : f->now },
		   plan_file_links(f) ? NULL : &f->diff, DIFF_CONTEXT);
}

/* Right below a header without hunks "---" would belong to it. */
static void keep_apart(const struct plan *p, const struct plan_file *f, struct buf *out)
{
	struct buf one SCOPED(buf_release) = BUF_INIT;

	plan_file_diff(p, f, &one);
	if (str_starts(buf_str(&one), STR("--- ")))
		buf_addc(out, '\n');
	buf_add(out, buf_str(&one));
}

void plan_preview(const struct plan *p, struct buf *out)
{
	size_t size = 0;

	must_be_finished(p);
	for (size_t i = 0; i < p->files; i++)
		size += diff_size(&p->file[i].diff, DIFF_CONTEXT);
	buf_room(out, size);
	for (size_t i = 0; i < p->files; i++)
		if (i && str_eq(p->file[i - 1].was, p->file[i - 1].now))
			keep_apart(p, &p->file[i], out);
		else
			plan_file_diff(p, &p->file[i], out);
}

static int by_state_path(const void *a, const void *b)
{
	const struct txn_file *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static struct txn_file *state_of(struct plan *p, struct map *known, const char *path, size_t *n)
{
	struct txn_file *s = map_get(known, str_of(path));

	if (!s) {
		s = &p->state[(*n)++];
		s->path = path;
		s->within = plan_exempt(p, path);
		s->now = STR("");
		map_put(known, str_of(path), s);
	}
	return s;
}

static void put_edits(struct txn_file *s, const struct plan_file *f)
{
	s->edits = &f->edits;
	if (!f->part)
		s->was = f->was;
	s->now_n = f->now_n;
	s->now_hash = f->now_hash;
}

const struct txn_file *plan_states(struct plan *p, size_t *n)
{
	struct map known SCOPED(map_release) = MAP_INIT;

	must_be_finished(p);
	free(p->state);
	p->state = mem_new((2 * p->files + 1) * sizeof(*p->state));
	*n = 0;
	for (size_t i = 0; i < p->files; i++) {
		const struct plan_file *f = &p->file[i];
		struct txn_file *s;

		if (f->existed) {
			s = state_of(p, &known, f->path, n);
			s->existed = true;
			s->was_link = f->was_mode == MODE_LINK;
			s->was_hash = f->was_hash;
			s->seen = f->seen;
		}
		if (f->exists) {
			s = state_of(p, &known, plan_path_after(f), n);
			s->exists = true;
			s->now = f->now;
			if (f->rested)
				put_edits(s, f);
			s->like = f->new_path && !plan_file_links(f) ? f->path : NULL;
			s->mode = f->now_mode == f->was_mode && f->now_mode != MODE_LINK
					  ? 0
					  : f->now_mode;
		}
	}
	qsort(p->state, *n, sizeof(*p->state), by_state_path);
	return p->state;
}

/* Whether file i and an earlier one have a name in common and go different ways. */
static bool parted(struct plan *p, struct map *users, size_t i, const bool *keep, const char *path,
		   struct err *e)
{
	struct plan_file *other = path ? map_put(users, str_of(path), &p->file[i]) : NULL;

	if (!other || keep[i] == keep[other - p->file])
		return false;
	err_set(e, ERR_INVALID,
		"%s and %s belong together, because one takes the other's name: accept both or "
		"neither",
		plan_shown(p, other->path), plan_shown(p, p->file[i].path));
	return true;
}

/* A directory stays for the sake of a file that was left out. */
static void keep_dirs_of(struct plan *p, const struct plan_file *f)
{
	size_t n = 0;

	for (size_t i = 0; i < p->dirs; i++)
		if (!f->existed || !path_below(str_of(p->dir[i]), str_of(f->path)))
			p->dir[n++] = p->dir[i];
	p->dirs = n;
}

bool plan_keep(struct plan *p, const bool *keep, struct err *e)
{
	struct map users SCOPED(map_release) = MAP_INIT;
	bool bad = false;
	size_t n = 0;

	must_be_finished(p);
	for (size_t i = 0; i < p->files && !bad; i++)
		bad = parted(p, &users, i, keep, p->file[i].path, e) ||
		      parted(p, &users, i, keep, p->file[i].new_path, e);
	if (bad)
		return false;
	p->asked = 0;
	for (size_t i = 0; i < p->files; i++)
		if (keep[i]) {
			p->asked += p->file[i].edits.n ? p->file[i].edits.n : 1;
			p->file[n++] = p->file[i];
		} else {
			keep_dirs_of(p, &p->file[i]);
			plan_file_release(&p->file[i]);
		}
	p->files = n;
	return true;
}
