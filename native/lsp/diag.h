#ifndef OX_DIAG_H
#define OX_DIAG_H

#include "proto.h"

/*
 * What every server last said about every file. A publish replaces what the same server published
 * of the same file before; what it answered when asked is kept apart, since some servers do both
 * and mean both. A list that is malformed replaces nothing. Positions stay in the server's encoding
 * (`enc`), since the text they belong to may not be loaded.
 */
enum diag_severity { DIAG_ERROR = 1, DIAG_WARNING, DIAG_INFO, DIAG_HINT };

struct diag {
	const char *path, *server;
	enum pos_enc enc;
	struct range range;
	enum diag_severity severity;	  /* a server that gives none means an error */
	struct str message, source, code; /* code as text, also where it is a number */
	struct str raw;			  /* the JSON object, to send back when asking for fixes */
	uint64_t order;			  /* of arrival */
	bool lineless; /* it is about the file, or none; the range says nothing */
};

struct diag_store *diag_new(void);
void diag_free(struct diag_store *s);
/* `list`: raw JSON array. version -1: none. Messages are kept as they came, lines and all. */
bool diag_publish(struct diag_store *s, const char *server, const char *path, enum pos_enc enc,
		  int64_t version, struct str list, struct err *e);
/* From a textDocument/diagnostic answer; an "unchanged" report leaves what there is. Reports on
 * related documents are taken too. result_id is filled for the next time. */
bool diag_pulled(struct diag_store *s, const char *server, const char *path, enum pos_enc enc,
		 struct str report, struct buf *result_id, struct err *e);
/* From a workspace/diagnostic answer, or a part of one. `takes` is called for each file that it
 * speaks of; where that is false, the file is left alone: an open one is asked about by itself. */
bool diag_surveyed(struct diag_store *s, const char *server, enum pos_enc enc, struct str report,
		   bool (*takes)(void *arg, const char *path), void *arg, struct err *e);
/* For a server that publishes without saying which text it speaks of, and answers for the present
 * one by a command of its own (server_spec.diagnostics_command), as tsserver's answers are: what to
 * send with LSP_EXECUTE, and what came adds to a list for diag_publish(); diag_command.c. */
json *diag_command(const char *command, const char *question, const char *path);
bool diag_commanded(json *list, struct str answer, struct err *e);
/* The server's names for what it reported of the project: [{uri, value}], to be sent next time. */
json *diag_result_ids(const struct diag_store *s, const char *server);
void diag_forget(struct diag_store *s, const char *server); /* it died */
/* Moves what a server said of one file to another store, in place of what that had of it. */
void diag_take(struct diag_store *to, struct diag_store *from, const char *server,
	       const char *path);
/* Copies to an empty store what a server has said of a file. */
void diag_keep(struct diag_store *to, const struct diag_store *from, const char *server,
	       const char *path);
/* Moves what a server said from one store to another, where it counts as said just now; `heard` is
 * called for each file. */
void diag_adopt(struct diag_store *to, struct diag_store *from, const char *server,
		void (*heard)(void *arg, const char *path), void *arg);
/* A copy whose texts are in the arena: it outlives the next publish. */
struct diag diag_copy(struct arena *texts, const struct diag *d);
/* How often this server has spoken of this file (diag_forget() does not turn that back, so one can
 * wait for it to rise), and of which version last (-1: none). */
uint64_t diag_seen(const struct diag_store *s, const char *server, const char *path,
		   int64_t *version);

/* All at or above `worst` severity whose file is `path` (NULL: all files): grouped by file, files
 * by path, then by severity, then by line and column. The array is the caller's to free; what it
 * points to lives until the next publish. */
size_t diag_list(const struct diag_store *s, const char *path, enum diag_severity worst,
		 const struct diag ***out);

void diag_sort(const struct diag **v, size_t n); /* in that order */

struct diag_counts {
	size_t of[5], files; /* by severity from 1 */
};
void diag_count(const struct diag *const *v, size_t n, struct diag_counts *out);
/* "3 errors, 5 warnings", or "no problems". */
void diag_summary(const struct diag_counts *c, struct buf *out);
const char *diag_severity_name(enum diag_severity s); /* "error", "warning", "info", "hint" */

#endif
