#include <stdatomic.h>
#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "txn_impl.h"

/* The journal of a transaction, and the temporaries that belong to it. */

static bool lock_once(struct txn *t, struct err *e)
{
	const char **paths = mem_new((t->steps + 1) * sizeof(*paths));

	for (size_t i = 0; i < t->steps; i++)
		paths[i] = t->step[i].target;
	t->has_lock = wal_lock_files(t->fs, t->home, t->desk, paths, t->steps, true, &t->lock, e);
	free(paths);
	return t->has_lock;
}

static void unlock(struct txn *t)
{
	if (t->has_lock)
		wal_unlock_files(t->fs, t->desk, t->lock);
	t->has_lock = false;
}

static bool present(struct txn *t, uint64_t *bits, struct err *e)
{
	return t->desk ? wal_desk_present(t->desk, t->fs, t->home, bits, e)
		       : wal_present(t->fs, t->home, bits, e);
}

/* With the files held, nobody else can leave them half changed any more: what is half changed now
 * comes from a crash, and is put right first. */
static bool lock_files(struct txn *t, struct err *e)
{
	uint64_t bits, hot, stuck = (uint64_t)1 << t->wal.number;

	for (;;) {
		if (!lock_once(t, e) || !present(t, &bits, e) ||
		    !recover_look_in(t->fs, t->home, bits & ~stuck, false, &hot, e))
			return false;
		if (!hot)
			return true;
		unlock(t);
		recover_all(t->fs, t->home, true, &t->names, &t->report);
		if (t->report.blocked)
			return err_set(e, ERR_CONFLICT,
				       "%s: an earlier change of it was interrupted and cannot be "
				       "finished yet; see `oxide recover`",
				       t->report.blocked);
		stuck |= hot;
	}
}

bool txn_log_open(struct txn *t, struct err *e)
{
	t->fs->here(t->fs->self, &t->here);
	t->has_wal = wal_claim(&t->wal, t->fs, t->home, t->desk, e);
	return t->has_wal && lock_files(t, e);
}

void txn_log_close(struct txn *t)
{
	unlock(t);
	if (t->has_wal)
		wal_release(&t->wal);
	t->has_wal = false;
}

static struct str in_root(const struct txn *t, const char *path)
{
	struct str rest = str_of(path);

	if (!path_below(str_of(t->real_root), rest))
		return STR("");
	rest = str_sub(rest, strlen(t->real_root), rest.n);
	str_skip(&rest, STR("/"));
	return rest;
}

/* The mode is written down as well, should the file be lost by then. */
static bool describe_like(struct txn *t, struct journal_file *out, const char *like, struct err *e)
{
	struct fs_stat st;

	for (size_t i = 0; i < t->steps; i++)
		if (!strcmp(t->step[i].file->path, like)) {
			out->like_file = i + 1;
			out->mode = t->step[i].was.mode;
			return true;
		}
	if (!t->fs->stat(t->fs->self, like, &st, e))
		return false;
	out->mode = st.mode;
	out->like_path = in_root(t, like);
	return true;
}

static bool txn_log_describe(struct txn *t, struct journal_file *out, const struct txn_step *s,
			     struct err *e)
{
	const enum journal_way ways[] = {
		[STEP_SWAP] = WAY_SWAP,	   [STEP_OVER] = WAY_SWAP,     [STEP_INSIDE] = WAY_INSIDE,
		[STEP_NEW] = WAY_NEW,	   [STEP_REMOVE] = WAY_REMOVE, [STEP_MODE] = WAY_MODE,
		[STEP_EDITOR] = WAY_EDITOR
	};

