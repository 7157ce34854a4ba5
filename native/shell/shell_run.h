#ifndef OX_SHELL_RUN_H
#define OX_SHELL_RUN_H

#include "../agent/agent_preset.h"
#include "../io/console.h"
#include "../io/pty.h"
#include "../record/collect.h"
#include "../record/record.h"
#include "../record/session_log.h"
#include "../relay/relay.h"
#include "../wire/vt.h"

/*
 * `oxide run`: a program in a pseudo-terminal between it and the terminal that this process runs
 * in, which sees all of its output and gives it all keys. In files that share this: cmd_run.c (the
 * command, the bytes, the end), shell_run_record.c (what is kept of it), shell_run_relay.c (the
 * core that is told, and what that orders).
 */
struct dir_watch;

struct run {
	const char *name;
	const char *json_path;	  /* NULL: no record is wanted there */
	char *session, *variable; /* its id, and OXIDE_RUN=ID */
	uint64_t timeout_ms;	  /* 0: as long as it likes */
	char **command;
	char **own; /* what --env says: "NAME=value" */
	size_t own_n;
	struct agent_command preset; /* of the agent of this name; empty: there is none */
	json *log;		     /* its row `log`; NULL: none */
	struct oxide *ox;
	struct console *console;
	struct pty *pty; /* NULL: it has not started, or has ended */
	struct vt vt;
	struct timer *timeout;
	bool timed_out, input_ended;
	char last_input; /* byte */
	struct buf answers;
	/* the end */
	bool over, closing;
	int status, signal;
	json *exit; /* {code, signal, core_dump} */
	/* shell_run_record.c */
	struct record *record;
	struct collect *collect;	 /* NULL: nothing reads what it prints */
	struct session_log *session_log; /* NULL: it writes none */
	struct collect *logged;		 /* what that says */
	int raw;			 /* the file with all output; -1: none */
	uint64_t raw_bytes;
	struct err raw_lost; /* why not all of it is there */
	/* shell_run_relay.c */
	struct relay_spec spec;
	struct relay *relay; /* NULL: none */
	bool joined, looks_again;
	struct dir_watch *watch; /* of the directory of sockets */
	struct timer *look, *submit;
	bool submits; /* once it has shown the text */
	struct buf who;
	char cwd[4096];
	int64_t started_ms; /* since 1970 */
};

void run_record_start(struct run *r);
void run_record_output(struct run *r, struct str bytes);
void run_record_stop(struct run *r); /* the program has ended: nothing is waited for any more */
bool run_record_end(struct run *r, struct err *e); /* false: --json could not be written */

void run_relay_start(struct run *r);
void run_relay_tell(struct run *r);   /* that something of it has changed */
void run_relay_output(struct run *r); /* it has printed something, perhaps what was pasted */
void run_relay_end(struct run *r);

#endif
