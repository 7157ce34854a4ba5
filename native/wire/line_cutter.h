#ifndef OX_LINE_CUTTER_H
#define OX_LINE_CUTTER_H

#include "../base/buf.h"

/*
 * Bytes cut into lines, in whatever pieces they come. Of a line longer than `limit` bytes that much
 * is given, as soon as it is known, and the rest is passed over: the next line is read as if
 * nothing had happened. Zero it and set `limit` to start.
 *
 *     while (line_cutter_take(&c, &bytes, &line, &is_long))
 *             ...
 *     line_cutter_release(&c);
 */
struct line_cutter {
	size_t limit;
	struct buf begin; /* of a line whose end has not come; or of the line that was given last */
	bool given, skipping;
};

/* The next line of *bytes, which moves behind it, without its LF; borrowed until the next call.
 * False: there is no whole one, and what is left is kept. */
bool line_cutter_take(struct line_cutter *c, struct str *bytes, struct str *line, bool *is_long);
void line_cutter_release(struct line_cutter *c);

#endif
