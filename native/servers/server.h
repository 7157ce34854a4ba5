#ifndef OX_SERVER_H
#define OX_SERVER_H

#include "../core/oxide.h"
#include "../lsp/diag.h"
#include "../lsp/session.h"

/*
 * One language server: what it is asked, and what is known of it. Who wants one waits for it with
 * pick.h. server_request.c has the questions, server_state.c what is known, server_edit.c the
 * changes that it asks for by itself; how it starts and ends is server_impl.h.
 */
struct server;

/* A request (lsp/request.h tells its life) with the usual patience (timeout_ms 0: lsp.timeout_ms).
 * The error says which server. `params` are taken; fn comes once. When a server dies with a
 * request, that is sent once more as soon as it runs again and has read its index, with a patience
 * of its own; a second death is ERR_NO_SERVER. */
int64_t server_ask(struct server *s, enum lsp_feature f, json *params, uint64_t timeout_ms,
		   peer_reply *fn, void *arg);
void server_cancel(struct server *s, int64_t id);
/* A file was changed: once who did that has the answer, its symbols are asked for, and are known
 * when it is changed next. Of several files the last. */
void server_list_symbols_soon(struct server *s, const char *path);

const char *server_name(const struct server *s);
const char *server_root(const struct server *s);
const char *server_key(const struct server *s); /* in the diagnostics */
enum pos_enc server_encoding(const struct server *s);
bool server_can(const struct server *s, enum lsp_feature f);
bool server_executes(const struct server *s, struct str command); /* one of its own commands */
int64_t server_version(const struct server *s, const char *path); /* as sync_version() */
int64_t server_shown_version(void *s, const char *path);	  /* the same, for wsedit_context */

/* From here on workspace/applyEdit of this server goes to fn, which takes the change (raw JSON) or
 * says why not; fn NULL: to the person again. */
struct capture {
	bool (*fn)(void *arg, struct str edit, struct err *e);
	void *arg;
};
void server_capture(struct server *s, struct capture c);

/* Takes a report of LSP_SURVEY. */
bool server_surveyed(struct server *s, struct str report, struct err *e);

/* Whether it can be shown a file of this name; else *e says why not. */
bool server_takes(const struct server *s, const char *path, struct err *e);

/* It reads from the disk what a file includes, also where that was shown to it. */
bool server_blind(const struct server *s);
/* One beside the editor's client is not needed any more; another is left alone. */
void server_spare(struct server *s);
/* Where what it says of the documents as they are is kept. */
struct diag_store *server_store(const struct server *s);

bool server_clang_formats(const struct server *s); /* as server_spec has it */
/* Whether this answer to a rename says that it would be one of too many files. */
bool server_limits_rename(const struct server *s, const struct err *e);
/* Whether a diagnostic of its is a warning that compilers call an error (server_spec.errors). */
bool server_errs(const struct server *s, const struct diag *d);
/* Whether it did not find what a file includes (server_spec.include_errors), by what it has `said`;
 * adds its message. */
bool server_lacks_include(const struct server *s, const struct diag_store *said, const char *path,
			  struct buf *message);
bool server_versioned(const struct server *s); /* its diagnostics say which text they speak of */
const char *server_health_warning(const struct server *s); /* as session_health_warning() */
const char *server_health_error(const struct server *s);   /* as session_health_error() */
/* The command and questions to which it answers with diagnostics; NULL: it does not. */
const char *const *server_answers(const struct server *s);
/* Whether it is known to give no diagnostics: it cannot be asked, and has published none, as a
 * client of the editor that the editor has not heard any from, or after it was waited for. */
bool server_mute(const struct server *s);
/* Whether it is not to be waited for: it has let lsp.silence_ms or more pass without a word of the
 * text that it was shown last, or is a client that the editor has heard none from. */
bool server_tardy(const struct server *s);
void server_note_tardy(struct server *s, bool tardy);
/* When it was last told of anything, or last published. */
uint64_t server_quiet_since(const struct server *s);
bool server_staged(const struct server *s);   /* it publishes for one text more than once */
bool server_busy(const struct server *s);     /* as session_busy() */
bool server_checks(const struct server *s);   /* it looks at what is saved, for itself */
bool server_checking(const struct server *s); /* as session_checking() */
/* For who waits without an end: wants a sign of life. One of ours that gives none is killed in the
 * end. False: none has come, and it is the editor's. */
bool server_lives(struct server *s);
/* Whether it can be taken to know all files: it has finished some work, and has run for a while. */
bool server_knows(const struct server *s);
/* Whether it was started when a file had its text already, by the time (in ns) of the disk. */
bool server_began_after(const struct server *s, int64_t changed);
/* Its index is made of what it has diagnosed, after it has answered for it. */
bool server_indexes_late(const struct server *s);
/* It has found the files of its project by itself, and reads what a question needs of them. */
bool server_finds_files(const struct server *s);
/* Of clangd, where nothing says how a project is compiled: the header is one of C. It would take it
 * for one of Objective-C++, in which a function is another one than in the files that include it.
 * False: it knows that, or something else, already. */
bool server_c_header(struct server *s, const char *path);
/* What it has read of a file, until it dies: `mark` tells one text, with what it includes, from
 * another. */
void server_note_read(struct server *s, const char *path, uint64_t mark);
/* Whether what it was asked when pool_readings() was `asked` is answered with that text in mind. */
enum text_read {
	READ_NEVER,
	READ_LATER, /* it may have been answered without it */
	READ_BEFORE,
};
enum text_read server_read(const struct server *s, const char *path, uint64_t mark, uint64_t asked);
/* The same of what it has open: whether it had it open then. */
bool server_had_open(const struct server *s, const char *path, uint64_t asked);
void server_flush(struct server *s); /* sends the changes that are still collected */
enum sync_work server_work(const struct server *s, const char *path);  /* as sync_work_on() */
bool server_ended_with_text(const struct server *s, const char *path); /* sync_ended_with_text() */
uint64_t server_readings(const struct server *s, const char *path);    /* as sync_readings() */

#endif
