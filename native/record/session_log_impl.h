#ifndef OX_SESSION_LOG_IMPL_H
#define OX_SESSION_LOG_IMPL_H

#include "session_log.h"

/* Of session_log.h: session_log.c (when it is looked, and what is read), session_log_find.c (which
 * files are the agent's). */

#define LOGS_MOST 32 /* sessions of one agent, one after the other, that are read */

/* Which files they may be, and how one is told to be the agent's. */
struct log_places {
	char *root; /* the agent's own directory; NULL: not known, there is none */
	json *patterns;
	char *owner, *text; /* the text has to be in that file; NULL: any is the agent's */
	char *cwd, *dashed; /* dashed: what is no letter and no digit is '-' */
	long pid;
	int64_t since_ms;
	struct buf said; /* by the owner file, which may be gone again */
};

void log_places_init(struct log_places *p, const struct session_log_spec *spec);
void log_places_release(struct log_places *p);
/* Calls fn with each file that is the agent's; it is false: no more are wanted. */
typedef bool log_place(void *arg, const char *path);
void log_places_find(struct log_places *p, log_place *fn, void *arg);

#endif
