#ifndef OX_MCP_H
#define OX_MCP_H

#include "../base/json.h"

/*
 * The server's end of a conversation in MCP (Model Context Protocol), without any I/O: bytes in,
 * bytes out, time (milliseconds, from any start, never backwards) as an argument. It knows the
 * protocol and none of the tools: what there is to list, call and read, the host tells.
 *
 *     bytes ---> mcp_feed() ---> host.call / read / prompt ---> mcp_done() / mcp_fail()
 *     bytes <--- mcp_peer()  <--- answers, mcp_progress(), mcp_log(), mcp_updated()
 *
 * Two eras on one wire. A client that sends `initialize` gets the revision it asks for, or the
 * newest of MCP_LEGACY, and the state that goes with it. A request that carries its revision in
 * `_meta` (MCP_MODERN) is answered by that alone. What cannot be read is answered with an error,
 * and the next line is read as if nothing had happened.
 */
#define MCP_MODERN "2026-07-28"
#define MCP_LEGACY "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05" /* the newest first */

/* What JSON-RPC and MCP call the errors that a host may give to mcp_fail(). */
#define MCP_INVALID_PARAMS (-32602)
#define MCP_INTERNAL	   (-32603)
#define MCP_NO_RESOURCE	   (-32002) /* sent as -32602 where the revision has it so */

struct mcp_request;

/*
 * Each of the three is answered exactly once, now or later, also after host.cancel(); what they
 * are given is borrowed until they return. `args` is the text of a JSON object, not checked. A
 * list is an array in the protocol's form, new, in the same order each time; where it is NULL,
 * that is not offered.
 */
struct mcp_host {
	const char *name, *title, *version;
	const char *instructions; /* for the model, when it meets the server; NULL: none */
	json *(*tools)(void *self);
	json *(*resources)(void *self);
	json *(*templates)(void *self);
	json *(*prompts)(void *self);
	void (*call)(void *self, struct mcp_request *r, struct str name, struct str args);
	void (*read)(void *self, struct mcp_request *r, struct str uri);
	void (*prompt)(void *self, struct mcp_request *r, struct str name, struct str args);
	void (*cancel)(void *self, struct mcp_request *r); /* nobody waits for it any more */
	/* The client's directories, as roots/list answers them; also when they change. NULL: not
	 * asked for. Calls wait for the first time. */
	void (*roots)(void *self, const json *roots);
	/* A notification that MCP does not know. NULL: dropped. */
	void (*notified)(void *self, struct str method, const json *params);
};

struct mcp_limits {
	size_t message; /* bytes of the longest line that is read */
	size_t page;	/* rows of one answer to a request for a list */
	size_t calls;	/* requests that are under way at once */
	size_t watched; /* resources that are subscribed to */
	uint64_t roots; /* milliseconds that calls wait for the client's directories */
};

/* The host is copied. */
struct mcp *mcp_new(const struct mcp_host *host, const struct mcp_limits *limits, void *self);
/* After mcp_end(), and after every request has been answered. */
void mcp_free(struct mcp *m);
void mcp_feed(struct mcp *m, struct str bytes, uint64_t now);
void mcp_tick(struct mcp *m, uint64_t now);
/* What is to be sent is in peer_out(), what is due next in peer_deadline(). */
struct peer *mcp_peer(struct mcp *m);
/* Nothing more comes in: the last line needs no end, the client is asked nothing more, and what it
 * has been asked counts as cancelled. What is under way is still to be answered. */
void mcp_input_ended(struct mcp *m, uint64_t now);
/* The client is gone: all requests are cancelled, and nothing is sent any more. */
void mcp_end(struct mcp *m);
size_t mcp_waiting(const struct mcp *m); /* requests that are not answered */

/* The host's own about a request. */
void mcp_set(struct mcp_request *r, void *own);
void *mcp_get(const struct mcp_request *r);

void mcp_done(struct mcp_request *r, json *result); /* taken; the request is gone */
void mcp_fail(struct mcp_request *r, long code, const char *message);
/* {"content": [{"type": "text", "text"}], "isError"}: what tools/call is answered with. */
json *mcp_text(struct str text, bool is_error);

/* Appends what the client of a request calls itself, "claude-code 2.1.330", if it says. */
void mcp_client(const struct mcp_request *r, struct buf *out);

/* Of a request whose client wants to hear of it. */
void mcp_progress(struct mcp_request *r, struct str message);

/* RFC 5424, as the protocol has it, the least first. */
enum mcp_level {
	MCP_DEBUG,
	MCP_INFO,
	MCP_NOTICE,
	MCP_WARNING,
	MCP_ERROR,
	MCP_CRITICAL,
	MCP_ALERT,
	MCP_EMERGENCY
};
void mcp_log(struct mcp *m, enum mcp_level level, struct str text);

/* What a resource says has changed; who subscribed to it is told. */
void mcp_updated(struct mcp *m, struct str uri);

/*
 * A question for the user, in the middle of a call. With `initialize` the client is asked and
 * `fn` called once with the answer, unless mcp_unask() or mcp_end() came first (MCP_ASKED). With
 * MCP_MODERN the request ends with the question (MCP_ENDED), and what the host answers it with is
 * dropped; the client sends it again with the answer, and asking the same again gives that at once
 * (MCP_ANSWERED, *action). `about` tells what is asked, so that an answer to something else does
 * not count: then the question is asked again. MCP_CANNOT: this client asks no user.
 */
enum mcp_action { MCP_CANCEL, MCP_DECLINE, MCP_ACCEPT };
enum mcp_asked { MCP_CANNOT, MCP_ASKED, MCP_ENDED, MCP_ANSWERED };
typedef void mcp_verdict(void *arg, enum mcp_action action);

enum mcp_asked mcp_ask(struct mcp_request *r, struct str message, struct str about,
		       enum mcp_action *action, mcp_verdict *fn, void *arg);
void mcp_unask(struct mcp_request *r);

#endif
