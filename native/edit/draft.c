#include "draft.h"

#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../text/merge.h"
#include "draft_impl.h"
#include "history_record.h"

struct draft *draft_new(const struct plan_source *real)
{
	struct draft *d = mem_new(sizeof(*d));

	d->real = real;
	return d;
}

static void draft_file_free(struct draft_file *f)
{
	doc_free(f->doc);
	buf_release(&f->base);
	buf_release(&f->text);
	free(f->from);
	free(f->to);
	free(f->real_from);
	free(f->real_to);
	free(f);
}

static void draft_clear(struct draft *d)
{
	for (size_t i = 0; i < d->n; i++)
		draft_file_free(d->v[i]);
	for (size_t i = 0; i < d->n_gone; i++)
		free(d->gone[i]);
	d->n = d->n_gone = 0;
	exempt_release(&d->exempt);
}

void draft_free(struct draft *d)
{
	if (!d)
		return;
	draft_clear(d);
	free(d->v);
	free(d->gone);
	free(d);
}

size_t draft_files(const struct draft *d)
{
	return d->n;
}

static char *dup_path(const char *path)
{
	return path ? mem_dup(path, strlen(path)) : NULL;
}

static struct draft_file *draft_add_file(struct draft *d)
{
	return mem_add(d->v, d->n, d->cap, mem_new(sizeof(struct draft_file)));
}

static struct draft_file *copy_file(struct draft *d, const struct draft_file *f)
{
	struct draft_file *to = draft_add_file(d);

	to->from = dup_path(f->from);
	to->to = dup_path(f->to);
	to->real_from = dup_path(f->real_from);
	to->real_to = dup_path(f->real_to);
	to->dev = f->dev;
	to->ino = f->ino;
	to->from_mode = f->from_mode;
	to->to_mode = f->to_mode;
	buf_add(&to->base, buf_str(&f->base));
	buf_add(&to->text, buf_str(&f->text));
	return to;
}

static void add_gone(struct draft *d, const char *dir)
{
	mem_add(d->gone, d->n_gone, d->gone_cap, dup_path(dir));
}

static struct draft_file *add_real(struct draft *d, const char *path, const struct plan_file *f)
{
	struct draft_file *o = draft_add_file(d);

	o->from = dup_path(path);
	o->to = dup_path(path);
	o->from_mode = f->was_mode;
	o->to_mode = f->was_mode;
	buf_add(&o->base, f->was);
	draft_find_real(d, o);
	draft_name_real(d, o);
	return o;
}

/* What a file of the step was in the draft. Texts are edited through links. */
static struct draft_file *origin_of(struct draft *d, const struct plan_file *f)
{
	struct draft_file *o = f->existed ? draft_at(d, f->path) : draft_from(d, f->path);
	struct draft_file *led;
	char *to SCOPED(mem_release) = NULL;

	if (!f->existed)
		return o && !o->to ? o : draft_add_file(d); /* removed before, it comes again */
	if (!o)
		return add_real(d, f->path, f);
	if (o->to_mode != MODE_LINK || f->was_mode == MODE_LINK)
		return o;
	to = draft_leads_to(o);
	led = draft_at(d, to);
	return led ? led : add_real(d, to, f);
}

static void set_file(const struct draft *d, struct draft_file *o, const struct plan_file *f)
{
	char *to = f->exists ? dup_path(plan_path_after(f)) : NULL;

	o->to_mode = f->now_mode;
	if (to && o->to && f->existed && !f->new_path) {
		free(to); /* it keeps its name, also where it was edited by another */
	} else {
		free(o->to);
		o->to = to;
	}
	draft_name_real(d, o);
	buf_clear(&o->text);
	buf_add(&o->text, f->now);
}

static bool changes_nothing(const struct draft_file *f)
{
	if (!f->from || !f->to)
		return !f->from && !f->to;
	return !strcmp(f->from, f->to) && f->from_mode == f->to_mode &&
	       str_eq(buf_str(&f->base), buf_str(&f->text));
}

