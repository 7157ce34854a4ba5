#include "mcp_stdio.h"

#include "../base/log.h"
#include "../io/peer_io.h"

void mcp_stdio_wake(struct mcp_stdio *io)
{
	if (io->link)
		peer_io_wake(io->link);
}

static bool mcp_stdio_feed(void *self, struct str bytes, uint64_t now, struct err *e)
{
	struct mcp_stdio *io = self;

	(void)e; /* what is wrong with a message is its sender's to hear */
	mcp_feed(io->mcp, bytes, now);
	return true;
}

/* All that was asked is answered, and nothing more can be. */
static bool mcp_stdio_is_over(const struct mcp_stdio *io)
{
	return io->until && !mcp_waiting(io->mcp) && !peer_io_unwritten(io->link);
}

static void mcp_stdio_turn(void *self, uint64_t now)
{
	struct mcp_stdio *io = self;

	mcp_tick(io->mcp, now);
	if (mcp_stdio_is_over(io) || (io->until && now >= io->until))
		mcp_stdio_stop(io);
}

static uint64_t mcp_stdio_deadline(void *self)
{
	struct mcp_stdio *io = self;
	uint64_t due = peer_deadline(mcp_peer(io->mcp));

	if (mcp_stdio_is_over(io))
		return 0;
	return io->until && io->until < due ? io->until : due;
}

void mcp_stdio_stop(void *self)
{
	struct mcp_stdio *io = self;

	if (!io->link)
		return;
	peer_io_free(io->link);
	io->link = NULL;
	mcp_end(io->mcp);
	io->ended(io->arg);
}

static void mcp_stdio_input_ended(void *self, const struct err *e)
{
	struct mcp_stdio *io = self;

	(void)e; /* nothing that comes can break it */
	log_line(LOG_INFO, "the MCP client has closed its output");
	io->until = loop_now(io->loop) + io->linger;
	mcp_input_ended(io->mcp, loop_now(io->loop));
	if (io->unattended)
		io->unattended(io->arg);
	peer_io_wake(io->link);
}

bool mcp_stdio_start(struct mcp_stdio *io, struct err *e)
{
	const struct peer_io_spec spec = { .peer = mcp_peer(io->mcp),
					   .self = io,
					   .turn = mcp_stdio_turn,
					   .deadline = mcp_stdio_deadline,
					   .ended = mcp_stdio_input_ended,
					   .feed = mcp_stdio_feed,
					   .unwritten = io->unwritten };

	io->link = peer_io_stdio(io->loop, &spec, e);
	return io->link != NULL;
}
