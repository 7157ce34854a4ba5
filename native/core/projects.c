#include "projects.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../io/disk.h"

struct projects {
	const struct project_types *types;
	struct project **v; /* the first one is that in which the core started */
	size_t n, cap;
	struct project **gone; /* removed, and perhaps still spoken of */
	size_t n_gone, gone_cap;
	unsigned ids;
};

/* What marks a directory as a project, beside the markers of kinds. */
static const char *const repositories[] = { ".git", ".hg", ".jj", ".svn", NULL };

struct projects *projects_new(const struct project_types *types)
{
	struct projects *p = mem_new(sizeof(*p));

	p->types = types;
	return p;
}

static void project_free(struct project *p)
{
	free((char *)p->name);
	free((char *)p->root);
	free(p);
}

void projects_free(struct projects *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		project_free(p->v[i]);
	for (size_t i = 0; i < p->n_gone; i++)
		project_free(p->gone[i]);
	free(p->v);
	free(p->gone);
	free(p);
}

static struct project *projects_find(const struct projects *p, struct str name)
{
	for (size_t i = 0; i < p->n; i++)
		if (str_eq(str_of(p->v[i]->name), name))
			return p->v[i];
	return NULL;
}

/* "app", and for further ones of that name "app-2", "app-3". */
static char *name_for(const struct projects *p, const char *root)
{
	struct str base = path_base(str_of(root));
	struct buf name = BUF_INIT;

	buf_add(&name, base.n ? base : STR("/"));
	for (int n = 2; projects_find(p, buf_str(&name)); n++) {
		buf_clear(&name);
		buf_addf(&name, "%.*s-%d", STR_ARG(base), n);
	}
	return buf_detach(&name);
}

static const struct project *projects_put(struct projects *p, size_t at, const char *root)
{
	struct project *made = mem_new(sizeof(*made));

	made->id = ++p->ids;
	made->name = name_for(p, root);
	made->root = mem_dup(root, strlen(root));
	p->v = mem_grow(p->v, &p->cap, p->n + 1, sizeof(struct project *));
	memmove(p->v + at + 1, p->v + at, (p->n++ - at) * sizeof(*p->v));
	return p->v[at] = made;
}

static void projects_drop(struct projects *p, size_t at)
{
	mem_add(p->gone, p->n_gone, p->gone_cap, p->v[at]);
	memmove(p->v + at, p->v + at + 1, (--p->n - at) * sizeof(*p->v));
}

const struct project *projects_start(struct projects *p, const char *root)
{
	if (p->n)
		projects_drop(p, 0);
	return projects_put(p, 0, root);
}

/* The directory of all that a person has, or one that holds it. */
static bool holds_home(const char *dir)
{
	const char *home = getenv("HOME");
	char real[PATH_MAX];

	return !dir[1] || (home && disk_real(home, real) && path_below(str_of(dir), str_of(real)));
}

/* What is loaded may be written to: so it has to be a project, and no half of the disk. */
static bool sound(const struct projects *p, const char *root, struct err *e)
{
	if (holds_home(root))
		return err_set(e, ERR_DENIED,
			       "%s contains the home directory; add a project inside of it", root);
	if (folder_has(root, repositories) || project_types_next(p->types, root, NULL))
		return true;
	return err_set(e, ERR_DENIED,
		       "%s is not a project: it has no .git, Cargo.toml, CMakeLists.txt, "
		       "Makefile, pyproject.toml, package.json or the like",
		       root);
}

static bool apart(const struct projects *p, const char *root, struct err *e)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct project *other = p->v[i];

		if (path_below(str_of(other->root), str_of(root)))
			return err_set(e, ERR_CONFLICT,
				       "%s is inside the project %s, which is loaded (%s)", root,
				       other->name, other->root);
		if (path_below(str_of(root), str_of(other->root)))
			return err_set(e, ERR_CONFLICT,
				       "%s contains the project %s, which is loaded (%s)", root,
				       other->name, other->root);
	}
	return true;
}

static const struct project *at_root(const struct projects *p, const char *root)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->v[i]->root, root))
			return p->v[i];
	return NULL;
}

/* `real` holds PATH_MAX bytes. */
static bool find_folder(const char *dir, char *real, struct err *e)
{
	struct stat st;

	if (*dir != '/')
		return err_set(e, ERR_INVALID, "%s is not an absolute path", dir);
	return (disk_real(dir, real) && !stat(real, &st) && S_ISDIR(st.st_mode)) ||
	       err_set(e, ERR_NOT_FOUND, "%s is not a directory", dir);
}

bool projects_loaded(const struct projects *p, const char *dir)
{
	char real[PATH_MAX];

	return find_folder(dir, real, ERR_IGNORED) && at_root(p, real);
}

static bool may_add(const struct projects *p, const char *dir, char *real, struct err *e)
{
	return find_folder(dir, real, e) &&
	       (at_root(p, real) || (sound(p, real, e) && apart(p, real, e)));
}

bool projects_may_add(const struct projects *p, const char *dir, struct err *e)
{
	char real[PATH_MAX];

	return may_add(p, dir, real, e);
}

const struct project *projects_add(struct projects *p, const char *dir, struct err *e)
{
	const struct project *known;
	char real[PATH_MAX];

	if (!may_add(p, dir, real, e))
		return NULL;
	known = at_root(p, real);
	return known ? known : projects_put(p, p->n, real);
}

/* NULL: and which there are. */
static const struct project *unknown(const struct projects *p, struct str name, struct err *e)
{
	struct buf names SCOPED(buf_release) = BUF_INIT;

	for (size_t i = 0; i < p->n; i++)
		buf_addf(&names, "%s%s", i ? ", " : "", p->v[i]->name);
	err_set(e, ERR_NOT_FOUND, "no project %.*s is loaded; loaded are: %s", STR_ARG(name),
		names.p);
	return NULL;
}

const struct project *projects_remove(struct projects *p, struct str name, struct err *e)
{
	struct project *gone = projects_find(p, name);
	size_t at = 0;

	if (!gone)
		return unknown(p, name, e);
	if (gone == p->v[0]) {
		err_set(e, ERR_DENIED,
			"%s is the project that Oxide was started in, and cannot "
			"be removed",
			gone->name);
		return NULL;
	}
	while (p->v[at] != gone)
		at++;
	projects_drop(p, at);
	return gone;
}

size_t projects_count(const struct projects *p)
{
	return p->n;
}

const struct project *projects_at(const struct projects *p, size_t i)
{
	return p->v[i];
}

const struct project *projects_first(const struct projects *p)
{
	return p->v[0];
}

const struct project *projects_id(const struct projects *p, unsigned id)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i]->id == id)
			return p->v[i];
	return NULL;
}

const struct project *projects_of(const struct projects *p, const char *path)
{
	for (size_t i = 0; i < p->n; i++)
		if (path_below(str_of(p->v[i]->root), str_of(path)))
			return p->v[i];
	return NULL;
}

const struct project *projects_home(const struct projects *p, const char *path)
{
	const struct project *found = projects_of(p, path);

	return found ? found : projects_first(p);
}

struct str projects_shown(const struct projects *p, const char *path)
{
	return path_shown(str_of(projects_home(p, path)->root), str_of(path));
}

const struct project *projects_pick(const struct projects *p, struct str name, unsigned *last,
				    struct err *e)
{
	const struct project *found = name.n ? projects_find(p, name) : projects_id(p, *last);

	if (!found && name.n)
		return unknown(p, name, e);
	found = found ? found : projects_first(p);
	*last = found->id;
	return found;
}
