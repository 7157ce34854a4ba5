#ifndef OX_ACP_CLIENT_IMPL_H
#define OX_ACP_CLIENT_IMPL_H

#include "../base/map.h"
#include "../wire/line_cutter.h"
#include "../wire/peer.h"
#include "acp_client.h"

/*
 * The parts of acp_client.h: acp_client.c (bytes to messages, what the agent asks for), acp_ask.c
 * (what the client asks for), acp_session.c (what an agent and a session are), acp_update.c,
 * acp_call.c; app_server.h speaks another protocol in their place.
 */
struct acp_waiting { /* for the answer to what the client asked for */
	struct acp *acp;
	acp_reply *fn;
	void *arg;
	/* What is done with the result first; false: it makes no sense. NULL: nothing. */
	bool (*read)(struct acp *a, const json *result, struct err *e);
	struct buf about; /* of that: a session, an option */
};

struct acp {
	struct acp_host host;
	struct acp_limits limits;
	void *self;
	struct peer *peer;
	struct line_cutter lines;
	uint64_t now;
	size_t odd;		       /* lines in a row */
	struct acp_request **requests; /* that are not answered */
	size_t n, cap;
	bool ended;
	json *initialized; /* the agent's answer; NULL: none yet */
	struct acp_agent agent;
	/* the session */
	struct buf session;
	json *options;
	struct map calls;
	/* a prompt in version 2, whose answer is not its end; NULL: none */
	struct acp_waiting *prompt;
	/* what was told last, where that is a message; `id` empty: it has none */
	struct acp_said {
		bool is;
		enum acp_update_kind kind;
		struct buf id;
	} said;
	/* of an app server (app_server.h) */
	bool app_server;
	struct buf turn; /* that goes on; empty: it has no number yet */
	bool interrupts; /* once it has one */
	struct acp_used {
		int64_t input, output, cached;
	} used; /* tokens, by the turn */
};

/* acp_client.c */
void acp_start_permission(struct acp *a, const json *id, const json *params);
void acp_drop_request(struct acp *a, const json *id); /* it is answered elsewhere; or unknown */

/* acp_ask.c: on_answered() calls `read` with the result, if it is set, then fn. */
struct acp_waiting *acp_ask_agent(struct acp *a, const char *method, json *params,
				  uint64_t timeout_ms, peer_reply *reply, acp_reply *fn, void *arg);
void acp_on_answered(void *arg, struct msg *m, const struct err *failed);
/* What `reply` of acp_ask_agent() calls instead, at its end: fn. */
void acp_end_waiting(struct acp_waiting *w, const json *result, const struct err *e);
void acp_on_stopped(struct acp *a, const json *update); /* version 2: the state is idle */
void acp_fail_prompt(struct acp *a, const struct err *e);

/* acp_session.c */
bool acp_read_agent(struct acp *a, const json *result, struct err *e);
bool acp_read_session(struct acp *a, const json *result, struct err *e);
bool acp_read_options(struct acp *a, const json *result);
void acp_set_current(struct acp *a, const char *category, struct str value);
const json *acp_find_option(const struct acp *a, struct str option);

/* acp_update.c. acp_tell_message(): a piece of a message, or all of it; one that comes right behind
 * another, as their ids tell, is a paragraph of its own. acp_end_message(): another thing comes. */
void acp_tell_message(struct acp *a, enum acp_update_kind kind, struct str id, struct str text);
void acp_end_message(struct acp *a);
void acp_on_update(void *self, struct msg *m, const json *params);

/* acp_call.c: what an update says of a call, which may be new; NULL: it has no id, or there are too
 * many. */
struct acp_call *acp_merge_call(struct acp *a, const json *update);
void acp_add_content(struct acp_call *c, const json *update); /* version 2: a piece more of it */

#endif
