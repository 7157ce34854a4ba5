#ifndef OX_EXCERPT_H
#define OX_EXCERPT_H

#include "../core/oxide.h"
#include "../llm/chat.h"
#include "../tool/shown_texts.h"

/*
 * The text of a file, or of some of its lines, as it goes to a model with what a person says: with
 * line numbers, under a heading that names it. The text is the one that tools work on, a buffer's
 * where there is one, and is not changed.
 */
struct excerpt {
	const char *path; /* absolute */
	size_t first,
		last; /* lines from 1; 0, 0: all of them; a last one beyond the end is the end */
};

/* Noted in `texts`. ERR_NOT_FOUND and the others of reading a file; ERR_INVALID: it has no such
 * lines. */
bool excerpt_put(struct oxide *ox, struct shown_texts *texts, struct chat_message *m,
		 const struct excerpt *part, struct err *e);

#endif
