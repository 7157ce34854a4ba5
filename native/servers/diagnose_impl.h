#ifndef OX_DIAGNOSE_IMPL_H
#define OX_DIAGNOSE_IMPL_H

#include "diagnose.h"

/* Shared by diagnose.c, which waits for what a server says of a text, and diagnose_fence.c, which
 * asks whether that is all. */
struct diagnose {
	struct oxide *ox;
	char *path;
	struct server *only; /* NULL: any */
	uint64_t timeout_ms;
	diagnosed *fn;
	void *arg;
	struct pick *pick; /* until it is picked */
	struct server *server;
	int64_t asked;
	struct timer *deadline, *quiet;
	uint64_t began, until;
	int64_t wanted;		     /* the version to be spoken of */
	const char *const *question; /* the command's next */
	json *answers;		     /* to those before it */
	uint64_t seen, readings;     /* of both when on_diagnose_fence_answered() was asked for */
	bool checking;		     /* between two questions: the server looks at what is saved */
	bool fencing;		     /* on_diagnose_fence_answered() is still to come */
	bool passed;		     /* it has come: if nothing else has, it need not come again */
	bool hurrying;		     /* so is on_diagnose_hurried() */
	bool hurried;		     /* that has come behind all that was heard until then: */
	uint64_t hurried_seen, hurried_readings;
	bool finished; /* but for these */
	bool same_head;
	bool seeing;
	bool exact, beside, complete, cancelled;
	bool gone;   /* the server died before it spoke */
	bool begins; /* the server may be waited for once more */
};

void diagnose_free(struct diagnose *d); /* once nothing is still to come */
/* How often the server has spoken of the file, and of which text last. */
uint64_t diagnose_heard(struct diagnose *d, int64_t *version);
void diagnose_look(struct diagnose *d); /* at what it has said */

/* Whether the server can be asked whether that is all. */
bool diagnose_can_fence(const struct diagnose *d);
/* It is at work on nothing: complete, or asked. */
void diagnose_fence(struct diagnose *d, uint64_t seen);
/* Servers let a text rest before they look at it, in case more is typed. A question about it ends
 * the rest: clangd is done in half the time. One that hangs would be in use until that times out.
 */
void diagnose_hurry(struct diagnose *d);

#endif
