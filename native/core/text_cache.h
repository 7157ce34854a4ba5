#ifndef OX_TEXT_CACHE_H
#define OX_TEXT_CACHE_H

#include "../base/fs.h"
#include "../base/map.h"

/*
 * Texts of files that somebody has read and another will want, up to a bound. One is given away
 * only while its file is untouched on the disk, so what comes out is what reading would bring.
 * Zero it and set `room` to start. Touches nothing but the disk, and may be filled on a worker.
 */
struct text_cache {
	struct map known; /* by path */
	size_t room;	  /* bytes */
};

/* Keeps a copy if there is room, and if `seen`, which read() told of it, is settled: only then can
 * be known later that the file is still the same. */
void text_cache_keep(struct text_cache *t, const char *path, struct str text,
		     const struct fs_stat *seen);
/* Appends the text and sets *seen; false when it is not there, or no longer the file's. Each is
 * given away once. */
bool text_cache_take(struct text_cache *t, const char *path, struct buf *out, struct fs_stat *seen);
void text_cache_release(struct text_cache *t);

#endif
