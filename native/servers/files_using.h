#ifndef OX_FILES_USING_H
#define OX_FILES_USING_H

#include "../core/oxide.h"
#include "../edit/plan.h"

/*
 * Which files use the symbols that a change to one file touches: asks the file's server for its
 * symbols, and for the references to those that symbols_touched.h names, up to gate.symbols of
 * them. What it answers rests on the files that it has read as they are (completeness.h): those it
 * was shown, and, where it has an index, those that have not changed since it began. Others that
 * have one of the names in their code count as well; being looked at, they are shown to it. So do
 * all that use a macro of C that is touched, or one that has such a macro in its body.
 *
 * `f`: the file, of a finished plan; borrowed until fn. fn is called once, not from
 * inside; the paths are its own until it returns. `complete` is false where the server could not
 * say all of it, or was still making its index; one that knows no references at all serves texts
 * that stand for themselves. files_using_cancel() brings fn with what there is by then.
 */
struct files_using;
typedef void files_using_found(void *arg, const char *const *path, size_t n, bool complete);

/* `only_macros`: the server is asked nothing, and those of macros alone are found. */
struct files_using *files_using_start(struct oxide *ox, const struct plan_file *f, bool only_macros,
				      files_using_found *fn, void *arg);
bool files_using_macros(struct oxide *ox, const struct plan_file *f); /* whether it touches any */
void files_using_cancel(struct files_using *u);

#endif
