
#include "editor.h"
#include "../base/mem.h"

struct plan_sum question_sum(const struct question *q)
{
	struct plan_sum sum = plan_sum(q->plan);

	if (sum.places && q->places)
		sum.places = q->places;
	return sum;
}

struct shown_question question_shown(const struct question *q, struct buf *diff)
{
	plan_preview(q->plan, diff);
	return (struct shown_question){ q->title, q->notes ? q->notes : "", buf_str(diff),
					question_sum(q), plan_files(q->plan) };
}

/* Whether anything of the file is left: a file of which no hunk stays is out as a whole. */
static bool any_hunk(const struct plan_file *f, const struct hunk_choice *h)
{
	if (!h->keep || f->new_path)
		return true;
	for (size_t i = 0; i < h->n; i++)
		if (h->keep[i])
			return true;
	return false;
}

bool verdict_take(const struct verdict *v, struct plan *p, struct err *e)
{
	size_t n = plan_files(p);
	bool *keep SCOPED(mem_release) = NULL, ok = true;

	if (!v->keep && !v->hunks)
		return true;
	keep = mem_new(n + 1);
	for (size_t i = 0; i < n && ok; i++) {
		const struct hunk_choice *h = v->hunks ? &v->hunks[i] : NULL;

		keep[i] = (!v->keep || v->keep[i]) && (!h || any_hunk(plan_file(p, i), h));
		if (keep[i] && h && h->keep)
			ok = plan_keep_hunks(p, i, h->keep, h->n, e);
	}
	return ok && plan_keep(p, keep, e);
}
