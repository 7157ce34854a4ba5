#ifndef OX_PARTS_H
#define OX_PARTS_H

#include "../text/pos.h"

/*
 * Which parts of a text are code, where one language stands within another: the scripts of a
 * component, the cells of a notebook.
 *
 *     struct parts p = parts_of(PARTS_VUE, text);	// the text is borrowed
 *     while (parts_next(&p, &part))
 *             ...
 *
 * Parts come in order and do not overlap. No text is wrong: what does not end goes on to the end of
 * the text, or is none. Linear in the text.
 */
enum parts_form {
	PARTS_ALL,	/* one part, the whole text */
	PARTS_VUE,	/* <script>, {{ }}, and values of attributes as `:x`, `@x`, `v-x`, `#x` */
	PARTS_SVELTE,	/* <script> and { } */
	PARTS_ASTRO,	/* the same, and what is between lines of `---` at the beginning */
	PARTS_MDX,	/* { }, and what begins with a line of `import` or `export` */
	PARTS_NOTEBOOK, /* of Jupyter: each string in `source` of a cell of code. A cell that is
			 * one string, and not one for each line, is one part. */
};

struct parts {
	enum parts_form form;
	struct str text;
	size_t at;
	bool in_tag, script; /* a tag; that of a script */
	bool code;	     /* of a notebook: the cell is code */
	struct str key;	     /* ... and what the string in hand is the value of */
};

struct parts parts_of(enum parts_form form, struct str text);
bool parts_next(struct parts *p, struct span *out);

#endif
