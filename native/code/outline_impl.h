#ifndef OX_OUTLINE_IMPL_H
#define OX_OUTLINE_IMPL_H

#include "language.h"
#include "outline.h"

/* For outline.c, outline_braces.c and outline_words.c alone. */
struct outline_item *outline_add(struct outline *o, enum outline_kind kind, struct span name,
				 struct span all, size_t parent);
bool outline_fail(struct str text, size_t at, const char *why, struct err *e);

/* Languages whose bodies are in braces. */
bool outline_braces(const struct language *lang, struct str text, struct outline *out,
		    struct err *e);

/* Lua. */
bool outline_words(const struct language *lang, struct str text, struct outline *out,
		   struct err *e);

#endif
