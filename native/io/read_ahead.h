#ifndef OX_READ_AHEAD_H
#define OX_READ_AHEAD_H

#include "../base/fs.h"

/*
 * Texts that will be asked for one after the other, read on other threads meanwhile. Who asks for
 * one that is just being read reads another one instead of waiting.
 *
 *     struct read_ahead *r = read_ahead_new(path, n, most);
 *     read_ahead_take(r, path[i], &text, &seen) || fs->read(fs->self, path[i], &text, &seen, &e)
 *     read_ahead_free(r);
 *
 * No more than some hundred KB are kept. Only regular files of at most `most` bytes are read,
 * without a symbolic link on the way where the system can tell. Paths are borrowed until the end.
 * NULL, which both others take: it would not be faster.
 */
struct read_ahead *read_ahead_new(const char *const *path, size_t n, uint64_t most);
/* What fs->read() says of it, and the hash of the text, at some time since read_ahead_new(); those
 * before it in the list are not asked for any more. `text` is empty, and its room used for another
 * one. False: it was not read, or could not be. */
bool read_ahead_take(struct read_ahead *r, const char *path, struct buf *text,
		     struct fs_stat *seen);
void read_ahead_free(struct read_ahead *r);

#endif
