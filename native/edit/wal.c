#include "wal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "../base/path.h"

#define NAME   ".journal"
#define SECOND ".head"
/* More files at once exclude everybody: the kernel compares each lock with all before it. */
#define MANY_SPOT 512

static char *in_home(const char *home, unsigned number, const char *what)
{
	struct buf path = BUF_INIT;

	buf_addf(&path, "%s/%u%s", home, number, what);
	return buf_detach(&path);
}

static char *of_editor(const char *home, const char *what, uint64_t unique,
		       const struct fs_process *editor)
{
	struct buf path = BUF_INIT;

	buf_addf(&path, "%s/%s-%016" PRIx64 "-%" PRIu64 "-%" PRIu64, home, what, unique,
		 editor->pid, editor->born);
	return buf_detach(&path);
}

char *wal_claim_path(const char *home, uint64_t unique, const struct fs_process *editor)
{
	return of_editor(home, "claim", unique, editor);
}

char *wal_record_path(const char *home, uint64_t unique, const struct fs_process *editor)
{
	return of_editor(home, "record", unique, editor);
}

bool wal_is_editors(const char *name, struct fs_process *editor)
{
	uint64_t unique;

	return sscanf(name, "claim-%" SCNx64 "-%" SCNu64 "-%" SCNu64, &unique, &editor->pid,
		      &editor->born) == 3 ||
	       sscanf(name, "record-%" SCNx64 "-%" SCNu64 "-%" SCNu64, &unique, &editor->pid,
		      &editor->born) == 3;
}

/* The directory and those above it, private; *st: what it is. */
static bool make_home(const struct fs *fs, const char *dir, struct fs_stat *st, struct err *e)
{
	char *above SCOPED(mem_release) = NULL;

	if (!fs->stat(fs->self, dir, st, e))
		return false;
	if (st->kind == FS_DIR)
		return true;
	above = mem_dup(dir, path_dir(str_of(dir)).n);
	return make_home(fs, above, st, e) &&
	       (fs->mkdir(fs->self, dir, 0700, e) || e->code == ERR_CONFLICT) &&
	       fs->stat(fs->self, dir, st, e);
}

/* Nobody else may have had a hand in what is read back. */
static bool claim_home(const struct fs *fs, const char *dir, struct err *e)
{
	struct fs_here here;
	struct fs_stat st;

	fs->here(fs->self, &here);
	if (!make_home(fs, dir, &st, e))
		return false;
	if (st.kind == FS_DIR && !st.link && st.user == here.user && !(st.mode & 022))
		return true;
	return err_set(e, ERR_DENIED, "%s: must be a directory that only you may write", dir);
}

bool wal_take(struct wal *s, const struct fs *fs, const char *home, unsigned number, struct err *e)
{
	struct fs_here here;

	*s = (struct wal){ .fs = fs, .home = home, .number = number };
	s->path = in_home(home, number, NAME);
	s->pool = in_home(home, number, ".pool");
	s->second = in_home(home, number, SECOND);
	*e = (struct err)ERR_INIT;
	s->held = fs->lock(fs->self, s->path, NULL, 0, false, &s->lock, e);
	fs->here(fs->self, &here);
	s->boot = here.boot;
	if (s->held)
		return true;
	if (e->code == ERR_CONFLICT)
		*e = (struct err)ERR_INIT;
	return false;
}

/* The journal's file is open as long as it is held. */
static int held(const struct wal *s)
{
	return s->held ? s->lock : FS_UNHELD;
}

/* Appends the second head; no file: nothing. */
static bool read_second(struct wal *s, struct buf *out, struct err *e)
{
	return s->fs->peek(s->fs->self, s->second, FS_UNHELD, 0, JOURNAL_SECOND, out, e) ||
	       e->code == ERR_NOT_FOUND;
}

bool wal_is_free(struct wal *s, bool *is_free, struct err *e)
{
	struct buf head SCOPED(buf_release) = BUF_INIT, second SCOPED(buf_release) = BUF_INIT;
	bool ok = s->fs->peek(s->fs->self, s->path, held(s), 0, JOURNAL_LOOK, &head, e);

	s->named = head.n; /* it was, before the first byte went in */
	*is_free = ok && journal_is_free(buf_str(&head)) && !journal_has_copy(buf_str(&head));
	if (*is_free) {
		ok = read_second(s, &second, e);
		*is_free = ok && !journal_has_other(buf_str(&head), buf_str(&second), s->boot);
	}
	return ok;
}