	out->way = ways[s->way];
	out->was_link = s->file->was_link;
	out->now_link = step_makes_link(s);
	out->was_mode = s->was.mode;
	out->mode = s->way == STEP_NEW || s->file->was_link ? step_new_mode(s) : s->was.mode;
	out->was_hash = s->file->existed ? s->file->was_hash : 0;
	if (s->way == STEP_INSIDE || s->way == STEP_EDITOR)
		out->was = buf_str(&s->old);
	if (s->file->exists) {
		out->now.n = s->file->edits ? s->file->now_n : s->file->now.n;
		out->now_hash = step_now_hash(s);
	}
	out->path = in_root(t, s->target);
	if (s->file->like && !describe_like(t, out, s->file->like, e))
		return false;
	out->sets_mode = step_sets_mode(s);
	if (out->sets_mode)
		out->mode = s->file->mode & MODE_BITS;
	return true;
}

static bool names_cleared(const struct txn *t, struct str path)
{
	for (size_t i = 0; i < t->n_cleared; i++)
		if (str_eq(in_root(t, t->cleared[i].path.p), path))
			return true;
	return false;
}

static struct journal_dir *describe_made(struct txn *t, size_t *n)
{
	struct journal_dir *v = arena_new(&t->arena, (t->n_made + 1) * sizeof(*v));

	for (*n = 0; *n < t->n_made; ++*n)
		v[*n] = (struct journal_dir){ in_root(t, t->made[*n]), 0777 };
	return v;
}

/* Those that go for a file's sake come first, with their modes. */
static struct journal_dir *describe_gone(struct txn *t, size_t *n)
{
	struct journal_dir *v = arena_new(&t->arena, (t->n_cleared + t->n_dirs + 1) * sizeof(*v));

	for (*n = 0; *n < t->n_cleared; ++*n)
		v[*n] = (struct journal_dir){ in_root(t, t->cleared[*n].path.p),
					      t->cleared[*n].mode };
	for (size_t i = 0; i < t->n_dirs; i++) {
		struct str path = in_root(t, t->dirs[i]);

		if (path.n && !names_cleared(t, path))
			v[(*n)++] = (struct journal_dir){ path, 0 };
	}
	return v;
}

static bool put_image(void *arg, unsigned worker, size_t i, uint64_t at, const struct str **piece,
		      size_t *n, struct err *e)
{
	struct txn *t = arg;
	struct txn_step *s = &t->step[i];

	if (!step_pieces(t, &t->texts[worker], s, piece, n, e))
		return false;
	s->image = at;
	return true;
}

bool txn_log_write(struct txn *t, struct err *e)
{
	struct journal j = { .here = t->here, .root = str_of(t->real_root), .files = t->steps };
	bool ok = true;

	if (t->asking) {
		j.editor = (struct journal_editor){ t->editor.process, t->editor.alone,
						    t->editor.time_ms };
		free(t->claim);
		free(t->record);
		t->claim = wal_claim_path(t->home, t->here.unique, &t->editor.process);
		t->record = wal_record_path(t->home, t->here.unique, &t->editor.process);
	}

	j.file = mem_new((t->steps + 1) * sizeof(*j.file));
	for (size_t i = 0; i < t->steps && ok; i++) {
		t->step[i].image = 0;
		ok = txn_log_describe(t, &j.file[i], &t->step[i], e);
	}
	j.made = describe_made(t, &j.n_made);
	j.gone = describe_gone(t, &j.n_gone);
	t->in_force = ok;
	ok = ok && wal_write(&t->wal, &j, t->asking ? MARK_ASKING : MARK_WRITTEN, put_image, t, e);
	free(j.file);
	return ok;
}

void txn_log_give_up(struct txn *t, struct err *e)
{
	pool_clear(t, ERR_IGNORED);
	if (t->in_force)
		wal_give_up(&t->wal, e);
	t->in_force = false;
}

bool txn_log_retire(struct txn *t, struct err *e)
{
	/* First, so that a crash leaves neither behind: the journal's mark says it all by now. */
	if (t->recorded)
		t->fs->remove(t->fs->self, t->record, ERR_IGNORED);
	if (t->accepted)
		t->fs->remove(t->fs->self, t->claim, ERR_IGNORED);
	if (t->in_force && !wal_retire(&t->wal, e))
		return false;
	t->in_force = false;
	return true;
}

