#ifndef OX_SIGNATURE_TEXT_H
#define OX_SIGNATURE_TEXT_H

#include "signature.h"

/*
 * All places of one text at which a function is named, rewritten for its new signature. What cannot
 * be is told place by place, and stays as it is.
 */
struct signature_change {
	const struct signature *s;
	struct str old_name, new_name; /* the same: it keeps it */
	const struct str *owners;      /* the classes that have it as a method */
	size_t n_owners;
	bool declared_apart; /* there are declarations without a body: they have the defaults */
	bool rename_refused; /* what cannot be rewritten gets the new name anyway */
	void (*refused)(void *arg, const struct site *s, const char *why);
	/* An argument that goes, and does more than have a value. */
	void (*dropped)(void *arg, const struct site *s, struct str argument);
	void *arg;
};

/* `v`: sites_read() of nest->text, by position. The nest may hold edits already. */
void signature_rewrite(const struct signature_change *c, const struct site *v, size_t n,
		       struct nested_edits *nest);

/* The class that the declaration at this site is a method of, in languages where a call can name it
 * in the place of an object; empty: none. */
struct str signature_owner(const struct language *lang, struct str text, const struct site *s);

#endif
