#include "read_set.h"

#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "../core/own_changes.h"
#include "../edit/text_ancestry.h"

void read_set_release(struct read_set *s)
{
	map_release_values(&s->hash);
}

void read_set_add(struct read_set *s, const char *path, uint64_t hash)
{
	if (!map_get(&s->hash, str_of(path)))
		map_put(&s->hash, str_of(path), mem_copy(&hash, sizeof(hash)));
}

static uint64_t read_set_text_of(const struct plan_file *f)
{
	return f->existed ? f->was_hash : TEXT_ANCESTRY_NONE;
}

void read_set_add_plan(struct read_set *s, const struct plan *p)
{
	for (size_t i = 0; i < plan_files(p); i++)
		read_set_add(s, plan_file(p, i)->path, read_set_text_of(plan_file(p, i)));
}

/* The hash of what is there now. False: nothing that can be read as a text. */
static bool hash_now(struct call *c, const char *path, uint64_t *hash)
{
	const struct plan_source *src = call_source(c);
	struct buf text SCOPED(buf_release) = BUF_INIT;
	struct fs_stat st, seen;
	bool ok = src->stat(src->self, path, &st, ERR_IGNORED);

	*hash = TEXT_ANCESTRY_NONE;
	if (ok && st.kind == FS_NONE)
		return true;
	ok = ok && st.kind == FS_FILE && !st.link &&
	     src->read(src->self, path, &text, &seen, ERR_IGNORED);
	if (ok)
		*hash = hash_of(buf_str(&text));
	return ok;
}

bool read_set_differs(const struct read_set *s, const struct plan_file *f)
{
	const uint64_t *was = map_get(&s->hash, str_of(f->path));

	return !was || *was != read_set_text_of(f);
}

static bool read_set_is_own(struct call *c, const char *path, uint64_t then,
			    const struct plan_file *f, bool *any)
{
	uint64_t now;

	if (f)
		now = read_set_text_of(f);
	else if (!hash_now(c, path, &now))
		return false;
	*any |= now != then;
	return now == then || own_changes_lead(call_oxide(c)->own, path, then, now);
}

bool read_set_only_own(const struct read_set *s, struct call *c, const struct plan *p, bool *any,
		       struct err *e)
{
	struct map planned SCOPED(map_release) = MAP_INIT;
	bool ok = true, ignored = false;
	struct str path;
	void *was;

	for (size_t i = 0; p && i < plan_files(p); i++)
		map_put(&planned, str_of(plan_file(p, i)->path),
			(void *)(uintptr_t)plan_file(p, i));
	for (size_t i = 0; ok && map_at(&s->hash, &i, &path, &was); i++)
		ok = read_set_is_own(c, path.p, *(uint64_t *)was, map_get(&planned, path),
				     any ? any : &ignored) ||
		     err_set(e, ERR_STALE,
			     "%.*s: another program changed it since it was read; read it again",
			     STR_ARG(call_shown(c, path.p)));
	return ok;
}

void read_set_settle(const struct read_set *s, struct call *c, void (*fn)(void *arg), void *arg)
{
	const char **path = mem_new((map_count(&s->hash) + 1) * sizeof(*path));
	size_t n = 0;

	map_each(it, &s->hash)
		path[n++] = it.key.p;
	own_changes_settle(call_oxide(c)->own, path, n, fn, arg);
	free(path);
}
