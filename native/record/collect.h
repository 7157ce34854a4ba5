#ifndef OX_COLLECT_H
#define OX_COLLECT_H

#include "record.h"

/*
 * What an agent prints or logs becomes rows of a record: between a reader (reader.h) and record.h.
 *
 *     collect_new -> collect_feed, with bytes in any pieces -> collect_end -> collect_free
 *
 * A flood costs little: where `kind` is "terminal" and much was printed that neither begins a line
 * of JSON nor marks a prompt, no more of it is read until something does.
 */
struct collect;

struct collect_source {
	const char *reader; /* the path of its file */
	const char *kind;   /* NULL: it is found out */
	bool live;	    /* it happens now; else it was recorded elsewhere */
	int64_t since_ms;   /* what is older is left out; 0: nothing is */
};

/* `record` is borrowed. NULL: *e says why. */
struct collect *collect_new(const struct oxide *ox, struct record *record,
			    const struct collect_source *source, struct err *e);
void collect_feed(struct collect *c, struct str bytes);
/* Once; `exit` of the program: { code, signal }, NULL: it is not known. What has become known is
 * added to the members of the whole: `usage`, and of a session elsewhere `session_id`, `timestamp`
 * and `cwd`; to `agent` its `model` and `version`. */
void collect_end(struct collect *c, const json *exit, json *whole, json *agent);
void collect_free(struct collect *c);		     /* NULL: nothing */
bool collect_has_told(const struct collect *c);	     /* a row; NULL: nothing */
const char *collect_broken(const struct collect *c); /* why the reader is not called; NULL: it is */

#endif
