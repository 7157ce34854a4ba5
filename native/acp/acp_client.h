#ifndef OX_ACP_CLIENT_H
#define OX_ACP_CLIENT_H

#include "../base/json.h"

/*
 * The client's end of a conversation in ACP (Agent Client Protocol), without any I/O: bytes in,
 * bytes out, time (milliseconds, from any start, never backwards) as an argument.
 *
 *     bytes ---> acp_feed() ---> host.update / request ---> acp_answer() / acp_refuse()
 *     bytes <--- acp_peer()  <--- answers, acp_initialize(), acp_new_session(), acp_prompt() ...
 *
 * Version 1 is asked for; an agent that answers with 2 is spoken to in that, as far as its draft
 * has the same: its options in place of modes, updates of whole messages, and a turn that ends with
 * a state instead of the answer to the prompt. Above here nobody knows which it is.
 *
 * Both sides count their requests, so that ids tell nothing about who has asked. A line that is no
 * message is passed over, up to `limits.odd` in a row; unknown methods are refused, and unknown
 * updates and members ignored.
 */
#define ACP_VERSION 1

/* Errors of requests, as JSON-RPC and ACP number them. */
#define ACP_INVALID_PARAMS (-32602)
#define ACP_INTERNAL	   (-32603)
#define ACP_NO_RESOURCE	   (-32002)

/* A call of a tool by the agent, as far as it is known: updates add to it. */
enum acp_kind {
	ACP_OTHER,
	ACP_READ,
	ACP_EDIT,
	ACP_DELETE,
	ACP_MOVE,
	ACP_SEARCH,
	ACP_EXECUTE,
	ACP_THINK,
	ACP_FETCH,
	ACP_SWITCH_MODE
};
enum acp_status { ACP_PENDING, ACP_IN_PROGRESS, ACP_COMPLETED, ACP_FAILED };

struct acp_call {
	struct str id;		/* of the agent */
	struct buf title, name; /* name: of the tool, where the agent tells; else empty */
	enum acp_kind kind;
	enum acp_status status;
	/* As the agent sent them last; NULL: not at all. content: [{type: "content", content} |
	 * {type: "diff", path, oldText, newText} | {type: "terminal", terminalId}]; of an app
	 * server a diff has `patch`, hunks of a unified diff, in the place of texts, `gone` or
	 * `newPath` */
	json *content, *locations, *input, *output;
	bool ended; /* its status has been told to be COMPLETED or FAILED */
	void *own;  /* the host's; NULL at first */
};

/* The texts of its content, and of its output where that is all there is, appended. */
void acp_call_text(const struct acp_call *c, struct buf *out);
/* The command that it runs, as far as its arguments or, of one that runs something, its title tell;
 * else empty. */
struct str acp_call_command(const struct acp_call *c);

enum acp_update_kind {
	ACP_TEXT,      /* `text`: a piece of what the agent says */
	ACP_THOUGHT,   /* likewise */
	ACP_USER_TEXT, /* what the user said, when a session is loaded */
	ACP_CALL,      /* `call` is new, or has changed */
	ACP_PLAN,      /* `value`: [{content, priority, status}], all of it */
	ACP_COMMANDS,  /* `value`: [{name, description, input: {hint}?}], all of them */
	ACP_OPTIONS,   /* of the session, as acp_options() has them, have changed: `value` */
	ACP_USAGE,     /* `value`: {used, size, cost: {amount, currency}?} */
	ACP_TITLE,     /* of the session: `text` */
};
struct acp_update {
	enum acp_update_kind kind;
	struct str text;
	struct acp_call *call;
	const json *value;
};

/* What the agent asks for. The members that a method needs are there, in the right form. */
enum acp_ask {
	ACP_ASK_PERMISSION, /* {toolCall, options: [{optionId, name, kind}]}, and `call` */
	ACP_ASK_READ,	    /* {path, line?, limit?} */
	ACP_ASK_WRITE,	    /* {path, content} */
	ACP_ASK_TERMINAL,   /* {command, args?, env?, cwd?, outputByteLimit?} */
	ACP_ASK_OUTPUT,	    /* and the rest of them: {terminalId} */
	ACP_ASK_EXIT,
	ACP_ASK_KILL,
	ACP_ASK_RELEASE
};
struct acp_request {
	struct acp *acp;
	enum acp_ask ask;
	json *id, *params;
	struct acp_call *call; /* NULL: of none */
	bool silent;	       /* nobody waits for it any more */
	void *own;	       /* the host's */
};

