#ifndef OX_CALL_IMPL_H
#define OX_CALL_IMPL_H

#include "../core/own_changes.h"
#include "read_set.h"

/* Shared by tool.c, the life of a call, tool_args.c, its arguments, call_again.c, which runs a tool
 * once more, and call_place.c, which knows what it is about by then. */
struct call {
	struct oxide *ox;
	const struct tool *tool;
	json *args;
	struct call_context ctx; /* its project has been found, or: */
	struct err *why;	 /* why there is none */
	call_answer *fn;
	void *arg;
	void (*on_cancel)(void *state);
	void *state;
	bool cancelled, permitted;
	uint64_t moment; /* when it came, for the texts that its client was shown */
	bool carried;	 /* the lines in `args` are today's */
	json *explained; /* why they cannot be, for the refusal */
	struct again {	 /* of what may be worked out once more */
		bool may;
		int64_t tries;
		unsigned waits;	      /* in this try, for what other processes are doing */
		uint64_t since;	      /* workspace_moves() when the call came */
		uint64_t begun;	      /* ... and when this try began */
		struct read_set seen; /* the texts that it was worked out for */
		char *path;	      /* of the file that it is about; NULL: not known yet */
		struct buf text;      /* of that, for which the lines in `args` are */
		struct own_follower follower; /* of changes of that */
		bool lost;		      /* nobody knows where these lines are now */
		struct buf about;	      /* what is to be changed of it, when the call came */
		struct err stale;	      /* why it is tried again */
		json *object;
	} again;
};

void call_answered(struct call *c, json *result, const struct err *e);
/* Whether they are what the tool takes; the error names what is meant, perhaps. */
bool tool_check_args(const struct tool *t, const json *args, struct err *e);
/* Takes it (and `object`) where the call may be made again: it is answered later. */
bool call_again(struct call *c, const struct err *e, json *object);
void call_again_release(struct call *c);

#endif
