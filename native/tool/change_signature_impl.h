#ifndef OX_CHANGE_SIGNATURE_IMPL_H
#define OX_CHANGE_SIGNATURE_IMPL_H

#include "../code/signature_text.h"
#include "../servers/word_search.h"
#include "change_signature.h"
#include "symbol_sites_find.h"

/*
 * Shared by the four sources of lsp_edit's change_signature: change_signature.c drives it,
 * change_signature_rename.c renames parameters, change_signature_reach.c finds what it does not
 * reach, and change_signature_say.c writes the answer.
 *
 *     signature_run -> on_target -> on_spots -+-> (nothing is to change) describe
 *                                             +-> on_renamed (each parameter)
 *                                                 -> signature_reach -> rewrite -> call_change
 */
struct refusal {
	const struct site_file *file;
	struct site site;
	struct str why; /* in changing.texts */
};

struct changing {
	struct call *call;
	struct target *target;
	struct str name;     /* the present one, in `texts` */
	struct str new_name; /* the same where it stays */
	struct symbol_sites spots;
	struct word_search *mentions;
	struct completeness *reach;
	const struct site_file *file; /* of the declaration that counts */
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
	size_t changed_sites; /* of the plan, before a person leaves out some of it */
	bool declared_apart, settled;
	bool allow;	/* what cannot be rewritten is left as it is, and told */
	bool decides;	/* a person decides about what is not complete */
	uint64_t moves; /* of the workspace when the servers were asked */
	struct err why;
	struct arena texts;
};

/* A definition's parameters are renamed by its server, with their uses; those of a declaration
 * without a body are changed with the list. */
void signature_rename_params(struct changing *c, const struct site_file *f, const struct site *s,
			     const struct parameters *here);
void signature_renamings_free(struct changing *c);
/* One that was waited for is there; change_signature.c goes on. */
void signature_renamed(struct changing *c);

/* One more place that cannot be rewritten; `why` is copied. */
void signature_refuse(struct changing *c, const struct site_file *f, const struct site *s,
		      const char *why);
/* Finds calls that the servers do not know of; then, maybe at once, signature_reached(). A failure
 * is in c->why. */
void signature_reach(struct changing *c);
void signature_reached(struct changing *c);

/* The answer where nothing is to change: what the signature is now. */
json *signature_describe(const struct changing *c);
/* The members of an answer, apart from those that every change has. */
json *signature_report(struct changing *c);
/* *e with the parameter that lacks an argument, so that a person can be asked for it. */
json *signature_missing(const struct changing *c, const struct err *e);
/* All places that cannot be changed: fills *e, and returns the error object. */
json *signature_refusal(struct changing *c, struct err *e);
void signature_label_unreached(const struct changing *c, struct buf *labels); /* for the review */
/* At how many sites the plan changes something. */
size_t signature_changed_sites(const struct changing *c, const struct plan *p);
/* `sites_changed`, where a person has left out some: of `sites`, those that are as was asked. */
void signature_put_cut(const struct changing *c, const struct plan *p, json *report);
/* Uses that the servers do not know of, or of a name that goes. */
void signature_mentions(struct changing *c, const struct plan *p, json *report);

#endif
