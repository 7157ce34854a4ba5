#ifndef OX_IDE_IMPL_H
#define OX_IDE_IMPL_H

#include "../mcp/mcp.h"
#include "../wire/ws.h"
#include "ide.h"
#include "ide_lock.h"

/* Shared by ide.c (the server, who connects), ide_call.c (what they ask for), ide_diff.c (reviews),
 * ide_diagnostics.c and ide_tools.c (what there is to ask for). */

struct ide {
	struct nvim *nvim;
	struct listener *socket;
	struct ide_lock *lock;
	struct buf token;
	unsigned port;
	LIST_HEAD(, ide_client) clients;
	size_t count;
	bool over;
};

struct ide_client { /* a connection */
	LIST_ENTRY(ide_client) all;
	struct ide *ide;
	struct ws *ws;
	struct mcp *mcp;
	struct peer_io *link; /* NULL: it goes, once nothing is under way */
	struct pending_calls calls;
	unsigned last_project;
	size_t waits;	/* how many of its calls wait for Neovim, or a turn to begin */
	uint64_t until; /* it is closed then; 0: it may stay */
	bool closing;	/* we say no more than what is written already, and hear nothing */
	bool shut;	/* that has been taken */
	bool ended;	/* what it has asked for is taken back */
	char *who;	/* "claude (4711)" */
	long pid;	/* 0: it has not said it */
};

void ide_client_wake(struct ide_client *c);
void ide_client_rest(struct ide_client *c); /* one of its calls is over: it may be free to go */

struct ide_call { /* a request tools/call */
	struct pending_call pending;
	struct ide_client *client;
	struct mcp_request *request;
	const struct ide_tool *tool;
	json *args;
	bool pends;	       /* the pending call is what it waits for */
	size_t closed;	       /* reviews that it has taken back */
	struct ide_diff *diff; /* of openDiff; NULL: it is another tool */
};

struct ide_tool {
	const char *name, *doc;
	const char *schema; /* of its arguments, JSON text */
	void (*run)(struct ide_call *c);
};

/* ide_tools.c; the end of the list has no name */
extern const struct ide_tool ide_all_tools[];
json *ide_tools(void *self);

/* ide_call.c */
/* Answers with texts, the second of which may be NULL; the call is gone. */
void ide_call_done(struct ide_call *c, const char *first, struct str second);
void ide_call_fail(struct ide_call *c, const char *why);
void ide_call_lua(struct ide_call *c); /* Lua answers it: lua/oxide/ide.lua */
void ide_on_call(void *self, struct mcp_request *r, struct str name, struct str args);
void ide_on_cancel(void *self, struct mcp_request *r);

void ide_call_pend(struct ide_call *c); /* its pending call, which is filled in, starts */

/* ide_diagnostics.c */
void ide_get_diagnostics(struct ide_call *c);

/* ide_diff.c */
void ide_open_diff(struct ide_call *c);
void ide_close_tab(struct ide_call *c);
void ide_close_all_diffs(struct ide_call *c);

#endif
