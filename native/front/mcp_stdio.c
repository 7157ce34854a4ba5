#include "mcp_stdio.h"

#include "../base/log.h"
#include "../io/link.h"

void mcp_stdio_wake(struct mcp_stdio *io)
{
	if (io->link)
		link_wake(io->link);
}

static bool feed(void *self, struct str bytes, uint64_t now, struct err *e)
{
	struct mcp_stdio *io = self;

	(void)e; /* what is wrong with a message is its sender's to hear */
	mcp_feed(io->mcp, bytes, now);
	return true;
}

static void turn(void *self, uint64_t now)
{
	struct mcp_stdio *io = self;

	mcp_tick(io->mcp, now);
}

static uint64_t deadline(void *self)
{
	struct mcp_stdio *io = self;

	return peer_deadline(mcp_peer(io->mcp));
}

void mcp_stdio_stop(void *self)
{
	struct mcp_stdio *io = self;

	if (!io->link)
		return;
	link_free(io->link);
	io->link = NULL;
	mcp_end(io->mcp);
	io->ended(io->arg);
}

/* Not from inside the link, which is to be freed. What this turn has to say still goes out: whoever
 * pipes some lines into it wants the answers. */
static void input_ended(void *self, const struct err *e)
{
	struct mcp_stdio *io = self;

	(void)e; /* nothing that comes can break it */
	log_line(LOG_INFO, "the MCP client is gone");
	link_wake(io->link);
	loop_soon(io->loop, mcp_stdio_stop, io);
}

bool mcp_stdio_start(struct mcp_stdio *io, struct err *e)
{
	const struct link_spec spec = { mcp_peer(io->mcp), io, turn, deadline, input_ended, feed };

	io->link = link_stdio(io->loop, &spec, e);
	return io->link != NULL;
}
