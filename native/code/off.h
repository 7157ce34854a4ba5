#ifndef OX_OFF_H
#define OX_OFF_H

#include "lex.h"

/*
 * Code that nobody compiles: from `#if 0` to its `#else` or `#endif`, which is how C and C++
 * comment out what has comments in it. Other conditions depend on how a file is compiled.
 *
 *     struct off o = off_from(lang, text);	// the text is borrowed
 *     off_at(&o, at)				// ask by position, in order
 */
struct off {
	struct lexer l;
	size_t at; /* all before it has been read */
	size_t depth, since;
};

struct off off_from(const struct language *lang, struct str text);
bool off_at(struct off *o, size_t at); /* false in a language without a preprocessor */

#endif
