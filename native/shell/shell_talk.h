#ifndef OX_SHELL_TALK_H
#define OX_SHELL_TALK_H

#include "../chat/turn.h"
#include "cmd_call.h"
#include "shell_relay.h"

/*
 * A conversation with a model in a shell, for `oxide ask` (one turn) and `oxide chat`. The model's
 * words go to standard output as they come; what it does, and questions, to standard error.
 *
 *     shell_talk_option() ...                     what the command line says
 *     shell_talk_open(s, options, &e)
 *     shell_talk_begin(s, options, who, fn)       -> fn(s, error), once it is known whether its
 *                                                 tools run in a Neovim (shell_relay.h)
 *     shell_talk_send(s, words, fn)               a turn, with the files of --file
 *                                                 -> fn(s, error), once
 *     shell_talk_stop(s)                          the loop runs out
 *     shell_talk_close(s)                         also where it could not be opened
 */
struct shell_talk {
	struct shell_call call; /* questions on the terminal; `status` is the command's */
	struct str model_name;
	struct str agent_name; /* who is asked instead of a model, by ACP; "": nobody */
	char **files;	       /* to be shown with the next message */
	size_t n_files, files_cap;
	bool json; /* the record is printed at the end, instead of the words */
	struct model model;
	struct permissions permissions;
	struct record *record;
	struct conversation talk;
	struct turn *turn;
	struct shell_relay relay;
	void *reading; /* of a file that is shown */
	json *usage;   /* of an agent that was closed */
	void (*ready)(struct shell_talk *s, const struct err *e);
	void (*over)(struct shell_talk *s, const struct err *e);
	struct err waits; /* why the turn waits, as it was said */
	bool unchanged;	  /* what the turn would have changed was not accepted */
	void (*message)(struct shell_talk *s); /* one of the chat is complete; may be NULL */
	bool in_line;			       /* standard output is in a line */
};

/* Takes argv[0] and what belongs to it: how many words; 0: it is not an option of these, or *e says
 * what is wrong with it. */
int shell_talk_option(struct shell_talk *s, int left, char **argv, struct err *e);
void shell_talk_file(struct shell_talk *s, struct str name); /* FILE[:FIRST[-LAST]] */
bool shell_talk_open(struct shell_talk *s, const struct call_options *o, struct err *e);
bool shell_talk_set_model(struct shell_talk *s, struct str name, struct err *e);
void shell_talk_begin(struct shell_talk *s, const struct call_options *o, const char *who,
		      void (*fn)(struct shell_talk *s, const struct err *e));
/* fn may be called from inside, where a file cannot be shown: nothing was said then. */
void shell_talk_send(struct shell_talk *s, struct str words,
		     void (*fn)(struct shell_talk *s, const struct err *e));
void shell_talk_cancel(struct shell_talk *s); /* what goes on, if anything does */
void shell_talk_stop(struct shell_talk *s);
void shell_talk_end_line(struct shell_talk *s);
void shell_talk_close(struct shell_talk *s);
/* shell_agent.c: the agent is made ready, started, and closed. */
bool shell_agent_open(struct shell_talk *s, const char *cwd, struct err *e);
void shell_agent_begin(struct shell_talk *s); /* -> s->ready() */
void shell_agent_close(struct shell_talk *s); /* the loop runs until it has ended */

#endif
