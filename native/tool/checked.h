#ifndef OX_CHECKED_H
#define OX_CHECKED_H

#include "../base/arena.h"
#include "../base/map.h"
#include "../core/run.h"
#include "../lsp/diag.h"
#include "tool.h"

/*
 * What checkers found (run.h), as diagnostics of no server: `server` is empty, and `path` too where
 * no file is named. Names of files are looked for from the root, then from the folders that were
 * spoken of. What two programs, or two builds of one file, say alike is there once.
 */
struct checked {
	struct diag diag; /* first, so that one of a list can be told to be one of these */
	const json *row;  /* as the parser has it, with `fixes` */
	const json *directories;
};

struct checked_list {
	struct checked **v;
	size_t n, cap;
	struct map known;
	struct arena texts;
};

/* `found` is borrowed until the release. `source` is what they are named to be of. */
void checked_add(struct checked_list *l, struct oxide *ox, const char *root, const char *source,
		 const struct parser_found *found);
void checked_release(struct checked_list *l);
/* The file of a row as an absolute path; empty where it names none. The caller's. */
char *checked_path(const char *root, const json *row, const json *directories);
char *checked_find(const char *root, struct str name, const json *directories); /* likewise */
/* Where a row lies, and what its columns count. Those of a screen have become bytes. */
struct places;
struct range checked_range(struct places *p, const char *path, const json *row, enum pos_enc *enc);

#endif
