#ifndef OX_CMD_CALL_H
#define OX_CMD_CALL_H

#include "../io/loop.h"
#include "../servers/servers.h"
#include "../tool/tool.h"
#include "front.h"
#include "relay.h"

/*
 * `oxide call`: one tool, one answer on standard output. Questions and progress go to standard
 * error, and only where a person sits there. Shared by cmd_call.c (the answer; a core of our own),
 * cmd_call_args.c (the arguments), cmd_call_relay.c (by way of an editor) and cmd_call_person.c
 * (questions).
 */
struct caller {
	const struct tool *tool;
	json *args;
	bool yes, text, person;
	int status;
	struct loop *loop;
	/* by itself */
	struct oxide *ox;
	struct call *call;
	/* by way of an editor */
	struct relay *relay;
	int64_t asked; /* the call, while it can be taken back; else 0 */
	bool here;     /* it comes to nothing: we do it ourselves */
	char *root;    /* as the editor has it */
	/* a question on the terminal */
	relay_said *said;
	void *said_arg;
	bool answer, gone; /* gone: the question was taken back */
};

bool caller_read(struct caller *c, int argc, char **argv, struct err *e);

void caller_print(struct caller *c, json *answer, const struct err *e); /* taken */
void caller_print_json(struct str text);
void caller_say(const char *what, const char *more); /* a line on standard error */

/* Asks on the terminal; fn is called once, later, unless c->gone is set before. */
void caller_ask(struct caller *c, const struct relay_question *q, relay_said *fn, void *arg);
void caller_progress(struct caller *c, struct str title, struct str message, int percent,
		     bool done);

/* Through the editor that has the project open; false: there is none, or it has gone away before
 * anything was written, and c->root says where paths start. */
bool caller_through_editor(struct caller *c, const struct call_options *o);

#endif
