#include "recover.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "recover_impl.h"

void recover_say(struct recover_report *r, enum recover_what is, struct str what, size_t files,
		 const char *why)
{
	mem_add(r->note, r->notes, r->cap,
		(struct recover_note){ .is = is,
				       .what = arena_str(&r->arena, what).p,
				       .files = files,
				       .why = why ? arena_str(&r->arena, str_of(why)).p : NULL });
}

void recover_report_release(struct recover_report *r)
{
	free(r->note);
	arena_release(&r->arena);
	*r = (struct recover_report){ 0 };
}

/* Whether its journal is in force, and whether somebody holds it. */
static bool recover_look_at(const struct fs *fs, const char *home, unsigned i, bool *in_force,
			    bool *held, struct err *e)
{
	struct wal wal SCOPED(wal_release) = { 0 };
	bool ok, is_free = true;

	*held = !wal_take(&wal, fs, home, i, e);
	ok = !e->code && wal_is_free(&wal, &is_free, e);
	*in_force = ok && !is_free;
	return ok;
}

static bool recover_find(const struct fs *fs, const char *home, uint64_t bits, bool held,
			 uint64_t *found, struct err *e)
{
	for (unsigned i = 0; i < WAL_SLOTS; i++) {
		bool in_force, is_held;

		if (!(bits >> i & 1))
			continue;
		if (!recover_look_at(fs, home, i, &in_force, &is_held, e))
			return false;
		*found |= (uint64_t)(in_force && held == is_held) << i;
	}
	return true;
}

/* Whoever looks at others' journals holds their locks for a moment: two who do so at once must not
 * take each other for the owners. */
static bool scan_lock(const struct fs *fs, const char *home, int *lock, struct err *e)
{
	char *name SCOPED(mem_release) = path_join(home, "scan.lock");

	return fs->lock(fs->self, name, NULL, 0, true, lock, e);
}

bool recover_look(const struct fs *fs, const char *home, uint64_t but, bool held, uint64_t *found,
		  struct err *e)
{
	uint64_t bits;

	*found = 0;
	return wal_present(fs, home, &bits, e) &&
	       recover_look_in(fs, home, bits & ~but, held, found, e);
}

bool recover_look_in(const struct fs *fs, const char *home, uint64_t bits, bool held,
		     uint64_t *found, struct err *e)
{
	int lock;
	bool ok;

	*found = 0;
	if (!bits)
		return true;
	if (!scan_lock(fs, home, &lock, e))
		return false;
	ok = recover_find(fs, home, bits, held, found, e);
	fs->unlock(fs->self, lock);
	return ok;
}

/* Whether the journal's file can be anybody else's work. */
static bool recover_is_own(struct recovering *r, struct err *e)
{
	struct fs_here here;
	struct fs_stat st;

	r->fs->here(r->fs->self, &here);
	if (!r->fs->stat(r->fs->self, r->wal->path, &st, e))
		return false;
	if (st.kind == FS_FILE && !st.link && st.links == 1 && st.user == here.user &&
	    !(st.mode & 022))
		return true;
	return err_set(e, ERR_DENIED, "is not a file that only you may write");
}

static bool whose(struct recovering *r, struct err *e)
{
	struct fs_here here;

	r->fs->here(r->fs->self, &here);
	r->rebooted = !here.boot || here.boot != r->j.here.boot;
	return here.user == r->j.here.user || err_set(e, ERR_DENIED, "belongs to another user");
}

static bool is_among(const struct journal_dir *dir, size_t n, struct str path)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(dir[i].path, path))
			return true;
	return false;
}

/* As the transaction did. */
static void order_files(struct recovering *r)
{
	const struct journal *j = &r->j;

	for (size_t i = 0; i < j->files; i++) {
		bool removed = j->file[i].way == WAY_REMOVE;

		r->when[i] = removed ? RECOVER_REMOVED : RECOVER_NEW;
		if (removed && is_among(j->made, j->n_made, j->file[i].path))
			r->when[i] = RECOVER_ROOM;
		if (j->file[i].way == WAY_NEW && is_among(j->gone, j->n_gone, j->file[i].path))
			r->when[i] = RECOVER_LATE;
	}
	for (size_t k = 0; k < j->files; k++)
		if (r->when[k] == RECOVER_ROOM || r->when[k] == RECOVER_LATE)
			for (size_t i = 0; i < j->files; i++)
				if (i != k && path_below(j->file[k].path, j->file[i].path))
					r->within[i] = r->path[k];
}

