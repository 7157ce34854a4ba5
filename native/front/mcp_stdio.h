#ifndef OX_MCP_STDIO_H
#define OX_MCP_STDIO_H

#include "../mcp/mcp.h"

/*
 * An MCP server on standard input and output. Fill in all down to `unwritten`, start, run the loop.
 * When the input ends, what was asked is still answered: a client may be a shell that pipes some
 * lines into it. Then, or when that takes too long, or mcp_stdio_stop() is called, what is left is
 * cancelled and `ended` is called, once; the rest of the program then lets the loop run out.
 */
struct loop;

struct mcp_stdio {
	struct mcp *mcp;
	struct loop *loop;
	void (*unattended)(void *arg); /* the input has ended; NULL: that is all the same */
	void (*ended)(void *arg);
	void *arg;
	uint64_t linger;  /* milliseconds for what was asked, after the end of the input */
	size_t unwritten; /* bytes that may wait for a client that does not read; then it waits */

	struct peer_io *link; /* NULL: it is over */
	uint64_t until; /* the input has ended, and nothing is waited for any longer; 0: it has not
			 */
};

/* ERR_UNSUPPORTED where these are not pipes: then the program can only end. */
bool mcp_stdio_start(struct mcp_stdio *io, struct err *e);
void mcp_stdio_wake(struct mcp_stdio *io); /* something is to be sent */
void mcp_stdio_stop(void *io);		   /* fit for loop_on_signal() */

#endif
