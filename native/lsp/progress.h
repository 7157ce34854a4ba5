#ifndef OX_PROGRESS_H
#define OX_PROGRESS_H

#include "../base/buf.h"
#include "../base/err.h"

/*
 * What a server says it is at work on: window/workDoneProgress/create and $/progress. A token that
 * was created counts from then on, since the work is about to begin. Zero it to start.
 */
struct progress {
	struct work *v; /* in the order of their tokens' coming */
	size_t n, cap;
};

struct progress_report {
	struct buf token, title, message; /* token: where it is a number, its digits */
	int percent;			  /* -1: unknown */
	bool done;			  /* this was its last */
};

/* Both take the raw params. */
bool progress_create(struct progress *p, struct str raw, struct err *e);
/* False: malformed. *told: it was such progress, and *out says what; release that in any case. */
bool progress_take(struct progress *p, struct str raw, struct progress_report *out, bool *told,
		   struct err *e);
void progress_report_release(struct progress_report *r);
/* The title of what has gone on longest; NULL: nothing goes on. */
const char *progress_busy(const struct progress *p);
void progress_release(struct progress *p);

#endif
