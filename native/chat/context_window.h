#ifndef OX_CONTEXT_WINDOW_H
#define OX_CONTEXT_WINDOW_H

#include "../llm/reply.h"

struct conversation;

/*
 * How much of a conversation fits the window of its model (prompt.h): tokens are as many as the
 * provider has counted so far, and of old turns that have to be left out the model writes a
 * summary, once.
 *
 *     limits = window_limits(c, tool_bytes);
 *     prompt_build(&p, ..., &limits, &e)
 *     n = window_to_sum(c, &p, tool_bytes)       0: p can be sent; else the first n messages are
 *                                                to be summed before:
 *     window_sum_prompt(c, n, tool_bytes, &ask, &e)  -> what is sent for that
 *     window_summed(c, n, &reply)                and the same again, with its summary
 *     window_counted(c, p.bytes, &usage)         after each answer
 */
struct window {
	double bytes_per_token; /* 0: not known */
	struct buf summary;	/* of the messages before `summed` */
	size_t summed;
	size_t not_summed; /* the model gave none of the messages before this one */
};

void window_release(struct window *w);
struct prompt_limits window_limits(const struct conversation *c, size_t tool_bytes);
size_t window_to_sum(const struct conversation *c, const struct prompt *p, size_t tool_bytes);
bool window_sum_prompt(const struct conversation *c, size_t n, size_t tool_bytes,
		       struct prompt *ask, struct err *e);
void window_summed(struct conversation *c, size_t n, const struct reply *reply);
/* There is no summary of them, and it is not asked for again. */
void window_not_summed(struct conversation *c, size_t n);
void window_counted(struct conversation *c, size_t bytes, const struct llm_usage *usage);
/* Forgets all messages but the first n, and a summary that has others in it. */
void window_cut(struct conversation *c, size_t n);

#endif