static void find_paths(struct recovering *r)
{
	size_t n = r->j.files;

	r->root = arena_str(&r->arena, r->j.root).p;
	r->path = arena_new(&r->arena, (n + 1) * sizeof(*r->path));
	r->foreign = arena_new(&r->arena, n + 1);
	r->outside = arena_new(&r->arena, n + 1);
	r->within = arena_new(&r->arena, (n + 1) * sizeof(*r->within));
	r->when = arena_new(&r->arena, (n + 1) * sizeof(*r->when));
	for (size_t i = 0; i < n; i++)
		r->path[i] = recover_in_root(r, r->j.file[i].path);
	order_files(r);
}

/* What it names is not known for sure to be as it was, so nobody else may change it. */
static void block(struct recovering *r, const struct map *mine)
{
	for (size_t i = 0; mine && i < r->j.files; i++)
		if (map_get(mine, str_of(r->path[i])))
			r->report->blocked = arena_str(&r->report->arena, str_of(r->path[i])).p;
}

/* From here on something may be visible, also where it was only written down. The way that only the
 * second head tells must be the journal's own before it is gone: the machine may stop. */
static bool begin(struct recovering *r, struct err *e)
{
	enum journal_mark mark = r->mark == MARK_WRITTEN ? MARK_BEGUN : r->mark;

	return wal_mark(r->wal, mark, r->wal->mended, e);
}

static bool recover_live(struct recovering *r, const char *home, bool wait, const struct map *mine,
			 struct err *e)
{
	int lock;
	bool ok;

	if (r->mark == MARK_ASKING)
		r->mark = MARK_BACK;
	/* Whoever wrote it may not have come to sync it; what is done now needs it to last. */
	if (!whose(r, e) || !wal_sync(r->wal, e))
		return false;
	find_paths(r);
	ok = wal_lock_files(r->fs, home, NULL, r->path, r->j.files, wait, &lock, e);
	if (ok) {
		ok = begin(r, e) && recover_editor(r, e) && recover_act(r, e);
		r->fs->unlock(r->fs->self, lock);
	}
	if (!ok)
		block(r, mine);
	return ok;
}

static bool recover_held(struct recovering *r, const char *home, bool wait, const struct map *mine,
			 struct err *e)
{
	if (!recover_is_own(r, e) || !wal_load(r->wal, &r->raw, e))
		return false;
	switch (journal_decode(&r->j, buf_str(&r->raw), &r->arena, &r->mark, e)) {
	case JOURNAL_FREE: /* its head was never written, its copy was */
		return !journal_has_copy(buf_str(&r->raw)) || wal_retire(r->wal, e);
	case JOURNAL_LIVE:
		return recover_live(r, home, wait, mine, e);
	case JOURNAL_TORN:
		recover_say(r->report, RECOVER_DROPPED, str_of(r->wal->path), 0,
			    "was interrupted before anything was changed");
		return wal_retire(r->wal, e);
	case JOURNAL_DAMAGED:
		if (r->j.root.n)
			err_in(e, "a change of %zu file%s in %.*s may be incomplete", r->j.files,
			       r->j.files == 1 ? "" : "s", STR_ARG(r->j.root));
		return false;
	}
	BUG("a verdict of an unknown kind");
}

static void recover_slot(const struct fs *fs, const char *home, unsigned i, bool wait,
			 const struct map *mine, struct recover_report *report)
{
	struct wal wal;
	struct recovering r = { .fs = fs, .wal = &wal, .report = report };
	struct err e = ERR_INIT;

	if (!wal_take(&wal, fs, home, i, &e)) {
		if (e.code) {
			report->hot |= (uint64_t)1 << i;
			recover_say(report, RECOVER_LEFT, str_of(home), 0, e.msg);
		}
		wal_release(&wal);
		return;
	}
	if (!recover_held(&r, home, wait, mine, &e)) {
		report->hot |= (uint64_t)1 << i;
		recover_say(report, RECOVER_LEFT, str_of(wal.path), r.j.files, e.msg);
	}
	wal_release(&wal);
	buf_release(&r.raw);
	buf_release(&r.text);
	arena_release(&r.arena);
}

void recover_all(const struct fs *fs, const char *home, bool wait, const struct map *mine,
		 struct recover_report *report)
{
	struct err e = ERR_INIT;
	uint64_t bits, hot = 0;
	int lock;

	report->hot = 0;
	report->blocked = NULL;
	if (wal_present(fs, home, &bits, &e) && !bits)
		return;
	if (e.code || !scan_lock(fs, home, &lock, &e)) {
		recover_say(report, RECOVER_LEFT, str_of(home), 0, e.msg);
		return;
	}
	if (!recover_find(fs, home, bits, false, &hot, &e))
		recover_say(report, RECOVER_LEFT, str_of(home), 0, e.msg);
	for (unsigned i = 0; i < WAL_SLOTS; i++)
		if (hot >> i & 1)
			recover_slot(fs, home, i, wait, mine, report);
	recover_clear_claims(fs, home);
	fs->unlock(fs->self, lock);
}
