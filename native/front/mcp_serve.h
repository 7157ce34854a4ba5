#ifndef OX_MCP_SERVE_H
#define OX_MCP_SERVE_H

#include "../tool/tool.h"
#include "mcp_stdio.h"

/*
 * `oxide mcp` in files that share this: mcp_serve.c (start, and what the core has to tell),
 * mcp_list.c (what there is to list), mcp_call.c (tools and resources), mcp_ask.c (questions),
 * mcp_text.c and mcp_guide.c (what a model reads).
 */
struct server_call {
	struct server_call *next;
	struct mcp_serve *of;
	struct mcp_request *request;
	const struct tool *tool;
	struct call *call;
	char *uri; /* of the resource that is read so; NULL: it is tools/call */
};

struct mcp_serve {
	struct oxide *ox;
	struct mcp_stdio io;
	unsigned listed; /* tool_flag: which tools are listed; 0: all */
	bool own_root;	 /* given on the command line: the client's folders do not count */
	struct server_call *calls;
	struct asked *asked;
	int64_t last_asked;
};

json *mcp_serve_tools(void *self);
json *mcp_serve_resources(void *self);
json *mcp_serve_templates(void *self);
json *mcp_serve_prompts(void *self);

void mcp_serve_call(void *self, struct mcp_request *r, struct str name, struct str args);
void mcp_serve_read(void *self, struct mcp_request *r, struct str uri);
void mcp_serve_prompt(void *self, struct mcp_request *r, struct str name, struct str args);
void mcp_serve_cancel(void *self, struct mcp_request *r);

void mcp_serve_ask_init(struct mcp_serve *s); /* fills the editor's confirm */

#define MCP_DIAGNOSTICS "oxide://diagnostics" /* and /PATH, of one file */
#define MCP_ACTIONS	"oxide://actions"

#endif
