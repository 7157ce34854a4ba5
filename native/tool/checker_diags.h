#ifndef OX_CHECKER_DIAGS_H
#define OX_CHECKER_DIAGS_H

#include "../base/arena.h"
#include "../base/map.h"
#include "../core/run.h"
#include "../lsp/diag.h"
#include "tool.h"

/*
 * What checkers found (run.h), as diagnostics of no server: `server` is empty, and `path` too where
 * no file is named. Names of files are looked for from the root, then from the directories that
 * were spoken of. What two programs, or two builds of one file, say alike is there once.
 */
struct checker_diag {
	struct diag diag; /* first, so that one of a list can be told to be one of these */
	const json *row;  /* as the parser has it, with `fixes` */
	const json *directories;
};

struct checker_diags {
	struct checker_diag **v;
	size_t n, cap;
	struct map known;
	struct arena texts;
};

/* `found` is borrowed until the release. `source` is what they are named to be of. */
void checker_diags_add(struct checker_diags *l, struct oxide *ox, const char *root,
		       const char *source, const struct parser_found *found);
void checker_diags_release(struct checker_diags *l);
/* The file of a row as an absolute path; empty where it names none. The caller's. */
char *checker_path(const char *root, const json *row, const json *directories);
char *checker_find(const char *root, struct str name, const json *directories); /* likewise */
/* Where a row lies, and what its columns count. Those of a screen have become bytes. */
struct places;
struct range checker_range(struct places *p, const char *path, const json *row, enum pos_enc *enc);

#endif