bool wal_load(struct wal *s, struct buf *bytes, struct err *e)
{
	struct buf second SCOPED(buf_release) = BUF_INIT;
	bool ok = s->fs->peek(s->fs->self, s->path, held(s), 0, SIZE_MAX / 4, bytes, e) &&
		  read_second(s, &second, e);

	if (ok)
		s->mended = journal_mend(bytes, buf_str(&second), s->boot);
	s->has_head = ok && bytes->n >= JOURNAL_HEAD;
	if (s->has_head)
		memcpy(s->head, bytes->p, JOURNAL_HEAD);
	return ok;
}

bool wal_claim(struct wal *s, const struct fs *fs, const char *home, struct err *e)
{
	bool is_free;

	if (!claim_home(fs, home, e))
		return false;
	for (unsigned i = 0; i < WAL_SLOTS; i++) {
		if (wal_take(s, fs, home, i, e) && wal_is_free(s, &is_free, e) && is_free)
			return true;
		wal_release(s);
		if (e->code)
			return false;
	}
	return err_set(e, ERR_LIMIT, "%s: all %d journals are in use", home, WAL_SLOTS);
}

static bool wal_unwritten(struct err *e)
{
	return err_in(e, "no file was changed, because the journal cannot be written");
}

/* The first time, the names that lead to the journal go to the disk before any of its bytes. */
static bool name_it(struct wal *s, struct err *e)
{
	struct str dir = str_of(s->home);

	if (!s->named)
		s->fs->mkdir(s->fs->self, s->pool, 0700, ERR_IGNORED);
	for (int above = 0; !s->named && above < 4 && dir.n > 1; above++) {
		char *name SCOPED(mem_release) = mem_dup(dir.p, dir.n);
		bool ok = s->fs->sync_dir(s->fs->self, name, e);

		/* Only our own directories are new, and others may be closed to us. */
		if (!ok && (above == 0 || e->code != ERR_DENIED))
			return wal_unwritten(e);
		dir = path_dir(dir);
	}
	s->named = true;
	return true;
}

/* By a second head that is left a journal would be missed. */
static bool wal_drop(struct wal *s, struct err *e)
{
	const struct fs *fs = s->fs;

	return (fs->remove(fs->self, s->second, e) ? fs->sync_dir(fs->self, s->home, e)
						   : e->code == ERR_NOT_FOUND) &&
	       fs->remove(fs->self, s->path, e) && fs->sync_dir(fs->self, s->home, e);
}

/*
 * The images are written by several workers at once, each some that follow each other; many small
 * pieces go in one call.
 */
#define GATHER ((size_t)512 << 10)

struct share {
	size_t first, end; /* of the journal's files */
	uint64_t at;	   /* where they begin */
};

struct images {
	struct wal *s;
	const struct journal *j;
	wal_image *image;
	void *arg;
	const struct str *start; /* what comes before the first one, in two pieces */
	struct share *share;
	size_t shares;
	struct buf kept[FS_WORKERS];
};

struct stream {
	struct wal *s;
	uint64_t at;	  /* where `kept` begins */
	struct buf *kept; /* and is not written yet */
};

static bool stream_out(struct stream *to, struct err *e)
{
	struct str piece = buf_str(to->kept);
	bool ok = !piece.n || to->s->fs->patch(to->s->fs->self, to->s->path, held(to->s), to->at,
					       &piece, 1, FS_LATER, e);

	to->at += piece.n;
	buf_clear(to->kept);
	return ok || wal_unwritten(e);
}

static bool stream_put(struct stream *to, const struct str *piece, size_t n, struct err *e)
{
	const struct fs *fs = to->s->fs;

	for (size_t i = 0; i < n; i++) {
		if (to->kept->n + piece[i].n > GATHER && !stream_out(to, e))
			return false;
		if (piece[i].n <= GATHER) {
			buf_add(to->kept, piece[i]);
			continue;
		}
		if (!fs->patch(fs->self, to->s->path, held(to->s), to->at, &piece[i], 1, FS_LATER,
			       e))
			return wal_unwritten(e);
		to->at += piece[i].n;
	}
	return true;
}

