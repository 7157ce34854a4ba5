#ifndef OX_UNREAD_H
#define OX_UNREAD_H

#include "../base/map.h"
#include "../base/str.h"

/*
 * Files of a project in C that belong to its program, and that no language server reads as they
 * are: those that sources include under a name that is not one of the language's, as tables for
 * macros, and those from which something else makes C or object files. The functions on files block
 * and touch nothing but the disk and their arguments.
 */

/* Whether a word in a string of C names a symbol for the linker or the assembler: in that of an
 * attribute `alias`, `ifunc` or `weakref`, or of an `asm` that is a statement. `at`: the first byte
 * of the string; `word`: that of the word. */
bool unread_string(struct str text, size_t at, size_t word);
/* Puts the extensions of grammars (yacc, lex) and of assembly into `out`. */
void unread_extensions(struct map *out);
/* Puts the paths of the files that `text`, of the file at `path`, includes, that are there, and
 * whose extension is not in `read`, into `out`: below `root`, beside the file or a directory above
 * it. Values are not NULL, and nobody's. */
void unread_included(const char *root, const struct map *read, const char *path, struct str text,
		     struct map *out);

#endif
