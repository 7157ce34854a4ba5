#ifndef OX_PERSON_ASK_H
#define OX_PERSON_ASK_H

#include "oxide.h"

/*
 * Asks the user about what changes no file.
 *
 *     q = person_ask(ox, &question, fn, arg)       all but `plan`, which it gives itself
 *     fn(arg, verdict)                             once, not from inside; q is gone then
 *
 * The verdict is NULL after person_ask_cancel(), and `later` where nobody is there to ask. What the
 * question points to is borrowed until then.
 */
struct person_question;
typedef void person_said(void *arg, const struct verdict *v);
struct person_question *person_ask(struct oxide *ox, const struct question *q, person_said *fn,
				   void *arg);
void person_ask_cancel(void *question); /* a struct person_question */

#endif
