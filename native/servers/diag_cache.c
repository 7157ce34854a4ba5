#include "diag_cache.h"

#include <stdlib.h>

#include "../base/map.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../core/workspace.h"
#include "pool.h"

struct found {
	char *server;
	uint64_t texts;
	bool complete;
	bool stays; /* it is not kept here */
};

struct diag_cache {
	struct diag_store *said;
	struct map files; /* path -> struct found */
};

static void found_free(struct found *x)
{
	if (x)
		free(x->server);
	free(x);
}

/* Keeps those entries for which `keep` is true. */
static void filter(struct diag_cache *f, bool (*keep)(void *arg, const char *path, struct found *x),
		   void *arg)
{
	struct map kept = MAP_INIT;
	struct str key;
	void *value;

	for (size_t i = 0; map_at(&f->files, &i, &key, &value); i++)
		if (keep(arg, key.p, value))
			map_put(&kept, key, value);
		else
			found_free(value);
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
	struct str key;
	void *value;

	if (!f)
		return;
	for (size_t i = 0; map_at(&f->files, &i, &key, &value); i++)
		found_free(value);
	map_release(&f->files);
	diag_free(f->said);
	free(f);
}

void diag_cache_keep(struct diag_cache *f, struct diag_store *said, const char *path,
		     const char *server, uint64_t texts, bool complete)
{
	struct found *x = mem_new(sizeof(*x));

	*x = (struct found){ mem_dup(server, strlen(server)), texts, complete, !said };
	if (said)
		diag_take(f->said, said, server, path);
	found_free(map_put(&f->files, str_of(path), x));
}

enum finding diag_cache_know(const struct diag_cache *f, const char *path, uint64_t texts)
{
	const struct found *x = map_get(&f->files, str_of(path));

	if (!x)
		return FINDING_NONE;
	if (x->texts != texts)
		return FINDING_OLD;
	return x->complete ? FINDING_COMPLETE : FINDING_HOLDS;
}

/* They are still the last that is known of their files. */
void diag_cache_forget(struct diag_cache *f, const char *server)
{
	struct str key;
	void *value;

	for (size_t i = 0; map_at(&f->files, &i, &key, &value); i++) {
		struct found *x = value;

		if (!strcmp(x->server, server))
			x->texts = 0;
	}
}

static bool is_kept(const struct diag_cache *f, const char *path)
{
	const struct found *x = map_get(&f->files, str_of(path));

	return x && !x->stays;
}

static bool outlives(void *arg, const char *path, struct found *x)
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

static bool is_there(void *arg, const char *path, struct found *x)
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
		const char *path = (*out)[i]->path;

		if (!is_kept(f, path) || is_open(ox, path))
			(*out)[all++] = (*out)[i];
	}
	for (size_t i = 0; i < n; i++)
		if (is_kept(f, kept[i]->path) && !is_open(ox, kept[i]->path)) {
			*out = mem_grow(*out, &cap, all + 1, sizeof(**out));
			(*out)[all++] = kept[i];
		}
	free(kept);
	diag_sort(*out, all);
	return all;
}
