#ifndef OX_QUOTED_H
#define OX_QUOTED_H

#include "lex.h"

/*
 * What macros of C make of the text of an argument, where its value alone is seen to be used: a
 * string by `#`, a part of another name by `##`, also through the macros in their bodies.
 *
 *     struct quoted q = quoted_from(text, define, arg);   // the text is borrowed
 *     quoted_at(&q, at, &macro)                           // ask by position, in order
 */
enum quoted_as { QUOTED_NOT, QUOTED_STRING, QUOTED_PASTED };

/* The text that has the `#define` of a macro with parameters, whose name is at *at there; empty:
 * it is not known, and does nothing of the kind. */
typedef struct str quoted_define(void *arg, struct str name, size_t *at);

#define QUOTED_DEEP   16 /* brackets around a word */
#define QUOTED_LEVELS 4	 /* macros in macros */

/* The brackets that are open at a place, by the tokens before it: what it may be an argument of. */
struct brackets {
	struct str before; /* the token before */
	struct {
		struct str name; /* before the bracket; empty: none */
		size_t arg;	 /* which argument it is, from 0 */
	} open[QUOTED_DEEP];
	size_t depth;
};

/* The next token of the text that is neither space, line end nor comment. */
void brackets_step(struct brackets *b, struct str text, struct token t);
/* Whether any has a name before it: else no macro takes what is there for an argument. */
bool brackets_named(const struct brackets *b);

struct quoted {
	struct lexer l;
	struct brackets b;
	quoted_define *define;
	void *arg;
};

struct quoted quoted_from(struct str text, quoted_define *define, void *arg);
/* Of the word at byte `at`. *macro, borrowed from the text: the one that it is an argument of. */
enum quoted_as quoted_at(struct quoted *q, size_t at, struct str *macro);

#endif
