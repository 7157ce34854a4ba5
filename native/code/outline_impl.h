#ifndef OX_OUTLINE_IMPL_H
#define OX_OUTLINE_IMPL_H

#include "../text/line.h"
#include "language.h"
#include "outline.h"

/* For outline*.c alone. */
struct outline_item *outline_add(struct outline *o, enum outline_kind kind, struct span name,
				 struct span all, size_t parent);
bool outline_fail(struct str text, size_t at, const char *why, struct err *e);
/* Where blanks tell what is in what: those from *open on outwards that are `depth` deep or deeper
 * end there. */
void outline_end_deeper(struct outline *o, struct str text, size_t *open, size_t depth, size_t end);

/* For what is looked at ahead of a name or behind one: no further than a head is long, so that a
 * text of nothing but beginnings is not read over and over. */
#define OUTLINE_HEAD_MOST 2048 /* bytes */
struct lexer outline_ahead(struct lexer l);
struct lexer outline_near(struct lexer l, size_t most); /* so many bytes */

/* Languages whose bodies are in braces. */
bool outline_braces(const struct language *lang, struct str text, struct outline *out,
		    struct err *e);

/* Whether what is assigned there is a function, as far as its beginning tells, of which *vain bytes
 * more were read for an end that is not there; and whether that has the word, so that it is no type
 * either. */
bool outline_function_value(struct lexer l, size_t *vain);
bool outline_function_word(struct lexer l);

/* Lua. */
bool outline_words(const struct language *lang, struct str text, struct outline *out,
		   struct err *e);

/* Those that are only looked at. False: it is none of them. */
bool outline_lines(const struct language *lang, struct str text, struct outline *out);
bool outline_headings(struct str text, struct outline *out);
bool outline_targets(struct str text, struct outline *out);

#endif
