#ifndef OX_MACRO_USES_H
#define OX_MACRO_USES_H

#include "../edit/plan.h"
#include "../servers/word_search.h"
#include "target.h"

/*
 * Where macros of C use a symbol that gets a new name. A server lists such a use where the macro is
 * expanded, and leaves the macro itself as it was: then nothing compiles any more. Here a macro
 * whose body has the name is proved to mean the symbol: the server lists a place where that macro,
 * or another whose body has the macro, is expanded. What is not proved is left alone.
 *
 *     u = macro_uses_find(target, name, mentions, fn, arg);   // fn comes once, not from inside
 *     macro_uses_unknown(u)                           // no: the rename is not complete
 *     if (macro_uses_any(u))
 *             macro_uses_add(u, plan, new_name, &e);          // before plan_finish()
 *     macro_uses_free(u);                                     // not before fn
 */
struct macro_uses;

/* `t` and `m`, whose search for `name` is over, are borrowed. */
struct macro_uses *macro_uses_find(struct target *t, struct str name, const struct word_search *m,
				   void (*fn)(void *arg), void *arg);
void macro_uses_cancel(void *macro_uses); /* brings fn with what is proved by then */
bool macro_uses_any(const struct macro_uses *u);
/* Why it is not known of any macro whether it means the symbol: the server failed. NULL: it is, or
 * there is no such macro. */
const struct err *macro_uses_unknown(const struct macro_uses *u);
/* A macro that is proved, but has the name several times, or has it in another macro as well, and
 * may therefore mean something else by one of them; NULL: there is none. */
const char *macro_uses_doubt(const struct macro_uses *u);
/* Onto the server's own edits. */
bool macro_uses_add(const struct macro_uses *u, struct plan *p, struct str new_name, struct err *e);
void macro_uses_free(struct macro_uses *u);

#endif
