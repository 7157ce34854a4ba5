#ifndef OX_CALL_LINE_H
#define OX_CALL_LINE_H

#include "../llm/chat.h"

/*
 * A tool call on one line, for who watches a turn: while it runs, and with what it came to.
 *
 *     edit_file src/a.c:12
 *     edit_file src/a.c:12 +3 -1
 *     edit_file src/a.c:12: not confirmed
 *     read_file src/b.c: not_found: no such file
 */
void call_line(struct buf *out, const struct chat_part *call);
/* `answer`: the tool's; NULL where there is none. `text`: what the model reads of it. */
void call_line_ended(struct buf *out, const struct chat_part *call, const json *answer,
		     struct str text, bool failed);

#endif
