#ifndef OX_LINES_EVENT_H
#define OX_LINES_EVENT_H

#include <stdint.h>

#include "../base/err.h"
#include "../base/str.h"

/*
 * Neovim's nvim_buf_lines_event, the one message that carries whole texts. Its arguments are read
 * in place from the message's raw bytes, so that text never passes through JSON and may hold any
 * byte. Lines carry no line end.
 *
 *     if (!lines_event_read(&ev, m->raw, &e))
 *             ...
 *     while (lines_event_next(&ev, &line))
 *             ...
 */
struct lines_event {
	int64_t buf, tick;  /* tick -1: a preview ('inccommand'), not a change */
	size_t first, last; /* replaced lines [first, last), from 0; last SIZE_MAX: to the end */
	size_t lines;
	bool more;	 /* the rest of the text follows in another event */
	struct str rest; /* internal */
};

bool lines_event_read(struct lines_event *ev, struct str raw, struct err *e);
bool lines_event_next(struct lines_event *ev, struct str *line);

#endif
