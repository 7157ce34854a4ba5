#ifndef OX_TOOL_VERIFY_H
#define OX_TOOL_VERIFY_H

#include "../servers/gate.h"
#include "change_result.h"
#include "tool.h"

/*
 * What language servers found in a change that was not made yet (servers/gate.h), as an answer says
 * it.
 */
/* `syntax_check`, whether it is complete and why not, `not_verified` [{file, reason}] where there
 * are such files, `new_warnings` where there are some, and `new_errors` that a person may accept.
 */
void verify_report(struct call *c, const struct gate_finding *f, struct change_result *r);
/* All of it for a person who is asked, a line each. */
void verify_notes(struct call *c, const struct gate_finding *f, struct buf *out);
/* One more reason why an answer is not complete: `complete` false, a text in `reasons`, and a line
 * of notes. */
void verify_incomplete(json *report, struct buf *notes, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* New errors: fills *e, and returns the error object with `new_errors`. */
json *verify_refusal(struct call *c, const struct gate_finding *f, struct err *e);

#endif
