#ifndef OX_RECORD_H
#define OX_RECORD_H

#include "../core/oxide.h"

/*
 * The record of a session: what an agent called, read, changed, ran and said, whichever engine it
 * runs on. doc/record.schema.json has the form; the rows are its items:
 *
 *     tool_call       {id, name, arguments, result, status, timestamp, duration_ms, turn}
 *     file_operation  {operation, path, change: {diff, new_path, lines_added, lines_removed},
 *                      timestamp, tool_call_id, transaction, unsure, turn}
 *     shell_command   {command, exit_code, signal, output, truncated, timestamp, duration_ms,
 *                      tool_call_id, turn}
 *     message         {role, text, timestamp, turn}
 *
 * Each row is appended, as it happens, to a file of its own in the state directory
 * (oxide/records/TIMESTAMP-SESSION.jsonl, mode 0600), so that a kill loses the last one at most;
 * where that cannot be written, rows are kept in memory up to records.memory. Strings longer than
 * records.text_bytes are cut in their middle, and what looks like a key is masked (mask.h).
 *
 *     r = record_new(ox, &session)
 *     record_add(r, RECORD_TOOL_CALL, row) ...
 *     record_end(r, rest)
 *     whole = record_whole(r, &e)                 at any time
 *     record_free(r)
 *
 * Another process may add rows to one that it knows by its session: record_join() -> record_add()
 * -> record_free().
 */
struct record;

enum record_row { RECORD_TOOL_CALL, RECORD_FILE_OPERATION, RECORD_SHELL_COMMAND, RECORD_MESSAGE };

struct record_session {
	const char *id; /* NULL: a new one */
	json *agent;	/* {name, engine, command, version, model}; taken */
	const char *cwd;
	/* What was recorded elsewhere is read: a row without a timestamp has none (null), all are
	 * kept in memory, and nothing is written. */
	bool elsewhere;
};

struct record *record_new(struct oxide *ox, const struct record_session *session);
struct record *record_join(struct oxide *ox, const char *session); /* NULL: none is kept */
void record_free(struct record *r);				   /* NULL: nothing */
char *record_new_session(void); /* an id for one that is to come; the caller frees */
const char *record_session_id(const struct record *r);
/* `row` is taken. Without a timestamp it gets the present one. */
void record_add(struct record *r, enum record_row kind, json *row);
/* The files that a change has changed, as rows: of its report, as tools that change text have it.
 * Without a transaction, nothing. record_change.c. */
struct record_change {
	const char *root; /* that the report's paths are relative to */
	struct str call;  /* the tool call that it is of; empty: of a whole turn */
	int64_t turn;	  /* 0: the one that the record was in last */
	const json *report;
	int64_t since_ms; /* since 1970: when the turn began */
};

json *record_change_path(const char *root, struct str path); /* whole; the root may be before it */
void record_change(struct record *r, const struct record_change *c);
/* The same of what an agent has changed by itself: without files that it has told of since. */
void record_change_past(struct record *r, const struct record_change *c);

/* Why its file does not have all rows, once: for the user to be told. NULL: it has, none is kept,
 * or that was said. The whole has the reason as `incomplete`. */
const char *record_incomplete(struct record *r);
/* A file beside that of the rows, for all output of a program as it is: a descriptor for the
 * caller, or -1. */
int record_open_raw(const struct record *r);
/* What has become known of the session itself: members of the whole, such as `agent`; taken. */
void record_know(struct record *r, json *members);
/* The session has ended. `rest`: {exit, usage}; taken, may be NULL. With `directory` of `records`
 * in the configuration the whole is written there as well: *e says why not. */
bool record_end(struct record *r, json *rest, struct err *e);
/* As one JSON value, its lists in order of time; new. NULL: *e says why not. */
json *record_whole(const struct record *r, struct err *e);

/* Of those that are kept, the latest first: [{session_id, timestamp, agent, cwd, path}]. */
json *record_list(void);
/* The one whose session begins so; empty: the latest. */
json *record_read(struct str session, struct err *e);

/* Writes that one as one JSON file into `directory` of `records` in the configuration, which is
 * made if it is not there, else into the working directory; the path is appended. `raw`: with all
 * that was printed, in base64. record_export.c. */
bool record_export(const struct oxide *ox, struct str session, bool raw, struct buf *path,
		   struct err *e);

json *record_time(int64_t wall_ms); /* "2026-11-22T12:00:00.000Z" */

#endif
