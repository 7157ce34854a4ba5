#ifndef OX_SSE_H
#define OX_SSE_H

#include "../base/buf.h"
#include "../base/err.h"

/*
 * Server-sent events, the text/event-stream of HTML's standard: what model providers stream over
 * HTTP. Bytes may come in any pieces; lines end with LF, CRLF or CR; comments, ids and retry times
 * are passed over. Zero it and set `limit` to start.
 *
 *     while (there are bytes)
 *             if (!sse_feed(&s, bytes, on_event, self, &e))
 *                     ...
 *     if (sse_is_cut(&s))
 *             the stream ended in the middle of an event
 *     sse_release(&s);
 */
struct sse {
	size_t limit;	 /* bytes of one event, its lines and its name; ERR_LIMIT beyond */
	struct buf line; /* the beginning of a line whose end has not come */
	struct buf data; /* of the event that is coming: its lines, each with an LF behind it */
	struct buf name; /* and what `event:` said; empty: nothing */
	bool started;	 /* a byte order mark would have come by now */
	bool skip_lf;	 /* a line ended with a CR: an LF here belongs to it */
};

/* Both are borrowed until it returns. False ends the reading: sse_feed() fails with what is in *e.
 */
typedef bool sse_event(void *arg, struct str name, struct str data, struct err *e);

/* Calls fn for each event that is complete, in order. An event without data is passed over. */
bool sse_feed(struct sse *s, struct str bytes, sse_event *fn, void *arg, struct err *e);
bool sse_is_cut(const struct sse *s); /* part of an event is there, and not its end */
void sse_release(struct sse *s);

#endif
