#ifndef OX_TEXTS_H
#define OX_TEXTS_H

#include "../base/fs.h"
#include "../base/map.h"

/*
 * Texts of files that somebody has read and another will want, up to a bound. One is given away
 * only while its file is untouched on the disk, so what comes out is what reading would bring.
 * Zero it and set `room` to start. Touches nothing but the disk, and may be filled on a worker.
 */
struct texts {
	struct map known; /* by path */
	size_t room;	  /* bytes */
};

/* Keeps a copy if there is room, and if `seen`, which read() told of it, is settled: only then can
 * be known later that the file is still the same. */
void texts_keep(struct texts *t, const char *path, struct str text, const struct fs_stat *seen);
/* Appends the text and sets *seen; false when it is not there, or no longer the file's. Each is
 * given away once. */
bool texts_take(struct texts *t, const char *path, struct buf *out, struct fs_stat *seen);
void texts_release(struct texts *t);

#endif
