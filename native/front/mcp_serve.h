#ifndef OX_MCP_SERVE_H
#define OX_MCP_SERVE_H

#include "../relay/pending_call.h"
#include "mcp_stdio.h"

/*
 * `oxide mcp` in files that share this: mcp_serve.c (start, and what the core has to tell),
 * mcp_list.c (what there is to list), mcp_call.c (tools and resources), mcp_relay.c (by way of an
 * editor), mcp_ask.c (questions).
 */
struct mcp_call {
	struct pending_call pending;
	struct mcp_serve *of;
	struct mcp_request *request;
	char *uri; /* of the resource that is read so; NULL: it is tools/call */
};

struct mcp_serve {
	struct oxide *ox;
	struct mcp_stdio io;
	unsigned listed; /* tool_flag: which tools are listed; 0: all */
	bool own_root;	 /* given on the command line: the client's directories do not count */
	struct pending_calls calls;
	unsigned last_project;
	struct shown_texts *shown; /* to the client, without an editor */
	LIST_HEAD(, mcp_question_asked) asked;
	int64_t last_asked;
	/* by way of an editor */
	bool here;	     /* never */
	bool there;	     /* always: what no editor does is not done */
	struct relay *relay; /* NULL: there is none */
	struct relay_spec spec;
	bool looking;	   /* the relay has not been found yet, and calls wait */
	bool told;	   /* why we go on without one */
	char *folder;	   /* the client's; NULL: it names none */
	struct buf client; /* who it is */
};

json *mcp_serve_tools(void *self);
json *mcp_serve_resources(void *self);
json *mcp_serve_templates(void *self);
json *mcp_serve_prompts(void *self);

void mcp_serve_call(void *self, struct mcp_request *r, struct str name, struct str args);
void mcp_serve_read(void *self, struct mcp_request *r, struct str uri);
void mcp_serve_prompt(void *self, struct mcp_request *r, struct str name, struct str args);
void mcp_serve_cancel(void *self, struct mcp_request *r);

/* The project is elsewhere. ERR_UNSUPPORTED: servers of ours run where it was. */
bool mcp_serve_move(struct mcp_serve *s, const char *root, struct err *e);

/* In the editor that has the project open, if there is one, else here. */
void mcp_relay_call(struct mcp_call *c);
void mcp_relay_unattended(void *s);	 /* nobody answers for the client any more */
void mcp_relay_end(struct mcp_serve *s); /* nobody waits any more */

void mcp_serve_ask_init(struct mcp_serve *s); /* fills the editor's confirm */

#define MCP_DIAGNOSTICS "oxide://diagnostics" /* and /PATH, of one file */
#define MCP_ACTIONS	"oxide://actions"

#endif
