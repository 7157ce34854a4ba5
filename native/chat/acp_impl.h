#ifndef OX_ACP_IMPL_H
#define OX_ACP_IMPL_H

#include <sys/queue.h>

#include "../acp/acp_client.h"
#include "../watch/watch.h"
#include "acp.h"
#include "turn_impl.h"

/*
 * The parts of acp.h: acp_program.c (the process), acp_open.c (its session), acp_turn.c (a turn, as
 * an engine), acp_pieces.c (a message that comes), acp_replay.c (what was said before, in a session
 * of its own), acp_doing.c (the calls of tools that it tells of), acp_task.c (what it asks for),
 * acp_files.c, acp_seen.c, acp_permit.c, acp_change.c, acp_terminal.c.
 */
struct job;

enum acp_state { ACP_GONE, ACP_STARTING, ACP_READY };

struct acp_program {
	struct conversation *talk; /* NULL: closed, and goes with its process */
	struct oxide *ox;
	char *name, *cwd, *mode;
	bool empties; /* a file that is not there has to be read as an empty one */
	bool writes;  /* itself, what it asks us to write */
	struct agent_command command;
	const struct acp_events *events;
	void *self;
	enum acp_state state;
	struct job *job; /* NULL: none runs */
	struct peer_io *link;
	struct acp *acp; /* as long as it runs */
	struct err why;	 /* it ends, or has ended, because of this */
	acp_opened *opened;
	void *arg;
	bool reopen;		   /* once the one before has ended */
	bool over_soon;		   /* on_over() is called */
	bool mended;		   /* a session that could not be gone on with was made a new one */
	bool lists;		   /* it is to tell its sessions, and to begin none yet */
	bool replays;		   /* what was said in the session is not known here */
	bool history_cut;	   /* more was said in it than is kept */
	struct acp_replay *replay; /* while that comes; else NULL */
	json *sessions;		   /* of its own; NULL: not asked for */
	struct buf session;	   /* the one to go on with; empty: none */
	struct buf errors;	   /* the end of what it has printed on standard error */
	json *methods, *commands, *about;
	bool reads;	    /* it reads files through us */
	double cost;	    /* -1: not told */
	struct map allowed; /* what the user has just allowed, until it is done */
	struct map seen;    /* acp_seen.c: texts, by the paths of files */
	size_t seen_bytes;
	LIST_HEAD(, acp_terminal) terminals;
	struct watch *watch; /* of what it writes past us; NULL: it cannot be watched */
	int64_t last_terminal;
};

/* What the agent asks for, until it is answered. */
struct acp_task {
	struct acp_program *of;
	struct turn *turn; /* NULL: none goes on */
	struct acp_request *r;
	/* whether it may */
	enum permission_rule rule;
	struct permission_request request;
	struct buf title, digest;
	struct permission *asking;
	void (*then)(struct acp_task *t, const struct err *e);
	struct acp_review *review; /* acp_permit.c */
	bool unseen;		   /* a change that no review can show: it is asked about instead */
	struct call *call;	   /* of a tool of ours */
	struct buf path;
	/* acp_terminal.c: waits for its end */
	LIST_ENTRY(acp_task) waiting;
	bool waits;
};

/* A call of a tool of its own that the agent tells of; `own` of the acp_call. */
struct acp_doing {
	struct acp_call *call;
	struct chat_part part; /* as it is kept; its texts are in `texts` */
	struct buf args;
	int64_t began_ms;
	bool ended, failed, denied;
	struct buf text, diff; /* what came of it */
	json *files; /* [{file, kind, lines_added, lines_removed}] of its diffs; or NULL */
};

struct acp_piece {
	enum chat_kind kind; /* TEXT, THOUGHT, CALL */
	struct buf text;
	struct acp_doing *doing; /* of somebody else's; NULL: it is no call */
};
struct acp_pieces {
	struct acp_piece *v;
	size_t n, cap;
};

struct acp_turn {
	struct turn *of;
	struct acp_program *program; /* NULL: it was closed */
	bool opening, prompted, answered;
	bool watched;		/* what it writes past us is the turn's, until watch_turn_end() */
	struct timer *patience; /* after cancel */
	size_t tasks;		/* under way */
	struct err end;		/* once answered */
	struct acp_pieces said; /* of the message that comes */
	struct acp_doing **doings; /* all of the turn */
	size_t n_doings, cap_doings;
};

