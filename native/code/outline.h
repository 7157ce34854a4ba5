#ifndef OX_OUTLINE_H
#define OX_OUTLINE_H

#include "../base/err.h"
#include "lex.h"

/*
 * The declarations of a text as far as the text alone tells them, for when no language server does:
 * functions, methods and types of C, C++, Rust, Go, JavaScript, TypeScript, Python and Lua. There
 * is not a grammar, so nothing is believed that could be read in two ways:
 *
 * - What may be the declaration of a name, but cannot be told where it ends, is `doubtful`: it is
 *   there so that its name does not look like a name that only another has.
 * - A text whose brackets do not match, or differ between the branches of an #if, has no outline.
 *
 * Other languages (outline_lines.c, outline_marks.c) have an outline to be looked at: Java, C#,
 * Kotlin, Swift, Scala, PHP, Ruby, Elixir, Julia, shells and Vim script by what their lines begin
 * with and how these are indented, headings of Markdown, targets of Makefiles. All of that is
 * doubtful, so that nothing is changed by it.
 *
 * Spans are of bytes; those of items nest. Linear in the text: a head that is longer than 2 KiB may
 * not be taken for one, and 100,000 brackets in each other are too many.
 */
enum outline_kind {
	OUTLINE_FUNCTION,
	OUTLINE_TYPE,
	OUTLINE_SPACE,
	OUTLINE_VALUE,	 /* what is assigned and no function, in JavaScript and TypeScript */
	OUTLINE_HEADING, /* of a text */
	OUTLINE_TARGET,	 /* of a Makefile */
};

struct outline_item {
	enum outline_kind kind;
	struct span name; /* as it is: "Shape::area", "impl Shape for Square" */
	struct span all;  /* from its first word to the end of its body */
	size_t parent;	  /* of the items, from 1; 0: none */
	bool doubtful;	  /* `all` is that of its name, or a guess */
};

struct outline {
	struct outline_item *v; /* in the order of their names */
	size_t n, cap;
};

/* ERR_UNSUPPORTED: not of this language, or of this text; says why. Zero *out. */
bool outline_of(const struct language *lang, struct str text, struct outline *out, struct err *e);
void outline_release(struct outline *o);

#endif
