#ifndef OX_OPERATION_H
#define OX_OPERATION_H

#include "../base/arena.h"
#include "../text/patch.h"

/*
 * What a caller of the editing tools asks for, one change each, before any text is looked at.
 * Texts are borrowed from the JSON or the patch they were read from, or lie in the list's arena.
 * operation_json.c reads them from JSON, operation_patch.c from a patch, operation_text.c from the
 * command line.
 */
enum operation_kind {
	OPERATION_REPLACE, /* a string, once or everywhere */
	OPERATION_INSERT,  /* lines before a line; one past the last appends */
	OPERATION_DELETE,  /* lines */
	OPERATION_LINES,   /* other lines in the place of lines */
	OPERATION_HUNKS,   /* one file's part of a patch */
	OPERATION_WRITE,   /* a whole file */
	OPERATION_REMOVE,  /* the file goes */
	OPERATION_RENAME,  /* the file gets another name */
	OPERATION_COPY,	   /* another file of the same text */
	OPERATION_LINK,	   /* a symbolic link, made or made to lead elsewhere */
	OPERATION_MODE,	   /* the right to run */
};

struct operation {
	enum operation_kind kind;
	int of; /* which entry of the caller's list, from 0: several may come of one patch */
	const char *path, *new_path; /* absolute, normalized */
	struct str find, with;	     /* `with`: also what is inserted or written */
	bool all;		     /* REPLACE: every place */
	bool overwrite;		     /* WRITE: an existing file */
	struct str before, after;    /* lines that must be right before and behind the place */
	size_t line, count;	     /* from 1, of the file as it is before the operations */
	size_t said;		     /* the number that the caller gave `line`; 0: the same */
	/* By `expect` or `hash` alone, which have to be in one place only: nobody knows the line.
	 */
	bool lineless;
	bool shown; /* the caller saw the line: it means no other one in another text */
	const struct err *refused; /* why it is none that can be carried out; NULL: it may be */
	/* The old text of those lines; LINK, REMOVE: where the link leads that is meant. p NULL:
	 * not given. */
	struct str expect;
	struct str hash;	   /* or the hash of the first of them (line_numbers.h) */
	bool may_create;	   /* HUNKS: a file that is not there counts as empty */
	unsigned mode;		   /* WRITE, MODE: as fs.h has it; 0: as it is */
	bool straight;		   /* as git reads paths (plan.h) */
	const struct patch *patch; /* HUNKS */
	const struct patch_file *hunks;
};

struct operations {
	struct operation *v;
	size_t n, cap;
	struct arena parts;
	struct patch *patches; /* what HUNKS point into */
	size_t n_patches, cap_patches;
	const struct fs *fs; /* whose each() helps to read a long patch; NULL: none does */
};

/* Where paths of callers start, and whether they may be named: NULL and *e when not. The result
 * lives in the arena. */
typedef const char *operation_path(void *arg, struct arena *a, struct str path, struct err *e);

/* Adds the operations of multi_edit's list, from its JSON; the error names the entry. */
bool operations_from_json(struct operations *ops, struct str list, operation_path *path, void *arg,
			  struct err *e);
/* The text form: FILE: PATH, then REPLACE: / WITH: / INSERT AT LINE n: / DELETE LINES a-b: with
 * fenced blocks. The error names the line. */
bool operations_from_text(struct operations *ops, struct str text, operation_path *path, void *arg,
			  struct err *e);
/* A whole patch of either form, as entry `of`. `only` not NULL: it may touch that file alone, and
 * need not name it: hunks without the lines before them will do. */
bool operations_from_patch(struct operations *ops, struct str text, int of, const char *only,
			   operation_path *path, void *arg, struct err *e);
bool operation_by_line(const struct operation *op); /* its place is given by numbers alone */
struct operation *operations_add(struct operations *ops, enum operation_kind kind,
				 const char *path);
void operations_release(struct operations *ops);
const char *operation_name(enum operation_kind kind); /* "replace" */

#endif
