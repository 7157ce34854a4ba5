#ifndef OX_TOOL_SEEN_H
#define OX_TOOL_SEEN_H

#include "../base/map.h"
#include "tool.h"

/* How often a call waits for other processes in one try: another core may begin its next change
 * between a wait and the look at the file. */
#define READ_SET_WAITS_MOST 20

/*
 * The texts that a call was worked out for, the first ones of each file: whether what has become of
 * them since is Oxide's own doing (core/own_changes.h), so that the change may be worked out again.
 */
struct read_set {
	struct map hash; /* file -> the hash of its text, TEXT_ANCESTRY_NONE for none */
};

void read_set_release(struct read_set *s);
void read_set_add(struct read_set *s, const char *path, uint64_t hash); /* the first one counts */
void read_set_add_plan(struct read_set *s, const struct plan *p);
/* Whether the plan has a file in another text than it was first seen in, or sees it first. */
bool read_set_differs(const struct read_set *s, const struct plan_file *f);
/* Whether each file is as it was first seen, or as Oxide has left it since: in `p` where that has
 * it, else as it is now. Another name for the same text, or another kind of file, is somebody
 * else's. *any (may be NULL): something has changed. */
bool read_set_only_own(const struct read_set *s, struct call *c, const struct plan *p, bool *any,
		       struct err *e);
/* Calls fn, not from inside, once no other process is in the middle of a change of these files: it
 * is on the disk a moment before it is in the history. */
void read_set_settle(const struct read_set *s, struct call *c, void (*fn)(void *arg), void *arg);

#endif
