#ifndef OX_DIR_WATCH_H
#define OX_DIR_WATCH_H

#include <stddef.h>

#include "loop.h"

/*
 * Tells that something has happened in a directory, soon after it has: a name in it came, went, or
 * was written to. It is a hint for who then looks, and never the proof that nothing has happened:
 * the system drops events where there are too many, tells of no writes through a mapping, and of
 * none that another machine makes.
 *
 *     w = dir_watch_new(loop, on_change, arg)
 *     dir_watch_add(w, "/project/src") ...
 *     dir_watch_free(w)
 */
struct dir_watch;

/* `path`: absolute; of the directory itself where the system does not say which name it is. Not
 * from inside dir_watch_add(). */
typedef void dir_watch_fn(void *arg, const char *path);

struct dir_watch *dir_watch_new(struct loop *l, dir_watch_fn *fn, void *arg);
/* Another time: nothing. False: the system watches no more, or it is no directory. */
bool dir_watch_add(struct dir_watch *w, const char *dir);
size_t dir_watch_count(const struct dir_watch *w);
void dir_watch_free(struct dir_watch *w); /* NULL: nothing */

#endif
