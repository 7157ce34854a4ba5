#ifndef OX_SITE_H
#define OX_SITE_H

#include "lex.h"

/*
 * What is at the places where a function is named: its declarations, calls of it, imports, and
 * what is none of these, such as a pointer to it. Found in the text around the name: the keyword
 * before it, the brackets behind it, the statement and the braces that it is in.
 *
 *     sites_read(lang, text, sites, n);    // with `name` set, by position
 */
enum site_kind {
	SITE_OTHER, /* `why` says what */
	SITE_CALL,
	SITE_DECLARATION, /* with or without a body */
	SITE_IMPORT,	  /* names it, and knows nothing of its parameters */
};

struct site {
	struct span name;
	enum site_kind kind;
	size_t open;	     /* of calls and declarations: the bracket of the list */
	size_t end;	     /* behind the bracket that closes it */
	bool body;	     /* of a declaration: it is a definition */
	bool qualified;	     /* `::` is before it */
	struct str receiver; /* the name before the dot before it; empty: there is none */
	bool quoted;	     /* it is in a string with code in it */
	bool directive;	     /* it is in a line of the preprocessor */
	const char *why;
};

/* Linear in the text. */
void sites_read(const struct language *lang, struct str text, struct site *v, size_t n);

#endif