/* Without a pool the temporaries come to lie beside the files, which only takes longer. */
void pool_open(struct txn *t)
{
	const struct fs *fs = t->fs;
	struct fs_stat st;

	t->pool = false;
	if (!fs->stat(fs->self, t->wal.pool, &st, ERR_IGNORED))
		return;
	/* It was made with the journal; should somebody have removed it, it comes back. */
	if (st.kind == FS_NONE && (!fs->mkdir(fs->self, t->wal.pool, 0700, ERR_IGNORED) ||
				   !fs->sync_dir(fs->self, t->home, ERR_IGNORED) ||
				   !fs->stat(fs->self, t->wal.pool, &st, ERR_IGNORED)))
		return;
	t->pool_dev = st.dev;
	t->pool = st.kind == FS_DIR && !st.link && st.user == t->here.user && !(st.mode & 077);
}

const char *pool_temp(struct txn *t, const struct txn_step *s)
{
	struct buf path SCOPED(buf_release) = BUF_INIT;

	buf_addf(&path, "%s/%zu", t->wal.pool, (size_t)(s - t->step));
	return arena_str(&t->arena, buf_str(&path)).p;
}

const char *beside_temp(struct txn *t, const struct txn_step *s, bool old)
{
	char *name SCOPED(mem_release) =
		journal_temp(removed_beside(t, s),
			     t->here.unique + 2 * (uint64_t)(s - t->step) + old);

	return arena_str(&t->arena, str_of(name)).p;
}

static bool pool_used(const struct txn *t)
{
	for (size_t i = 0; i < t->steps; i++)
		if (t->step[i].pooled)
			return true;
	return false;
}

bool pool_sync(struct txn *t, struct err *e)
{
	return !pool_used(t) || t->fs->sync_dir(t->fs->self, t->wal.pool, e);
}

struct clearing {
	struct txn *t;
	const char *
		*path; /* of each step; NULL: there is nothing, or nothing any more, in the pool */
	atomic_bool dropped, failed;
	struct err why; /* of who has set that */
};

/* One that cannot be used again goes; past what fails. */
static bool clear_one(void *arg, unsigned worker, size_t i, struct err *e)
{
	struct clearing *c = arg;
	const struct fs *fs = c->t->fs;

	(void)worker;
	if (!c->path[i] || (i < WAL_POOL && fs->blank(fs->self, c->path[i], e)))
		return true;
	atomic_store(&c->dropped, true);
	if (!fs->remove(fs->self, c->path[i], e) && e->code != ERR_NOT_FOUND &&
	    !atomic_exchange(&c->failed, true))
		c->why = *e;
	c->path[i] = NULL;
	return true;
}

bool pool_clear(struct txn *t, struct err *e)
{
	const struct fs *fs = t->fs;
	struct clearing c = { .t = t, .path = mem_new((t->steps + 1) * sizeof(*c.path)) };
	size_t n = 0;
	bool ok;

	for (size_t i = 0; i < t->steps; i++)
		if (t->step[i].pooled)
			c.path[i] = pool_temp(t, &t->step[i]);
	ok = fs->each(fs->self, t->steps, clear_one, &c, e) && !c.failed;
	if (c.failed)
		*e = c.why;
	for (size_t i = 0; i < t->steps; i++)
		if (c.path[i])
			c.path[n++] = c.path[i];
	/* Also when the machine stops now, nothing of the old texts may come to light in them. */
	if (ok && n)
		ok = fs->sync(fs->self, c.path, n, e);
	if (ok && c.dropped)
		ok = fs->sync_dir(fs->self, t->wal.pool, e);
	free(c.path);
	return ok;
}

const char *remember_parent(struct txn *t, const char *path)
{
	struct str dir = path_dir(str_of(path));
	const char *known = map_get(&t->parents, dir);

	if (!known) {
		known = arena_str(&t->arena, dir).p;
		map_put(&t->parents, dir, (void *)known);
	}
	return known;
}
