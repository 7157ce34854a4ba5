#ifndef OX_WATCH_IMPL_H
#define OX_WATCH_IMPL_H

#include <sys/queue.h>

#include "../core/disk_listener.h"
#include "../core/turn_drafts.h"
#include "../io/dir_watch.h"
#include "../io/loop.h"
#include "watch.h"
#include "watch_change.h"
#include "watch_store.h"

/*
 * Shared by watch.c (agents, and the line of what they want), watch_look.c (one look at the files),
 * watch_report.c (what it found, as a turn), watch_steps.c (what others wrote meanwhile),
 * watch_buffers.c (open buffers), watch_base.c (the texts that those have come of) and
 * watch_merge.c (what becomes of them).
 */

/* What is known of one write to a file: it held `was`, if that is known, and then `now`. */
struct watch_step {
	STAILQ_ENTRY(watch_step) all;
	char *path;
	bool was_known;
	struct watch_text was, now;
};

/*
 * The last merge into a buffer with changes. Where its file goes on changing, and the user has left
 * the buffer as it is, the file's text is merged into the buffer's text before that merge: what
 * comes of a file that was seen while it was being written, or that is written twice, is what
 * comes of its last text.
 */
struct watch_merged {
	bool there;
	bool again;	       /* made in the place of the one before */
	struct buf from;       /* what both texts have come of */
	struct buf yours, now; /* the buffer's text before and after */
	size_t earlier;	       /* conflicts of the turn that are of other merges */
};

/*
 * The file of a buffer that is followed: what leads from its base to its present text is merged
 * into the buffer. In doubt the base is an older one: then the same change may be shown as a
 * conflict, but none of the user's is taken for one to be undone. A file that is too large, or not
 * text as a buffer has it, is not followed: Neovim asks about that as ever.
 */
struct watch_base {
	struct buf text; /* as a buffer has it: what its own text has come of, or an older one */
	bool bom, crlf;	 /* the file has these, which the buffer's text has not */
	struct tree_stat seen; /* of the file when it was looked at last */
	bool behind; /* the editor has put back the user's text, and waits to hear of the file's */
	/* The user wrote the buffer while its text was on its way: the text of this tick. */
	bool written;
	int64_t written_tick;
	char why[200]; /* it can be followed no longer: watch_bases_let_go() */
	/* The file's text that got into the buffer, or that it was read from, since the user wrote
	 * it last. */
	bool disk_known;
	struct watch_text disk;
	struct watch_merged last;
	struct merge_lines *conflict; /* marked in this turn */
	size_t conflicts, cap;
};

struct watch {
	LIST_ENTRY(watch) all;
	struct watched *of;
	char *who, *title;
	bool open; /* a turn goes on */
	char id[TURN_ID];
	struct buf with; /* who else worked in it, ", " between */
};

/* One thing after the other. */
enum watch_want { WATCH_BEGIN, WATCH_END };

struct watch_wish {
	STAILQ_ENTRY(watch_wish) all;
	enum watch_want want;
	struct watch *watch; /* NULL: it has been stopped */
	watch_ready *ready;
	watch_ended *ended;
	void *arg;
};

/* A project, as long as agents work in it. */
struct watched {
	LIST_ENTRY(watched) all;
	struct oxide *ox;
	char *root;
	char *own; /* Oxide's state directory, relative to it; NULL: it lies elsewhere */
	LIST_HEAD(, watch) agents;
	STAILQ_HEAD(, watch_wish) wishes; /* the first is being carried out */
	struct watch_store store;
	struct watch_tree *tree; /* as of the last look; NULL: none yet */
	bool fresh;		 /* it was looked at for the end of a turn, a moment ago */
	uint64_t log_at;	 /* of git's log of HEAD, how much was there */
	/* Of the steps those come first that were made while the last look went on, which may or
	 * may not have seen them; then what came until the present one began; then what it may or
	 * may not see. */
	STAILQ_HEAD(, watch_step) steps;
	size_t n_steps, early_steps, old_steps;
	size_t step_bytes;
	struct map bases; /* absolute path -> watch_base */
	struct disk_listener listener;
	struct dir_watch *dirs; /* those of open buffers */
	struct timer *settle;
	struct rereading *rereading;
	int rereads;			    /* in a row that were stale */
	void (*updated)(struct watched *p); /* who waits for the buffers; NULL: nobody */
	struct watch_look *look;	    /* that does; NULL: none */
};

