#ifndef OX_TAKEN_H
#define OX_TAKEN_H

#include "../servers/gate.h"
#include "../servers/word_search.h"
#include "tool.h"

/*
 * Whether a name that a change gives to something is taken already. Then a place that is renamed
 * would mean something else that has that name, or a place that has the name already would mean
 * what is renamed; both compile. Servers are asked where such places are defined while the change
 * is on trial (gate.h), and, where the answer differs from what is expected, also before it.
 *
 *     c = taken_start(call, spec, fn, arg)            // searches the project for the new name
 *     taken_part(c)                                   // then: whether there is more to do
 *     taken_files(c, &n)                              // then: files for gate_spec.also
 *     taken_look(c, &gate, fn, arg)                   // after gate_found, with a complete plan
 *     taken_refusal(c, &e) or taken_accept(c, report, notes), taken_report(c, report, notes)
 *     taken_free(c)
 *
 * Each fn comes once, not from inside; taken_cancel() brings it soon. The plan is borrowed. What
 * is asked is bounded by rename.compared and rename.compared_files; taken_report() says what was
 * not compared.
 */
struct taken;

/* What is renamed: more files than `most` are not all looked at, unless it is 0. `home` is the one
 * that has what is renamed, and copied, as the name is. `searched`, which may be NULL, is a search
 * that may have looked for the new name too; it is over, and borrowed. */
struct taken_spec {
	struct plan *plan;
	struct str new_name;
	size_t most;
	const char *home;
	struct word_search *searched;
};

struct taken *taken_start(struct call *call, const struct taken_spec *spec, void (*fn)(void *arg),
			  void *arg);
/* How much of the change has to be looked at. SOME: in C, where each source is compiled alone: what
 * has the new name already, the headers, and the home. NONE: nothing has the new name. */
enum taken_part { TAKEN_ALL, TAKEN_SOME, TAKEN_NONE };
enum taken_part taken_part(const struct taken *c);
bool taken_looks(void *taken, const char *path); /* as gate_spec has it */
void taken_cancel(void *taken);
/* Files that have the new name in their code, and may see what is renamed, but do not change. */
const char *const *taken_files(const struct taken *c, size_t *n);
/* Ends the gate and sets it to NULL where servers have to be asked about the texts before. */
void taken_look(struct taken *c, struct gate **g, void (*fn)(void *arg), void *arg);
/* NULL: nothing is captured. Else fills *e, and returns the error object with `captures`. */
json *taken_refusal(struct taken *c, struct err *e);
/* The same for a person who may accept it: `captures` into the report and a line of notes for each.
 * Returns how many places are captured. */
size_t taken_accept(struct taken *c, json *report, struct buf *notes);
/* What was not compared: `complete` false and a row of `not_verified` for each; a line of notes. */
void taken_report(struct taken *c, json *report, struct buf *notes);
void taken_free(struct taken *c); /* NULL: nothing; not before a fn that is awaited */

#endif
