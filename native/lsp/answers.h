#ifndef OX_ANSWERS_H
#define OX_ANSWERS_H

#include "../base/map.h"
#include "caps.h"

/*
 * Answers of one language server that it would give again word for word: kept until anything
 * happens that an answer may hang on, which is counted by whoever knows of it (`news`, as sync.h
 * has it). Bounded in number and in bytes; the oldest make room.
 *
 * Kept are only answers that hang on nothing but texts that the server was shown, and on what it
 * read when it was shown them: what symbols a document has, and what surrounds a place. Those of
 * all other questions (where something is defined or used, what it is, a rename, a format) hang on
 * files that nobody has open, and on settings beside them. Others may write such a file at any
 * time; some servers watch the disk themselves, and would answer differently without a word. Which
 * files an answer hangs on no server tells, so no look at the disk could prove it to be still true.
 */
struct answers {
	struct map kept; /* by question -> struct buf, the raw result */
	size_t bytes;
	size_t most, most_bytes; /* 0: nothing is kept */
	uint64_t news;		 /* they are true for as long as this is the count */
};

bool answers_keep(enum lsp_feature f); /* whether its answers may be kept */
/* Does nothing when there is no room for it at all. */
void answers_put(struct answers *a, struct str question, struct str result, uint64_t news);
/* NULL: it has to be asked. Borrowed until the next call. */
const struct buf *answers_get(struct answers *a, struct str question, uint64_t news);
void answers_release(struct answers *a);

#endif
