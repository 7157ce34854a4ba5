#include "watch_tree.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"

/* What a scan makes of the names. */
struct scanning {
	struct watch_tree *tree;
	const char *root, *own;
	size_t most;
};

void watch_tree_free(struct watch_tree *t)
{
	if (!t)
		return;
	free(t->v);
	arena_release(&t->texts);
	free(t);
}

static bool scan_room(struct scanning *s)
{
	struct watch_tree *t = s->tree;

	if (t->n >= s->most) {
		t->cut = true;
		return false;
	}
	t->v = mem_grow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
	return true;
}

/* ".NAME.swp" and those that Vim takes where that is taken, down to ".swa". */
static bool is_swap_file(struct str name)
{
	return name.n > 5 && name.p[0] == '.' &&
	       str_starts(str_sub(name, name.n - 4, name.n), STR(".sw")) &&
	       name.p[name.n - 1] >= 'a' && name.p[name.n - 1] <= 'p';
}

/* What programs write there on their own account, whatever the agent does: clangd its index, and
 * Vim its swap files. */
static bool is_housekeeping(struct str path)
{
	ptrdiff_t index = str_find(path, STR(".cache/clangd/"));

	return index == 0 || (index > 0 && path.p[index - 1] == '/') ||
	       is_swap_file(path_base(path));
}

static void scan_add(struct scanning *s, struct str path, struct str blob)
{
	struct watch_tree *t = s->tree;

	if (!path.n || (s->own && path_below(str_of(s->own), path)) ||
	    (!blob.n && is_housekeeping(path)) || !scan_room(s))
		return;
	t->v[t->n++] = (struct watch_file){
		.path = arena_str(&t->texts, path).p,
		.blob = blob.n ? arena_str(&t->texts, blob).p : NULL,
	};
}

static void scan_found(void *arg, const char *path)
{
	struct scanning *s = arg;

	scan_add(s, str_of(path), STR(""));
}

struct inside {
	struct scanning *s;
	struct str dir;
};

static void scan_found_below(void *arg, const char *path)
{
	struct inside *in = arg;
	struct buf whole SCOPED(buf_release) = BUF_INIT;

	buf_addf(&whole, "%.*s/%s", STR_ARG(in->dir), path);
	scan_add(in->s, buf_str(&whole), STR(""));
}

/* A repository inside: git lists its files apart. All of them are looked at. */
static void scan_inside(struct scanning *s, struct str dir)
{
	struct inside in = { s, dir };
	struct buf root SCOPED(buf_release) = BUF_INIT;

	buf_addf(&root, "%s/%.*s", s->root, STR_ARG(dir));
	if (s->tree->n < s->most && !tree_walk(root.p, s->most - s->tree->n, scan_found_below, &in))
		s->tree->cut = true;
}

/* "H MODE OBJECT STAGE\tPATH"; with C or R before it, a second time, where the file is not as that
 * object is; "? PATH" where git has none, with a slash behind it of a repository. */
static void scan_name(struct scanning *s, struct str line)
{
	ptrdiff_t tab = str_find(line, STR("\t"));
	struct str path, rest = line, blob = STR("");

	if (str_skip(&rest, STR("? "))) {
		if (str_ends(rest, STR("/")))
			scan_inside(s, str_sub(rest, 0, rest.n - 1));
		else
			scan_add(s, rest, blob);
		return;
	}
	if (tab < 0 || line.n < 10)
		return;
	path = str_sub(line, (size_t)tab + 1, line.n);
	if (str_starts(line, STR("H 160000 "))) {
		scan_inside(s, path);
		return;
	}
	if (str_starts(line, STR("H ")))
		blob = str_sub(line, 9, (size_t)tab - 2);
	scan_add(s, path, blob);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct watch_file *)a)->path, ((const struct watch_file *)b)->path);
}

/* Of one that is listed twice, the second one says that the object is not what it holds. */
static void drop_doubles(struct watch_tree *t)
{
	size_t n = 0;

	if (t->n)
		qsort(t->v, t->n, sizeof(*t->v), by_path);
	for (size_t i = 0; i < t->n; i++)
		if (n && !strcmp(t->v[n - 1].path, t->v[i].path))
			t->v[n - 1].blob = t->v[i].blob ? t->v[n - 1].blob : NULL;
		else
			t->v[n++] = t->v[i];
	t->n = n;
}

/* The first that is not before it. */
static size_t tree_at(const struct watch_tree *t, struct str path)
{
	size_t lo = 0, hi = t->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (str_cmp(str_of(t->v[mid].path), path) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct watch_file *watch_tree_find(const struct watch_tree *t, struct str path)
{
	size_t i = tree_at(t, path);

	return i < t->n && str_eq(str_of(t->v[i].path), path) ? &t->v[i] : NULL;
}

/* A file that git has come to ignore is still one that was there before. */
static void add_ignored_since(struct scanning *s, const struct watch_tree *before)
{
	struct watch_tree *t = s->tree;
	struct tree_stat st;
	size_t listed = t->n;

	for (size_t i = 0; before && i < before->n; i++) {
		const char *path = before->v[i].path;
		struct watch_tree known = { .v = t->v, .n = listed };

		if (!watch_tree_find(&known, str_of(path)) &&
		    tree_look_straight(s->root, path, &st))
			scan_add(s, str_of(path), STR(""));
	}
	if (t->n > listed)
		qsort(t->v, t->n, sizeof(*t->v), by_path);
}

static void look_at_all(struct scanning *s)
{
	struct watch_tree *t = s->tree;
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct watch_file *f = &t->v[i];

		if (!tree_look(s->root, f->path, &f->st))
			continue;
		if (f->blob)
			f->kept = WATCH_KEPT_BLOB;
		t->v[n++] = *f;
	}
	t->n = n;
}

struct watch_tree *watch_tree_scan(const char *root, const struct watch_scan *spec)
{
	struct watch_tree *t = mem_new(sizeof(*t));
	struct scanning s = { t, root, spec->own, spec->most };
	struct str name = spec->names;

	for (; spec->git && name.n; name = str_sub(name, strlen(name.p) + 1, name.n))
		scan_name(&s, str_of(name.p));
	if (!spec->git && !tree_walk(root, spec->most, scan_found, &s))
		t->cut = true;
	drop_doubles(t);
	add_ignored_since(&s, spec->before);
	look_at_all(&s);
	return t;
}

bool watch_tree_has_dir(const struct watch_tree *t, struct str dir)
{
	struct buf name SCOPED(buf_release) = BUF_INIT;
	size_t i;

	if (!dir.n)
		return true;
	buf_addf(&name, "%.*s/", STR_ARG(dir));
	i = tree_at(t, buf_str(&name));
	return i < t->n && str_starts(str_of(t->v[i].path), buf_str(&name));
}
