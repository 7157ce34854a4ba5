#include <stdlib.h>
#include <string.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "draft_impl.h"

/* A file is the same by all its names: where links lead to it, and where it has several itself. */

static bool draft_names_is(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* NULL: nobody knows. */
static char *real_name(const struct draft *d, const char *path)
{
	struct buf real SCOPED(buf_release) = BUF_INIT;

	if (path && d->real->resolve(d->real->self, path, &real, ERR_IGNORED))
		return buf_detach(&real);
	return NULL;
}

/* What the name itself leads to now is not what the draft puts there. */
static char *real_new_name(const struct draft *d, const char *path)
{
	struct str dir = path_dir(str_of(path));
	char *above SCOPED(mem_release) = mem_dup(dir.p, dir.n);
	char *real SCOPED(mem_release) = real_name(d, above), *whole = NULL;

	if (real)
		whole = path_join(real, path_base(str_of(path)).p);
	return whole;
}

void draft_name_real(const struct draft *d, struct draft_file *f)
{
	bool same = f->real_from && draft_names_is(f->from, f->to);

	free(f->real_to);
	f->real_to = NULL;
	if (f->to && f->to_mode != MODE_LINK)
		f->real_to = same ? mem_dup(f->real_from, strlen(f->real_from))
				  : real_new_name(d, f->to);
}

void draft_find_real(const struct draft *d, struct draft_file *f)
{
	struct fs_stat st;

	if (f->from_mode == MODE_LINK)
		return;
	f->real_from = real_name(d, f->from);
	if (d->real->stat(d->real->self, f->from, &st, ERR_IGNORED) && st.kind == FS_FILE) {
		f->dev = st.dev;
		f->ino = st.ino;
	}
}

static struct draft_file *draft_names_named(const struct draft *d, const char *path)
{
	for (size_t i = 0; i < d->n; i++)
		if (draft_names_is(d->v[i]->to, path))
			return d->v[i];
	return NULL;
}

static struct draft_file *was_named(const struct draft *d, const char *path)
{
	for (size_t i = 0; i < d->n; i++)
		if (draft_names_is(d->v[i]->from, path))
			return d->v[i];
	return NULL;
}

static struct draft_file *find_real(const struct draft *d, const char *real, bool before)
{
	for (size_t i = 0; i < d->n; i++)
		if (draft_names_is(before ? d->v[i]->real_from : d->v[i]->real_to, real))
			return d->v[i];
	return NULL;
}

/* Of a file with several names, one that keeps all of them. */
static struct draft_file *with_number(const struct draft *d, const char *path)
{
	struct fs_stat st;

	if (!d->real->stat(d->real->self, path, &st, ERR_IGNORED) || st.kind != FS_FILE ||
	    st.links < 2 || !st.ino)
		return NULL;
	for (size_t i = 0; i < d->n; i++)
		if (d->v[i]->ino == st.ino && d->v[i]->dev == st.dev && d->v[i]->to)
			return d->v[i];
	return NULL;
}

/* `gone`: of those that were called so and are not any more. */
static struct draft_file *draft_names_find(const struct draft *d, const char *path, bool gone)
{
	struct draft_file *f = draft_names_named(d, path), *was = f ? NULL : was_named(d, path);
	char *real SCOPED(mem_release) = NULL;

	if (f || was || !d->n)
		return gone ? was : f;
	real = real_name(d, path);
	f = find_real(d, real, false);
	was = f ? NULL : find_real(d, real, true);
	if (!f && !was)
		f = with_number(d, path);
	return gone ? was : f;
}

struct draft_file *draft_at(const struct draft *d, const char *path)
{
	return draft_names_find(d, path, false);
}

struct draft_file *draft_from(const struct draft *d, const char *path)
{
	return draft_names_find(d, path, true);
}