static void drop_unchanged(struct draft *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		if (changes_nothing(d->v[i]))
			draft_file_free(d->v[i]);
		else
			d->v[n++] = d->v[i];
	d->n = n;
}

/* Each can get one text. */
static bool no_doubles(const struct draft *d, struct err *e)
{
	struct map names SCOPED(map_release) = MAP_INIT;
	bool ok = true;

	for (size_t i = 0; i < d->n && ok; i++) {
		const struct draft_file *f = d->v[i], *other = NULL;

		if (f->real_to)
			other = map_put(&names, str_of(f->real_to), d->v[i]);
		if (other)
			ok = err_set(e, ERR_CONFLICT, "%s and %s are the same file", other->to,
				     f->to);
	}
	return ok;
}

static bool add_origin(struct map *taken, struct draft_file *o, const struct plan_file *f,
		       struct err *e)
{
	const struct plan_file *other =
		map_put(taken, (struct str){ (const char *)&o, sizeof(o) }, (void *)(uintptr_t)f);

	return !other ||
	       err_set(e, ERR_CONFLICT, "%s and %s are the same file", other->path, f->path);
}

static bool add_step(struct draft *d, const struct plan *step, struct err *e)
{
	size_t n = plan_files(step), n_dirs;
	struct draft_file **origin = mem_new((n + 1) * sizeof(struct draft_file *));
	struct map taken SCOPED(map_release) = MAP_INIT;
	const char *const *dirs;
	bool ok = true;

	/* All of them first: files may change places. */
	for (size_t i = 0; i < n && ok; i++) {
		origin[i] = origin_of(d, plan_file(step, i));
		ok = add_origin(&taken, origin[i], plan_file(step, i), e);
	}
	for (size_t i = 0; i < n && ok; i++)
		set_file(d, origin[i], plan_file(step, i));
	n_dirs = plan_empty_dirs(step, &dirs);
	for (size_t i = 0; i < n_dirs; i++)
		add_gone(d, dirs[i]);
	plan_exempt_put(step, &d->exempt);
	free(origin);
	ok = ok && no_doubles(d, e);
	drop_unchanged(d);
	return ok;
}

struct draft *draft_with(const struct draft *d, struct plan *step, struct err *e)
{
	struct draft *next;

	for (size_t i = 0; i < plan_files(step); i++)
		if (!plan_want(step, i, e))
			return NULL;
	next = draft_new(d->real);
	for (size_t i = 0; i < d->n; i++)
		copy_file(next, d->v[i]);
	for (size_t i = 0; i < d->n_gone; i++)
		add_gone(next, d->gone[i]);
	exempt_add_all(&next->exempt, &d->exempt);
	if (add_step(next, step, e))
		return next;
	draft_free(next);
	return NULL;
}

void draft_take(struct draft *d, struct draft *next)
{
	struct draft old = *d;

	*d = *next;
	d->source = old.source; /* plans have it */
	*next = old;
	draft_free(next);
}

static bool is_regular(const struct draft_file *f)
{
	return f->from && f->to && f->from_mode != MODE_LINK && f->to_mode != MODE_LINK;
}

static void record_edits(const struct draft_file *f, struct record_file *r, struct arena *a)
{
	struct edits set SCOPED(edits_release) = EDITS_INIT;

	diff_edits(&set, buf_str(&f->base), buf_str(&f->text));
	r->edits = set.n;
	r->edit = arena_new(a, (set.n + 1) * sizeof(*r->edit));
	for (size_t i = 0; i < set.n; i++)
		r->edit[i] = (struct record_edit){ set.v[i].span, arena_str(a, set.v[i].with) };
}

/* To make a change is to take back its reverse: what is real is what that has left. */
static void record_file(const struct draft_file *f, struct history_file *h, struct record_file *r,
			struct arena *a)
{
	struct str base = buf_str(&f->base), text = buf_str(&f->text);
	bool moves = f->from && f->to && strcmp(f->from, f->to) != 0;

