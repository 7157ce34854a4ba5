#ifndef OX_JSCAN_H
#define OX_JSCAN_H

#include <stdint.h>

#include "arena.h"
#include "buf.h"
#include "err.h"

/*
 * One pass over JSON text, without a tree: the way to read answers that may be megabytes. The
 * reader says what it expects next; an error sticks, and every later call returns false or zero.
 *
 *     struct jscan s = jscan_of(text, &e);
 *     struct str key;
 *
 *     for (jscan_object(&s); jscan_member(&s, &key);)
 *             if (str_eq(key, STR("line")))
 *                     line = jscan_int(&s);
 *             else
 *                     jscan_skip(&s);
 *     return jscan_ok(&s);
 *
 * Each member and item must be consumed by exactly one call before the next. A value that may be
 * null or of several types is looked at with jscan_peek() first.
 */
struct jscan {
	const char *start, *at, *end;
	struct err *e;
	bool bad;
	bool fresh;  /* just inside a list: no comma expected */
	bool strict; /* what is not text is an error: half a character, a NUL that is not escaped */
};

/* What is next: '{' '[' '"' '0' (any number) 't' (true or false) 'n' (null), 0 at the end. */
char jscan_peek(struct jscan *s);

struct jscan jscan_of(struct str text, struct err *e);
struct jscan jscan_strict(struct str text, struct err *e); /* for what is to be written as it is */
bool jscan_ok(const struct jscan *s);
bool jscan_object(struct jscan *s); /* enter; also an ERR_PROTOCOL when something else is there */
bool jscan_array(struct jscan *s);
/* The next member's name, as it is between its quotes; false after the last. */
bool jscan_member(struct jscan *s, struct str *key);
bool jscan_item(struct jscan *s);   /* false after the last item */
int64_t jscan_int(struct jscan *s); /* a fraction is cut off */
double jscan_double(struct jscan *s);
bool jscan_bool(struct jscan *s);
/* A string as it is between its quotes, escapes and all; compare ASCII names with it. */
struct str jscan_quoted(struct jscan *s);
/* A string decoded, appended to `out`. A lone surrogate becomes U+FFFD. */
bool jscan_str(struct jscan *s, struct buf *out);
/* The same, borrowed where it has no escapes, else in the arena. */
struct str jscan_text(struct jscan *s, struct arena *a);
struct str jscan_decoded(struct jscan *s, struct str quoted, struct arena *a); /* a name */
bool jscan_skip(struct jscan *s);      /* any value; nesting costs no stack */
struct str jscan_raw(struct jscan *s); /* skips a value and returns its text */
bool jscan_end(struct jscan *s);       /* nothing may follow but blanks */

#endif
