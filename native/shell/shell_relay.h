#ifndef OX_SHELL_RELAY_H
#define OX_SHELL_RELAY_H

#include "../chat/turn.h"
#include "../relay/pending_call.h"

/*
 * The tools of a conversation in a shell, run in the Neovim that has the project open: they see
 * what is not saved, and changes are reviewed there. Without one, and once it has gone, they run in
 * the core of the conversation.
 *
 *     shell_relay_open(r, ox, &options, who, fn, arg) -> fn(arg), once it is known whether there
 *                                                      is one; false: nobody looks for it
 *     shell_relay_runner                               its calls, as turn.h has it
 *     shell_relay_end(r)
 */
struct call_options;
struct shell_relay {
	struct oxide *ox;
	struct relay_spec spec;
	struct relay *relay; /* NULL: none */
	bool must;	     /* --editor */
	struct err why;	     /* with `must`: there is none */
	void (*found)(void *arg);
	void *arg;
};

bool shell_relay_open(struct shell_relay *r, struct oxide *ox, const struct call_options *o,
		      const char *who, void (*fn)(void *arg), void *arg);
bool shell_relay_is_there(const struct shell_relay *r);
void shell_relay_end(struct shell_relay *r); /* when no call goes on */

extern const struct call_runner shell_relay_runner; /* its self is the struct */

#endif
