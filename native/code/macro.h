#ifndef OX_MACRO_H
#define OX_MACRO_H

#include "../text/pos.h"

/*
 * Macros of C, as far as a name that is in one needs them. Nothing is expanded.
 */
struct macro {
	struct span name;
	struct span body; /* of its text; without the parameters */
};

/* The `#define` in whose body the name at byte `at` is used: as a whole word of code that is none
 * of the macro's own parameters and is not pasted to another. False where there is none. Looks at
 * the lines of that `#define` alone. */
bool macro_using(struct str text, size_t at, struct macro *m);
/* The `#define` on whose lines byte `at` is; false: none. Its `name` alone is set. */
bool macro_around(struct str text, size_t at, struct macro *m);
size_t macro_line_end(struct str text, size_t at); /* of a line and those that continue it */
/* The next use from *at on of `name` in the body of a macro; *at is where it is. */
bool macro_next_use(struct str text, struct str name, size_t *at, struct macro *m);

#endif
