#ifndef OX_FRONT_H
#define OX_FRONT_H

#include "../core/oxide.h"

/*
 * What the faces share: Neovim (nvim/), the command line (shell/) and MCP clients (mcp_*.c here).
 * output.c prints, print_answer.c prints an answer, typed_value.c reads what somebody typed.
 */
struct call_options {
	struct oxide_options oxide;
	/* In the core of the editor that has the project open, if there is one, else in one of our
	 * own; a configuration of our own (oxide.config_path, data) asks for the latter. */
	enum { CALL_ANYWHERE, CALL_HERE, CALL_EDITOR } where;
};

static inline bool call_is_here(const struct call_options *o) /* no editor is looked for */
{
	bool own = o->oxide.config_path || o->oxide.data;

	return o->where == CALL_HERE || (own && o->where != CALL_EDITOR);
}

/* `oxide mcp`, until its client goes away; the exit status. Where a root was given, the client's
 * directories do not count. argv: what follows `mcp`. */
int front_mcp(struct oxide *ox, const struct call_options *o, int argc, char **argv);

/* All of it to standard output, in whatever mode that is; what it does not take is lost. */
void front_put(struct str text);
void front_print_json(json *v); /* a line on standard output, as bytes.h shows it; taken */
void front_tell_recovered(const struct oxide *ox); /* on standard error */

/* On standard error, as plain.h shows it. */
void front_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Wrong usage of a command, or of the program (NULL): the message, and where help is; returns 2. */
int front_refuse(const char *command, const struct err *e);
/* Puts that behind the message. */
void front_point_to_help(struct err *e, const char *command);

struct tool;
struct param;
/* An argument of a tool as somebody types it, read by its row in the tool's table. */
bool front_put_typed(json *args, const struct param *p, struct str value, struct err *e);
/* An answer as a user reads it; colours where `colour` is set. */
void front_print_answer(struct buf *out, const struct tool *t, const json *answer, bool colour);
/* `answer`: the error object, for what it has besides. */
void front_print_error(struct buf *out, const struct tool *t, const struct err *e,
		       const json *answer, bool colour);

#endif
