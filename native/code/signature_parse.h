#ifndef OX_SIGNATURE_PARSE_H
#define OX_SIGNATURE_PARSE_H

#include "signature.h"

/*
 * A new list of parameters as a user writes it, by changing the present one:
 *
 *     surface(int h, int width, int flags := 0)
 *
 * The name and the brackets may be left out. What is written as before is the same parameter. With
 * another name only, it is renamed, and the same parameter where one alone is missing that differs
 * in nothing else, or the one that was there. A new one comes with `:=` and what callers pass, or
 * with a default.
 *
 * Adds the items to *s; they borrow from `text`, which lives on. *name: empty where it is left out.
 * ERR_INVALID; ERR_NOT_FOUND: *missing is a new one without an argument; ERR_AMBIGUOUS.
 */
bool signature_parse(struct signature *s, struct str text, struct str *name, struct str *missing,
		     struct err *e);

#endif
