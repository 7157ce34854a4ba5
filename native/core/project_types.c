#include "project_types.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../io/spawn.h"
#include "../io/tree.h"

#define MANIFEST_BYTES (1 << 20) /* of a file that is searched for a word */

/* One way to do a task. */
struct way {
	struct task task;
	const char *const *markers;
};

struct preset {
	struct project_type kind; /* first, so that project_type_task() finds the rest */
	json *config;		  /* what all of it borrows from */
	struct way *ways[2];
	size_t n_ways[2];
	struct arena lists;
};

struct project_types {
	struct preset **v;
	size_t n, cap;
};

static const char *const task_names[] = { "check", "test" };

static void preset_free(struct preset *p)
{
	json_free(p->config);
	arena_release(&p->lists);
	free(p);
}

static bool read_strings(struct preset *p, const json *from, const char *member,
			 const char *const **out, struct err *e)
{
	return lua_data_strings(&p->lists, json_get(from, member), member, out, e);
}

/* Lists of argument vectors; NULL where there is no such member. */
static bool read_steps(struct preset *p, const json *from, const char *member,
		       const char *const *const **out, struct err *e)
{
	const json *list = json_get(from, member);
	const char *const **v = arena_new(&p->lists, (json_len(list) + 1) * sizeof(*v));
	size_t n = 0;

	json_each(step, list) {
		if (!json_len(step))
			return err_set(e, ERR_INVALID, "%s is not a list of argument vectors",
				       member);
		if (!lua_data_strings(&p->lists, step, member, &v[n++], e))
			return false;
	}
	*out = n ? v : NULL;
	return true;
}

static bool read_env(struct preset *p, const json *from, const char *member,
		     const char *const **out, struct err *e)
{
	const json *env = json_get(from, member);
	const char **v = arena_new(&p->lists, (json_len(env) + 1) * sizeof(*v));
	struct buf pair SCOPED(buf_release) = BUF_INIT;
	size_t n = 0;
	bool ok = !env || json_is(env, JSON_OBJECT);

	json_each(m, env) {
		ok = ok && json_is(m, JSON_STRING);
		buf_clear(&pair);
		buf_addf(&pair, "%s=%.*s", ok ? json_key(m) : "", STR_ARG(json_text(m)));
		v[n++] = arena_str(&p->lists, buf_str(&pair)).p;
	}
	*out = v;
	return ok || err_set(e, ERR_INVALID, "%s is not a table of names and strings", member);
}

static bool read_way(struct preset *p, const json *from, struct way *w, struct err *e)
{
	struct task *t = &w->task;

	t->output = json_get_str(from, "output").p;
	t->errors = json_get_str(from, "errors").n ? json_get_str(from, "errors").p : NULL;
	t->between = json_get_str(from, "between").n ? json_get_str(from, "between").p : NULL;
	t->quote = json_get_str(from, "quote").n ? json_get_str(from, "quote").p : NULL;
	if (!read_strings(p, from, "markers", &w->markers, e) ||
	    !read_env(p, from, "env", &t->env, e) ||
	    !read_env(p, from, "backtrace", &t->backtrace, e) ||
	    !read_steps(p, from, "steps", &t->steps, e) ||
	    !read_steps(p, from, "one", &t->one, e) ||
	    !read_steps(p, from, "exact", &t->exact, e) ||
	    !read_steps(p, from, "within", &t->within, e) ||
	    !read_steps(p, from, "file", &t->file, e))
		return false;
	t->exact = t->exact ? t->exact : t->one;
	t->within = t->within ? t->within : t->exact;
	if (!t->steps || !json_get_str(from, "output").n)
		return err_set(e, ERR_INVALID, "%s is missing", t->steps ? "output" : "steps");
	return true;
}

static bool read_ways(struct preset *p, enum task_of what, struct err *e)
{
	const json *list = json_get(p->config, task_names[what]);
	struct way *v = arena_new(&p->lists, (json_len(list) + 1) * sizeof(*v));

	p->ways[what] = v;
	json_each(way, list)
		if (!read_way(p, way, &v[p->n_ways[what]++], e))
			return err_in(e, "%s", task_names[what]);
	return true;
}

static bool preset_read(struct preset *p, struct err *e)
{
	if (!json_is(p->config, JSON_OBJECT))
		return err_set(e, ERR_INVALID, "it is not a table");
	if (!json_len(json_get(p->config, "markers")))
		return err_set(e, ERR_INVALID, "markers is missing");
	return read_strings(p, p->config, "markers", &p->kind.markers, e) &&
	       read_strings(p, p->config, "instead_of", &p->kind.instead, e) &&
	       read_ways(p, TASK_CHECK, e) && read_ways(p, TASK_TEST, e);
}

static int types_by_name(const void *a, const void *b)
{
	const struct preset *x = *(struct preset *const *)a, *y = *(struct preset *const *)b;

	return strcmp(x->kind.name, y->kind.name);
}

static struct preset **types_find(const struct project_types *k, const char *name)
{
	for (size_t i = 0; i < k->n; i++)
		if (!strcmp(k->v[i]->kind.name, name))
			return &k->v[i];
	return NULL;
}

