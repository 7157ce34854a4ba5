#ifndef OX_RELAY_H
#define OX_RELAY_H

#include "../tool/tool.h"
#include "../wire/peer.h"

struct loop;

/*
 * A core that runs in an editor works for other processes of the same user too, so that they see
 * what the person has not saved yet, and share the editor's language servers. It listens in the
 * private directory (socket.h) under a name made of its root and its pid, and speaks JSON-RPC, one
 * message a line:
 *
 *   -> hello {protocol, version, name, pid, person, origin, folder}
 *           = {protocol, version, root, nvim, editor, used_ms}
 *   -> call {tool, arguments: JSON as text, confirm, may_run, may_read}
 *           = {failed, answer}
 *   -> cancel {call}                          no reply: the call ends, and says so itself
 *   -> unattended {}                  no reply: who asked is gone. What waits for the person in the
 *                                     editor is refused, and what would; all else is carried out
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
/* The pid, or 0: `name` is not such a name, or of another root. `root` NULL: any. */
long relay_name_pid(const char *name, const char *root);

struct relay;

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

/* fn comes once, never from inside. `args` is borrowed; of `how`, confirm, may_run
 * and may_read count. */
int64_t relay_call(struct relay *r, const char *tool, const json *args,
		   const struct call_context *how, relay_done *fn, void *arg);
void relay_cancel(struct relay *r, int64_t call);
void relay_unattended(struct relay *r); /* that was found */

#endif
