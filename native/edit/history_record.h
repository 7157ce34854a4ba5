#ifndef OX_HISTORY_RECORD_H
#define OX_HISTORY_RECORD_H

#include "../base/arena.h"
#include "history.h"

/*
 * An entry as bytes, as history_record() has them; history_undo.c makes the plan that takes it
 * back. One line of JSON that begins with the checksum of all behind it, then, without anything
 * between them, the bytes it measures: root, the roots of several projects, the exemptions, and for
 * each file its path, its new path, the old text if the file is gone or is or was a link, what the
 * edits that lead back put in, and the new text where the change is part of a turn; before the
 * files the directories that came with them.
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
	struct str now; /* the new one; unless `whole`, it is not known */
	bool whole;
};

struct record {
	struct history_entry entry;
	struct str *exempt; /* paths, by which some were changed */
	size_t n_exempt;
	struct record_file *file; /* as many as entry.files */
	bool again;		  /* it is what undid a change, for messages */
};

/* Its path after the change, which ends with a NUL (arena_str). */
const char *history_path_after(const struct history_file *f);
/* A link, before or after it. */
bool history_file_links(const struct history_file *f);

/* Whether `projects` of the entry says where it belongs. */
bool record_is_shared(struct str raw);
/* Strings and arrays come to lie in `a`; texts stay in `raw`. Any damage is ERR_IO. */
bool record_decode(struct record *r, struct str raw, struct arena *a, struct err *e);
/*
 * Adds to a plan what takes it back. Without `clashes`, a list, all has to be as it left it: else
 * ERR_STALE with all names. With it, of files that are `whole` other lines may have changed
 * (merge.h), and what is as before already is left; else ERR_STALE, and the list has a row for each
 * file, as that of history_turn.
 */
bool record_undo(const struct record *r, struct plan *p, json *clashes, struct err *e);
/* The same change the other way round: taking that back makes it again. All files are `whole`, or
 * ERR_UNSUPPORTED. What is new comes to lie in `a`. */
bool record_reverse(struct record *out, const struct record *r, struct arena *a, struct err *e);
/* The text before the change, of a file that is `whole` or gone. */
struct str record_was(const struct record *r, size_t i, struct arena *a);
/* Appends the unified diff of such a file. */
void record_diff(const struct record *r, size_t i, struct arena *a, struct buf *diff);

#endif
