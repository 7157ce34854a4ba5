#ifndef OX_CODE_ACTIONS_H
#define OX_CODE_ACTIONS_H

#include "../lsp/action.h"
#include "server.h"

/*
 * Asks language servers for code actions: those of a place, or those that fix diagnostics. Kept are
 * those that are of the kind asked for, and that can be carried out; action_plan.h then says what
 * one would change.
 *
 *     c = code_actions_at(ox, path, place, spec, fn, arg)       // or
 *     c = code_actions_for(ox, v, n, spec, fn, arg)
 *     fn(arg, e)                    // once, not from inside; also after code_actions_cancel()
 *     code_actions_offer(c, i) ...
 *     code_actions_free(c)
 *
 * At a place, all servers that have the file are asked, once its diagnostics are there; where none
 * can be asked, fn gets ERR_NO_SERVER or ERR_UNSUPPORTED. About a whole line they are asked for all
 * of it, for what is wrong on it, and where words and signs begin: some offer no more than what
 * fits a cursor. What comes again is left out then.
 *
 * For diagnostics there is an offer for each, in the order of `v`, which is grouped by file, by the
 * server that reported it; diagnostics.at_once files are asked about at a time.
 *
 * A server that fails offers nothing, which is not an error: code_actions_missing() says so. Until
 * they are freed no change is tried on the servers (trial.h), so that all speak of the same text.
 */
struct offer { /* the answer to one question */
	const char *path;
	struct range place;	   /* that was asked about, as the server counts */
	const struct diag **about; /* what the server had reported there; copies */
	size_t abouts;
	bool fixes;	       /* it was asked to fix the one that it is about */
	struct server *server; /* NULL: none was asked */
	struct actions actions;
	uint64_t moves; /* of the workspace when it was asked */
};

/* The diagnostic that an action is for, if it says so, or can only be for that one; or NULL. */
const struct diag *offer_diag(const struct offer *o, size_t action);

struct code_actions_spec {
	struct str kind; /* of actions; empty: all. Borrowed until the end */
	uint64_t timeout_ms;
	/* For diagnostics: files that were not open are closed again. */
	bool glance;
	/* Likewise: these alone are asked, as they are, also while a change is on trial. Borrowed
	 * until the end. */
	struct server *const *servers;
	size_t n_servers; /* 0: it waits for those that there are */
};

/* From 1; columns in bytes; column 0: the whole lines; line 0: the whole file. */
struct code_place {
	int64_t line, column, end_line, end_column;
};

typedef void code_actions_done(void *arg, const struct err *e);
struct code_actions *code_actions_at(struct oxide *ox, const char *path,
				     const struct code_place *place,
				     const struct code_actions_spec *spec, code_actions_done *fn,
				     void *arg);
struct code_actions *code_actions_for(struct oxide *ox, const struct diag *const *v, size_t n,
				      const struct code_actions_spec *spec, code_actions_done *fn,
				      void *arg);
void code_actions_cancel(void *code_actions); /* what has come until then is there */
size_t code_actions_count(const struct code_actions *c);
const struct offer *code_actions_offer(const struct code_actions *c, size_t i);
const char *code_actions_missing(const struct code_actions *c); /* why some may be; NULL: none */
void code_actions_free(struct code_actions *c); /* NULL: nothing; only after fn was called */

#endif
