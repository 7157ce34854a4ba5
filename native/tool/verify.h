#ifndef OX_TOOL_VERIFY_H
#define OX_TOOL_VERIFY_H

#include "../servers/gate.h"
#include "tool.h"

/*
 * What language servers found in a change that was not made yet (servers/gate.h), as an answer says
 * it.
 */
/* Into an answer: `syntax_check`, `complete`, `reasons` why not, `not_verified` [{file, reason}]
 * where there are such files, and `new_warnings` where there are some. */
void verify_report(struct call *c, const struct gate_finding *f, json *report);
/* After that, where a part of `n` files that change was chosen to be looked at: says so. */
void verify_part(json *report, size_t n);
/* New errors that a person may accept: into `syntax_check` and `new_errors`. */
void verify_accept(struct call *c, const struct gate_finding *f, json *report);
/* All of it for a person who is asked, a line each. */
void verify_notes(struct call *c, const struct gate_finding *f, struct buf *out);
/* One more reason why an answer is not complete: `complete` false, a text in `reasons`, and a line
 * of notes. */
void verify_incomplete(json *report, struct buf *notes, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* New errors: fills *e, and returns the error object with `new_errors`. */
json *verify_refusal(struct call *c, const struct gate_finding *f, struct err *e);

#endif
