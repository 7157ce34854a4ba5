#ifndef OX_REGISTRY_H
#define OX_REGISTRY_H

#include <sys/queue.h>

#include "../edit/plan.h"
#include "../lsp/action.h"
#include "../lsp/diag.h"
#include "oxide.h"

/*
 * Changes that can be made, each under a name: what servers offered to do, what was only shown, and
 * what waits for the user's confirmation. One speaks of the texts as they were when it came to be,
 * and is forgotten when they change. The registry lives as long as the core, and holds actions.kept
 * of them at most, with actions.bytes of text; the oldest go first.
 *
 *     registry_put(r, a)                   // `a` and all in it is taken
 *     a = registry_take(r, id, e)          // out of it; the caller's
 *     registry_put(r, a)                   // it was not made after all
 *     registered_free(a)
 *
 * One that a user is being asked about is there as well, but can be neither taken nor forgotten:
 *
 *     registry_wait(r, &waiting)           // shown under its id, until
 *     registry_waited(r, &waiting)
 *
 * When the list has changed, the front-end hears of it at the end of that turn of the loop.
 */
struct registry;

struct registered {
	char *id;	/* "fix-main.c:3-0123456789ab": tells what it is, and is no other's */
	char *title;	/* as its server names it; all strings are owned */
	char *kind;	/* "quickfix", as LSP has them, or the tool's name */
	char *about;	/* "main.c:3: use of undeclared identifier"; "": nothing */
	char *labels;	/* of annotations, one a line */
	char *new_name; /* that it gives to something; NULL: none */
	char *home;	/* what has that, where `most` is not 0 */
	size_t most;	/* files, of more than which a part is looked at; 0: always all are */
	bool preferred;
	bool annotated;	 /* a server wants it confirmed */
	bool unverified; /* it is made without a look at it by the servers */
	/* The change, finished; or NULL, and `server` has yet to say it for `action`, the one in
	 * the list, which it offered for this text when the workspace had moved so often. */
	struct plan *plan;
	struct server *server; /* NULL: of no server */
	struct actions action;
	char *path;
	uint64_t hash, moves;
	uint64_t diag; /* it is of no use without this diagnostic (registry_diag()); 0: of none */
};

/* Borrowed, with all in it. */
struct waiting {
	const char *id, *title, *kind;
	const char *who; /* asked for it; NULL: the user that is being asked */
	const struct plan *plan;
	LIST_ENTRY(waiting) all;
};

struct registry *registry_new(struct oxide *ox);
void registry_free(struct registry *r);
/* In place of one of the same id. */
void registry_put(struct registry *r, struct registered *a);
/* ERR_NOT_FOUND says what to do, as does ERR_STALE: its files have changed, and it is forgotten,
 * but for its name, which brings the same error from then on. */
struct registered *registry_take(struct registry *r, struct str id, struct err *e);
/* Forgets those whose files have changed. */
void registry_sweep(struct registry *r);
/* Forgets those that are of no use without diagnostics that are not among these. */
void registry_keep_fixes(struct registry *r, const struct diag *const *v, size_t n);
uint64_t registry_diag(const struct diag *d); /* for registered.diag */
void registry_wait(struct registry *r, struct waiting *w);
void registry_waited(struct registry *r, struct waiting *w);
const struct waiting *registry_waiting(const struct registry *r); /* the first; the newest */
/* An id that reads `name`: with a number behind it where that has been another change's, told by
 * `hash`, before. Appends it. */
void registry_name(struct registry *r, struct str name, uint64_t hash, struct buf *out);
void registry_forget_below(struct registry *r, const char *root); /* all of this directory */
size_t registry_count(const struct registry *r);
const struct registered *registry_at(const struct registry *r, size_t i); /* oldest first */

const char *registered_path(const struct registered *a); /* a file of it */
void registered_free(struct registered *a);		 /* NULL: nothing */
/* Letters, digits, dots and underscores of a text, what is between them as one dash: "rename a to
 * b" is "rename-a-to-b". For ids; cut where it is long. */
void registry_slug(struct str text, struct buf *out);

#endif
