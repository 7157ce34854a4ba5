#include "text_cache.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../io/disk.h"

struct known {
	struct fs_stat seen;
	struct buf text;
};

static void known_free(struct known *k)
{
	buf_release(&k->text);
	free(k);
}

void text_cache_keep(struct text_cache *t, const char *path, struct str text,
		     const struct fs_stat *seen)
{
	struct known *k;

	if (!seen->settled || text.n > t->room || map_get(&t->known, str_of(path)))
		return;
	k = mem_new(sizeof(*k));
	k->seen = *seen;
	buf_add(&k->text, text);
	t->room -= text.n;
	map_put(&t->known, str_of(path), k);
}

bool text_cache_take(struct text_cache *t, const char *path, struct buf *out, struct fs_stat *seen)
{
	const struct fs *fs = disk_fs();
	struct known *k = map_take(&t->known, str_of(path));
	struct fs_stat now;
	bool same =
		k && fs->stat(fs->self, path, &now, ERR_IGNORED) && fs_untouched(&now, &k->seen);

	if (same && !out->p) {
		*out = k->text;
		k->text = (struct buf)BUF_INIT;
	} else if (same) {
		buf_add(out, buf_str(&k->text));
	}
	if (same)
		*seen = k->seen;
	if (k)
		known_free(k);
	return same;
}

void text_cache_release(struct text_cache *t)
{
	map_each(it, &t->known)
		known_free(it.value);
	map_release(&t->known);
}
