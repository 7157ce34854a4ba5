#ifndef OX_ANSWER_TEXT_H
#define OX_ANSWER_TEXT_H

#include "tool.h"

/*
 * An answer as a model reads it: all its facts, in as few words as they need, whichever tool they
 * are of. What is short comes first, on one line; then the lists, a row a line, a place as
 * path:line:column; then the texts as they are.
 *
 *     success: true, files_changed: 1, edits: 2
 *     files:
 *     src/a.c edits: 2, where: disk
 *     diff:
 *     --- a/src/a.c
 */
void answer_text_result(struct buf *out, const json *answer);
/* `answer`: the error object, for what it has besides; may be NULL. */
void answer_text_error(struct buf *out, const struct err *e, const json *answer);

/* The whole of what a model reads of a call that has ended, cut after `most` bytes; `tool` NULL:
 * there is none of that name. */
void answer_text(struct buf *out, const struct tool *t, const json *answer, const struct err *e,
		 size_t most);

/* A copy in which what it has as printed JSON is parsed; NULL if there is none. */
json *answer_opened(const json *answer);

/* Cuts at the last line end within `most` bytes, and says there how much is missing and how to get
 * it (`rest`, may be NULL). */
void answer_text_cut(struct buf *text, size_t most, const char *rest);

#endif
