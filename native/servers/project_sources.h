#ifndef OX_PROJECT_SOURCES_H
#define OX_PROJECT_SOURCES_H

#include "../base/fs.h"
#include "../core/oxide.h"

/*
 * The source files of a project that its language servers take: what sources.h finds, without what
 * git ignores. The submodules that are checked out are part of it; other repositories inside are
 * not. Where there is no git, or no repository, all of it. The disk is looked at on a worker.
 */
struct project_source {
	char *path;
	struct fs_stat stat;
};

struct tree {
	struct project_source *v; /* in order of names */
	size_t n, cap;
	char **apart; /* directories that are not part of it but have sources: each a repository
			 whose files git does not list with the project's */
	size_t aparts, apart_cap;
	bool cut; /* there are more than project.files */
};

/* Calls fn once, not from inside; `t` lives until it returns. */
typedef void project_sources_walked(void *arg, const struct tree *t);
struct source_walk *project_sources_walk(struct oxide *ox, const char *root,
					 project_sources_walked *fn, void *arg);
void project_sources_abandon(struct source_walk *w); /* fn will not be called */

#endif