static bool types_add(void *arg, const char *name, json *config, struct err *e)
{
	struct project_types *k = arg;
	struct preset *p = mem_new(sizeof(*p)), **was = types_find(k, name);

	p->config = config;
	p->kind.name = arena_str(&p->lists, str_of(name)).p;
	if (!preset_read(p, e)) {
		preset_free(p);
		return err_in(e, "project kind %s", name);
	}
	if (was) {
		preset_free(*was);
		*was = p;
		return true;
	}
	mem_add(k->v, k->n, k->cap, p);
	qsort(k->v, k->n, sizeof(struct preset *), types_by_name);
	return true;
}

bool project_types_add_all(struct project_types *k, const json *projects, struct err *e)
{
	json_each(own, projects) {
		struct preset **was = types_find(k, json_key(own));

		if (!types_add(k, json_key(own), lua_data_merge(own, was ? (*was)->config : NULL),
			       e))
			return false;
	}
	return true;
}

struct project_types *project_types_new(struct lua_data *s, const char *data_dir, struct err *e)
{
	struct project_types *k = mem_new(sizeof(*k));
	char *dir SCOPED(mem_release) = path_join(data_dir, "projects");

	if (lua_data_directory(s, dir, types_add, k, e))
		return k;
	project_types_free(k);
	return NULL;
}

void project_types_free(struct project_types *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->n; i++)
		preset_free(k->v[i]);
	free(k->v);
	free(k);
}

bool folder_has(const char *dir, const char *const *markers)
{
	for (; markers && *markers; markers++) {
		char *path SCOPED(mem_release) = path_join(dir, *markers);

		if (!access(path, F_OK))
			return true;
	}
	return false;
}

bool folder_shared(const char *dir)
{
	const mode_t both = S_ISVTX | S_IWOTH;
	struct stat st;

	return !stat(dir, &st) && (st.st_mode & both) == both;
}

static bool replaced(const struct project_types *k, const char *root,
		     const struct project_type *kind)
{
	for (size_t i = 0; i < k->n; i++)
		if (str_among(str_of(kind->name), k->v[i]->kind.instead) &&
		    folder_has(root, k->v[i]->kind.markers))
			return true;
	return false;
}

const struct project_type *project_types_next(const struct project_types *k, const char *root,
					      const struct project_type *after)
{
	bool passed = !after;

	for (size_t i = 0; i < k->n; i++) {
		const struct project_type *kind = &k->v[i]->kind;

		if (passed && folder_has(root, kind->markers) && !replaced(k, root, kind))
			return kind;
		passed |= kind == after;
	}
	return NULL;
}

/* The first program of the steps that is not there; NULL: all are. */
static const char *lacks(const struct task *t)
{
	struct buf path SCOPED(buf_release) = BUF_INIT;
	const char *missing = NULL;

	for (const char *const *const *step = t->steps; *step && !missing; step++)
		if (!spawn_find(**step, &path))
			missing = **step;
	return missing;
}

/* "package.json: \"jest\"": whether the file is there and has the text. */
static bool mentions(const char *root, const char *marker, const char *text)
{
	struct buf name SCOPED(buf_release) = BUF_INIT, all SCOPED(buf_release) = BUF_INIT;
	struct tree_stat seen;
	struct err e = ERR_INIT;

	buf_add(&name, (struct str){ marker, (size_t)(text - marker) });
	return tree_read(root, name.p, MANIFEST_BYTES, &all, &seen, &e) &&
	       str_find(buf_str(&all), str_of(text + 2)) >= 0;
}

static bool way_fits(const struct way *w, const char *root)
{
	if (!*w->markers || folder_has(root, w->markers))
		return true;
	for (const char *const *m = w->markers; *m; m++) {
		const char *text = strstr(*m, ": ");

		if (text && mentions(root, *m, text))
			return true;
	}
	return false;
}

/* The first way that can be gone, and what the ways before it lack. */
static const struct task *choose(const struct preset *p, enum task_of what, const char *root,
				 struct buf *missing)
{
	for (size_t i = 0; i < p->n_ways[what]; i++) {
		const struct way *w = &p->ways[what][i];
		const char *program = lacks(&w->task);

		if (!way_fits(w, root))
			continue;
		if (!program)
			return &w->task;
		if (!str_ends(buf_str(missing), str_of(program))) /* one way in several places */
			buf_addf(missing, "%s%s", missing->n ? ", or " : "", program);
	}
	return NULL;
}

const struct task *project_type_task(const struct project_type *k, enum task_of what,
				     const char *root, struct err *e)
{
	struct buf missing SCOPED(buf_release) = BUF_INIT;
	const struct task *t = choose((const struct preset *)k, what, root, &missing);

	if (!t && missing.n)
		err_set(e, ERR_NOT_FOUND, "cannot %s this %s project: install %s", task_names[what],
			k->name, missing.p);
	return t;
}

void project_type_lacks(const struct project_type *k, enum task_of what, const char *root,
			struct buf *missing)
{
	choose((const struct preset *)k, what, root, missing);
}
