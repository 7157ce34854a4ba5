#ifndef OX_COMMA_LIST_H
#define OX_COMMA_LIST_H

#include "../base/buf.h"
#include "../base/err.h"
#include "lex.h"

/*
 * What is in brackets, parted at its commas, and put together again in another order:
 *
 *     f(a,  // the first
 *       g(b, c),
 *       d)
 *
 * has three items. Strings, comments, brackets, closures, lambdas and types are whole; a comment
 * goes with the item that it is before, or behind on the same line.
 *
 * Of `<` no lexer can tell whether it opens a list of types, so a list of arguments is read either
 * way, and whoever knows how many there should be decides.
 */
enum comma_list_reading {
	COMMA_LIST_PARAMETERS, /* `<` opens types */
	COMMA_LIST_ANGLES,     /* arguments; `<` opens types wherever a `>` closes them */
	COMMA_LIST_SIGNS,      /* arguments; it compares, but behind Rust's `::` and `as` */
};

struct comma_list_item {
	struct span whole; /* with its comments up to the comma */
	struct span code;
	struct span note; /* a comment behind the comma on the same line, and the blanks before it;
			   * of the last item without a comma, one that ends with its line */
	size_t comma;	  /* where it is; of the last, maybe where the list ends */
};

struct comma_list {
	const struct language *lang;
	struct str text;   /* borrowed */
	struct span inner; /* between the brackets */
	struct comma_list_item *v;
	size_t n, cap;
	bool comma; /* one follows the last */
};

/* The brackets that open at `open`. ERR_UNSUPPORTED: they do not close, or hold what cannot be
 * parted: lines of the preprocessor, markup, nothing between two commas. */
bool comma_list_read(const struct language *lang, struct str text, size_t open,
		     enum comma_list_reading how, struct comma_list *out, struct err *e);
void comma_list_release(struct comma_list *l);

/* One item of a new list: an old one, with its note, or a new one. */
#define COMMA_LIST_NEW ((size_t)-1)

struct comma_list_piece {
	size_t from;	 /* index of an old item, or COMMA_LIST_NEW */
	struct str text; /* instead of its `whole` */
};

/* Appends what is between the brackets then. Lines, blanks and the last comma stay as they
 * were: where the old items keep their order, each stays on its line; else the places do. */
void comma_list_write(const struct comma_list *l, const struct comma_list_piece *v, size_t n,
		      struct buf *out);

#endif
