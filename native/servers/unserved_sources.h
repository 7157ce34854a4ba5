#ifndef OX_UNSERVED_SOURCES_H
#define OX_UNSERVED_SOURCES_H

#include "../base/map.h"
#include "../base/str.h"
#include "../code/embedded.h"
#include "../code/lex.h"

/*
 * Files of a project that belong to its program, and that no language server reads as they are: of
 * C those that sources include under a name that is not one of the language's, as tables for
 * macros, and those from which something else makes C or object files; of TypeScript and JavaScript
 * components and pages with scripts (unserved_imports.c); of Python what Cython compiles, and
 * notebooks. The functions on files block and touch nothing but the disk and their arguments.
 */
struct unserved_kind {
	const char *ext;
	enum dialect of; /* the language whose names it may have */
	enum embedded_form form;
	bool refuses; /* a change that leaves the name there would break what is run */
};

/* Puts the extensions of those of a language into `out`; a file that the language's server takes
 * nevertheless is the caller's to tell. */
void unserved_extensions(const struct language *lang, struct map *out);
/* NULL: none of these; also where `lang` is. */
const struct unserved_kind *unserved_kind(const struct language *lang, const char *path);
/* Whether the file at `path`, of Python or JavaScript and of this kind, imports one of those whose
 * paths are the keys of `files`, or is called like one beside it. Modules are not looked for as the
 * language does: a path that ends with all that is imported is taken for it. */
bool unserved_imports(const struct unserved_kind *kind, const struct language *lang,
		      const char *path, struct str text, const struct map *files);
/* Whether a word in a string of C names a symbol for the linker or the assembler: in that of an
 * attribute `alias`, `ifunc` or `weakref`, or of an `asm` that is a statement. `at`: the first byte
 * of the string; `word`: that of the word. */
bool unserved_string(struct str text, size_t at, size_t word);
/* Puts the paths of the files that `text`, of the file at `path`, includes, that are there, and
 * whose extension is not in `read`, into `out`: below `root`, beside the file or a directory above
 * it. Values are not NULL, and nobody's. */
void unserved_included(const char *root, const struct map *read, const char *path, struct str text,
		       struct map *out);

#endif
