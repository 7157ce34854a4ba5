#ifndef OX_WSEDIT_H
#define OX_WSEDIT_H

#include "../base/json.h"
#include "../edit/plan.h"
#include "../text/pos.h"

/*
 * A WorkspaceEdit, as raw JSON, added to a plan. `documentChanges` wins over `changes`. Creations,
 * renames and deletions are in order with the edits. Text edits to one document that follow each
 * other without a file operation between belong together: all of them address the document as it
 * was before the first. Every document's version is checked: one that is not what the server was
 * last shown refuses the whole (ERR_STALE). Snippet edits, and documents that are no local files,
 * are ERR_UNSUPPORTED (wsedit_of.c reads one for what it would change). null adds nothing. After a
 * failure the plan is good for plan_free() alone.
 */
struct wsedit_context {
	enum pos_enc enc;
	const char *root; /* for showing paths; may be NULL */
	void *self;
	/* May be NULL: no document is open there. The version last shown to the server, -1 when the
	 * document is not open there. */
	int64_t (*version)(void *self, const char *path);
};

struct wsedit_notes {
	bool confirm;	   /* an annotation asks that a user confirms */
	struct buf labels; /* of those annotations, each once, one a line */
};

/* Adds to *notes, which the caller zeroes before and releases after. */
bool wsedit_add(struct plan *p, struct str raw, const struct wsedit_context *ctx,
		struct wsedit_notes *notes, struct err *e);
void wsedit_notes_release(struct wsedit_notes *notes);

/* The way back: a finished plan as a WorkspaceEdit with documentChanges, columns in utf-16, against
 * the texts that the plan was made for. NULL and *e where one of them cannot be had any more. */
json *wsedit_of(struct plan *p, struct err *e);

#endif
