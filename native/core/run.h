#ifndef OX_RUN_H
#define OX_RUN_H

#include "oxide.h"
#include "parser.h"

/*
 * Programs that a project is checked or tested with, run in turn as long as they succeed. What they
 * print is read line by line as it comes (parser.h), without colours, within the bounds of run.*:
 * what is more is let go, so that a flood costs no memory and the programs never wait for us.
 *
 *     r = run_start(ox, &spec, fn, arg)
 *     fn(arg, e)                      // once, not from inside
 *     run_result(r), run_diagnostics() ...
 *     run_free(r)
 *
 * They get the root as their directory, no input, no shell, and are asked to speak English. Of one
 * project one run goes on at a time, the others wait in line. ERR_CANCELLED, ERR_TIMEOUT: they have
 * ended, with all that they started in their process group. ERR_NOT_FOUND: a program is not there.
 * What they found counts in every case.
 */
struct run;
typedef void run_done(void *arg, const struct err *e);

struct run_spec {
	void *of;	   /* the call that waits for it, as a question has it; NULL: none */
	const char *title; /* for a user who waits: "check demo" */
	const char *root;
	const char *const *const *steps;      /* argument vectors; ends with NULL. All borrowed */
	const char *const *env, *const *more; /* "NAME=value", beside our own; NULL: nothing */
	const char *output;		      /* parser of what the last step prints */
	const char *errors;  /* of what those before it print; NULL: nobody reads it */
	uint64_t timeout_ms; /* of all steps, without the time in line */
};

struct run_result {
	bool succeeded;		      /* all steps did */
	struct str failed;	      /* else the one that did not, as it would be typed */
	int status, signal;	      /* and its end; signal 0: it ended by itself */
	struct str tail;	      /* the last lines that are for a user */
	bool cut;		      /* there was more than run.output_bytes */
	bool line_cut;		      /* or a line longer than run.line_bytes */
	const char *broken;	      /* why a parser has given up; NULL: none has */
	struct parser_found found[2]; /* by `errors` and by `output` */
};

/* NULL and *e: a parser cannot be had. */
struct run *run_start(struct oxide *ox, const struct run_spec *spec, run_done *fn, void *arg,
		      struct err *e);
void run_cancel(struct run *r); /* fn comes anyway */
struct run_result run_result(const struct run *r);
void run_free(struct run *r); /* NULL: nothing; only after fn was called */

void runs_stop(struct oxide *ox); /* cancels all */
/* Those that go on, as far as they have come: [{ title, message, output }]; `message` counts what
 * they have printed and found. */
json *runs_so_far(struct oxide *ox);

#endif
