#include "tree.h"

#include <stdlib.h>

#include "../base/map.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../io/job.h"
#include "../io/loop.h"
#include "presets.h"
#include "sources.h"

#define NAMES_MOST ((size_t)256 << 20) /* bytes of git's list; longer ones are not believed */

/* tree_walk -> (git) on_names, on_listed -> (worker) work -> over */
struct treewalk {
	struct oxide *ox;
	char *root;
	struct map extensions, listed; /* of what git lists, where `by_git` */
	size_t most;
	struct tree tree;
	struct job *git;
	struct buf names; /* relative to the root, each with a NUL behind it */
	bool by_git, abandoned;
	tree_walked *fn;
	void *arg;
};

static void destroy(struct treewalk *w)
{
	for (size_t i = 0; i < w->tree.n; i++)
		free(w->tree.v[i].path);
	free(w->tree.v);
	map_release(&w->extensions);
	map_release(&w->listed);
	buf_release(&w->names);
	free(w->root);
	free(w);
}

static void add(void *arg, const char *path, const struct fs_stat *st)
{
	struct treewalk *w = arg;
	struct tree *t = &w->tree;

	if (w->by_git && !map_get(&w->listed, path_shown(str_of(w->root), str_of(path))))
		return;
	t->v = mem_grow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
	t->v[t->n++] = (struct tree_file){ mem_dup(path, strlen(path)), *st };
}

static void work(void *arg)
{
	struct treewalk *w = arg;
	struct sources all = { w->root, &w->extensions, w->most, w, add };

	for (const char *at = w->names.p, *end = at + w->names.n; w->by_git && at < end;
	     at += strlen(at) + 1)
		map_put(&w->listed, str_of(at), w);
	w->tree.cut = !sources_walk(&all);
}

static void over(void *arg)
{
	struct treewalk *w = arg;

	if (!w->abandoned)
		w->fn(w->arg, &w->tree);
	destroy(w);
}

static void on_names(void *self, struct str bytes)
{
	struct treewalk *w = self;

	if (w->names.n <= NAMES_MOST)
		buf_add(&w->names, bytes);
}

static void on_listed(void *self, int status, int signal)
{
	struct treewalk *w = self;

	w->git = NULL;
	w->by_git = !status && !signal && w->names.n && w->names.n <= NAMES_MOST;
	loop_work(w->ox->loop, work, over, w);
}

static void ignore(void *self, struct str bytes)
{
	(void)self;
	(void)bytes;
}

/* No hook and no watcher that the repository names is started. */
static bool ask_git(struct treewalk *w)
{
	static const char *const argv[] = {
		"git",	    "-c",	"core.fsmonitor=false", "ls-files", "-z",
		"--cached", "--others", "--exclude-standard",	NULL
	};
	static const struct job_events events = { on_names, ignore, on_listed };
	struct job_spec spec = { argv, w->root, 1000, NULL, false };
	struct err e = ERR_INIT;

	w->git = job_start(w->ox->loop, &spec, &events, w, &e);
	if (w->git)
		job_eof(w->git);
	return w->git;
}

struct treewalk *tree_walk(struct oxide *ox, const char *root, tree_walked *fn, void *arg)
{
	struct treewalk *w = mem_new(sizeof(*w));

	*w = (struct treewalk){ .ox = ox, .fn = fn, .arg = arg };
	w->root = mem_dup(root, strlen(root));
	w->most = (size_t)config_get(&ox->config, CFG_PROJECT_FILES);
	presets_served(ox->presets, &w->extensions);
	if (!ask_git(w))
		loop_work(ox->loop, work, over, w);
	return w;
}

void tree_abandon(struct treewalk *w)
{
	w->abandoned = true;
	if (w->git)
		job_kill(w->git);
}
