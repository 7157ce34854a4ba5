#ifndef OX_GATE_H
#define OX_GATE_H

#include "../lsp/action.h"
#include "server.h"

/*
 * A change is looked at before it is made: its files are shown to their language servers, all that
 * give diagnostics for them, as they would be, and what those say is compared with what they said
 * of the texts before (diag_compare.h). Files that use the symbols touched are looked at too; a
 * source of C or C++ of which all tokens stay (same_tokens.h) touches none. Neither disk nor
 * buffers move, and what the servers say of such texts reaches nobody else.
 *
 *     g = gate_start(ox, plan, spec, fn, arg)
 *     fn(arg, finding, e)       // once, not from inside; the finding lives until gate_end()
 *     gate_end(g, made)         // the servers are shown the documents as they are by then
 *
 * Whoever makes the change ends the gate afterwards: then the servers have seen the texts already,
 * and need not look again; what they said of them counts from then on. The servers serve nobody
 * else between finding and end.
 *
 * The plan is borrowed until gate_end(), with its texts, which are made whole. A server that is
 * missing, dies, or is not done within gate.wait_ms (or timeout_ms, if not 0) is not an error: the
 * finding says what was not verified. ERR_STALE: a file has changed since the plan was made.
 * gate_cancel() brings ERR_CANCELLED. While it takes long the editor is told how far it is
 * (editor.progress).
 */
struct gate;

#define GATE_WHYS 8 /* reasons at most */

struct gate_diag {
	struct diag diag;
	struct doc *doc; /* the text that it speaks of: the one after the change */
	/* Of an error: what the server offers to do about it; NULL: it was not asked. */
	const struct actions *fixes;
};

struct gate_skip {
	const char *path;
	const char *why; /* with the server's name, where there is one */
};

struct gate_finding {
	const struct gate_diag *error, *warning; /* that were not there before */
	size_t errors, warnings;
	const struct gate_skip *skip; /* files that a server, or every one, has not looked at */
	size_t skips;
	size_t looked; /* at files, by each server */
	bool complete; /* all of it was looked at, and the servers were done */
	/* Why it is not complete, beside `skip`. */
	const char *const *why;
	size_t whys;
	bool late; /* time ran out */
};

typedef void gate_found(void *arg, const struct gate_finding *f, const struct err *e);

struct gate_spec {
	uint64_t timeout_ms;
	bool alone; /* all files that use the symbols touched are part of the change; but of
		     * macros, whose users have what is in them under no name */
	/* Whether a file that the change gives is looked at; what the others have, as it was or as
	 * it would be, counts for nothing. NULL: all are. Not called after gate_start(). */
	bool (*looks)(void *arg, const char *path);
	void *arg;
	/* Files that are looked at as well; borrowed until gate_start() returns. */
	const char *const *also;
	size_t n_also;
	/* Likewise, by the server that has the change, though another may be the first for them,
	 * which does not see it. */
	const char *const *seen;
	size_t n_seen;
	struct server *by;
};

struct gate *gate_start(struct oxide *ox, struct plan *p, const struct gate_spec *spec,
			gate_found *fn, void *arg);
void gate_cancel(void *gate);
/* Between finding and gate_end(): who has been shown the file at `path` (as it is called after the
 * change) as its first, and its text there, of which questions to that server speak. NULL: nobody.
 */
struct server *gate_shown(const struct gate *g, const char *path, struct doc **text);
/* NULL: nothing; only after fn was called. `made`: the change has been made. */
void gate_end(struct gate *g, bool made);

#endif
