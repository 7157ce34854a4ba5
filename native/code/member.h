#ifndef OX_MEMBER_H
#define OX_MEMBER_H

#include "outline.h"

/*
 * Which uses of a name in a text are of members, and of which types, as far as the text alone tells
 * it: of languages in which a type may be given for another by what both have.
 */
struct member_text {
	const struct language *lang;
	struct str text; /* borrowed */
	struct outline outline;
};

/* Whether its language has types that are the same by what they have. */
bool member_by_shape(const struct language *lang);
void member_text_init(struct member_text *t, const struct language *lang, struct str text);
void member_text_release(struct member_text *t);
/* Whether the name that begins there is that of a member of some value, as in `x.name`. */
bool member_is_accessed(const struct member_text *t, size_t at);
/* Whether a member is declared by the name from `at` to `end`; *type: whose it is, empty where
 * nobody knows. */
bool member_is_declared(const struct member_text *t, size_t at, size_t end, struct str *type);

#endif
