#ifndef OX_RESOLVE_IMPL_H
#define OX_RESOLVE_IMPL_H

#include "../base/map.h"
#include "../lsp/symbol.h"
#include "resolve.h"

/* Shared by resolve.c, which collects candidates, resolve_order.c, which says from where first, and
 * resolve_choose.c, which takes one. */

#define RESOLVE_IN_A_FILE 64 /* symbols of one name */

struct look { /* one question: for the symbols of a file, or for those of the project */
	struct resolving *of;
	char *path; /* NULL: the project's */
	struct pick *pick;
	struct server *server;
	int64_t asked;
	bool settled;
	struct symbols symbols;
};

struct candidate {
	struct look *look;
	const struct symbol *symbol;
	struct symbol_rank rank;
	size_t group;  /* index of the first that is the same symbol */
	char *plain;   /* its path, as symbol_plain_path() has it */
	int64_t asked; /* where it is defined */
};

struct resolving {
	struct call *call;
	bool exact;
	resolve_done *fn;
	void *arg;
	uint64_t moves;	       /* of the workspace when it began */
	struct str want, hint; /* borrowed from the arguments */
	char *last;	       /* the name as it is in a text */
	struct word_search *mentions;
	size_t mentioning;	   /* files */
	size_t mentioned, indexed; /* that were looked at because of that, or of an index */
	struct map paths;	   /* that were looked at */
	struct look **v;
	size_t n, cap;
	struct candidate *found;
	size_t founds, found_cap;
	size_t waiting; /* answers still to come */
	bool cut;	/* more files mention it, or are called alike, than are looked at */
	struct err why; /* the first server that did not answer */
};

void resolve_end(struct resolving *r, struct resolved *found, const struct err *e, json *refusal);
enum path_hint resolve_hint(struct resolving *r, const char *path);
/* What the hint speaks of comes first; then, where there are more files than are looked at, what
 * seems to define the name. */
void resolve_order(struct resolving *r, const char **path, size_t n);
/* Whether a body or a value is behind its head. */
bool resolve_opens(struct resolving *r, struct doc *d, const struct symbol *s, enum pos_enc enc);
void resolve_choose(struct resolving *r); /* all candidates are there */

#endif
