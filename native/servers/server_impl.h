#ifndef OX_SERVER_IMPL_H
#define OX_SERVER_IMPL_H

#include <sys/queue.h>

#include "../io/job.h"
#include "../io/peer_io.h"
#include "pick.h"
#include "pool.h"
#include "trial.h"

/*
 * The inside of the pool: one server as a conversation with a process, or with the editor's client,
 * and those who wait for one. server.c has its life, the only place where a session meets a job,
 * server_docs.c the documents that it is shown, server_events.c what its session reports,
 * server_hung.c whether it answers at all, server_symbols.c what it is asked ahead.
 */
enum server_state { SERVER_DOWN, SERVER_UP, SERVER_WAITING, SERVER_GIVEN_UP, SERVER_ENDED };

struct server_doc {
	struct doc *doc;
	char *filetype;
	bool glance;	 /* until server_glanced() */
	uint64_t number; /* as pool_readings() counts them */
};

/* A text that was read whole. */
struct server_reading {
	uint64_t mark;
	uint64_t number; /* as pool_readings() counts them */
};

struct server {
	struct pool *pool;
	struct oxide *ox;
	const struct server_spec *spec;
	char *root, *key; /* key: name and root, tells servers apart in the diagnostics */
	enum server_state state;
	struct session *session; /* UP alone */
	struct job *job;
	struct client *client; /* the editor's, client.h; NULL: a process of ours */
	struct peer_io *link;
	struct timer *pause;
	uint64_t ready_at;
	uint64_t started;
	bool has_worked;      /* it has told of work that it finished: an index, most likely */
	uint64_t first_death; /* of the deaths counted */
	int deaths;
	unsigned refused; /* bits: the optional arguments that it does not know */
	bool ending;	  /* it was told to go */
	bool unversioned; /* its diagnostics do not say which text they speak of */
	bool published;	  /* diagnostics, of whatever file */
	bool tardy;	  /* it was waited for, and had nothing to say of a text */
	struct err why;	  /* the last death */
	/* Oxide's own beside the editor's client of the same server, to look at changes that the
	 * client cannot see (server_blind()): what it says is for those who ask it alone, and is
	 * kept here. NULL: it is no such server. */
	struct diag_store *aside;
	bool refreshed;	     /* ready_on_refresh: it is */
	size_t refreshes;    /* that it asked for until then */
	size_t rested_after; /* so many of them, when it was asked whether it rests */
	struct timer *rest;
	struct timer *spare;	  /* ends it when nobody has needed it for a while */
	struct timer *listing;	  /* server_list_symbols_soon() */
	char *to_list;		  /* the file whose symbols it is asked for then */
	struct diag_store *trial; /* where its diagnostics go while a change is on trial */
	size_t rereading;	  /* documents that were on trial and are being read again */
	struct capture capture;	  /* where the change that it asks for goes; fn NULL: to a person */
	size_t users;		  /* who waits for an answer, or for diagnostics */
	struct requests requests; /* outlive the session */
	int64_t edits;		  /* that it asked for and has no answer to */
	uint64_t heard_at;	  /* when it last said anything */
	uint64_t news, quiet_at;  /* server_quiet_since(); of session_sync() */
	uint64_t hung_since;	  /* 0: it answers */
	uint64_t pinged_at;
	bool pinging;		 /* server_ping() waits */
	struct timer *hung_for;	 /* while it hangs */
	struct buf errout;	 /* the end of what it said on standard error */
	struct server_doc *docs; /* to be opened again; the one used last is the last */
	size_t n_docs, cap_docs;
	struct map read;      /* server_note_read(): path -> struct server_reading */
	struct map c_headers; /* that it was told are of C */
	struct map libraries; /* roots that it has led to: pool_leads_to() */
};

/* For whoever flushes its session: it may have been told of something. */
void server_note_told(struct server *s);
/* Whether what comes before its index is over: its first word of the file, or what server_refresh.c
 * waits for. */
bool server_has_begun(const struct server *s, const char *path);
/* It wants to be asked for its diagnostics again: `refreshed`, once it rests after that. */
void server_note_refresh(struct server *s);
void server_forget_refresh(struct server *s); /* in a new session */
/* Another one in the pool; `client` is taken. */
struct server *server_new(struct pool *p, const struct server_spec *spec, const char *root,
			  struct client *client);
void server_free(struct server *s);
bool server_start(struct server *s, struct err *e);
void server_stop(struct server *s);  /* shutdown, exit, then job.h's ladder */
void server_again(struct server *s); /* by hand: forgets the deaths; ends a running one first */
/* A conversation, once there is somebody to have it with: a session, what a link has to know to
 * carry it, and its first words. */
struct peer_io_spec server_open(struct server *s, const struct codec *codec);
void server_greet(struct server *s);
void server_lost(struct server *s); /* nobody is there any more: all that waits fails with s->why */
void server_kill(struct server *s); /* soon; of a client only the conversation ends */
void server_forget_read(struct server *s);
void server_open_docs(struct server *s); /* in a new session */
void server_hide_all(struct server *s);	 /* at its end: no session is told */
bool server_ready(const struct server *s);
void server_wake(struct server *s); /* something was put into its session */
/* Whether it has yet to read a document as it is, where it tells, or reads one again; it is
 * sent what has changed. One that is shown for a moment does not count. */
bool server_reads(struct server *s);

/* A server that said nothing at all while a question waited for its time-out hangs (server_hung.c):
 * it is asked nothing more until it says something, and after lsp.hung_ms it is killed, which
 * counts as a death. *e, the time-out, is told so. */
void server_unanswered(struct server *s, uint64_t asked_at, struct err *e);
/* A question for its own sake, once at a time, for those who wait without one. A request that no
 * server knows has to be answered too, where one that was cancelled need not be. */
void server_ping(struct server *s);
void server_heard(struct server *s);
void server_revived(struct server *s); /* it does not hang any more, or has ended */
struct server *server_new_aside(struct pool *p, const struct server_spec *spec, const char *root);
void server_tell(struct server *s, const char *state, const char *reason); /* log and editor */
/* workspace/applyEdit: a change that the server asks for, shown to the person first. */
void server_apply_edit(struct server *s, struct session *session, const json *id, struct str edit);
extern const struct session_events server_events;   /* server_events.c */
extern const struct requests_owner server_requests; /* server_request.c */

struct watch {
	pool_watcher *fn;
	void *arg;
};

struct pool {
	struct oxide *ox;
	struct server **v;
	size_t n, cap;
	TAILQ_HEAD(, pick) picks;
	struct watch *watch;
	size_t watches, watch_cap;
	bool stirred, stopping;
	uint64_t readings; /* pool_readings() */
};

/* The server with this preset for a file: a new one that is DOWN, where there is none yet. `aside`:
 * beside a client of the editor. */
struct server *pool_server(struct pool *p, const struct server_spec *spec, const char *path,
			   bool aside);
/* The preset that it is of; of a client, the one for the same program, where there is one. */
const struct server_spec *pool_preset(const struct server *s);
void pick_step(struct pick *k); /* one look: it is finished, or waits for the next stir */
struct pick *pick_next(struct pick *k);

/* From the pool: something happened that may matter to picks and watchers. */
void pool_stir(struct pool *p, const char *path);

#endif
