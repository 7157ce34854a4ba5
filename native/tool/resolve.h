#ifndef OX_RESOLVE_H
#define OX_RESOLVE_H

#include "../lsp/symbol_rank.h"
#include "target.h"

/*
 * A symbol of the project by its name: the arguments `symbol_name`, a name or a name path
 * (Class/method, Type::method, Type.method, name[1]), and `file_hint`, a path or a part of one.
 *
 * Asked are the files that mention the name, those first that the hint speaks of, and the servers
 * of those about the whole project. Macros of C count, which servers do not list. What is only
 * called alike is never taken for it: those are candidates of the refusal.
 * What is declared in one place and defined in another is one symbol, and meant is the definition.
 */
struct resolved {
	struct target *target; /* its name, in the file that it is defined in */
	char *name_path;       /* "Class/method" */
	int kind;	       /* LSP SymbolKind */
	struct range range;    /* all of it, as its server counts */
	bool hinted;	       /* the hint, if there was one, speaks of its file */
	bool complete; /* no file that mentions the name was left out, no index in the making */
	/* Rows as candidates: what the name could mean as well, but less likely; what has the same
	 * path, and is reached by its "[n]". */
	json *others;
};

/* `exact`: not what is elsewhere than the hint says. Calls fn once, not
 * from inside. `r` is the caller's; NULL: *e says why, and `refusal` (taken) is the error object
 * where it says more: `candidates` [{file, line, symbol_name, kind}]. */
typedef void resolve_done(void *arg, struct resolved *r, const struct err *e, json *refusal);
void resolve_symbol(struct call *c, bool exact, resolve_done *fn, void *arg);
void resolved_free(struct resolved *r); /* NULL: nothing */

/* Puts in `symbol`, `kind`, `file_path` and `server`; `others` where there are some. */
void resolved_put(struct resolved *r, json *result);
/* Where its definition is, with its comments and attributes. */
struct span resolved_span(struct resolved *r);

/* The arguments. */
#define SYMBOL_PARAMS                                                                              \
	{ "project_name", P_STR, false, NULL, "its project; the one used last when left out" },    \
		{ "symbol_name", P_STR, true, NULL,                                                \
		  "its name, or a name path such as Type::method or Class/method" },               \
	{                                                                                          \
		"file_hint", P_STR, false, NULL, "the file it is in, or a part of its path"        \
	}

#endif
