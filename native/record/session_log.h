#ifndef OX_SESSION_LOG_H
#define OX_SESSION_LOG_H

#include "../core/oxide.h"

/*
 * The session log that an agent writes while it runs, read as it grows. A screen tells a reader
 * (reader.h) next to nothing; the log has each message, call and edit. Where it is, and whose it
 * is, the agent's file says (`log` in agent_preset.h).
 *
 *     l = session_log_new(ox, &spec)       NULL: the agent writes none
 *     session_log_stir(l)                  the agent has done something: it is looked at soon
 *     session_log_finish(l)                the agent has ended: all that is there is fed
 *     session_log_free(l)
 *
 * What is fed are whole lines in the order of the file, those of several logs after each other;
 * only finish() feeds the beginning of one. Nobody else is scanned for: a file counts if the
 * patterns lead to it, it was written to since the agent began, it is this agent's own as far as
 * `log.owner` tells, and no other `oxide run` reads it (each holds a lock on what it reads). A file
 * that is cut short is read from its start again, and one that has taken the place of another
 * too. It is read from its start on in any case: an agent may go on with an old session.
 */
struct session_log;

typedef void session_log_feed(void *self, struct str bytes);

struct session_log_spec {
	const char *name;	/* of the agent */
	const json *log;	/* its row `log`; borrowed until it returns */
	const char *const *set; /* "NAME=value", in its environment; NULL: nothing */
	const char *cwd;
	long pid;
	int64_t since_ms; /* it began; since 1970 */
	session_log_feed *feed;
	void *self;
};

struct session_log *session_log_new(struct oxide *ox, const struct session_log_spec *spec);
void session_log_stir(struct session_log *l);	/* NULL: nothing */
void session_log_finish(struct session_log *l); /* NULL: nothing */
void session_log_free(struct session_log *l);	/* NULL: nothing */

#endif
