#ifndef OX_PATCH_MATCH_H
#define OX_PATCH_MATCH_H

#include "patch.h"
#include "patch_scope.h"

/* Finding the places of a file's hunks in a text: between patch_find.c, which says how lines are
 * to be compared and makes edits of what is found, and the two forms' rules for places,
 * patch_match.c of unified patches and patch_anchor.c of V4A. */
struct placing {
	const struct patch_hunk *hunk;
	size_t n;	       /* the lines that are to be there: context and removed */
	const struct str *old; /* these as they are compared; verbatim, by locate_old() alone */
	size_t at;	       /* found: the line where they begin */
	size_t *fit, fits, fit_cap;
	bool append; /* V4A: adds lines at the end */
};

struct patch_finder {
	struct lookup text;
	struct scope_index scopes; /* V4A */
	bool v4a;
	bool verbatim; /* line ends and the byte order mark are compared too */
	bool mark;     /* the text begins with one, and it is not compared */
	const struct patch_file *file;
	struct placing *hunk; /* of the file, in order of the patch, and at last of places */
	size_t hunks;
	enum match how; /* the weakest proof so far */
	struct patch_failure *why;
	struct err *e;
	struct arena parts;
};

/* Most hunks are as written, and are held against the text as they are. */
const struct str *locate_old(struct patch_finder *l, struct placing *g);

/* Fills g->fit with all places; false where there are too many to be told apart. */
bool locate_all(struct patch_finder *l, struct placing *g, enum match how);
/* Fails with "hunk 2 (line 14 of the patch) " before the message, and what is near. */
bool locate_lost(struct patch_finder *l, struct placing *g, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Fails with the places g->fit[from] to g->fit[to - 1]. */
bool locate_several(struct patch_finder *l, const struct placing *g, size_t from, size_t to);
bool locate_refuse(struct patch_finder *l, const struct placing *g, enum err_code code,
		   const char *fmt, ...) __attribute__((format(printf, 4, 5)));

bool place_v4a(struct patch_finder *l);
bool place_unified(struct patch_finder *l);

#endif
