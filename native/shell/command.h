#ifndef OX_COMMAND_H
#define OX_COMMAND_H

#include <stdio.h>

#include "../front/front.h"

/*
 * The commands of the command line, a row each (command_table.c). main.c reads the options that all
 * of them know, and runs one; cmd_help.c prints what the rows say of themselves:
 *
 *     oxide --help             the names and what they do
 *     oxide ask --help         `usage` of that one; also `oxide ask -h`, `oxide help ask`
 */
struct command_line {
	struct call_options call;
	bool json;
	int argc; /* the command, and what follows */
	char **argv;
};

#define WORDS_ANY 1000000

struct command {
	const char *name;
	const char *does; /* a line: in the imperative, without a full stop */
	int most;	  /* so many words may follow, and no options; WORDS_ANY: it reads them */
	int (*run)(struct command_line *l); /* its exit status */
	/* Below that line: its arguments, options with units and defaults, exit status, an example;
	 * ends with a line end. */
	const char *usage;
};

extern const struct command commands[]; /* ends with a NULL name */

const struct command *command_find(struct str name); /* NULL: there is none */
int command_usage(const struct command *c);	     /* on standard output: 0 */
int command_list(FILE *to);			     /* all of them; 2 where that is an error */
int command_unknown(const char *name);		     /* says so, and which may be meant: 2 */
int command_help(const char *name);		     /* of a command or a tool; NULL: the list */

/*
 * Each a cmd_*.c, which runs until its work is done and returns the exit status: 0 done, 1 failed,
 * 2 wrong usage. argv is what follows the command; ends with NULL.
 */
int cmd_agents(const struct oxide_options *o, bool as_json);
/* as_json: the record of it is printed, and nothing else. */
int cmd_ask(const struct call_options *o, bool as_json, int argc, char **argv);
int cmd_call(const struct call_options *o, int argc, char **argv); /* argv: TOOL and more */
int cmd_chat(const struct call_options *o, bool as_json, int argc, char **argv);
int cmd_hook(const struct call_options *o, int argc, char **argv);
int cmd_models(const struct oxide_options *o, bool as_json);
int cmd_number(const char *path); /* NULL: standard input */
int cmd_records(const struct oxide_options *o, bool as_json, int argc, char **argv);
/* The same with --reader: the record of a file. */
int cmd_records_read(const struct oxide_options *o, int argc, char **argv);
int cmd_recover(bool as_json);
int cmd_run(const struct call_options *o, char **argv);

#endif
