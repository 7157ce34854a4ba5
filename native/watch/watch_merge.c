#include <stdlib.h>

#include "../base/mem.h"
#include "watch_impl.h"

/* What becomes of a buffer whose file has changed. */

void watch_merged_release(struct watch_merged *made)
{
	buf_release(&made->from);
	buf_release(&made->yours);
	buf_release(&made->now);
	*made = (struct watch_merged){ 0 };
}

void watch_base_put(struct watch_base *base, struct str text)
{
	if (str_eq(buf_str(&base->text), text))
		return;
	watch_merged_release(&base->last);
	buf_clear(&base->text);
	buf_add(&base->text, text);
}

bool watch_merge(const struct watch_base *base, struct str text, struct str target, const char *who,
		 struct merge *m, struct watch_merged *made)
{
	const struct merge_labels labels = { "yours", who };
	bool again = base->last.there && str_eq(text, buf_str(&base->last.now));
	struct str from = buf_str(again ? &base->last.from : &base->text);
	struct str yours = again ? buf_str(&base->last.yours) : text;

	made->again = again;
	made->there = !str_eq(text, target) && !str_eq(yours, target) && !str_eq(yours, from);
	if (made->there) {
		buf_add(&made->from, from);
		buf_add(&made->yours, yours);
		merge_marked(m, from, target, yours, &labels);
		edits_apply(&m->edits, yours, &made->now);
	} else {
		buf_add(&made->now, target);
	}
	if (again || !made->there) {
		edits_release(&m->edits);
		diff_edits(&m->edits, text, buf_str(&made->now));
	}
	edits_reduce(&m->edits, text);
	return !made->there;
}

void watch_merge_done(struct watch_base *base, struct str target, const struct merge *m,
		      struct watch_merged *made)
{
	if (made->again)
		base->conflicts = base->last.earlier;
	made->earlier = base->conflicts;
	for (size_t i = 0; i < m->clashes; i++)
		mem_add(base->conflict, base->conflicts, base->cap, m->clash[i]);
	watch_base_put(base, target);
	watch_merged_release(&base->last);
	if (made->there) {
		base->last = *made;
		*made = (struct watch_merged){ 0 };
	}
}
