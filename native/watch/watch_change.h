#ifndef OX_WATCH_CHANGE_H
#define OX_WATCH_CHANGE_H

#include "../core/oxide.h"
#include "watch_tree.h"

/*
 * Changes that have happened on the disk already, as plans: what the history keeps, and a diff
 * shows, of any other change.
 *
 * A part is what one author made of one file, without a break. A file that the agent changed, then
 * the user, then the agent again has two parts; `round` counts them, and each round is a
 * transaction of the turn.
 */
struct watch_text {
	bool there;
	unsigned mode; /* as fs.h has it */
	struct buf text;
};

struct watch_part {
	char *path; /* relative to the root */
	unsigned round;
	struct watch_text was, now;
	const struct watch_part *to; /* it was renamed: the part of that name */
	bool renamed;		     /* that part */
};

struct watch_parts {
	struct watch_part *v;
	size_t n, cap;
	unsigned rounds;
};

/* Takes the texts. Nothing is added where both are the same. */
void watch_parts_add(struct watch_parts *p, const char *path, unsigned round,
		     struct watch_text *was, struct watch_text *now);
void watch_parts_release(struct watch_parts *p);
bool watch_text_same(const struct watch_text *a, const struct watch_text *b);
void watch_text_copy(struct watch_text *to, const struct watch_text *from);

/* The plan that leads from what the parts of one round were to what they are; finished, with whole
 * texts. `before`: the files of the project then. The source is the caller's to keep. */
struct watch_source {
	struct plan_source source;
	const char *root;
	const struct watch_tree *before;
	struct map parts; /* absolute path -> part */
};

struct plan *watch_plan(struct watch_source *s, const char *root, const struct watch_tree *before,
			struct watch_parts *parts, unsigned round, struct err *e);
void watch_source_release(struct watch_source *s);

#endif
