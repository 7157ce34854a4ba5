#ifndef OX_FRONT_H
#define OX_FRONT_H

#include "../core/oxide.h"

/* The faces, each a nvim*.c, mcp*.c or cmd_*.c, started by main.c. Each runs until its peer goes
 * away or its work is done, and returns the exit status: 0 done, 1 failed, 2 wrong usage. */
int front_nvim(struct oxide *ox);
int front_recover(bool as_json);
int front_number(const char *path); /* NULL: standard input */

struct call_options {
	struct oxide_options oxide;
	/* In the core of the editor that has the project open, if there is one, else in one of our
	 * own; a configuration of our own (oxide.config_path, data) wants the latter. */
	enum { CALL_ANYWHERE, CALL_HERE, CALL_EDITOR } where;
};
bool call_is_here(const struct call_options *o);		     /* no editor is looked for */
int front_call(const struct call_options *o, int argc, char **argv); /* argv: TOOL and more */
/* What follows `ask`; as_json: the record of it is printed, and nothing else. */
int front_ask(const struct call_options *o, bool as_json, int argc, char **argv);
int front_chat(const struct call_options *o, bool as_json, int argc, char **argv);
/* What follows `records`. */
int front_records(const struct oxide_options *o, bool as_json, int argc, char **argv);
/* argv: what follows `run`, which ends with NULL. */
int front_run(const struct call_options *o, char **argv);
/* The same with --reader: the record of a file. */
int front_records_read(const struct oxide_options *o, int argc, char **argv);
int front_models(const struct oxide_options *o, bool as_json);
/* argv: what follows `hook`. */
int front_hook(const struct call_options *o, int argc, char **argv);
int front_agents(const struct oxide_options *o, bool as_json);
/* Where a root was given, a client's directories do not count. argv: what follows `mcp`. */
int front_mcp(struct oxide *ox, const struct call_options *o, int argc, char **argv);

/* output.c: all of it to standard output, in whatever mode that is; what it does not take is lost.
 */
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
/* An argument of a tool as a person types it, as what the tool's row says that it is. */
bool front_put_word(json *args, const struct param *p, struct str value, struct err *e);
/* text.c: an answer as a person reads it; colours where `colour` is set. */
void text_answer(struct buf *out, const struct tool *t, const json *answer, bool colour);
/* `answer`: the error object, for what it has besides. */
void text_error(struct buf *out, const struct tool *t, const struct err *e, const json *answer,
		bool colour);

#endif
