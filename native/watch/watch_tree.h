#ifndef OX_WATCH_TREE_H
#define OX_WATCH_TREE_H

#include "../base/arena.h"
#include "../core/oxide.h"
#include "../io/tree.h"

/*
 * The files of a project at one moment: those that git tracks and those that it does not ignore;
 * without git, all; but not clangd's index (.cache/clangd) and swap files, which come and go by
 * themselves, unless git has them. Looked at by stat alone, which is quick and misses nothing.
 * watch_git.c asks git.
 *
 *     watch_list_start(ox, root, fn, arg)          asks git; fn() has the names
 *     watch_tree_scan(root, &spec)                 on a worker
 *     watch_tree_free(tree)
 */
enum watch_kept { WATCH_NOT_KEPT, WATCH_KEPT_COPY, WATCH_KEPT_BLOB };

struct watch_file {
	const char *path; /* relative to the root */
	struct tree_stat st;
	/* What it holds can be had: as this copy in the store; or it is what git's index has, an
	 * object of this name. */
	enum watch_kept kept;
	unsigned copy;
	const char *blob; /* NULL: it differs from the index, or is not in it */
};

struct watch_tree {
	struct watch_file *v; /* sorted by path */
	size_t n, cap;
	struct arena texts;
	bool cut; /* there are more than were looked at */
};

struct watch_scan {
	struct str names; /* that git has listed */
	bool git;	  /* it has */
	size_t most;	  /* files */
	/* What lies below it is Oxide's own, and left out: relative to the root; NULL: nothing. */
	const char *own;
	const struct watch_tree *before;
};

struct watch_tree *watch_tree_scan(const char *root, const struct watch_scan *spec);
void watch_tree_free(struct watch_tree *t);
/* Whether a file of it lies below this directory. */
bool watch_tree_has_dir(const struct watch_tree *t, struct str dir);

/* What `git ls-files` prints, each entry with a NUL behind it; `git` false: there is no git, or no
 * repository. `names` is taken over by fn. Not from inside. */
typedef void watch_listed(void *arg, struct buf *names, bool git);
void watch_list_start(struct oxide *ox, const char *root, watch_listed *fn, void *arg);

/* The texts of objects of git: one after the other, in the order asked for; `fn` once for each.
 * `there` false: it is gone, or larger than `most` bytes. */
typedef void watch_blob(void *arg, size_t i, bool there, struct str text);
typedef void watch_blobs_end(void *arg);
void watch_blobs_read(struct oxide *ox, const char *root, const char *const *name, size_t n,
		      size_t most, watch_blob *fn, watch_blobs_end *end, void *arg);

#endif
