#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "wal_impl.h"

/* Putting a journal into its file. */

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
	struct str start[4]; /* what comes before the first one, from `at` on */
	size_t starts;
	uint64_t at;
	bool whole; /* all of the journal is one piece, with its head */
	struct share *share;
	size_t shares;
	struct buf kept[FS_WORKERS];
};

struct stream {
	struct wal *s;
	uint64_t at;	  /* where `kept` begins */
	struct buf *kept; /* and is not written yet */
	enum fs_sync sync;
};

static bool stream_out(struct stream *to, struct err *e)
{
	struct str piece = buf_str(to->kept);
	bool ok = !piece.n || to->s->fs->patch(to->s->fs->self, to->s->path, wal_held(to->s),
					       to->at, &piece, 1, to->sync, e);

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
		if (!fs->patch(fs->self, to->s->path, wal_held(to->s), to->at, &piece[i], 1,
			       FS_LATER, e))
			return wal_unwritten(e);
		to->at += piece[i].n;
	}
	return true;
}

static bool put_share(void *arg, unsigned worker, size_t k, struct err *e)
{
	struct images *all = arg;
	const struct share *share = &all->share[k];
	struct stream to = { all->s, share->at, &all->kept[worker],
			     all->whole ? FS_BEGIN : FS_LATER };

	buf_clear(to.kept);
	if (!k && !stream_put(&to, all->start, all->starts, e))
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
	uint64_t at = all->at;
	size_t n = 0;

	for (size_t i = 0; i < all->starts; i++)
		at += all->start[i].n;
	all->share = mem_new((j->files + 1) * sizeof(*all->share));
	all->share[0].at = all->at;
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

/* The head is written last, but for a small journal, which is one write: what has a head without
 * the rest is known for that by its hashes. */
static void begin_with(struct images *all, const char head[JOURNAL_HEAD], struct str copy,
		       struct str meta, uint64_t images)
{
	static const char none[JOURNAL_COPY - JOURNAL_HEAD];

	all->whole = JOURNAL_BODY + meta.n + images < GATHER;
	all->at = all->whole ? 0 : JOURNAL_COPY;
	if (all->whole) {
		all->start[all->starts++] = (struct str){ head, JOURNAL_HEAD };
		all->start[all->starts++] = (struct str){ none, sizeof(none) };
	}
	all->start[all->starts++] = copy;
	all->start[all->starts++] = meta;
}

static bool put_head(struct wal *s, const char head[JOURNAL_HEAD], struct err *e)
{
	struct str piece = { head, JOURNAL_HEAD };

	return s->fs->patch(s->fs->self, s->path, wal_held(s), 0, &piece, 1, FS_BEGIN, e) ||
	       wal_unwritten(e);
}

bool wal_write(struct wal *s, const struct journal *j, enum journal_mark mark, wal_image *image,
	       void *arg, struct err *e)
{
	struct buf meta SCOPED(buf_release) = BUF_INIT;
	char head[JOURNAL_HEAD], copy[JOURNAL_SECOND];
	struct images all = { .s = s, .j = j, .image = image, .arg = arg };
	uint64_t images = 0;
	bool ok;

	journal_meta(&meta, j);
	for (size_t i = 0; i < j->files; i++)
		images += j->file[i].was.n + j->file[i].now.n;
	journal_head(head, mark, buf_str(&meta), images);
	journal_second(copy, head, s->boot);
	begin_with(&all, head, (struct str){ copy, sizeof(copy) }, buf_str(&meta), images);
	ok = name_it(s, e) && put_images(&all, e) && (all.whole || put_head(s, head, e));
	s->has_head = ok;
	memcpy(s->head, head, sizeof(head));
	return ok;
}
