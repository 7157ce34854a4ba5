#ifndef OX_SIGNATURE_IMPL_H
#define OX_SIGNATURE_IMPL_H

#include "../core/mentions.h"
#include "../text/signature_text.h"
#include "signature.h"
#include "spots_find.h"

/*
 * Shared by signature.c, the life of a change, signature_rename.c, parameters that get another
 * name, and signature_say.c, what an answer says of it.
 *
 *     signature_run -> on_target -> on_spots -+-> (nothing is to change) describe
 *                                             +-> on_renamed (each parameter) -> rewrite
 *                                                 -> call_change
 */
struct refusal {
	const struct spot_file *file;
	const struct site *site;
	struct str why; /* in changing.texts */
};

struct changing {
	struct call *call;
	struct target *target;
	struct str name;     /* the present one, in `texts` */
	struct str new_name; /* the same where it stays */
	struct spots spots;
	struct mentions *mentions;
	const struct spot_file *file; /* of the declaration that counts */
	const struct site *site;
	struct parameters old;
	struct signature signature;
	struct str missing; /* a new parameter of which it was not said what callers pass */
	json *items;	    /* what was asked for; the signature borrows from it */
	struct renaming **renaming;
	size_t renamings, renaming_cap, waiting;
	struct refusal *refused;
	size_t n_refused, refused_cap;
	json *warnings;
	struct str *owners;
	size_t n_owners, owners_cap;
	bool declared_apart, settled;
	uint64_t moves; /* of the workspace when the servers were asked */
	struct err why;
	struct arena texts;
};

/* A definition's parameters are renamed by its server, with their uses; those of a declaration
 * without a body are changed with the list. */
void signature_rename_params(struct changing *c, const struct spot_file *f, const struct site *s,
			     const struct parameters *here);
void signature_renamings_free(struct changing *c);
void signature_renamed(struct changing *c); /* one that was waited for; signature.c goes on */

/* The answer where nothing is to change: what the signature is now. */
json *signature_describe(const struct changing *c);
/* The members of an answer, apart from those that every change has. */
json *signature_report(struct changing *c);
/* *e with the parameter that lacks an argument, so that a person can be asked for it. */
json *signature_missing(const struct changing *c, const struct err *e);
/* All places that cannot be changed: fills *e, and returns the error object. */
json *signature_refusal(struct changing *c, struct err *e);
/* Uses that the servers do not know of, or of a name that goes. */
void signature_mentions(struct changing *c, const struct plan *p, json *report);

#endif
