#include "plan_merge.h"

#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"

struct merged {
	char *path;
	uint64_t was_hash;
	struct edits edits;
};

struct plan_merge {
	struct merged *v;
	size_t n, cap;
	struct plan *whole; /* that stays alone */
};

struct plan_merge *plan_merge_new(void)
{
	return mem_new(sizeof(struct plan_merge));
}

static struct merged *plan_merge_find(struct plan_merge *j, const char *path)
{
	for (size_t i = 0; i < j->n; i++)
		if (!strcmp(j->v[i].path, path))
			return &j->v[i];
	return NULL;
}

static bool only_edits(const struct plan *p)
{
	for (size_t i = 0; i < plan_files(p); i++) {
		const struct plan_file *f = plan_file(p, i);

		if (!f->existed || !f->exists || f->new_path || plan_file_links(f) ||
		    f->was_mode != f->now_mode)
			return false;
	}
	return true;
}

static bool plan_merge_same(const struct edit *a, const struct edit *b)
{
	return a->span.at == b->span.at && a->span.end == b->span.end && str_eq(a->with, b->with);
}

/* Of one edit: CLASH where it touches another, KNOWN where it is in there. */
static enum plan_merge_fit fit(const struct merged *in, const struct edit *e)
{
	enum plan_merge_fit worst = MERGE_TAKEN;

	for (size_t i = 0; in && i < in->edits.n; i++) {
		if (plan_merge_same(&in->edits.v[i], e))
			return MERGE_KNOWN;
		if (in->edits.v[i].span.at <= e->span.end && e->span.at <= in->edits.v[i].span.end)
			worst = MERGE_CLASH;
	}
	return worst;
}

/* One that is in there in part is none of the two: it waits. */
static enum plan_merge_fit fit_all(struct plan_merge *j, const struct plan *p)
{
	size_t count[3] = { 0 };

	for (size_t i = 0; i < plan_files(p); i++) {
		const struct plan_file *f = plan_file(p, i);
		const struct merged *in = plan_merge_find(j, f->path);

		if (in && in->was_hash != f->was_hash)
			return MERGE_CLASH;
		for (size_t k = 0; k < f->edits.n; k++)
			count[fit(in, &f->edits.v[k])]++;
	}
	if (count[MERGE_CLASH] || (count[MERGE_KNOWN] && count[MERGE_TAKEN]))
		return MERGE_CLASH;
	return count[MERGE_TAKEN] ? MERGE_TAKEN : MERGE_KNOWN;
}

static void plan_merge_take(struct plan_merge *j, const struct plan_file *f)
{
	struct merged *in = plan_merge_find(j, f->path);

	if (!in) {
		j->v = mem_grow(j->v, &j->cap, j->n + 1, sizeof(*j->v));
		in = &j->v[j->n++];
		*in = (struct merged){ mem_dup(f->path, strlen(f->path)), f->was_hash, EDITS_INIT };
	}
	for (size_t k = 0; k < f->edits.n; k++)
		edits_add(&in->edits, f->edits.v[k].span, f->edits.v[k].with, 0);
}

enum plan_merge_fit plan_merge_add(struct plan_merge *j, struct plan *p)
{
	enum plan_merge_fit fits = MERGE_CLASH;

	if (!j->whole && !only_edits(p)) {
		fits = j->n ? MERGE_CLASH : MERGE_TAKEN;
		j->whole = j->n ? NULL : p;
	} else if (!j->whole) {
		fits = fit_all(j, p);
		for (size_t i = 0; fits == MERGE_TAKEN && i < plan_files(p); i++)
			plan_merge_take(j, plan_file(p, i));
	}
	if (j->whole != p)
		plan_free(p);
	return fits;
}

static bool plan_merge_add_file(struct plan *p, struct merged *in, struct err *e)
{
	struct op op = { .kind = OP_SPANS, .path = in->path, .spans = &in->edits, .exact = true };
	struct str text;

	if (!plan_text(p, in->path, &text, e))
		return false;
	if (hash_of(text) != in->was_hash)
		return err_set(e, ERR_STALE, "%s changed since the change was computed; try again",
			       in->path);
	return plan_add(p, &op, e);
}

struct plan *plan_merge_finish(struct plan_merge *j, const struct plan_source *src, struct err *e)
{
	struct plan *p = j->whole;
	bool ok = true;

	j->whole = NULL;
	if (p)
		return p;
	p = plan_new(src);
	for (size_t i = 0; i < j->n && ok; i++)
		ok = plan_merge_add_file(p, &j->v[i], e);
	if (ok && plan_finish(p, e))
		return p;
	plan_free(p);
	return NULL;
}

void plan_merge_free(struct plan_merge *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < j->n; i++) {
		edits_release(&j->v[i].edits);
		free(j->v[i].path);
	}
	plan_free(j->whole);
	free(j->v);
	free(j);
}
