#include "diag_cache.h"

#include <stdlib.h>

#include "../base/map.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../core/workspace.h"
#include "pool.h"

struct found { /* by one server */
	struct found *next;
	char *server;
	uint64_t texts;
	bool complete;
	bool stays; /* it is not kept here */
};

struct diag_cache {
	struct diag_store *said;
	struct map files; /* path -> struct found, one for each server */
};

static void found_free(struct found *x)
{
	free(x->server);
	free(x);
}

static void found_free_all(struct found *x)
{
	for (struct found *next; x; x = next) {
		next = x->next;
		found_free(x);
	}
}

typedef bool found_filter(void *arg, const char *path, const struct found *x);

/* Of one file. Whether some are gone. */
static bool filter_file(struct found **at, const char *path, found_filter *keep, void *arg)
{
	bool gone = false;

	while (*at) {
		struct found *x = *at;

		if (keep(arg, path, x)) {
			at = &x->next;
			continue;
		}
		*at = x->next;
		found_free(x);
		gone = true;
	}
	return gone;
}

static void doubt(struct found *x)
{
	for (; x; x = x->next)
		x->texts = 0;
}

/* Keeps those entries for which `keep` is true; what is left of a file does not hold. */
static void filter(struct diag_cache *f, found_filter *keep, void *arg)
{
	struct map kept = MAP_INIT;

	map_each(it, &f->files) {
		struct found *all = it.value;

		if (filter_file(&all, it.key.p, keep, arg))
			doubt(all);
		if (all)
			map_put(&kept, it.key, all);
	}
	map_release(&f->files);
	f->files = kept;
}

struct diag_cache *diag_cache_new(void)
{
	struct diag_cache *f = mem_new(sizeof(*f));

	f->said = diag_new();
	return f;
}

void diag_cache_free(struct diag_cache *f)
{
	if (!f)
		return;
	map_each(it, &f->files)
		found_free_all(it.value);
	map_release(&f->files);
	diag_free(f->said);
	free(f);
}

static struct found *found_by(struct found *x, const char *server)
{
	while (x && strcmp(x->server, server) != 0)
		x = x->next;
	return x;
}

void diag_cache_keep(struct diag_cache *f, struct diag_store *said, const char *path,
		     const char *server, uint64_t texts, bool complete)
{
	struct found *all = map_get(&f->files, str_of(path)), *x = found_by(all, server);

	if (!x) {
		x = mem_new(sizeof(*x));
		*x = (struct found){ .next = all, .server = mem_dup(server, strlen(server)) };
		map_put(&f->files, str_of(path), x);
	}
	x->texts = texts;
	x->complete = complete;
	x->stays = !said;
	if (said)
		diag_take(f->said, said, server, path);
}

enum finding diag_cache_know(const struct diag_cache *f, const char *path, uint64_t texts)
{
	const struct found *x = map_get(&f->files, str_of(path));
	enum finding known = x ? FINDING_COMPLETE : FINDING_NONE;

	for (; x; x = x->next)
		if (x->texts != texts)
			return FINDING_OLD;
		else if (!x->complete)
			known = FINDING_HOLDS;
	return known;
}

void diag_cache_doubt(struct diag_cache *f, const char *path)
{
	doubt(map_get(&f->files, str_of(path)));
}

static bool diag_cache_is_of(void *arg, const char *path, const struct found *x)
{
	const uint64_t *texts = arg;

	(void)path;
	return x->texts == *texts;
}

void diag_cache_settle(struct diag_cache *f, const char *path, uint64_t texts)
{
	struct found *all = map_get(&f->files, str_of(path)), *x = all;

	while (x && x->texts != texts)
		x = x->next;
	if (x && filter_file(&all, path, diag_cache_is_of, &texts))
		map_put(&f->files, str_of(path), all);
}

/* They are still the last that is known of their files. */
void diag_cache_forget(struct diag_cache *f, const char *server)
{
	map_each(it, &f->files) {
		struct found *x = found_by(it.value, server);

		if (x)
			x->texts = 0;
	}
}

static bool is_kept(const struct diag_cache *f, const struct diag *d)
{
	const struct found *x = found_by(map_get(&f->files, str_of(d->path)), d->server);

	return x && !x->stays;
}

static bool outlives(void *arg, const char *path, const struct found *x)
{
	(void)path;
	return !x->stays || strcmp(x->server, arg) != 0;
}

void diag_cache_lost(struct diag_cache *f, const char *server)
{
	filter(f, outlives, (void *)(uintptr_t)server);
}

struct present {
	struct str root;
	struct map *there;
};

static bool is_there(void *arg, const char *path, const struct found *x)
{
	const struct present *p = arg;

	(void)x;
	return !path_below(p->root, str_of(path)) || map_get(p->there, str_of(path));
}

void diag_cache_retain(struct diag_cache *f, const char *root, struct map *there)
{
	filter(f, is_there, &(struct present){ str_of(root), there });
}

static bool is_open(struct oxide *ox, const char *path)
{
	struct doc *d = workspace_known(ox->workspace, path);

	return d && (workspace_buffer_at(ox->workspace, path) || pool_shows(ox->pool, d));
}

size_t diag_cache_list(const struct diag_cache *f, struct oxide *ox, enum diag_severity worst,
		       const struct diag ***out)
{
	const struct diag **kept;
	size_t live = diag_list(ox->diags, NULL, worst, out);
	size_t n = diag_list(f->said, NULL, worst, &kept), all = 0, cap = live;

	for (size_t i = 0; i < live; i++) {
		if (!is_kept(f, (*out)[i]) || is_open(ox, (*out)[i]->path))
			(*out)[all++] = (*out)[i];
	}
	for (size_t i = 0; i < n; i++)
		if (is_kept(f, kept[i]) && !is_open(ox, kept[i]->path)) {
			*out = mem_grow(*out, &cap, all + 1, sizeof(**out));
			(*out)[all++] = kept[i];
		}
	free(kept);
	diag_sort(*out, all);
	return all;
}
