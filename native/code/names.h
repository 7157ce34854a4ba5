#ifndef OX_NAMES_H
#define OX_NAMES_H

#include "lex.h"

/*
 * Where a name is in code: as a whole word, and not in a comment. Lines of the preprocessor are
 * code, but for what `#include`, `#error` and `#warning` say. In strings only where the language
 * may have code in them, as Python, JavaScript and Rust do.
 */
struct name_place {
	size_t at;
	bool directive; /* on a line of the preprocessor */
	bool outside;	/* no bracket is open there */
};

struct names {
	struct name_place *v; /* in order; the caller's to free */
	size_t n, cap;
};

void names_in_code(const struct language *lang, struct str text, struct str name,
		   struct names *out);

#endif
