#ifndef OX_PLAN_IMPL_H
#define OX_PLAN_IMPL_H

#include "../base/arena.h"
#include "../base/map.h"
#include "plan.h"

/* Shared by plan*.c: plan.c has the operations, plan_overlay.c the files as they leave them,
 * plan_names.c those that are links, plan_rest.c those that have given up their texts, plan_view.c
 * what is made of it at the end, plan_hunks.c what is left of that, plan_revise.c what a person has
 * made of it. */

/* A file: what it was and what has become of it, whatever it is called meanwhile. */
struct node {
	const char *was_path; /* NULL: it is new */
	const char *now_path; /* NULL: it is gone */
	struct buf was, now;
	uint64_t was_hash;
	struct fs_stat seen;
	bool changed;	    /* `now` is its text, else `was` */
	bool unmade;	    /* and is not made yet of `was` and `edits` */
	unsigned rewrites;  /* one by spans alone leaves `edits` right */
	struct edits edits; /* was -> now */
	/* What became of it, while it rests: `was` and `edits` are in it then. */
	struct plan_file *rested;
	unsigned was_mode, now_mode;
	bool link; /* the name is a symbolic link, and this what it leads to */
	char eol;  /* 'c' CRLF, 'l' LF, 0 not known yet */
};

/* A text that was planned, before a person gave the file another one. */
struct revised {
	struct revised *next;
	const char *path; /* before */
	struct str planned;
};

struct plan {
	const struct plan_source *src;
	struct str root;
	struct node **node;
	size_t nodes, node_cap;
	struct map now;	    /* path -> node that is there now */
	struct map origin;  /* path -> node that was there before, loaded or moved */
	struct map above;   /* directory -> how many files were put below it */
	struct map gone;    /* directories that are removed or renamed */
	struct map shed;    /* links that are: what lay below them is not there any more */
	struct map folders; /* known to be no links, nor below one */
	struct exemptions exempt;
	const char *(*name)(void *self, const char *path, const struct fs_stat *st); /* src's */
	struct exemptions *refusals; /* of who made it; NULL: nobody wants to know */
	struct map exempted;	     /* path -> the exemption by which it may be written */
	size_t asked;
	struct arena arena;
	struct buf scratch; /* part of a text */
	struct buf spare;   /* room of a text that was given up, for the next one */
	bool finished;
	struct plan_file *file;
	size_t files;
	const char **dir;
	size_t dirs;
	const char **made;
	size_t n_made, made_cap;
	struct txn_file *state;
	struct revised *revised;
};

/* What a path is, as the operations so far leave it. */
struct seen {
	enum fs_kind kind;
	struct node *node; /* of FS_FILE */
	bool link;
};

/* What operations have made of a path; false: nothing yet, so that the disk is to be asked. */
bool overlay_known(struct plan *p, const char *path, struct seen *out);
struct node *overlay_load(struct plan *p, const char *path); /* for a file that is there */
bool overlay_look(struct plan *p, const char *path, struct seen *out, struct err *e);
/* The same of the name: a symbolic link is a file of kind MODE_LINK, its text where it leads. */
bool overlay_name(struct plan *p, const char *path, struct seen *out, struct err *e);
/* Whether something was in a directory, and nothing is left of it. */
bool overlay_emptied(struct plan *p, const char *dir, bool *yes, struct err *e);
/* Fails where a link is on the way to a path. */
bool overlay_straight(struct plan *p, const char *path, struct err *e);
struct node *overlay_add(struct plan *p, const char *path); /* a new, empty file */
/* NULL: it goes. */
void overlay_move(struct plan *p, struct node *n, const char *path);
/* Loads all files below a directory, and marks it and those in it as gone. */
bool overlay_expand(struct plan *p, const char *dir, struct err *e);
/* Not of one that rests. */
struct str node_text(struct node *n);
void node_set(struct node *n, struct buf *text);   /* `text` is taken */
void node_edit(struct node *n, struct edits *set); /* `set`, of its text, is emptied */
/* Makes the line ends of what is put in those of the text around it. */
void eol_convert(struct edits *set, struct str text, struct node *n);
/* Makes the file's diff of its texts and edits, and counts its lines. */
void plan_compare(struct plan_file *f);
void plan_file_release(struct plan_file *f);
/* Gives a file its new text, which `set`, taken, makes of the old one. */
void plan_set_text(struct plan *p, struct plan_file *f, struct edits *set, struct str now);
/* Has what a resting file became up to now. */
bool plan_wake(struct plan *p, struct node *n, struct err *e);
const char *plan_shown(const struct plan *p, const char *path);

#endif
