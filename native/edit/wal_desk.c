#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "wal_impl.h"

/* What is asked of a home for each change, and what is left open of it for the next one. */

/* More files at once exclude everybody: the kernel compares each lock with all before it. */
#define MANY_SPOT 512

void wal_desk_open(struct wal_desk *desk, const struct fs *fs)
{
	if (!desk->fs)
		*desk = (struct wal_desk){
			.fs = fs, .journal = FS_UNHELD, .head_file = FS_UNHELD, .files = FS_UNHELD
		};
}

void wal_desk_close(struct wal_desk *desk)
{
	if (!desk->fs)
		return;
	wal_shut(desk->fs, &desk->journal);
	wal_shut(desk->fs, &desk->head_file);
	wal_shut(desk->fs, &desk->files);
	*desk = (struct wal_desk){ 0 };
}

bool wal_desk_present(struct wal_desk *desk, const struct fs *fs, const char *home, uint64_t *bits,
		      struct err *e)
{
	struct fs_stat st;

	if (!fs->stat(fs->self, home, &st, e))
		return false;
	if (!desk->settled || !fs_untouched(&st, &desk->home)) {
		desk->home = st;
		desk->settled = fs->settled(fs->self, home, &st);
		if (!wal_present(fs, home, &desk->present, e)) {
			desk->settled = false;
			return false;
		}
	}
	*bits = desk->present;
	return true;
}

bool wal_present(const struct fs *fs, const char *home, uint64_t *bits, struct err *e)
{
	struct buf names = BUF_INIT;

	*bits = 0;
	if (!fs->list(fs->self, home, &names, e))
		return e->code == ERR_NOT_FOUND;
	for (size_t at = 0; at < names.n; at += strlen(names.p + at) + 1) {
		char *end;
		unsigned long i = strtoul(names.p + at, &end, 10);

		if (end != names.p + at && (!strcmp(end, WAL_NAME) || !strcmp(end, WAL_SECOND)) &&
		    i < WAL_SLOTS)
			*bits |= (uint64_t)1 << i;
	}
	buf_release(&names);
	return true;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static bool hold_spots(const struct fs *fs, const char *name, struct wal_desk *desk,
		       const uint64_t *spot, size_t n, bool wait, int *lock, struct err *e)
{
	*lock = FS_UNHELD;
	if (desk && desk->files != FS_UNHELD) {
		*lock = desk->files;
		desk->files = FS_UNHELD;
		if (fs->relock(fs->self, name, spot, n, wait, *lock, e))
			return true;
		wal_shut(fs, lock);
		if (e->code == ERR_CONFLICT)
			return false;
	}
	return fs->lock(fs->self, name, spot, n, wait, lock, e);
}

void wal_unlock_files(const struct fs *fs, struct wal_desk *desk, int lock)
{
	if (!desk || desk->files != FS_UNHELD) {
		fs->unlock(fs->self, lock);
		return;
	}
	fs->leave(fs->self, lock);
	desk->files = lock;
}

bool wal_lock_files(const struct fs *fs, const char *home, struct wal_desk *desk,
		    const char *const *path, size_t n, bool wait, int *lock, struct err *e)
{
	uint64_t *spot SCOPED(mem_release) = mem_new((n + 1) * sizeof(*spot));
	char *name SCOPED(mem_release) = path_join(home, "files.lock");
	bool ok;

	for (size_t i = 0; i < n; i++)
		spot[i] = hash_of(str_of(path[i])) >> 2;
	if (n)
		qsort(spot, n, sizeof(*spot), by_value);
	ok = hold_spots(fs, name, desk, spot, n > MANY_SPOT ? 0 : n, wait, lock, e);
	if (!ok && e->code == ERR_CONFLICT)
		err_set(e, ERR_CONFLICT,
			"another Oxide process is changing %s%s right now; try "
			"again",
			n ? path[0] : "files", n > 1 ? ", or another of these files," : "");
	return ok;
}
