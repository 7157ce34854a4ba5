#ifndef OX_UNLISTED_USES_H
#define OX_UNLISTED_USES_H

#include "site.h"

/*
 * Places in code that have a function's name and that no server listed among its uses, but that may
 * be one: a call in the body of a macro that is expanded nowhere, a call whose meaning depends on a
 * template's parameter, code that is not compiled here, a method of an object of unknown type.
 *
 * Only the text is read, so what cannot be a use of it is left out: comments, strings, imports,
 * code under `#if 0`, a macro's own parameters, a member where the function is not one. What the
 * name means at the others is for a server to say, but in a macro (`macro`), where none knows it.
 */
enum unlisted_member { UNLISTED_FREE, UNLISTED_MEMBER, UNLISTED_EITHER };

struct unlisted_rules {
	struct str name;
	enum unlisted_member member; /* whether it is called behind an object */
	struct str module;	     /* a free one may be called behind that: `shape` of shape.py */
};

struct unlisted_use {
	struct site site;
	struct span macro; /* the name of the macro in whose body it is; empty: in none */
};

struct unlisted_uses {
	struct unlisted_use *v;
	size_t n, cap;
};

/* `known`: by position; those are not strays. Fills *out, which the caller releases. */
void unlisted_uses_find(const struct language *lang, struct str text,
			const struct unlisted_rules *r, const struct site *known, size_t n_known,
			struct unlisted_uses *out);
void unlisted_uses_add(struct unlisted_uses *s, const struct site *site, struct span macro);
void unlisted_uses_release(struct unlisted_uses *s);

/* Whether the declaration at this site is in a class, or is of one. */
enum unlisted_member unlisted_member_of(const struct language *lang, struct str text,
					const struct site *declaration);

#endif
