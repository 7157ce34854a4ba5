#ifndef OX_WAL_IMPL_H
#define OX_WAL_IMPL_H

#include "wal.h"

/* Shared by wal.c, wal_write.c and wal_desk.c. */

#define WAL_NAME   ".journal"
#define WAL_SECOND ".head"

/* The journal's file is open as long as it is held. */
static inline int wal_held(const struct wal *s)
{
	return s->held ? s->lock : FS_UNHELD;
}

static inline void wal_shut(const struct fs *fs, int *file)
{
	if (*file != FS_UNHELD)
		fs->unlock(fs->self, *file);
	*file = FS_UNHELD;
}

void wal_desk_open(struct wal_desk *desk, const struct fs *fs);

#endif
