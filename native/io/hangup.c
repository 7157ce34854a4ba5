#include "hangup.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "loop_uv.h"

struct hangup {
	uv_poll_t poll;
	loop_fn *fn;
	void *arg;
};

/* A pipe's end is an error (EPOLLERR) to libuv, a socket's an event. */
static void hangup_seen(uv_poll_t *poll, int status, int events)
{
	struct hangup *h = poll->data;

	if (!status && !(events & UV_DISCONNECT))
		return;
	uv_poll_stop(poll);
	h->fn(h->arg);
}

struct hangup *hangup_new(struct loop *l, int fd, loop_fn *fn, void *arg)
{
	struct hangup *h = mem_new(sizeof(*h));

	h->fn = fn;
	h->arg = arg;
	if (uv_poll_init(loop_uv(l), &h->poll, fd)) {
		free(h);
		return NULL;
	}
	h->poll.data = h;
	uv_poll_start(&h->poll, UV_DISCONNECT, hangup_seen);
	return h;
}

void hangup_free(struct hangup *h)
{
	if (h)
		uv_close((uv_handle_t *)&h->poll, uv_free_data);
}
