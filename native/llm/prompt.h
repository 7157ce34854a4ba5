#ifndef OX_PROMPT_H
#define OX_PROMPT_H

#include "chat.h"

/*
 * What is sent of a conversation, built from it each time:
 *
 *  - Texts of the editor go out with the person's last message alone, each under its heading and
 *    behind the words. In older messages one line names what was shown.
 *  - Every call has exactly one result, right behind the message that called, as all providers
 *    demand; one that is missing is sent as an error.
 *  - Results from before the person's last message that are longer than `old_result` bytes are one
 *    line that says how to get them again.
 *  - Where that does not fit the model's window, all results from before that message are such
 *    lines, then the oldest turns are left out, whole, with the summary of them in their place.
 *    Nothing is cut in the middle: what does not fit then is ERR_LIMIT, naming what is too large.
 */
struct prompt_limits {
	size_t window;		/* of the model, in tokens; 0: not known */
	size_t answer;		/* tokens of it that are left to the answer */
	size_t old_result;	/* bytes */
	size_t tool_bytes;	/* of the tools' schemas, which are sent as well */
	double bytes_per_token; /* as counted so far; 0: not known, PROMPT_BYTES_PER_TOKEN */
	struct str summary;	/* of the messages before `summed`; empty: there is none */
	size_t summed;		/* messages */
};

#define PROMPT_BYTES_PER_TOKEN 3.5

struct prompt {
	struct str system; /* borrowed */
	struct chat chat;  /* no CHAT_SHOWN is left in it */
	size_t now;	   /* messages of it before the person's last one, which stay as they are */
	size_t bytes;	   /* of all of it, tools too */
	size_t tokens;	   /* estimated of that */
	size_t old_results; /* how many were made a line, */
	size_t left_out;    /* and how many messages of the conversation are not in it */
};

/* The chat's last message is the person's, or the tools'. prompt_release() also after a failure. */
bool prompt_build(struct prompt *p, const struct chat *c, struct str system,
		  const struct prompt_limits *limits, struct err *e);
void prompt_release(struct prompt *p);

#endif
