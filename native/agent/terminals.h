#ifndef OX_TERMINALS_H
#define OX_TERMINALS_H

#include <sys/queue.h>

#include "../base/json.h"

/*
 * The agents that run in terminals under `oxide run`, wherever these are, as far as they have said
 * so. Each has a link, which is whoever passes orders to it.
 *
 *     terminals_take(&t, info, link)     it runs, or something of it has changed
 *     a = terminals_find(&t, "claude", &e)
 *     terminals_gone(&t, link)           it has ended, or nobody hears of it any more
 */
struct terminal_agent {
	LIST_ENTRY(terminal_agent) all;
	json *info; /* {id, name, command, cwd, pid, started_ms, state, exit}, see relay/relay.h */
	void *link;
};

struct terminals {
	LIST_HEAD(, terminal_agent) all;	       /* the latest first */
	void (*changed)(void *self, const json *info); /* its `state` is "running" or "ended" */
	void *self;
};

void terminals_take(struct terminals *t, const json *info, void *link);
void terminals_gone(struct terminals *t, const void *link);
/* By its id or its name; of several with one name, and without any, the latest. ERR_NOT_FOUND. */
struct terminal_agent *terminals_find(const struct terminals *t, struct str name, struct err *e);
json *terminals_json(const struct terminals *t); /* a list of what is known of each; new */

#endif
