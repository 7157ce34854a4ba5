#ifndef OX_MATCH_H
#define OX_MATCH_H

#include <stdint.h>

#include "../base/buf.h"
#include "pos.h"

/*
 * When two lines count as the same, and where in a text a line is, or a run of them
 * (match_run.c).
 *
 * Lines are compared without their ends, so that a text with CRLF and a needle with LF match
 * exactly. Beyond that a few differences are known that models make and that leave no doubt which
 * line is meant; a match by one of them is a proof only where it fits a single place, and the
 * answer names it. Indentation is never one of them.
 */
enum match {
	MATCH_NONE,
	MATCH_EXACT,
	MATCH_TRAILING_SPACE, /* whole lines that differ only in blanks at their ends */
	MATCH_PUNCTUATION,    /* ... and in typographic quotes, dashes, no-break spaces */
	MATCH_RELOCATED,      /* exact, but in another place than the number said, and only there */
};

/* "exact", "trailing whitespace", "unicode punctuation", "relocated"; "none" */
const char *match_name(enum match how);
/* Whether two lines are the same by this proof or a stronger one (EXACT to PUNCTUATION). */
bool match_line(struct str a, struct str b, enum match how);
/* Appends the line with typographic quotes, dashes and spaces as their ASCII forms. */
void match_fold(struct buf *out, struct str line);
struct str match_trim_end(struct str line); /* without blanks at its end */
size_t match_indent(struct str line);	    /* how many blanks it begins with */

/* The line end that most lines of the text have; "\n" where none has one. `rule` says whether a
 * lone CR is one. */
struct str match_eol(struct str text, enum line_rule rule);

/*
 * A text's lines, and an index of them by what they are without blanks around them and with
 * punctuation folded. The line behind a final line end is none. The text is borrowed.
 *
 *     lookup_init(&l, text, LINES_VIM);
 *     for (size_t i = lookup_first(&l, line); i != LOOKUP_END; i = lookup_next(&l, i))
 *             ...line i may be the one: compare...
 *     lookup_release(&l);
 */
struct lookup {
	struct str text;
	struct line_table table;
	size_t n; /* lines */
	uint32_t *first, *next;
	size_t mask;
};

#define LOOKUP_END ((size_t)-1)

void lookup_init(struct lookup *l, struct str text, enum line_rule rule);
void lookup_release(struct lookup *l);
struct str lookup_line(const struct lookup *l, size_t line); /* without its end */
size_t lookup_start(const struct lookup *l, size_t line); /* its first byte; of line n, the end */
bool lookup_has_final_end(const struct lookup *l);	  /* true also where there is no line */
/* Candidates in order. The index is made at the first question. */
size_t lookup_first(struct lookup *l, struct str line);
size_t lookup_next(const struct lookup *l, size_t line);
/* Whether these lines are at line `at`. */
bool lookup_fits(const struct lookup *l, size_t at, const struct str *lines, size_t n,
		 enum match how);
/* The places where these lines are, 0, 1 or 2 for more; the first of them. Linear in both,
 * however alike the lines are. */
size_t lookup_run(const struct lookup *l, const struct str *lines, size_t n, enum match how,
		  size_t *where);
/* Of these lines the one with the fewest candidates, looking no further than at a few. */
size_t lookup_rarest(struct lookup *l, const struct str *lines, size_t n);

#endif
