#ifndef OX_MACRO_H
#define OX_MACRO_H

#include "lex.h"

/*
 * Macros of C, as far as a name that is in one needs them. Nothing is expanded.
 *
 *     struct macros in = macros_of(text);
 *     for (size_t at = 0; macros_next_use(&in, name, &at, &m); at += name.n)
 *             ...
 *
 * A `#define` may go on for a million lines. It is read once, however many places in it are asked
 * about, if those come in order; a place before the last one costs that `#define` again.
 */
struct macro {
	struct span name;
	struct span body; /* of its text; without the parameters */
};

struct macros {
	struct str text;
	struct span lines;	  /* of the place asked about last, with those that continue it */
	struct span name;	  /* of the `#define` there; empty: it is none */
	struct span params, body; /* likewise; body empty: the parameters do not end */
	struct lexer l;		  /* in the body, behind `ahead` */
	struct token ahead;	  /* the first of the body that is not passed */
	bool pasted;		  /* a `#` is before that */
	struct str word;	  /* asked about last */
	bool is_param;		  /* it is one */
	size_t last;		  /* the place asked about last */
	size_t read;		  /* how many bytes were gone through so far */
};

struct macros macros_of(struct str text); /* borrowed */
/* The `#define` in whose body the name at byte `at` is used: as a whole word of code that is none
 * of the macro's own parameters and is not pasted to another. False where there is none. */
bool macros_using(struct macros *in, size_t at, struct macro *m);
/* The name of the macro on the lines of whose `#define` byte `at` is; false: none. */
bool macros_around(struct macros *in, size_t at, struct span *name);
/* The next use from *at on of `name` in the body of a macro; *at is where it is. */
bool macros_next_use(struct macros *in, struct str name, size_t *at, struct macro *m);
/* The next `#define` of `name` from *at on; *at is where its name is. */
bool macros_next_define(struct macros *in, struct str name, size_t *at);
size_t macro_line_end(struct str text, size_t at); /* of a line and those that continue it */

#endif
