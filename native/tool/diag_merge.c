#include "diag_merge.h"

#include <ctype.h>
#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"

const struct merged_diag *diag_merge_at(const struct diag_merge *j, size_t i)
{
	return (const struct merged_diag *)j->v[i];
}

/* Servers begin with a capital and add words at the end, where compilers do not. */
static bool same_words(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;

	if (!n || tolower((unsigned char)*a.p) != tolower((unsigned char)*b.p))
		return false;
	return !memcmp(a.p + 1, b.p + 1, n - 1);
}

/* How much speaks for it that both mean the same; 0: they do not. */
static int likeness(const struct merged_diag *a, const struct diag *d, const struct place *at)
{
	bool column = a->at.column == at->column;
	bool words = same_words(a->diag.message, d->message);
	bool code = d->code.n && str_eq(a->diag.code, d->code);

	if (a->diag.lineless || a->at.line != at->line || strcmp(a->diag.path, d->path) != 0)
		return 0;
	if (!words && !code && !(column && a->diag.severity == d->severity))
		return 0;
	return 8 * words + 4 * column + 2 * code + !a->said;
}

static struct merged_diag *diag_merge_add(struct diag_merge *j, const struct diag *d,
					  const struct place *at)
{
	struct merged_diag *x = arena_new(&j->texts, sizeof(*x));

	x->diag = *d;
	x->diag.order = j->n;
	x->at = *at;
	j->v[j->n++] = &x->diag;
	return x;
}

static struct merged_diag *diag_merge_find(struct diag_merge *j, size_t checks,
					   const struct diag *d, const struct place *at)
{
	struct merged_diag *best = NULL;
	int most = 0;

	for (size_t i = 0; i < checks; i++) {
		struct merged_diag *x = (struct merged_diag *)(uintptr_t)j->v[i];
		int like = likeness(x, d, at);

		if (like > most) {
			most = like;
			best = x;
		}
	}
	return best;
}

static void add_said(struct diag_merge *j, struct places *p, size_t checks, const struct diag *d)
{
	struct diag *copy = arena_new(&j->texts, sizeof(*copy));
	struct merged_diag *x;
	struct place at;

	places_look(p, d->path, &d->range, d->enc, &at);
	*copy = diag_copy(&j->texts, d);
	x = diag_merge_find(j, checks, copy, &at);
	if (!x)
		x = diag_merge_add(j, copy, &at);
	if (!x->said)
		x->said = copy;
}

void diag_merge_make(struct diag_merge *j, struct oxide *ox, const char *root,
		     const struct checker_diags *checks, const struct diag *const *server, size_t n)
{
	struct places p SCOPED(places_release) = { 0 };
	struct place at;

	*j = (struct diag_merge){ .v = mem_new((checks->n + n + 1) * sizeof(*j->v)) };
	places_init(&p, ox);
	for (size_t i = 0; i < checks->n; i++) {
		const struct diag *d = &checks->v[i]->diag;

		places_look(&p, d->path, &d->range, d->enc, &at);
		diag_merge_add(j, d, &at)->check = checks->v[i];
	}
	for (size_t i = 0; i < n; i++)
		if (server[i]->severity <= DIAG_INFO &&
		    path_below(str_of(root), str_of(server[i]->path)))
			add_said(j, &p, checks->n, server[i]);
	diag_sort(j->v, j->n);
}

void diag_merge_release(struct diag_merge *j)
{
	free(j->v);
	arena_release(&j->texts);
}
