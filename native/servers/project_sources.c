#include "project_sources.h"

#include <stdlib.h>

#include "../base/map.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../io/disk.h"
#include "../io/job.h"
#include "../io/loop.h"
#include "presets.h"
#include "sources.h"

#define NAMES_MOST ((size_t)256 << 20) /* bytes of one list of git's; more is not believed */

/* project_sources_walk -> ask_git -> on_sources_walk_names, on_sources_walk_listed
 *     -> (worker) work -> sources_walk_over -> ask_git, of the next */
struct source_walk {
	struct oxide *ox;
	char *root;
	struct map extensions;
	struct map listed; /* by git, relative to the root; none: git does not know it */
	struct map apart;  /* directories of the repositories inside that are none of `repo` */
	char **repo;	   /* directories to ask git in: "", then those of submodules */
	size_t repos, repo_cap, at;
	size_t most;
	struct tree tree;
	struct job *git;
	struct buf names; /* each with a NUL behind it */
	bool heard;	  /* `names` is all of them */
	bool abandoned;
	project_sources_walked *fn;
	void *arg;
};

static void sources_walk_free_all(char **v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(v[i]);
	free(v);
}

static void destroy(struct source_walk *w)
{
	for (size_t i = 0; i < w->tree.n; i++)
		free(w->tree.v[i].path);
	free(w->tree.v);
	sources_walk_free_all(w->tree.apart, w->tree.aparts);
	sources_walk_free_all(w->repo, w->repos);
	map_release(&w->extensions);
	map_release(&w->listed);
	map_release(&w->apart);
	buf_release(&w->names);
	free(w->root);
	free(w);
}

/* Of a file that git does not list: the repository that it lies in is told, once. */
static void note_apart(struct source_walk *w, const char *path, struct str shown)
{
	struct tree *t = &w->tree;

	for (size_t i = shown.n; i-- > 0 && map_count(&w->apart);) {
		if (shown.p[i] != '/' || !map_take(&w->apart, str_sub(shown, 0, i)))
			continue;
		mem_add(t->apart, t->aparts, t->apart_cap,
			mem_dup(path, (size_t)(shown.p + i - path)));
	}
}

static void sources_walk_add(void *arg, const char *path, const struct fs_stat *st)
{
	struct source_walk *w = arg;
	struct tree *t = &w->tree;
	struct str shown = path_shown(str_of(w->root), str_of(path));

	if (map_count(&w->listed) && !map_get(&w->listed, shown)) {
		note_apart(w, path, shown);
		return;
	}
	mem_add(t->v, t->n, t->cap, (struct project_source){ mem_dup(path, strlen(path)), *st });
}

static void add_repo(struct source_walk *w, struct str folder)
{
	mem_add(w->repo, w->repos, w->repo_cap, mem_dup(folder.p, folder.n));
}

/* One that is not has an empty directory. */
static bool is_checked_out(struct source_walk *w, struct str submodule)
{
	const struct fs *fs = disk_fs();
	struct buf path SCOPED(buf_release) = BUF_INIT;
	struct fs_stat st;

	buf_addf(&path, "%s/%.*s/.git", w->root, STR_ARG(submodule));
	return fs->stat(fs->self, path.p, &st, ERR_IGNORED);
}

/* "H 100644 HASH 0\tPATH", of a submodule with 160000, and "? PATH", which ends with a slash where
 * it is a repository that is no submodule. */
static void project_sources_read_name(struct source_walk *w, const char *folder, struct str line)
{
	bool submodule = str_starts(line, STR("H 160000 "));
	struct buf path SCOPED(buf_release) = BUF_INIT;
	struct str name;

	if (!str_skip(&line, STR("? ")))
		line = str_sub(line, (size_t)(str_find(line, STR("\t")) + 1), line.n);
	buf_addf(&path, "%s%s%.*s", folder, *folder ? "/" : "", STR_ARG(line));
	name = buf_str(&path);
	if (str_ends(name, STR("/")))
		map_put(&w->apart, str_sub(name, 0, name.n - 1), w);
	if (!map_put(&w->listed, name, w) && submodule && is_checked_out(w, name))
		add_repo(w, name);
}

static void read_names(struct source_walk *w, const char *folder)
{
	for (const char *at = w->names.p, *end = at + w->names.n; at < end; at += strlen(at) + 1)
		project_sources_read_name(w, folder, str_of(at));
}

static void work(void *arg)
{
	struct source_walk *w = arg;
	struct sources all = { w->root, &w->extensions, w->most, w, sources_walk_add, NULL, NULL };
	const char *folder = w->repo[w->at++];

	if (w->heard)
		read_names(w, folder);
	else
		map_put(&w->apart, str_of(folder), w);
	w->names.n = 0;
	if (w->at == w->repos)
		w->tree.cut = !sources_walk(&all);
}

static void ask_git(struct source_walk *w);

static void sources_walk_over(void *arg)
{
	struct source_walk *w = arg;

	if (!w->abandoned && w->at < w->repos) {
		ask_git(w);
		return;
	}
	if (!w->abandoned)
		w->fn(w->arg, &w->tree);
	destroy(w);
}

static void on_sources_walk_names(void *self, struct str bytes)
{
	struct source_walk *w = self;

	if (w->names.n <= NAMES_MOST)
		buf_add(&w->names, bytes);
}

static void on_sources_walk_listed(void *self, int status, int signal)
{
	struct source_walk *w = self;

	w->git = NULL;
	w->heard = !status && !signal && w->names.n <= NAMES_MOST;
	loop_work(w->ox->loop, work, sources_walk_over, w);
}

static void ignore(void *self, struct str bytes)
{
	(void)self;
	(void)bytes;
}

/* No hook and no watcher that the repository names is started. A submodule that is damaged does not
 * make it look at the repository around. */
static void ask_git(struct source_walk *w)
{
	static const char *const argv[] = {
		"git",	    "-c",	"core.fsmonitor=false", "ls-files", "-z", "-t", "--stage",
		"--cached", "--others", "--exclude-standard",	NULL
	};
	static const struct job_events events = { on_sources_walk_names, ignore,
						  on_sources_walk_listed };
	char *dir SCOPED(mem_release) = path_join(w->root, w->repo[w->at]);
	struct buf ceiling SCOPED(buf_release) = BUF_INIT;
	const char *env[] = { NULL, NULL };
	struct job_spec spec = { argv, dir, 1000, env, false, NULL };
	struct err e = ERR_INIT;

	if (w->at) {
		buf_addf(&ceiling, "GIT_CEILING_DIRECTORIES=%.*s", STR_ARG(path_dir(str_of(dir))));
		env[0] = ceiling.p;
	}
	w->heard = false;
	w->git = job_start(w->ox->loop, &spec, &events, w, &e);
	if (w->git)
		job_eof(w->git);
	else
		loop_work(w->ox->loop, work, sources_walk_over, w);
}

struct source_walk *project_sources_walk(struct oxide *ox, const char *root,
					 project_sources_walked *fn, void *arg)
{
	struct source_walk *w = mem_new(sizeof(*w));

	*w = (struct source_walk){ .ox = ox, .fn = fn, .arg = arg };
	w->root = mem_dup(root, strlen(root));
	w->most = (size_t)config_get(&ox->config, CFG_PROJECT_FILES);
	presets_served(ox->presets, &w->extensions);
	add_repo(w, STR(""));
	ask_git(w);
	return w;
}

void project_sources_abandon(struct source_walk *w)
{
	w->abandoned = true;
	if (w->git)
		job_kill(w->git);
}
