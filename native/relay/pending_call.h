#ifndef OX_PENDING_CALL_H
#define OX_PENDING_CALL_H

#include <sys/queue.h>

#include "relay.h"

/*
 * A call of a tool until it is answered, whoever makes it: Neovim (nvim_call.c), a remote client
 * (listen_call.c), an MCP client (mcp_call.c) or the shell (cmd_call.c). Each has a record of its
 * own that begins with this one:
 *
 *     pending_call_add -> pending_call_start, or pending_call_relay -> answer(), once
 *
 * It can be cancelled at any time between.
 */
struct pending_call {
	TAILQ_ENTRY(pending_call) all;
	struct pending_calls *list; /* NULL: in none */
	int64_t id;		    /* of its caller; 0: it has none */
	const struct tool *tool;
	json *args; /* until it is started here */
	struct call_context context;
	struct call *call;   /* started here */
	struct relay *relay; /* the way to the editor that carries it out */
	int64_t relayed;     /* its number there; 0: it is not under way there */
	bool cancelled;
	/* `arg` is this record, which is in no list any more and is now the function's to free. */
	call_answer *answer;
};

TAILQ_HEAD(pending_calls, pending_call); /* the oldest first */

void pending_call_add(struct pending_calls *l, struct pending_call *c);
void pending_call_start(struct pending_call *c, struct oxide *ox);   /* the answer comes later */
void pending_calls_start(struct pending_calls *l, struct oxide *ox); /* all that are not yet */
/* Asks for confirmation where nothing else was said, also should it be started here afterwards. */
void pending_call_relay(struct pending_call *c, struct relay *r, relay_done *fn);
/* One that is under way answers when it has ended; any other is answered from inside. */
void pending_call_cancel(struct pending_call *c);
void pending_calls_cancel(struct pending_calls *l, int64_t id); /* one that has ended is ignored */
/* Those that are not started here: whoever would carry them out has gone. */
void pending_calls_end(struct pending_calls *l);
void pending_call_leave(struct pending_call *c); /* its list */
/* For one that is not started here. `result` is taken. */
void pending_call_answer(struct pending_call *c, json *result, const struct err *e);

#endif
