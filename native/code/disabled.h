#ifndef OX_DISABLED_H
#define OX_DISABLED_H

#include "../base/buf.h"
#include "lex.h"

/*
 * Code that nobody compiles: from `#if 0` to its `#else` or `#endif`, which is how C and C++
 * comment out what has comments in it. Other conditions depend on how a file is compiled.
 *
 *     struct disabled o = disabled_from(lang, text);	// the text is borrowed
 *     disabled_at(&o, at)				// ask by position, in order
 */
struct disabled {
	struct lexer l;
	size_t at; /* all before it has been read */
	size_t depth, since;
};

struct disabled disabled_from(const struct language *lang, struct str text);
bool disabled_at(struct disabled *o, size_t at); /* false in a language without a preprocessor */
/* Instead, for who reads the tokens anyway: each of the text, and where none is left out, o->since
 * is what disabled_at() would say behind it. */
void disabled_step(struct disabled *o, struct token t);

/* The innermost condition around byte `at` that may be off: "`#ifdef A` of line 9", "the #else of
 * ...". False: there is none; what keeps a header from being read twice is none. */
bool disabled_perhaps(const struct language *lang, struct str text, size_t at, struct buf *out);

#endif
