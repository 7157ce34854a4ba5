#ifndef OX_SESSION_H
#define OX_SESSION_H

#include "request.h"
#include "sync.h"

/*
 * One language server, as a conversation. No process, no clock, no files.
 *
 *   COLD --start--> GREETING --initialize ok--> READY --stop--> LEAVING
 *     \________________\__________________________\______________/
 *                     session_died()  --->  DEAD
 *
 * Requests (request.h) made before READY wait in line, and their time runs. Requests made after
 * DEAD fail with ERR_NO_SERVER at the next tick. Documents are opened once READY; what is opened
 * and what has changed is sent before the next request, or by session_flush(): each in one
 * didChange.
 *
 * Events and replies may call everything here but session_free(). Members of session_events may be
 * NULL.
 *
 * The session answers what servers ask of a client by itself: workspace/configuration out of
 * `settings`, client/registerCapability, window/workDoneProgress/create,
 * workspace/workspaceFolders, window/showMessageRequest (with null); workspace/applyEdit and
 * window/showDocument go to the events. What makes no sense is told and passed over.
 */
struct session;

struct server_spec { /* from lua/oxide/servers/NAME.lua or the user's configuration; borrowed */
	const char *name;
	const char *const *argv;
	const char *const *options; /* more of it, left out when the program does not know them */
	const char *const *filetypes;
	/* Groups of names, NULL behind the last: the root is the nearest directory with one of the
	 * first group, else of the next, as vim.lsp.config has it. */
	const char *const *const *root_markers;
	const char *install; /* how to get it, for the message when it is missing */
	/* What of the project's own its start or a question runs; NULL: nothing. */
	const char *runs;
	/* "NAME=value", with which it runs nothing of that; empty: it cannot be kept from it. */
	const char *const *kept_from_it;
	const json *settings, *init_options;
	const json *language_ids;  /* filetype -> LSP language, where they differ */
	bool staged_diagnostics;   /* publishes for one text more than once */
	bool ready_on_diagnostics; /* its index is only being built once a document was diagnosed */
	/* Likewise; where it is asked for those, instead of publishing them, that is when it wants
	 * to be asked again, and then rests. */
	bool ready_on_refresh;
	bool ready_on_status; /* its answers mean nothing until it says that it is settled */
	const char *check; /* begins the token of its progress while it looks at what is saved, as
			    * no question makes it do; NULL: it does not */
	/* The argument without which it reads from the disk what a file includes, whatever it was
	 * shown; NULL: it needs none. */
	const char *sees_unsaved;
	bool only_utf8; /* a file whose name is not UTF-8 breaks it, or what it answers */
	/* In the error by which it refuses to rename in more than so many files; NULL: it has none.
	 */
	const char *rename_limit;
	/* Codes of what it calls a warning, and compilers an error: a change that brings one where
	 * it left the text alone is refused as one that brings an error. */
	const char *const *errors;
	/* Codes of the errors that say that an included file was not found: of what that declares
	 * it knows nothing. */
	const char *const *include_errors;
	const json *unchecked; /* what it does not look at in some files (unchecked.h); or NULL */
	/* The command that answers for the present text, then the questions to it, as
	 * diag_command() has them; empty: what it publishes is all there is. */
	const char *const *diagnostics_command;
	bool last_resort;   /* asked only where no other serves the file */
	bool names_trials;  /* as sync.h has it */
	bool clang_formats; /* its style is a .clang-format, and it heeds no options */
};

enum session_state { SESSION_COLD, SESSION_GREETING, SESSION_READY, SESSION_LEAVING, SESSION_DEAD };

