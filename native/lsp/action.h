#ifndef OX_ACTION_H
#define OX_ACTION_H

#include "diag.h"

/*
 * What a server offers to do: the code actions of textDocument/codeAction. One changes texts by an
 * edit it brings along, by one that codeAction/resolve adds, or by a command that the server
 * executes and sends workspace/applyEdit for. Texts are raw JSON unless said otherwise; empty where
 * there is none.
 */
struct action {
	struct str title, kind; /* kind: "quickfix"; texts */
	bool preferred;
	struct str raw;	    /* the whole, for codeAction/resolve */
	struct str edit;    /* a WorkspaceEdit */
	struct str command; /* its name; text */
	struct str with;    /* its arguments, an array */
	struct str mends;   /* the diagnostics that it is for, an array */
};

struct actions {
	struct action *v;
	size_t n, cap;
	struct arena texts;
};

/* The request's params, for a place and the diagnostics of it; `only`: a kind, empty for all. */
json *actions_ask(const char *path, struct range place, const struct diag *const *v, size_t n,
		  struct str only);
json *action_resolve(const struct action *a); /* likewise, of codeAction/resolve */
json *action_execute(const struct action *a); /* and of workspace/executeCommand */

/* (Command | CodeAction)[] | null, in the server's order; those that are disabled are left out. */
bool actions_read(struct str raw, struct actions *out, struct err *e);
/* Adds one, as the server answers to action_resolve(). */
bool actions_add(struct actions *all, struct str raw, struct err *e);
void actions_release(struct actions *a);

/* Whether it is for this diagnostic; one that does not say what it is for is. */
bool action_mends(const struct action *a, const struct diag *d);
/* Whether its kind is `kind` or one below: "quickfix" has "quickfix.import" below it. One without
 * a kind is a quick fix. */
bool action_is(const struct action *a, struct str kind);
bool action_alike(const struct action *a, const struct action *b); /* title and kind */

#endif
