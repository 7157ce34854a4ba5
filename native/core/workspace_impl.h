#ifndef OX_WORKSPACE_IMPL_H
#define OX_WORKSPACE_IMPL_H

#include "../base/map.h"
#include "workspace.h"

/* Shared by workspace.c, which has the documents and buffers, workspace_names.c, which knows them
 * by their other names, and workspace_source.c, out of which plans read them. */
struct entry {
	struct doc *doc;
	char *filetype;	     /* the editor's word for it; NULL: by its name */
	struct fs_stat seen; /* of the disk, when the text came from there */
	/* workspace_moment() when that was last found so, and when no link was on the way there */
	uint64_t looked, straight;
	struct buffer *buffer; /* NULL: not open in the editor */
	struct workspace *workspace;
	uint64_t moved; /* workspace->moves at its last change */
	uint64_t used;	/* workspace->uses when it was last asked for */
};

/* A document that was read again, in another text: by whom, own_changes.h tells. */
struct reread {
	uint64_t moved;
	char *path;
	uint64_t from, to;
};
#define REREADS 256

struct workspace {
	struct oxide *ox;
	struct map entries; /* by path */
	struct buffer **buffers;
	size_t n, cap;
	struct plan_source source;
	struct text_cache *lent; /* NULL: none */
	struct read_ahead *ahead;
	struct protect_look *looks; /* at what will be asked about; else NULL */
	struct map permitted;	    /* path -> the one of these that found it fine */
	uint64_t moves;		    /* changes of any document so far */
	uint64_t written;	    /* files that Oxide has changed so far */
	uint64_t uses;
	uint64_t others; /* the last of those that were not Oxide's, but typed in a buffer */
	bool ours;	 /* it is Oxide that changes documents, or it will be known */
	struct reread reread[REREADS];
	size_t rereads; /* so many so far; the last ones are kept */
};

struct entry *workspace_find(struct workspace *w, const char *path); /* NULL: not known */
/* What was looked at while this is the same need not be looked at again: nothing new was asked
 * since, and nothing written here. */
uint64_t workspace_moment(const struct workspace *w);
/* A file on the disk: its text and, unless NULL, what was seen of it. */
bool workspace_read_disk(struct workspace *w, const char *path, struct buf *text,
			 struct fs_stat *seen, struct err *e);
/* The name that workspace_buffer_alias() has, where it is in the same project; else NULL. */
const char *workspace_alias(struct workspace *w, const char *path, const struct fs_stat *st);
void workspace_source_init(struct workspace *w);

#endif
