#include "join.h"

#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"

struct joined {
	char *path;
	uint64_t was_hash;
	struct edits edits;
};

struct join {
	struct joined *v;
	size_t n, cap;
	struct plan *whole; /* that stays alone */
};

struct join *join_new(void)
{
	return mem_new(sizeof(struct join));
}

static struct joined *find(struct join *j, const char *path)
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

static bool same(const struct edit *a, const struct edit *b)
{
	return a->span.at == b->span.at && a->span.end == b->span.end && str_eq(a->with, b->with);
}

static bool touch(struct span a, struct span b)
{
	return a.at <= b.end && b.at <= a.end;
}

/* Of one edit: CLASH where it touches another, KNOWN where it is in there. */
static enum join_fit fit(const struct joined *in, const struct edit *e)
{
	enum join_fit worst = JOIN_TAKEN;

	for (size_t i = 0; in && i < in->edits.n; i++) {
		if (same(&in->edits.v[i], e))
			return JOIN_KNOWN;
		if (touch(in->edits.v[i].span, e->span))
			worst = JOIN_CLASH;
	}
	return worst;
}

/* One that is in there in part is none of the two: it waits. */
static enum join_fit fit_all(struct join *j, const struct plan *p)
{
	size_t count[3] = { 0 };

	for (size_t i = 0; i < plan_files(p); i++) {
		const struct plan_file *f = plan_file(p, i);
		const struct joined *in = find(j, f->path);

		if (in && in->was_hash != f->was_hash)
			return JOIN_CLASH;
		for (size_t k = 0; k < f->edits.n; k++)
			count[fit(in, &f->edits.v[k])]++;
	}
	if (count[JOIN_CLASH] || (count[JOIN_KNOWN] && count[JOIN_TAKEN]))
		return JOIN_CLASH;
	return count[JOIN_TAKEN] ? JOIN_TAKEN : JOIN_KNOWN;
}

static void take(struct join *j, const struct plan_file *f)
{
	struct joined *in = find(j, f->path);

	if (!in) {
		j->v = mem_grow(j->v, &j->cap, j->n + 1, sizeof(*j->v));
		in = &j->v[j->n++];
		*in = (struct joined){ mem_dup(f->path, strlen(f->path)), f->was_hash, EDITS_INIT };
	}
	for (size_t k = 0; k < f->edits.n; k++)
		edits_add(&in->edits, f->edits.v[k].span, f->edits.v[k].with, 0);
}

enum join_fit join_add(struct join *j, struct plan *p)
{
	enum join_fit fits = JOIN_CLASH;

	if (!j->whole && !only_edits(p)) {
		fits = j->n ? JOIN_CLASH : JOIN_TAKEN;
		j->whole = j->n ? NULL : p;
	} else if (!j->whole) {
		fits = fit_all(j, p);
		for (size_t i = 0; fits == JOIN_TAKEN && i < plan_files(p); i++)
			take(j, plan_file(p, i));
	}
	if (j->whole != p)
		plan_free(p);
	return fits;
}

static bool add_file(struct plan *p, struct joined *in, struct err *e)
{
	struct op op = { .kind = OP_SPANS, .path = in->path, .spans = &in->edits, .exact = true };
	struct str text;

	if (!plan_text(p, in->path, &text, e))
		return false;
	if (hash_of(text) != in->was_hash)
		return err_set(e, ERR_STALE,
			       "%s changed since the change was worked out; ask again", in->path);
	return plan_add(p, &op, e);
}

struct plan *join_plan(struct join *j, const struct plan_source *src, struct err *e)
{
	struct plan *p = j->whole;
	bool ok = true;

	j->whole = NULL;
	if (p)
		return p;
	p = plan_new(src);
	for (size_t i = 0; i < j->n && ok; i++)
		ok = add_file(p, &j->v[i], e);
	if (ok && plan_finish(p, e))
		return p;
	plan_free(p);
	return NULL;
}

void join_free(struct join *j)
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
