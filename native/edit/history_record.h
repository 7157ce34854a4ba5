#ifndef OX_HISTORY_RECORD_H
#define OX_HISTORY_RECORD_H

#include "../base/arena.h"
#include "history.h"

/*
 * An entry as bytes; history_undo.c makes the plan that takes it back. One line of JSON that begins
 * with the checksum of all behind it, then, without anything between them, the bytes it measures:
 * root, and for each file its path, its new path, the old text if the file is gone or is or was a
 * link, and what the edits that lead back put in; before the files the directories that came with
 * them.
 */
struct record_edit {
	struct span span; /* of the text as the change left it */
	struct str with;
};

struct record_file {
	uint64_t was_hash, now_hash;
	struct str text; /* the old one, of a file that is gone, or of a link */
	struct record_edit *edit;
	size_t edits;
};

struct record {
	struct history_entry entry;
	struct record_file *file; /* as many as entry.files */
};

void record_encode(struct buf *out, const struct plan *p, const char *root, const char *origin,
		   const char *title, int64_t time_ms);
/* Strings and arrays come to lie in `a`; texts stay in `raw`. Any damage is ERR_IO. */
bool record_decode(struct record *r, struct str raw, struct arena *a, struct err *e);
/* Adds to a new plan what takes it back, after checking that all is as it left it: else ERR_STALE
 * with all names. */
bool record_undo(const struct record *r, struct plan *p, struct err *e);

#endif