/* acp_program.c */
extern const struct acp_host acp_host;
bool acp_program_start(struct acp_program *p, struct err *e); /* its process */
/* Whoever waits for it to be open is told, and may close it. */
void acp_program_opened(struct acp_program *p, const struct err *e);
void acp_program_maybe_over(struct acp_program *p); /* it has ended, or a request is answered */
void acp_program_reopen(struct acp_program *p);
void acp_program_kill(struct acp_program *p, const struct err *why);
void acp_program_wake(struct acp_program *p);	 /* something is to be sent */
void acp_program_give_up(struct acp_program *p); /* nobody waits for it to be open any more */
void acp_program_tell(struct acp_program *p, const char *kind, const json *value);
struct turn *acp_program_turn(const struct acp_program *p); /* that goes on; NULL: none */

/* acp_turn.c */
void acp_turn_call(struct acp_turn *a, struct acp_call *c); /* it is new, or has changed */
void acp_turn_maybe_end(struct acp_turn *a);

/* acp_pieces.c */
struct acp_piece *acp_piece_of(struct acp_pieces *p, enum chat_kind kind); /* to add to */
bool acp_pieces_called(const struct acp_pieces *p); /* there are calls in it */
bool acp_pieces_running(const struct acp_pieces *p);
void acp_pieces_put(const struct acp_pieces *p, struct chat *c); /* as a message */
/* Those of the calls as the next one. False: there are no calls. */
bool acp_pieces_put_results(const struct acp_pieces *p, struct chat *c);
void acp_pieces_clear(struct acp_pieces *p);
void acp_pieces_release(struct acp_pieces *p);

/* acp_replay.c */
void acp_replay_begin(struct acp_program *p);
bool acp_replay_take(struct acp_program *p, const struct acp_update *u); /* false: not its own */
void acp_replay_end(struct acp_program *p, bool kept); /* kept: the session could be loaded */

/* acp_doing.c */
struct acp_doing *acp_doing_new(struct acp_call *c);
struct acp_doing *acp_doing_of(struct acp_turn *a, struct acp_call *c, bool *is_new);
void acp_doing_look(struct workspace *w, struct acp_doing *d); /* its name and arguments */
void acp_doing_end(struct acp_turn *a, struct acp_doing *d, bool interrupted); /* and tells */
void acp_doing_was(struct acp_program *p, struct acp_doing *d); /* long ago: nothing is told */
void acp_doing_free(struct acp_doing *d);

/* acp_task.c */
void acp_task_start(void *program, struct acp_request *r);
void acp_task_cancel(void *program, struct acp_request *r);
void acp_task_done(struct acp_task *t, json *result);
void acp_task_fail(struct acp_task *t, long code, const char *message);
/* Whether it may, by the table, asking where that says so: then(t, e) is called, perhaps at once.
 */
void acp_task_permit(struct acp_task *t, enum permission_what what, const char *tool,
		     void (*then)(struct acp_task *t, const struct err *e));
/* Something the user has just allowed: it may be done once without asking. */
void acp_allow(struct acp_program *p, const char *what, struct str key);
bool acp_take_allowed(struct acp_program *p, const char *what, struct str key);

/* acp_files.c */
void acp_read_file(struct acp_task *t);
void acp_write_file(struct acp_task *t);
bool acp_disk_text(const char *path, struct buf *out);	   /* false: it cannot be read */
bool acp_disk_has_text(const char *path, struct str text); /* whatever a buffer has */

/* acp_seen.c: texts of files as the agent knows them, until the turn ends. acp_seen_merge() makes
 * of `text`, which it would write, what that is in the text of now; false: both have changed the
 * same lines. */
void acp_seen_note(struct acp_program *p, struct str path, struct str text);
bool acp_seen_has(const struct acp_program *p, struct str path);
bool acp_seen_merge(const struct acp_program *p, struct str path, struct str now, struct buf *text,
		    struct err *e);
void acp_seen_forget(struct acp_program *p);

/* acp_permit.c */
void acp_permission(struct acp_task *t);
void acp_review_cancel(struct acp_review *r);

/* acp_change.c: a part of a call's content as operations. False: it cannot be told what would
 * change. */
struct plan;
bool acp_plan_part(struct acp_program *of, struct plan *p, const json *part);
/* Of a fragment that a call has changed, or is about to, in one place of a file: the whole texts.
 */
bool acp_fragment_whole(const char *path, struct str old, struct str now, struct buf *whole_old,
			struct buf *whole_now);

/* acp_terminal.c */
void acp_terminal_create(struct acp_task *t);
void acp_terminal_output(struct acp_task *t);
void acp_terminal_wait(struct acp_task *t);
void acp_terminal_kill(struct acp_task *t, bool release);
void acp_terminal_unwait(struct acp_task *t);
void acp_terminals_end(struct acp_program *p); /* nobody knows of them any more */
struct acp_ended {
	bool ended;
	int status, signal;
	struct str command, output;
	bool truncated;
	int64_t began_ms;
};
/* False: there is no such terminal. */
bool acp_terminal_about(const struct acp_program *p, struct str id, struct acp_ended *out);

#endif