static bool put_share(void *arg, unsigned worker, size_t k, struct err *e)
{
	struct images *all = arg;
	const struct share *share = &all->share[k];
	struct stream to = { all->s, share->at, &all->kept[worker] };

	buf_clear(to.kept);
	if (!k && !stream_put(&to, all->start, 2, e))
		return false;
	for (size_t i = share->first; i < share->end; i++) {
		const struct str *piece;
		size_t n;

		if (!stream_put(&to, &all->j->file[i].was, 1, e) ||
		    !all->image(all->arg, worker, i, to.at + to.kept->n, &piece, &n, e) ||
		    !stream_put(&to, piece, n, e))
			return false;
	}
	return stream_out(&to, e);
}

static void share_out(struct images *all)
{
	const struct journal *j = all->j;
	uint64_t at = JOURNAL_COPY + all->start[0].n + all->start[1].n;
	size_t n = 0;

	all->share = mem_new((j->files + 1) * sizeof(*all->share));
	all->share[0].at = JOURNAL_COPY;
	for (size_t i = 0; i < j->files; i++) {
		at += j->file[i].was.n + j->file[i].now.n;
		all->share[n].end = i + 1;
		if (at - all->share[n].at < GATHER || i + 1 == j->files)
			continue;
		all->share[++n] = (struct share){ i + 1, i + 1, at };
	}
	all->shares = n + 1;
}

static bool put_images(struct images *all, struct err *e)
{
	const struct fs *fs = all->s->fs;
	bool ok;

	share_out(all);
	ok = fs->each(fs->self, all->shares, put_share, all, e);
	for (size_t i = 0; i < FS_WORKERS; i++)
		buf_release(&all->kept[i]);
	free(all->share);
	return ok;
}

bool wal_write(struct wal *s, const struct journal *j, enum journal_mark mark, wal_image *image,
	       void *arg, struct err *e)
{
	struct buf meta SCOPED(buf_release) = BUF_INIT;
	char head[JOURNAL_HEAD], copy[JOURNAL_SECOND];
	struct str piece = { head, sizeof(head) }, start[2] = { { copy, sizeof(copy) } };
	struct images all = { .s = s, .j = j, .image = image, .arg = arg, .start = start };
	uint64_t images = 0;
	bool ok;

	journal_meta(&meta, j);
	for (size_t i = 0; i < j->files; i++)
		images += j->file[i].was.n + j->file[i].now.n;
	journal_head(head, mark, buf_str(&meta), images);
	journal_second(copy, head, s->boot);
	start[1] = buf_str(&meta);
	ok = name_it(s, e) && put_images(&all, e) &&
	     (s->fs->patch(s->fs->self, s->path, held(s), 0, &piece, 1, FS_BEGIN, e) ||
	      wal_unwritten(e));
	s->has_head = ok;
	memcpy(s->head, head, sizeof(head));
	return ok;
}

bool wal_read(struct wal *s, uint64_t at, size_t n, struct buf *out, struct err *e)
{
	return s->fs->peek(s->fs->self, s->path, held(s), at, n, out, e);
}

bool wal_sync(struct wal *s, struct err *e)
{
	return s->fs->patch(s->fs->self, s->path, held(s), 0, NULL, 0, FS_NOW, e);
}

/* The copy first, so that it is never behind what a sync of the head has brought to the disk. */
static bool mark_it(struct wal *s, enum journal_mark mark, bool sync, struct err *e)
{
	const struct fs *fs = s->fs;
	char bytes[8], copy[JOURNAL_SECOND];
	uint64_t at = journal_mark(bytes, mark);
	struct str piece = { bytes, sizeof(bytes) }, second = { copy, sizeof(copy) };
	struct err ignored;
	bool ok;

	memcpy(s->head + at, bytes, sizeof(bytes));
	if (s->mended) {
		at = 0;
		piece = (struct str){ s->head, JOURNAL_HEAD };
	}
	journal_second(copy, s->head, s->boot);
	ok = fs->patch(fs->self, s->path, held(s), JOURNAL_COPY, &second, 1, FS_LATER, e);
	return fs->patch(fs->self, s->path, held(s), at, &piece, 1, sync ? FS_NOW : FS_LATER,
			 ok ? e : &ignored) &&
	       ok;
}

