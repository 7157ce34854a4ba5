#ifndef OX_RENAME_ALIKE_H
#define OX_RENAME_ALIKE_H

#include "../edit/plan.h"
#include "../servers/word_search.h"
#include "tool.h"

/*
 * A member that keeps the old name may stand for one that is renamed, by its shape alone: that of a
 * class of TypeScript without `implements`, or of Python beside a Protocol, or of a type of Go in a
 * module that the server has not read. Servers take the two for different symbols. Where such a
 * type is given for the other there is an error after the rename, in a file that does not change:
 * in the one that has the type, or in one that names it.
 *
 *     a = rename_alike_start(call, mentions, plan, fn, arg)
 *     fn(arg)                        // once, not from inside; rename_alike_cancel() brings it soon
 *     rename_alike_files(a, &n)      // then: for gate_spec.also
 *     rename_alike_free(a)
 *
 * NULL, and no fn: the language has no such types, or nothing is left that could be one.
 * `mentions` is over; it and the plan, as it is before the change, are borrowed until fn.
 */
struct rename_alike;

struct rename_alike *rename_alike_start(struct call *call, const struct word_search *mentions,
					const struct plan *plan, void (*fn)(void *arg), void *arg);
void rename_alike_cancel(void *rename_alike);
/* Files that do not change, gate.files of them at most; they live as long as `a`. */
const char *const *rename_alike_files(const struct rename_alike *a, size_t *n);
/* Files that are past those. */
size_t rename_alike_more(const struct rename_alike *a);
/* Types with such a member, past those whose names were searched for. */
size_t rename_alike_types_more(const struct rename_alike *a);
/* Why not all files were searched for the others (word_search_gap()); NULL: they were. */
const char *rename_alike_gap(const struct rename_alike *a);
void rename_alike_free(struct rename_alike *a); /* NULL: nothing; not before fn */

#endif
