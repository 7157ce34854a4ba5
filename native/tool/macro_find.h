#ifndef OX_MACRO_FIND_H
#define OX_MACRO_FIND_H

#include "target.h"

/*
 * All places of a macro of C, which servers know in part: clangd follows its expansions, but not
 * what is in conditions, in other macros' bodies, and in code that is not compiled. So it is
 * looked for as a word in the code of all files of its language, and the server is asked what each
 * place means.
 *
 *     f = macro_find(call, path, name, fn, arg)  // fn once, not from inside
 *     macro_found(f, &n, &e)   // in order of files; NULL: *e says why not
 *     macro_find_free(f)
 *
 * `path` is a file that has a `#define` of the name, or code that uses it. macro_find_cancel()
 * brings fn soon. Bounded by rename.compared.
 */
struct macro_find;

enum macro_meaning {
	MACRO_DEFINED, /* the name behind a `#define` */
	MACRO_USED,    /* so says the server */
	MACRO_WORD,    /* it says nothing: a condition, a body, code that is not compiled */
	MACRO_OTHER,   /* another thing of that name */
};

struct macro_place {
	const char *path;
	size_t at; /* the byte in the file's text */
	enum macro_meaning means;
	const char *defined; /* MACRO_USED: the file of the `#define` */
};

struct macro_find *macro_find(struct call *call, const char *path, struct str name,
			      void (*fn)(void *arg), void *arg);
void macro_find_cancel(void *macro_find);
/* ERR_NOT_FOUND: no file of the project defines such a macro. ERR_LIMIT: too many places. */
const struct macro_place *macro_found(const struct macro_find *f, size_t *n, struct err *e);
void macro_find_free(struct macro_find *f); /* NULL: nothing; not before fn */

#endif