struct session_events {
	void (*ready)(void *self, struct session *s);
	/* version -1: the server gave none; `list` is the raw JSON array. */
	void (*diagnostics)(void *self, struct session *s, struct str uri, int64_t version,
			    struct str list);
	/* Answer with session_applied(), once. `edit` is the raw JSON of the WorkspaceEdit. */
	void (*apply_edit)(void *self, struct session *s, const json *id, struct str edit);
	void (*show)(void *self, struct session *s, int type, struct str text); /* MessageType */
	void (*log)(void *self, struct session *s, int type, struct str text);
	/* percent -1: unknown; done: this was its last. */
	void (*progress)(void *self, struct session *s, struct str title, struct str message,
			 int percent, bool done);
	/* Initialization failed: the session is DEAD, the server's process should be ended. */
	void (*failed)(void *self, struct session *s, const struct err *why);
	void (*registered)(void *self, struct session *s); /* it may be able to do more now */
	void (*settled)(void *self, struct session *s);	   /* session_settled() may have changed */
	void (*worked)(void *self, struct session *s, const char *path); /* sync_work_on() */
	/* A part of the answer to LSP_SURVEY, raw JSON for diag_surveyed(). */
	void (*surveyed)(void *self, struct session *s, struct str report);
	void (*refresh)(void *self, struct session *s); /* what it said of texts is out of date */
	/* It wants a document shown, with the cursor in it; `range` may be NULL. False: it is not.
	 */
	bool (*show_document)(void *self, struct session *s, struct str uri, const json *range);
	/* It sent what means nothing, which was passed over: for the log. */
	void (*odd)(void *self, struct session *s, const struct err *why);
};

struct session *session_new(const struct server_spec *spec, const char *root,
			    const struct codec *codec, size_t limit, struct requests *requests,
			    const struct session_events *ev, void *self);
void session_free(struct session *s);	      /* every waiting request fails or is held first */
struct peer *session_peer(struct session *s); /* feed, drain, tick */
const struct sync *session_sync(const struct session *s); /* the documents it has been shown */
uint64_t session_deadline(const struct session *s); /* of its requests and its peer together */
void session_start(struct session *s, int64_t pid, uint64_t now, uint64_t timeout_ms);
void session_stop(struct session *s, uint64_t now, uint64_t timeout_ms); /* shutdown, then exit */
bool session_left(const struct session *s); /* `exit` has been put out: end its input */
void session_died(struct session *s, const struct err *why);

enum session_state session_state(const struct session *s);
bool session_can(const struct session *s, enum lsp_feature f);	    /* READY only */
bool session_executes(const struct session *s, struct str command); /* READY only */
enum pos_enc session_encoding(const struct session *s);
/* What the server says it is at work on ("indexing"), or is about to begin; NULL: nothing. Work
 * that was announced may never begin: whoever waits for the end of it brings a deadline. */
const char *session_busy(const struct session *s);
/* Whether it knows the project: as it says by itself, where it is ready_on_status, else when it is
 * at work on nothing. */
bool session_settled(const struct session *s);
/* Why it knows less of the project than it should ("Failed to load workspaces."), in its own words;
 * NULL: it says no such thing. Until what it says next. */
const char *session_health_error(const struct session *s);
/* What it warns of anyway (a standard library without sources), likewise. */
const char *session_health_warning(const struct session *s);
/* Whether its check of what was saved last is still to come, or to end. */
bool session_checking(const struct session *s);

/* How much nonsense is passed over between two answers; the next costs the server its life. None
 * without this. */
void session_tolerate(struct session *s, size_t most);
void session_applied(struct session *s, const json *id, bool applied, const char *why);

/* Settings that come later than the spec's; taken. */
void session_configure(struct session *s, json *settings);

/* Shows a document to the server and keeps it in step until session_close(). */
void session_open(struct session *s, struct doc *d, const char *filetype);
void session_saved(struct session *s, struct doc *d);
void session_close(struct session *s, struct doc *d);
/* Files changed on the disk that are no open documents; type as LSP's FileChangeType. */
void session_watched(struct session *s, const char *path, int type);
void session_flush(struct session *s);
/* A change on trial: sync_try(), as long as it is READY, and sync_untry(). */
bool session_try(struct session *s, struct doc *d, struct str text, const struct edits *edits,
		 bool among);
bool session_untry(struct session *s, struct doc *d);

#endif
