#ifndef OX_EMBEDDED_H
#define OX_EMBEDDED_H

#include "../text/pos.h"

/*
 * Which parts of a text are code, where one language is within another: the scripts of a
 * component, the cells of a notebook.
 *
 *     struct embedded p = embedded_of(EMBEDDED_VUE, text);	// the text is borrowed
 *     while (embedded_next(&p, &part))
 *             ...
 *
 * Parts come in order and do not overlap. No text is wrong: what does not end goes on to the end of
 * the text, or is none. Linear in the text.
 */
enum embedded_form {
	EMBEDDED_ALL,	 /* one part, the whole text */
	EMBEDDED_VUE,	 /* <script>, {{ }}, and values of attributes as `:x`, `@x`, `v-x`, `#x` */
	EMBEDDED_SVELTE, /* <script> and { } */
	EMBEDDED_ASTRO,	 /* the same, and what is between lines of `---` at the beginning */
	EMBEDDED_MDX,	 /* { }, and what begins with a line of `import` or `export` */
	EMBEDDED_NOTEBOOK, /* of Jupyter: each string in `source` of a cell of code. A cell that is
			    * one string, and not one for each line, is one part. */
};

struct embedded {
	enum embedded_form form;
	struct str text;
	size_t at;
	bool in_tag, script; /* a tag; that of a script */
	bool code;	     /* of a notebook: the cell is code */
	struct str key;	     /* ... and what the string in hand is the value of */
};

struct embedded embedded_of(enum embedded_form form, struct str text);
bool embedded_next(struct embedded *p, struct span *out);

#endif