/* What they are given is borrowed until they return. */
struct acp_host {
	void (*update)(void *self, const struct acp_update *u);
	/* Is answered exactly once, now or later, also after cancel(). */
	void (*request)(void *self, struct acp_request *r);
	/* Nobody waits for it any more: the agent took it back, or is gone. */
	void (*cancel)(void *self, struct acp_request *r);
	/* A line that is no message was passed over. NULL: nobody wants to know. */
	void (*odd)(void *self, struct str line);
};

struct acp_limits {
	size_t message;	 /* bytes of the longest line that is read */
	size_t requests; /* of the agent that are under way at once; more are refused */
	size_t calls;	 /* of tools that are known at once; more are not told */
	size_t odd;	 /* lines that are no messages, one after the other */
};

struct acp *acp_new(const struct acp_host *host, const struct acp_limits *limits, void *self);
/* With one that speaks the protocol of Codex' app server, which nobody sees from here on: it reads
 * and writes files itself, and asks before that (app_server.h). */
struct acp *acp_new_app_server(const struct acp_host *host, const struct acp_limits *limits,
			       void *self);
/* After acp_end(), and after every request has been answered. */
void acp_free(struct acp *a);
/* False: too much that was no message; close what carries it. */
bool acp_feed(struct acp *a, struct str bytes, uint64_t now, struct err *e);
void acp_tick(struct acp *a, uint64_t now); /* once before the first request, too */
struct peer *acp_peer(struct acp *a);
/* The agent is gone: requests are cancelled, and what the client waits for fails with the text of
 * `why`. */
void acp_end(struct acp *a, const struct err *why);
size_t acp_waiting(const struct acp *a); /* requests that are not answered */

void acp_answer(struct acp_request *r, json *result); /* taken; the request is gone */
void acp_refuse(struct acp_request *r, long code, const char *message);

/*
 * What the client asks for. fn is called once, never from inside: with the result, or with why it
 * failed: ERR_DENIED where the agent wants to be authenticated first; ERR_IO: it is gone.
 */
typedef void acp_reply(void *arg, const json *result, const struct err *e);

struct acp_client {
	const char *name, *title, *version;
	bool files, terminals; /* are served */
};
void acp_initialize(struct acp *a, const struct acp_client *c, uint64_t timeout_ms, acp_reply *fn,
		    void *arg);
/* What it answered; strings are its own, until it is freed. */
struct acp_agent {
	int64_t version;
	struct str name, title, release;
	bool loads, resumes, lists, embeds, images;
	const json *auth; /* [{id, name, description}]; NULL: none */
};
const struct acp_agent *acp_agent(const struct acp *a);

void acp_authenticate(struct acp *a, struct str method, acp_reply *fn, void *arg);
/* `servers`, of MCP, as the protocol has them, is taken. The result has what acp_options() reads.
 */
void acp_new_session(struct acp *a, struct str cwd, json *servers, acp_reply *fn, void *arg);
/* Goes on with a session, where the agent can: without what was said in it where it `resumes` and
 * `all` is not asked for, else with updates of all that before the answer. */
void acp_load_session(struct acp *a, struct str id, bool all, struct str cwd, json *servers,
		      acp_reply *fn, void *arg);
/* Those of this directory. The result: {sessions: [{sessionId, cwd, title?, updatedAt?}],
 * nextCursor?}, which is the `cursor` to ask for more with; at first it is empty. updatedAt is a
 * text as RFC 3339 has it, or milliseconds since 1970. */
void acp_list_sessions(struct acp *a, struct str cwd, struct str cursor, acp_reply *fn, void *arg);
struct str acp_session(const struct acp *a); /* empty: none yet */

/* What can be chosen for the session, in one form whatever the agent calls it: modes, models, and
 * options: [{id, name, category ("mode", "model", ...), value, values: [{value, name,
 * description?}]}]. NULL: nothing yet. */
const json *acp_options(const struct acp *a);
/* `option`: an id, or a category. ERR_NOT_FOUND says what there is; fn is not called then. */
bool acp_set_option(struct acp *a, struct str option, struct str value, acp_reply *fn, void *arg,
		    struct err *e);

/* A turn. `blocks` is taken. The result: {stopReason, usage?: {input, output, cached}}. */
void acp_prompt(struct acp *a, json *blocks, acp_reply *fn, void *arg);
/* The agent is to stop; the turn ends with the stopReason "cancelled", and permissions that are
 * open are to be answered with acp_cancelled(). */
void acp_cancel(struct acp *a);
/* Calls host.cancel() for all requests that are open; their answers still go out. */
void acp_cancel_requests(struct acp *a);
json *acp_cancelled(void);
json *acp_selected(struct str option);

/* Forgets the calls of tools: their `own` is not looked at. */
void acp_forget_calls(struct acp *a);
struct acp_call *acp_call_at(const struct acp *a, size_t i); /* in order; NULL: no more */

#endif