/* A file that differs from the look before. */
struct watch_diff {
	const char *path;
	struct watch_file *was, *now; /* NULL: it was, or is, not there */
	struct watch_text a, b;
	bool known;    /* both texts */
	char why[120]; /* not */
};

struct watch_look {
	struct watched *of;
	bool report;
	struct buf names;
	bool git;
	struct watch_tree *next;
	struct watch_diff *v;
	size_t n, cap;
	size_t *blob; /* of those whose old text is to be read from git */
	size_t blobs;
	size_t room; /* bytes of texts that may be read yet */
	size_t most, files_most;
	struct map open; /* paths of buffers, relative to the root */
	json *git_did;
	/* A file that was written to a moment ago may be in the middle of being written. */
	struct timer *still; /* NULL: none was */
	uint64_t waited;     /* ms, for them all */
	bool moved;	     /* one was written to since the scan */
	void (*done)(struct watch_look *l);
};

/* Looks at the files; then done(), which calls watch_look_free(). Without `report` texts are not
 * read; with it, files that are being written are waited for a moment, so that one write is not
 * told as two. The tree of the project is that of this look then. */
void watch_look_start(struct watched *p, bool report, void (*done)(struct watch_look *l));
void watch_look_free(struct watch_look *l);

/* The turn of `w`, as the history has it. NULL: nothing was changed. */
json *watch_report(struct watch *w, struct watch_look *l);

void watch_steps_listen(struct watched *p);
void watch_steps_mark(struct watched *p);  /* a look begins */
void watch_steps_clear(struct watched *p); /* those before the mark: that look knows of them */
/* Of the disk's text that got into buffers: what somebody else has written. */
void watch_steps_add(struct watched *p, const char *path, struct watch_text *was, bool was_known,
		     struct watch_text *now);
/* A file that is not there is read as well, as `out` says. ERR_LIMIT: it is too large, or too much
 * was read in this turn; ERR_STALE: it changes all the time. */
bool watch_text_read(struct watched *p, const char *path, struct watch_text *out, struct err *e);
const char *watch_below(const struct watched *p, const char *path); /* NULL: it is not */

/* Buffers that are open now are followed from here on. */
void watch_buffers_begin(struct watched *p);
/* Brings them all up to date; then fn(). */
void watch_buffers_update(struct watched *p, void (*fn)(struct watched *p));
void watch_buffers_event(struct watched *p, const struct buffer *b, enum disk_event what);
void watch_buffers_end(struct watched *p); /* no turn goes on any more */

/* watch_base.c. `path` is absolute. */
#define WATCH_STAMP   64
#define WATCH_NO_TEXT "it is not text in UTF-8"
struct watch_base *watch_base_of(struct watched *p, const char *path);
/* Of a buffer whose text is that of its file, or has come of it; `begin`: it is not known whose
 * work the file is. Where that cannot be, an older one stays. */
void watch_base_set(struct watched *p, const struct buffer *b, bool begin);
void watch_base_note_form(struct watch_base *base, struct str disk); /* of that text of its file */
/* The user has written the buffer's text to the file, which may have another one by now. */
void watch_base_written(struct watched *p, const struct buffer *b);
void watch_base_read(struct watched *p, const struct buffer *b); /* its text has come */
void watch_bases_let_go(struct watched *p);			 /* those with a reason */
void watch_bases_drop(struct watched *p);			 /* all */
/* A turn begins: they are of the one before. */
void watch_bases_forget_conflicts(struct watched *p);
json *watch_bases_conflicts(struct watched *p);
/* It is what the buffer has come of now; where that is another text, the last merge is over. */
void watch_base_put(struct watch_base *base, struct str text);
/* What becomes of the buffer's `text` where the file has `target` now: edits of `text` in *m,
 * reduced, which lead to made->now. Both are empty. True: that is what the file has. */
bool watch_merge(const struct watch_base *base, struct str text, struct str target, const char *who,
		 struct merge *m, struct watch_merged *made);
/* The buffer has become that; *made is taken. */
void watch_merge_done(struct watch_base *base, struct str target, const struct merge *m,
		      struct watch_merged *made);
void watch_merged_release(struct watch_merged *made);
/* A file's text as Neovim has it in a buffer; false: it is in another encoding, or has a NUL. */
bool watch_as_buffer(struct str text, struct buf *out);
void watch_stamp(char out[WATCH_STAMP], const struct tree_stat *st); /* as lua/oxide/buffers.lua */
const char *watch_reason(const struct err *e); /* why a text could not be read */

/* One goes on, or is about to: what others write is noted. */
bool watch_is_on(const struct watched *p);

#endif
