#ifndef OX_TEST_BY_EDITS_H
#define OX_TEST_BY_EDITS_H

/* The same change of a file, told by edits of its old text. `lent`: which is at hand, else it has
 * to be read. What has no edits to tell stays as it is. */

#include <base/hash.h>
#include <edit/txn.h>
#include <text/diff.h>

static inline void tell_by_edits(struct txn_file *f, const char *was, bool lent)
{
	static struct edits told[16]; /* in turn: more are never wanted at once */
	static unsigned next;
	struct edits *set = &told[next++ % 16];

	if (!f->existed || !f->exists || f->like || f->was_link || f->mode)
		return;
	edits_release(set);
	diff_edits(set, str_of(was), f->now);
	f->edits = set;
	f->was = lent ? str_of(was) : (struct str){ NULL, 0 };
	f->now_n = f->now.n;
	f->now_hash = hash_of(f->now);
}

#endif