	*h = (struct history_file){
		.path = str_of(f->to ? f->to : f->from),
		.new_path = moves ? str_of(f->from) : STR(""),
		.existed = f->to,
		.exists = f->from,
		.was_mode = f->to ? f->to_mode : 0,
		.now_mode = f->from ? f->from_mode : 0,
	};
	*r = (struct record_file){ .was_hash = hash_of(text),
				   .now_hash = hash_of(base),
				   .text = is_regular(f) ? STR("") : text,
				   .now = base,
				   .whole = true };
	if (is_regular(f))
		record_edits(f, r, a);
}

/* It may have steps in several projects, and outside of them. */
static struct str common_root(const struct draft *d, struct str root)
{
	for (size_t i = 0; i < d->n; i++) {
		if (d->v[i]->from)
			root = path_common(root, str_of(d->v[i]->from));
		if (d->v[i]->to)
			root = path_common(root, str_of(d->v[i]->to));
	}
	return root;
}

static void record_draft(const struct draft *d, struct record *r, const char *root, struct arena *a)
{
	const char *path;

	*r = (struct record){ .entry.root = arena_str(a, common_root(d, str_of(root))),
			      .entry.files = d->n };
	r->exempt = arena_new(a, (map_count(&d->exempt.paths) + 1) * sizeof(*r->exempt));
	for (size_t at = 0; (path = exempt_each(&d->exempt, &at));)
		r->exempt[r->n_exempt++] = str_of(path);
	r->entry.file = arena_new(a, (d->n + 1) * sizeof(*r->entry.file));
	r->file = arena_new(a, (d->n + 1) * sizeof(*r->file));
	for (size_t i = 0; i < d->n; i++)
		record_file(d->v[i], &r->entry.file[i], &r->file[i], a);
	r->entry.made = arena_new(a, (d->n_gone + 1) * sizeof(*r->entry.made));
	for (size_t i = 0; i < d->n_gone; i++)
		r->entry.made[r->entry.n_made++] = str_of(d->gone[i]);
}

struct plan *draft_plan(const struct draft *d, const char *root, json *clashes, struct err *e)
{
	struct plan *p = plan_new(d->real);
	struct arena a SCOPED(arena_release) = { 0 };
	struct record r;
	bool ok;

	record_draft(d, &r, root, &a);
	ok = record_undo(&r, p, clashes, e) && plan_finish(p, e);
	for (size_t i = 0; ok && i < plan_files(p); i++)
		ok = plan_want(p, i, e);
	if (ok)
		return p;
	plan_free(p);
	return NULL;
}

bool draft_diff(const struct draft *d, const char *root, struct buf *diff, struct err *e)
{
	struct arena a SCOPED(arena_release) = { 0 };
	struct record back, r;
	bool ok;

	record_draft(d, &back, root, &a);
	ok = record_reverse(&r, &back, &a, e);
	for (size_t i = 0; ok && i < r.entry.files; i++)
		record_diff(&r, i, &a, diff);
	return ok;
}

/* Both texts of it move on. */
static void rebase(struct draft_file *f, struct buf *real)
{
	struct merge m SCOPED(merge_release) = MERGE_INIT;
	struct buf text = BUF_INIT;

	if (merge_texts(&m, buf_str(&f->base), buf_str(&f->text), buf_str(real))) {
		edits_apply(&m.edits, buf_str(real), &text);
		buf_release(&f->base);
		buf_release(&f->text);
		f->base = *real;
		f->text = text;
		*real = (struct buf)BUF_INIT;
		doc_free(f->doc);
		f->doc = NULL;
	}
}

void draft_refresh(struct draft *d)
{
	for (size_t i = 0; i < d->n; i++) {
		struct draft_file *f = d->v[i];
		struct buf real SCOPED(buf_release) = BUF_INIT;
		struct fs_stat st;

		if (is_regular(f) && d->real->stat(d->real->self, f->from, &st, ERR_IGNORED) &&
		    st.kind == FS_FILE &&
		    d->real->read(d->real->self, f->from, &real, NULL, ERR_IGNORED) &&
		    !str_eq(buf_str(&real), buf_str(&f->base)))
			rebase(f, &real);
	}
	drop_unchanged(d);
}
