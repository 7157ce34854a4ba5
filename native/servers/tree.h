#ifndef OX_TREE_H
#define OX_TREE_H

#include "../base/fs.h"
#include "../core/oxide.h"

/*
 * The source files of a project that its language servers take: what sources.h finds, without what
 * git ignores. The submodules that are checked out are part of it; other repositories inside are
 * not. Where there is no git, or no repository, all of it. The disk is looked at on a worker.
 */
struct tree_file {
	char *path;
	struct fs_stat stat;
};

struct tree {
	struct tree_file *v; /* in order of names */
	size_t n, cap;
	char **apart; /* folders that are not part of it but have sources: each a repository whose
			 files git does not list with the project's */
	size_t aparts, apart_cap;
	bool cut; /* there are more than project.files */
};

struct treewalk;
/* Calls fn once, not from inside; `t` lives until it returns. */
typedef void tree_walked(void *arg, const struct tree *t);
struct treewalk *tree_walk(struct oxide *ox, const char *root, tree_walked *fn, void *arg);
void tree_abandon(struct treewalk *w); /* fn will not be called */

#endif
