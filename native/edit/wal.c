#include "wal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "wal_impl.h"

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

static void name_slot(struct wal *s, const struct fs *fs, const char *home, unsigned number)
{
	struct fs_here here;

	fs->here(fs->self, &here);
	*s = (struct wal){ .fs = fs,
			   .home = home,
			   .boot = here.boot,
			   .number = number,
			   .lock = FS_UNHELD,
			   .head_file = FS_UNHELD };
	s->path = in_home(home, number, WAL_NAME);
	s->pool = in_home(home, number, ".pool");
	s->second = in_home(home, number, WAL_SECOND);
}

bool wal_take(struct wal *s, const struct fs *fs, const char *home, unsigned number, struct err *e)
{
	name_slot(s, fs, home, number);
	*e = (struct err)ERR_INIT;
	s->held = fs->lock(fs->self, s->path, NULL, 0, false, &s->lock, e);
	if (s->held)
		return true;
	if (e->code == ERR_CONFLICT)
		*e = (struct err)ERR_INIT;
	return false;
}

/* The file of the second head may be another one than that which is open: then it is sought. */
static bool seek_second(struct wal *s, const struct err *e)
{
	if (s->head_file == FS_UNHELD || e->code != ERR_NOT_FOUND)
		return false;
	wal_shut(s->fs, &s->head_file);
	return true;
}

/* Appends the second head; no file: nothing. */
static bool read_second(struct wal *s, struct buf *out, struct err *e)
{
	do {
		if (s->fs->peek(s->fs->self, s->second, s->head_file, 0, JOURNAL_SECOND, out, e))
			return true;
	} while (seek_second(s, e));
	return e->code == ERR_NOT_FOUND;
}

static bool write_second(struct wal *s, const char second[JOURNAL_SECOND], struct err *e)
{
	struct str piece = { second, JOURNAL_SECOND };

	do {
		if (s->fs->patch(s->fs->self, s->second, s->head_file, 0, &piece, 1, FS_LATER, e))
			return true;
	} while (seek_second(s, e));
	return false;
}

bool wal_is_free(struct wal *s, bool *is_free, struct err *e)
{
	struct buf head SCOPED(buf_release) = BUF_INIT, second SCOPED(buf_release) = BUF_INIT;
	bool ok = s->fs->peek(s->fs->self, s->path, wal_held(s), 0, JOURNAL_LOOK, &head, e);

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
	bool ok = s->fs->peek(s->fs->self, s->path, wal_held(s), 0, SIZE_MAX / 4, bytes, e) &&
		  read_second(s, &second, e);

	if (ok)
		s->mended = journal_mend(bytes, buf_str(&second), s->boot);
	s->has_head = ok && bytes->n >= JOURNAL_HEAD;
	if (s->has_head)
		memcpy(s->head, bytes->p, JOURNAL_HEAD);
	return ok;
}

/* The slot of the change before, if it is free. */
static bool take_from(struct wal *s, struct wal_desk *desk, const struct fs *fs, const char *home)
{
	bool is_free;

	if (desk->journal == FS_UNHELD)
		return false;
	name_slot(s, fs, home, desk->number);
	s->desk = desk;
	s->lock = desk->journal;
	s->head_file = desk->head_file;
	desk->journal = desk->head_file = FS_UNHELD;
	s->held = fs->relock(fs->self, s->path, NULL, 0, false, s->lock, ERR_IGNORED);
	if (s->held && wal_is_free(s, &is_free, ERR_IGNORED) && is_free)
		return true;
	s->desk = NULL; /* whatever is wrong, the slot is looked at anew */
	wal_release(s);
	return false;
}

bool wal_claim(struct wal *s, const struct fs *fs, const char *home, struct wal_desk *desk,
	       struct err *e)
{
	bool is_free;

	if (!claim_home(fs, home, e))
		return false;
	if (desk)
		wal_desk_open(desk, fs);
	if (desk && take_from(s, desk, fs, home))
		return true;
	for (unsigned i = 0; i < WAL_SLOTS; i++) {
		if (wal_take(s, fs, home, i, e) && wal_is_free(s, &is_free, e) && is_free) {
			s->desk = desk;
			return true;
		}
		wal_release(s);
		if (e->code)
			return false;
	}
	return err_set(e, ERR_LIMIT, "%s: all %d journals are in use", home, WAL_SLOTS);
}

/* By a second head that is left a journal would be missed. */
static bool wal_drop(struct wal *s, struct err *e)
{
	const struct fs *fs = s->fs;

	return (fs->remove(fs->self, s->second, e) ? fs->sync_dir(fs->self, s->home, e)
						   : e->code == ERR_NOT_FOUND) &&
	       fs->remove(fs->self, s->path, e) && fs->sync_dir(fs->self, s->home, e);
}

bool wal_read(struct wal *s, uint64_t at, size_t n, struct buf *out, struct err *e)
{
	return s->fs->peek(s->fs->self, s->path, wal_held(s), at, n, out, e);
}

bool wal_sync(struct wal *s, struct err *e)
{
	return s->fs->patch(s->fs->self, s->path, wal_held(s), 0, NULL, 0, FS_NOW, e);
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
	ok = fs->patch(fs->self, s->path, wal_held(s), JOURNAL_COPY, &second, 1, FS_LATER, e);
	return fs->patch(fs->self, s->path, wal_held(s), at, &piece, 1, sync ? FS_NOW : FS_LATER,
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

	if (!s->has_head)
		return true;
	memcpy(s->head + journal_mark(bytes, mark), bytes, sizeof(bytes));
	journal_second(second, s->head, s->boot);
	return write_second(s, second, e) ||
	       (e->code == ERR_NOT_FOUND &&
		fs->create(fs->self, s->second, (struct str){ second, sizeof(second) }, 0600, e));
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
	struct err why;

	if (write_second(s, none, &why) || why.code == ERR_NOT_FOUND ||
	    fs->remove(fs->self, s->second, &why) || why.code == ERR_NOT_FOUND)
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
	if (!s->fs->patch(s->fs->self, s->path, wal_held(s), 0, &piece, 1, FS_NOW, e))
		return wal_drop(s, ERR_IGNORED);
	if (s->fs->stat(s->fs->self, s->path, &st, ERR_IGNORED) && st.size > WAL_KEEP)
		wal_drop(s, ERR_IGNORED);
	return true;
}

/* A slot is left open with its second head, which it has from its first change on. */
static void leave_open(struct wal *s)
{
	const struct fs *fs = s->fs;

	if (s->head_file == FS_UNHELD && !fs->open(fs->self, s->second, &s->head_file, ERR_IGNORED))
		s->head_file = FS_UNHELD;
	fs->leave(fs->self, s->lock);
	s->desk->journal = s->lock;
	s->desk->head_file = s->head_file;
	s->desk->number = s->number;
	s->lock = s->head_file = FS_UNHELD;
}

void wal_release(struct wal *s)
{
	if (!s->fs)
		return;
	if (s->held && s->desk)
		leave_open(s);
	wal_shut(s->fs, &s->lock);
	wal_shut(s->fs, &s->head_file);
	s->held = false;
	free(s->path);
	free(s->pool);
	free(s->second);
	s->path = s->pool = s->second = NULL;
}
