#ifndef OX_MCP_STDIO_H
#define OX_MCP_STDIO_H

#include "../mcp/mcp.h"

/*
 * An MCP server on standard input and output. Fill in `mcp`, `loop`, `ended` and `arg`, start, run
 * the loop. When the input ends, or mcp_stdio_stop() is called, all requests are cancelled and
 * `ended` is called, once; the rest of the program then lets the loop run out.
 */
struct loop;
struct link;

struct mcp_stdio {
	struct mcp *mcp;
	struct loop *loop;
	void (*ended)(void *arg);
	void *arg;
	struct link *link; /* NULL: it is over */
};

/* ERR_UNSUPPORTED where these are no pipes: then the program can only end. */
bool mcp_stdio_start(struct mcp_stdio *io, struct err *e);
void mcp_stdio_wake(struct mcp_stdio *io); /* something is to be sent */
void mcp_stdio_stop(void *io);		   /* fit for loop_on_signal() */

#endif