void wal_give_up(struct wal *s, struct err *e)
{
	struct err why;

	/* It may be on the disk all the same, and must not come back as a change. */
	mark_it(s, MARK_BACK, false, &why);
	if (!wal_retire(s, &why))
		err_in(e, "%s records a change that was not made; remove it", s->path);
	else if (e->code == ERR_LIMIT) /* the room that it takes is what is missing */
		wal_drop(s, &why);
}

/* First, so that it is never behind the journal. */
static bool mark_second(struct wal *s, enum journal_mark mark, struct err *e)
{
	const struct fs *fs = s->fs;
	char second[JOURNAL_SECOND], bytes[8];
	struct str piece = { second, sizeof(second) };

	if (!s->has_head)
		return true;
	memcpy(s->head + journal_mark(bytes, mark), bytes, sizeof(bytes));
	journal_second(second, s->head, s->boot);
	return fs->patch(fs->self, s->second, FS_UNHELD, 0, &piece, 1, FS_LATER, e) ||
	       (e->code == ERR_NOT_FOUND && fs->create(fs->self, s->second, piece, 0600, e));
}

bool wal_mark(struct wal *s, enum journal_mark mark, bool sync, struct err *e)
{
	return mark_second(s, mark, e) && mark_it(s, mark, sync, e);
}

/* Before the journal is free, or it would be missed. */
static bool forget_second(struct wal *s, struct err *e)
{
	static const char none[JOURNAL_SECOND];
	const struct fs *fs = s->fs;
	struct str piece = { none, sizeof(none) };
	struct err why;

	if (fs->patch(fs->self, s->second, FS_UNHELD, 0, &piece, 1, FS_LATER, &why) ||
	    why.code == ERR_NOT_FOUND || fs->remove(fs->self, s->second, &why) ||
	    why.code == ERR_NOT_FOUND)
		return true;
	*e = why;
	return false;
}

bool wal_retire(struct wal *s, struct err *e)
{
	static const char none[JOURNAL_BODY];
	struct str piece = { none, sizeof(none) };
	struct fs_stat st;

	if (!forget_second(s, e))
		return false;
	if (!s->fs->patch(s->fs->self, s->path, held(s), 0, &piece, 1, FS_NOW, e))
		return wal_drop(s, ERR_IGNORED);
	if (s->fs->stat(s->fs->self, s->path, &st, ERR_IGNORED) && st.size > WAL_KEEP)
		wal_drop(s, ERR_IGNORED);
	return true;
}

void wal_release(struct wal *s)
{
	if (s->held)
		s->fs->unlock(s->fs->self, s->lock);
	s->held = false;
	free(s->path);
	free(s->pool);
	free(s->second);
	s->path = s->pool = s->second = NULL;
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

		if (end != names.p + at && (!strcmp(end, NAME) || !strcmp(end, SECOND)) &&
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

bool wal_lock_files(const struct fs *fs, const char *home, const char *const *path, size_t n,
		    bool wait, int *lock, struct err *e)
{
	uint64_t *spot SCOPED(mem_release) = mem_new((n + 1) * sizeof(*spot));
	char *name SCOPED(mem_release) = path_join(home, "files.lock");
	bool ok;

	for (size_t i = 0; i < n; i++)
		spot[i] = hash_of(str_of(path[i])) >> 2;
	if (n)
		qsort(spot, n, sizeof(*spot), by_value);
	ok = fs->lock(fs->self, name, spot, n > MANY_SPOT ? 0 : n, wait, lock, e);
	if (!ok && e->code == ERR_CONFLICT)
		err_set(e, ERR_CONFLICT,
			"another Oxide process is changing %s%s right now; try "
			"again",
			n ? path[0] : "files", n > 1 ? ", or another of these files," : "");
	return ok;
}
