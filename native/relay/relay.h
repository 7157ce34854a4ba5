#ifndef OX_RELAY_H
#define OX_RELAY_H

#include "../tool/tool.h"
#include "../wire/peer.h"

/*
 * A core that runs in an editor works for other processes of the same user too, so that they see
 * what the person has not saved yet, and share the editor's language servers. It listens in the
 * private directory (socket.h) under a name made of its root and its pid, and speaks JSON-RPC, one
 * message a line:
 *
 *   -> hello {protocol, version, name, pid, person, origin, folder}
 *           = {protocol, version, root, nvim, editor, used_ms}
 *   -> call {tool, arguments: JSON as text, confirm, may_run, may_read, exempt?: [path],
 *            turn?: {id, title, who, draft, review}}
 *           = {failed, answer, refused?: path, drafted}
 *                                     In a turn of a model: the history has its changes as one.
 *                                     With `draft` they are kept by the core, until the caller
 *                                     calls the tool `turn` with `review`: the turn is over, and
 *                                     they are settled before that is answered. `drafted`: some
 *                                     are kept
 *   -> leave {turn: its id}           no reply: it is over without one; the user may still decide
 *   <- settled {turn, fate, report?, why?, code?}  no reply: what has become of such changes
 *   -> cancel {call}                          no reply: the call ends, and says so itself
 *   -> unattended {}                  no reply: who asked is gone. What waits for the person in the
 *                                     editor is refused, and what would; all else is carried out
 *   -> agent {id, name, command, cwd, pid, started_ms, state: "running" or "ended", exit}
 *                                     no reply: a program that `oxide run` runs, and its
 *                                     fate; it has ended with the connection at the latest
 *   -> agent_turn {id, name, cwd, pid, title, state: "begins"}
 *           = {}, once all is kept that it may change. `id`: of `agent`, where it runs so
 *   -> agent_turn {..., state: "ends" or "gone"}       = {}: the turn is over, or its session
 *   <- order {text, submit} or {keys} or {stop: true}  = {}, to that program
 *   <- progress {title, message, percent, done}        no reply
 *   <- actions {}                     no reply: what list_code_actions lists has changed
 *   <- confirm {call, title, diff, notes, files}       = {yes}, from a caller that said `person`
 *   <- write {call, title, root: of the project}       = {}, before anything is written
 *
 * `call` in a message is the id of that request. Nothing is written before the caller has answered
 * `write`: one that has not been asked knows that nothing was. A caller that goes away takes back
 * what it asked for, up to there.
 *
 * This is the caller's side:
 *
 *     relay_open -> found -> relay_call, any number of times -> relay_free
 */
#define RELAY_PROTOCOL 1

/* "HASH-PID", HASH being of the root; the name of a core's socket. */
void relay_name(struct buf *out, const char *root, long pid);

struct relay_spec {
	const char *name;   /* who calls, as the person is told: "oxide call" */
	const char *origin; /* for the history: "cli", "mcp" */
	const char *root;   /* of this project alone; NULL: the one around `folder` */
	bool person;	    /* questions are asked here, not in the editor */
	const char *folder; /* NULL: the working directory */
};

/* The reply to a question about a change: once, later or from inside. */
typedef void relay_said(void *arg, bool yes);

struct relay_events {
	/* Once, never from inside relay_open(). ERR_NOT_FOUND: there is none. Other errors say what
	 * is wrong with the one there is. */
	void (*found)(void *self, const struct err *e);
	void (*confirm)(void *self, const struct shown_question *q, relay_said *fn, void *arg);
	void (*progress)(void *self, struct str title, struct str message, int percent, bool done);
	void (*actions)(void *self);
	void (*settled)(void *self, const json *what); /* NULL: its calls are of no turn */
	/* false and *e: it cannot be carried out. NULL: no orders are taken. */
	bool (*order)(void *self, const json *order, struct err *e);
	void (*gone)(void *self); /* the one that was found; not from inside a function */
};

/* `spec` and `ev` are borrowed until relay_free(). */
struct relay *relay_open(struct loop *l, const struct relay_spec *spec,
			 const struct relay_events *ev, void *self);
void relay_free(struct relay *r); /* from wherever; calls that wait are not answered any more */
/* Known as soon as it is open: `found` will say that there is none. */
bool relay_alone(const struct relay *r);

/* Of the one that was found. */
const char *relay_root(const struct relay *r); /* paths start there */
const char *relay_note(const struct relay *r); /* what a person should know of the choice; "" */
bool relay_gone(const struct relay *r);

enum relay_end {
	RELAY_ANSWERED,
	RELAY_UNTOUCHED, /* the core is gone, or would not; nothing was written */
	RELAY_WRITING,	 /* the core is gone, and may have written what it said it would */
};

struct relay_result {
	enum relay_end end;
	bool failed;	    /* the answer is the tool's error object */
	struct str answer;  /* JSON */
	struct str refused; /* as exempt_refused() has it */
	bool drafted;	    /* the draft of the call's turn has something in it */
	struct err why;	    /* not answered */
	const char *title;  /* of what it was about to write */
	const char *root;   /* of the project that this changes */
	int64_t written_ms; /* since 1970, when it said so */
};
typedef void relay_done(void *arg, const struct relay_result *r);

/* The answer as JSON, new; where it failed `e` says with what. */
json *relay_answer(const struct relay_result *r, struct err *e);
/* RELAY_WRITING (relay_fate.c): what has become of the change, of which `e` tells too: an error
 * object, new. What was left half done is finished first. */
json *relay_fate(const struct relay_result *r, struct err *e);

/* fn comes once, never from inside. `args` is borrowed; of `how`, confirm, may_run, may_read,
 * exempt, turn and draft count; a draft without its turn: it is over, and this is the review. */
int64_t relay_call(struct relay *r, const char *tool, const json *args,
		   const struct call_context *how, relay_done *fn, void *arg);
void relay_cancel(struct relay *r, int64_t call);
void relay_unattended(struct relay *r); /* that was found */
/* Something else than a call, with a reply that nothing is read of: fn comes once, never from
 * inside, unless the relay is freed before. `params` is taken. */
typedef void relay_replied(void *arg, const struct err *e);
void relay_request(struct relay *r, const char *method, json *params, relay_replied *fn, void *arg);
/* What needs no reply; `params` is taken. */
void relay_notify(struct relay *r, const char *method, json *params);

#endif
