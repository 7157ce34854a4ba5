#ifndef OX_MCP_IMPL_H
#define OX_MCP_IMPL_H

#include "../base/map.h"
#include "../wire/line_cutter.h"
#include "../wire/peer.h"
#include "mcp.h"

/*
 * The parts of mcp.h: lines.c (bytes to messages, batches), answer.c (what a request is and how it
 * is answered), method.c (which there are), initialize.c (who the client is), listing.c,
 * subscribe.c, elicit.c (questions).
 */
#define MCP_PARSE_ERROR		(-32700)
#define MCP_INVALID_REQUEST	(-32600)
#define MCP_NO_METHOD		(-32601)
#define MCP_UNSUPPORTED_VERSION (-32022)

#define META_VERSION	  "io.modelcontextprotocol/protocolVersion"
#define META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define META_CLIENT	  "io.modelcontextprotocol/clientInfo"
#define META_LOG_LEVEL	  "io.modelcontextprotocol/logLevel"
#define META_SUBSCRIPTION "io.modelcontextprotocol/subscriptionId"
#define META_SERVER	  "io.modelcontextprotocol/serverInfo"

enum mcp_era { ERA_LEGACY = 1, ERA_MODERN = 2 };

/* Several messages on one line (2025-03-26): one line answers them all. */
struct mcp_batch {
	struct buf out;
	size_t waiting; /* requests, and 1 while it is read */
};

struct mcp_method {
	const char *name;
	unsigned eras;
	bool early;    /* answered before `initialize` */
	bool waits;    /* for the client's directories to be known */
	int64_t fresh; /* ms for which a client may keep the answer; -1: it must not */
	void (*run)(struct mcp_request *r);
};

/* One that the client has been asked; it lives until the peer is done with it. */
struct mcp_question {
	struct mcp_request *request; /* NULL: taken back */
	int64_t call;
	mcp_verdict *fn;
	void *arg;
};

struct mcp_request {
	struct mcp *mcp;
	const struct mcp_method *method;
	json *id;
	json *params;	 /* but `arguments` */
	struct buf args; /* the text of those */
	struct mcp_batch *batch;
	bool modern;
	bool listed;	/* in mcp.requests */
	bool silent;	/* cancelled, or answered: what its host says is dropped */
	bool listening; /* subscriptions/listen: open until it is cancelled */
	int64_t progressed;
	struct mcp_question *question; /* NULL: none is open */
	void *own;
};

/* A question that a modern client has taken along, to come back with the answer. */
struct mcp_asked_before {
	int64_t number;	 /* 0: free */
	struct buf call; /* the name of the tool and its arguments */
	struct buf about;
};
#define MCP_ASKED_BEFORE 64

struct mcp {
	struct mcp_host host;
	struct mcp_limits limits;
	void *self;
	struct peer *peer;
	uint64_t now;
	/* lines.c */
	struct line_cutter lines;
	struct mcp_batch *batch; /* that is being read */
	/* answer.c: by the text of their ids */
	struct map requests;
	size_t alive; /* requests that their host has not answered */
	/* initialize.c: of a client that sent `initialize` */
	const char *version; /* NULL: it did not */
	json *capabilities, *client;
	enum mcp_level level;
	int64_t asking_roots;	   /* the call; 0: they are not asked for */
	struct mcp_request **held; /* until the directories are known */
	size_t held_n, held_cap;
	/* subscribe.c: URIs */
	struct map watched;
	/* elicit.c */
	struct mcp_asked_before asked[MCP_ASKED_BEFORE];
	int64_t last_asked;
	bool deaf; /* nothing more comes in */
	bool ended;
};

/* lines.c */
/* Answers, as part of the batch where there is one. */
void mcp_put(struct mcp *m, struct mcp_batch *b, enum msg_kind kind, const json *id,
	     const json *body);
void mcp_put_error(struct mcp *m, struct mcp_batch *b, const json *id, long code,
		   const char *message, json *data);	 /* taken; NULL: none */
void mcp_batch_left(struct mcp *m, struct mcp_batch *b); /* one of its requests is answered */

/* answer.c */
void mcp_on_request(void *self, struct msg *msg);
void mcp_on_notify(void *self, struct msg *msg);
void mcp_cancel(struct mcp_request *r);
void mcp_answer(struct mcp_request *r, json *result); /* sends it; the host answers yet */
/* A member by its whole name, dots and all; NULL where there is none. */
const json *mcp_member(const json *object, const char *name);

/* method.c */
const struct mcp_method *mcp_method(struct str name);
/* What a request names; false, and it is answered, where it names nothing or where nothing of the
 * kind is offered. */
bool mcp_named(struct mcp_request *r, bool offered, const char *member, struct str *out);

/* initialize.c */
void mcp_initialize(struct mcp_request *r);
void mcp_discover(struct mcp_request *r);
void mcp_set_level(struct mcp_request *r);
void mcp_ask_roots(struct mcp *m);
bool mcp_hold(struct mcp_request *r);	/* whether it has to wait */
bool mcp_unhold(struct mcp_request *r); /* whether it did */
json *mcp_info(const struct mcp *m);
/* What the client of this request can do; NULL: nothing is known. */
const json *mcp_capabilities(const struct mcp_request *r);

/* listing.c */
void mcp_list_tools(struct mcp_request *r);
void mcp_list_resources(struct mcp_request *r);
void mcp_list_templates(struct mcp_request *r);
void mcp_list_prompts(struct mcp_request *r);

/* subscribe.c */
void mcp_watch(struct mcp_request *r);
void mcp_unwatch(struct mcp_request *r);
void mcp_listen(struct mcp_request *r);

/* elicit.c */
/* Whether what it brings back of a question is one of ours about this very call. */
bool mcp_state_ok(const struct mcp_request *r);
void mcp_ask_release(struct mcp *m);

#endif
