#ifndef OX_CALL_LINES_H
#define OX_CALL_LINES_H

#include "shown_texts.h"
#include "tool.h"

/*
 * The line numbers of a call: they mean lines of the texts that its client was shown, where it has
 * such (tool.h), and are carried to the present ones; and what answers show is noted.
 */
struct doc;

/* What the tool counts lines of that argument from; -1: it has no such argument. */
int call_counts_from(const struct tool *t, const char *name);
/* NULL: its client has none, or has gone. */
struct shown_texts *call_shown_texts(const struct call *c);
/* The arguments line, start_line and end_line, and line_ranges: once, so that what reads them
 * afterwards has today's. */
bool call_lines_now(struct call *c, const char *path, struct doc *d, struct err *e);
/* What the client is told in a refusal that it may mend: see shown_texts_explain(). */
void call_explain(struct call *c, const char *path, struct str now, const struct shown_lines *l,
		  json *into);

void call_shows(struct call *c, const char *path, struct str text, size_t first, size_t last);
/* The lines that the rows of an answer name. */
void call_shows_rows(struct call *c, const json *answer);

#endif
