#ifndef OX_CMD_CALL_H
#define OX_CMD_CALL_H

#include "../front/front.h"
#include "../io/loop.h"
#include "../relay/pending_call.h"
#include "../servers/servers.h"
#include "terminal.h"

/*
 * `oxide call`: one tool, one answer on standard output. Questions and progress go to standard
 * error, and only where a person sits there. Shared by cmd_call.c (the answer; a core of our own),
 * cmd_call_args.c (the arguments), cmd_call_relay.c (by way of an editor) and cmd_call_person.c
 * (questions).
 */
struct shell_call {
	struct pending_call pending;
	bool yes, text, person;
	int status;
	struct loop *loop;
	struct oxide *ox; /* NULL: by way of an editor */
	bool here;	  /* it comes to nothing: we do it ourselves */
	char *root;	  /* as the editor has it */
	/* a question on the terminal */
	relay_said *said;
	void *said_arg;
	bool answer, gone; /* gone: the question was taken back */
	struct terminal terminal;
	editor_verdict *permission; /* it was about one, with `said_arg` */
	bool lasting;		    /* which may be for longer than once */
};

bool shell_call_read(struct shell_call *c, int argc, char **argv, struct err *e);

void shell_call_print(struct shell_call *c, json *answer, const struct err *e); /* taken */
void shell_call_print_json(struct str text);
void shell_call_say(const char *what, const char *more); /* a line on standard error */

/* Asks on the terminal; fn is called once, later, unless c->gone is set before. */
void shell_call_ask(void *self, const struct shown_question *q, relay_said *fn, void *arg);
/* The same about a permission, which may be for longer, and denied with a reason. */
void shell_call_ask_permission(struct shell_call *c, const struct question *q, editor_verdict *fn,
			       void *arg);
void shell_call_progress(void *self, struct str title, struct str message, int percent, bool done);
void shell_call_serve(struct shell_call *c); /* as the editor of c->ox */

/* Through the editor that has the project open; false: there is none, or it has gone away before
 * anything was written, and c->root says where paths start. */
bool shell_call_through_editor(struct shell_call *c, const struct call_options *o);

#endif
