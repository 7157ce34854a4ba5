#ifndef OX_CALLS_H
#define OX_CALLS_H

#include "../base/map.h"
#include "peer.h"

/*
 * A peer's calls that wait for their answer: found by id at once, and in the order in which they
 * fall due. Zero it to start.
 */
struct call {
	int64_t id;
	char *method;
	peer_reply *fn;
	void *arg;
	uint64_t timeout_ms;
	uint64_t due; /* 0: whatever the time; UINT64_MAX: never */
	bool cancelled;
	size_t at; /* internal: place in the heap */
};

#define CALLS_REMEMBERED 4096

struct calls {
	struct map by_id;
	struct call **heap; /* the first is the next one due; of two, the older */
	size_t n, cap;
	/* Ids whose answer is not wanted any more: the latest ones, and all up to `forgotten`. */
	int64_t given_up[CALLS_REMEMBERED];
	size_t given_up_n;
	int64_t forgotten;
};

/* Both are copied; call->method is not looked at. */
void calls_add(struct calls *c, const struct call *call, const char *method);
struct call *calls_find(const struct calls *c, int64_t id); /* or NULL */
struct call *calls_first(const struct calls *c);	    /* or NULL */
void calls_set_due(struct calls *c, struct call *call, uint64_t due);
void calls_take(struct calls *c, struct call *call); /* out of here; call_free() it */
void call_free(struct call *call);
void calls_give_up(struct calls *c, int64_t id);
bool calls_gave_up(const struct calls *c, int64_t id);
void calls_release(struct calls *c);

#endif
