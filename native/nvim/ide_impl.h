#ifndef OX_IDE_IMPL_H
#define OX_IDE_IMPL_H

#include "../io/socket.h"
#include "../mcp/mcp.h"
#include "ide.h"
#include "ide_lock.h"

/*
 * Shared by ide.c (the servers, who is connected), ide_ws.c (by WebSocket: Claude Code), ide_http.c
 * (by HTTP: Gemini CLI), ide_call.c (what they ask for), ide_diff.c (reviews), ide_diagnostics.c,
 * ide_claude.c and ide_gemini.c (what there is to ask for).
 */
struct ide_client;

/* What is of one agent alone. */
struct ide_kind {
	const char *agent, *title; /* "claude", "Claude Code" */
	const struct ide_tool *tools;
	/* How its hook tells that it is about to write a file, and in which member of the answer
	 * the arguments are that it gets instead (agent/hook_event.h). */
	const char *event, *write, *instead;
	bool tells; /* its model hears of new diagnostics */
	listener_fn *connect;
	/* The file by which it finds us. */
	struct ide_lock *(*lock)(const struct ide *ide, const char *directory, struct err *e);
	void (*wake)(struct ide_client *c); /* its MCP has something to say */
	void (*stop)(struct ide *ide);	    /* all are told that we go away, and go */
	void (*free)(struct ide_client *c); /* with what is its own */
};

extern const struct ide_kind ide_claude, ide_gemini;

struct ide {
	const struct ide_kind *kind;
	struct nvim *nvim;
	struct listener *socket;
	struct ide_lock *lock;
	struct buf token;
	unsigned port;
	LIST_HEAD(, ide_client) clients;
	size_t count; /* of those */
	LIST_HEAD(, ide_link) links;
	size_t linked; /* of those: connections by HTTP */
	bool over;
};

struct ide_client { /* a conversation in MCP; what its way to us needs is behind this */
	LIST_ENTRY(ide_client) all;
	struct ide *ide;
	struct mcp *mcp;
	struct pending_calls calls;
	unsigned last_project;
	size_t waits;	 /* how many of its calls wait for Neovim, or a turn to begin */
	bool open;	 /* it has said who it is, and hears us */
	bool gone;	 /* it goes, once nothing is under way */
	bool ended;	 /* what it has asked for is taken back */
	bool prompted;	 /* it has told of a prompt: of what it does for that it asks and tells */
	json *notes;	 /* ide_diagnostics.c: what its model is to know, [{path, text}] */
	json *asked;	 /* the files that it has asked about since its prompt, [{path, uri}] */
	size_t answered; /* so many of them were in an answer */
	char *who;	 /* "claude (4711)" */
	long pid; /* 0: it has not said it; negative: it cannot, and that is its number here */
};

/* ide.c */
size_t ide_limit(const struct ide *ide, enum config_key key);
uint64_t ide_now(const struct ide *ide);
void ide_rest(struct ide *ide); /* it is freed, if it is over and nobody is left */
/* `c` is new and zeroed. */
void ide_client_init(struct ide_client *c, struct ide *ide);
void ide_client_is(struct ide_client *c, long pid); /* it has said who it is */
void ide_client_wake(struct ide_client *c);
void ide_client_leave(struct ide_client *c, const char *why); /* "": nothing is wrong */
void ide_client_rest(struct ide_client *c); /* one of its calls is over: it may be free to go */
/* One text is one line: outside of strings, in which there are none, line ends mean nothing. */
void ide_client_hear(struct ide_client *c, struct str text);
/* What tells nvim_agent_watch_prompt() of it. */
struct nvim_ide_agent ide_client_agent(const struct ide_client *c);

struct ide_call { /* a request tools/call */
	struct pending_call pending;
	struct ide_client *client;
	struct mcp_request *request; /* NULL: it is answered, and goes on */
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
}; /* the end of a list has no name */

/* ide_ws.c and ide_http.c: what a kind is made of */
void ide_ws_connect(void *ide, int fd);
struct ide_lock *ide_ws_lock(const struct ide *ide, const char *directory, struct err *e);
void ide_ws_wake(struct ide_client *c);
void ide_ws_stop(struct ide *ide);
void ide_ws_free(struct ide_client *c);
void ide_http_connect(void *ide, int fd);
struct ide_lock *ide_http_lock(const struct ide *ide, const char *directory, struct err *e);
void ide_http_wake(struct ide_client *c);
void ide_http_stop(struct ide *ide);
void ide_http_free(struct ide_client *c);

/* ide_call.c */
json *ide_tools(void *client);
/* Answers with texts, the second of which may be NULL; the call is gone. */
void ide_call_done(struct ide_call *c, const char *first, struct str second);
void ide_call_fail(struct ide_call *c, const char *why);
void ide_call_free(struct ide_call *c); /* one that is answered */
void ide_call_lua(struct ide_call *c);	/* Lua answers it: lua/oxide/ide/init.lua */
void ide_on_call(void *self, struct mcp_request *r, struct str name, struct str args);
void ide_on_cancel(void *self, struct mcp_request *r);

void ide_call_pend(struct ide_call *c); /* its pending call, which is filled in, starts */

/* ide_diagnostics.c */
void ide_get_diagnostics(struct ide_call *c);
/* What the model is to know of a change to a file goes with the diagnostics of all files, whenever
 * they are asked for, until it is forgotten. */
void ide_diagnostics_tell(struct ide_client *c, struct str path, struct str text);
/* What was in an answer; with the client's next change. */
void ide_diagnostics_forget(struct ide_client *c);
void ide_diagnostics_prompted(struct ide_client *c); /* it compares no more with what it had */

/* ide_diff.c: a review of what a file is to become. One of the two is called, and ends the call. */
struct ide_diff_spec {
	struct str path, text;
	struct str tab; /* the name by which it is closed */
	void (*accepted)(struct ide_call *c, struct str text);
	void (*rejected)(struct ide_call *c, struct str tab);
};
void ide_diff_open(struct ide_call *c, const struct ide_diff_spec *spec);
/* Takes back those of a name, or all; how many those were. `silent`: rejected() is not to tell. */
size_t ide_close_diffs(struct ide_client *client, const struct str *tab, bool silent);
bool ide_diff_is_silent(const struct ide_call *c);

#endif
