#ifndef OX_PARAMS_H
#define OX_PARAMS_H

#include "comma_list.h"

/*
 * The parameters of a function, as it is written: which part of each is its name, which its
 * default, and what kind it is of. Types are no more than text. For the dialects of lex.h; other
 * languages are ERR_UNSUPPORTED.
 */
enum param_kind {
	PARAM_PLAIN,
	PARAM_REST,	/* takes all further arguments */
	PARAM_KEYWORDS, /* Python's **names */
	PARAM_MARK,	/* Python's * and /, which take none */
	PARAM_RECEIVER, /* self, cls, this: the object, which is before the list in a call */
};

struct parameter {
	enum param_kind kind;
	struct span name;  /* of list.text; empty: it has none */
	struct span value; /* its default; empty: it has none */
	struct span
		type;  /* of Go alone, where it is written with a later name: `a` of `a, b int` */
	bool optional; /* callers may leave it out: a default, or TypeScript's `?` */
};

struct parameters {
	struct comma_list list;
	struct parameter *v; /* of each item of the list */
	size_t n;
	size_t first; /* 1 behind a receiver, else 0: the one that counts as number 0 */
	bool none;    /* C's (void): the one item is not a parameter */
};

bool params_read(const struct language *lang, struct str text, size_t open, struct parameters *out,
		 struct err *e);
void params_release(struct parameters *p);
/* How many there are, without the receiver. */
size_t params_count(const struct parameters *p);
/* One on its own: its parts are of `text`. */
bool param_read(const struct language *lang, struct str text, struct parameter *out, struct err *e);

#endif
