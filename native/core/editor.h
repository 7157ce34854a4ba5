#ifndef OX_EDITOR_H
#define OX_EDITOR_H

#include "../base/json.h"
#include "../edit/plan_sum.h"
#include "../text/merge.h"

/*
 * What a front-end can do for a user. Neovim and the terminal each give one; nobody below knows
 * which. A member that is NULL is something that front-end cannot do. Completion functions are
 * called once, never from inside the call that took them.
 */
struct buffer_change {
	long buf;
	int64_t tick; /* the change that the plan was made for */
	const struct plan_file *file;
	bool was_modified;
	bool removed; /* its file goes: the buffer with it */
};

/* On success tick[i] says where each buffer is now. `gone`: nobody knows what it has done, for
 * the editor's channel has ended. */
typedef void editor_applied(void *arg, const struct err *e, const int64_t *tick, bool gone);

struct editor_saves {
	bool gone;	    /* nobody knows what was written: the editor's channel has ended */
	size_t saved, left; /* buffers written, buffers left modified */
	struct buf failed;  /* "path: reason" lines */
};
typedef void editor_saved(void *arg, const struct editor_saves *saves);

/* A buffer whose file was changed on the disk, and what is to become of its text. */
struct buffer_reread {
	long buf;
	int64_t tick;			 /* the change that the edits are of */
	const struct edits *edits;	 /* reduced */
	struct str now;			 /* what they lead to */
	bool plain;			 /* and that is what the file holds */
	const struct merge_lines *clash; /* of `now`: marked conflicts */
	size_t clashes;
	const char *stamp; /* of the file whose text they are of, as the editor has it */
	const char *who;   /* has changed it */
};

/* STALE: the buffer was changed meanwhile; LEFT: it is another one, or may not be changed. */
enum reread_fate { REREAD_DONE, REREAD_STALE, REREAD_LEFT };
typedef void editor_reread(void *arg, const enum reread_fate *fate); /* of each */

/* A change that needs the user's confirmation. */
struct question {
	struct plan *plan;
	const struct plan *offered;	   /* what the user may add to it; NULL: nothing */
	const char *title, *tool, *server; /* server may be NULL */
	const char *labels;		   /* of annotations, one a line */
	size_t places;			   /* that it changes; 0: those that the plan edits */
	bool annotated;
	bool must;	     /* it always asks, unless told to apply at once */
	void *of;	     /* the call it belongs to */
	const char *notes;   /* what was found out about the change, one a line; NULL: nothing */
	const char *refused; /* only the user may apply it, because of this; or NULL */
	bool rest;	     /* it is what was left of a change after an earlier question */
	bool permission;     /* about no change: a no may have a reason */
	bool lasting;	     /* of that: a yes may last */
	bool again;	     /* where a file has changed meanwhile, it is worked out anew */
	/* The user has written the text of file i otherwise; `arg` is that of the verdict. False:
	 * *e says why it cannot be. Else editor.renew() tells what the change is with it, now or
	 * once it was looked at; until then only a no is an answer. NULL: nobody takes it. */
	bool (*revise)(void *arg, size_t i, struct str text, struct err *e);
};

/* A question as it is shown to whoever answers it without Neovim's review. */
struct shown_question {
	const char *title, *notes;
	struct str diff;
	struct plan_sum sum;
	size_t files;
};
struct plan_sum question_sum(const struct question *q);
struct shown_question question_shown(const struct question *q,
				     struct buf *diff); /* which it fills */

/*
 * What a user said. keep[i] tells whether file i of the plan stays in, NULL: all do; hunks[i]
 * likewise for the hunks of file i, as plan_file_diff() shows them. `later`: no user is there.
 */
struct hunk_choice {
	const bool *keep; /* NULL: all */
	size_t n;
};

enum verdict_lasts { LASTS_ONCE, LASTS_SESSION, LASTS_ALWAYS };

struct verdict {
	bool yes, later;
	enum verdict_lasts lasts; /* of a permission */
	struct str why;		  /* of a no to that; empty: none was told */
	bool force;		  /* yes in spite of new errors, of what was left out, too */
	struct str stale;	  /* of a no: this file was changed meanwhile; empty: it is a no */
	const bool *keep;
	const struct hunk_choice *hunks; /* NULL: all */
	/* The same of what was offered with it; `offered` NULL: nothing of that. */
	const bool *offered;
	const struct hunk_choice *offered_hunks;
};

/* Leaves out of the plan what the user left out. */
bool verdict_take(const struct verdict *v, struct plan *p, struct err *e);
typedef void editor_verdict(void *arg, const struct verdict *v);

/* A change to files or buffers, whoever makes it: it begins, or it was made. */
struct change_news {
	bool done;
	bool undoes, redoes;	/* it takes one of the history back, or makes it again */
	struct str transaction; /* of the history: that which is undone or redone, or once done its
				 * own; "" where there is none */
	const char *title;
	const struct plan *plan;
	size_t saved, left_modified; /* once done: buffers */
};

struct editor {
	void *self;
	struct fs_process process; /* that has the buffers; pid 0: not known */
	/* `claim`: the file that it makes before it changes a buffer (edit/txn.h); NULL: none. */
	void (*apply)(void *self, const char *title, const char *claim,
		      const struct buffer_change *v, size_t n, editor_applied *fn, void *arg);
	/* Also right behind apply(), before that has answered: what was not changed is not written,
	 * and an answer that comes before that of apply() is about nothing. */
	void (*save)(void *self, const struct buffer_change *v, size_t n, editor_saved *fn,
		     void *arg);
	/* The editor takes the files for read as they are by now, without a question, and the
	 * buffers get these edits, each for itself. `v` lives until fn. Of none (NULL, 0) it only
	 * answers: what it had to say before is heard by then. */
	void (*reread)(void *self, const struct buffer_reread *v, size_t n, editor_reread *fn,
		       void *arg);
	/* From now on, or no longer, reread() comes for this buffer when its file is changed, so
	 * that nobody need be asked about that. `why` not, where it has been so far; NULL: it is
	 * over. */
	void (*follow)(void *self, long buf, bool on, const char *why);
	/* Returns a number for unconfirm(), which takes the question back: no verdict comes. */
	int64_t (*confirm)(void *self, const struct question *q, editor_verdict *fn, void *arg);
	void (*unconfirm)(void *self, int64_t question);
	/* What was answered with a yes has been made, or not, as *e says, where no call ends with
	 * it. NULL: nobody waits for that. */
	void (*settled)(void *self, int64_t question, const struct err *e);
	/* The question is another one by now, of the same plan; NULL where none is ever revised. */
	void (*renew)(void *self, int64_t question, const struct question *q);
	/* `of`: the call whose work it is, as a question has it; NULL: nobody's alone. */
	void (*progress)(void *self, void *of, const char *id, struct str title, struct str message,
			 int percent, bool done);
	void (*message)(void *self, const char *level, struct str text);
	void (*change)(void *self, const struct change_news *news); /* for scripts */
	void (*diagnostics)(void *self, const char *path);	    /* they changed */
	void (*actions)(void *self); /* so did the list of those known by name (registry.h) */
	void (*server)(void *self, const char *name, const char *root, const char *state,
		       const char *reason);
	/* A server asks for this file to be shown; `range` in its own encoding, or NULL. */
	void (*show)(void *self, const char *server, const char *path, const json *range,
		     const char *encoding);
	/* To a language client of its own (client.h): messages of LSP, one a line. */
	void (*client)(void *self, int64_t client, struct str lines);
};

#endif
