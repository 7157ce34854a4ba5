#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "../io/disk.h"
#include "apply_impl.h"
#include "protect.h"
#include "workspace.h"

/* The disk's part of a path of the plan. */
static struct txn_file *state_at(struct apply *a, const char *path)
{
	for (size_t lo = 0, hi = a->files; lo < hi;) {
		size_t mid = (lo + hi) / 2;
		int c = strcmp(path, a->file[mid].path);

		if (!c)
			return &a->file[mid];
		if (c < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	BUG("%s is in the plan, but has no state", path);
}

/* A buffer whose file is renamed or removed: unsaved changes stay in the buffer, so that the disk
 * moves what it holds itself. */
static bool moved_buffer(struct apply *a, const struct plan_file *f, const struct buffer *b)
{
	struct txn_file *from = state_at(a, f->path);
	struct txn_file *to = f->new_path ? state_at(a, f->new_path) : NULL;
	const struct fs *fs = disk_fs();
	struct fs_stat st;
	struct buf *text;

	if (!f->exists && b->modified)
		return err_set(&a->why, ERR_CONFLICT,
			       "%s would be deleted, but its buffer has unsaved changes; write or "
			       "discard them first",
			       f->path);
	if (!fs->stat(fs->self, f->path, &st, &a->why))
		return false;
	if (st.kind == FS_NONE) { /* it has never been written: there is nothing to move */
		from->existed = from->exists = false;
		if (to)
			to->existed = to->exists = false;
		return true;
	}
	text = &a->kept[a->kepts++];
	if (!fs->read(fs->self, f->path, text, &from->seen, &a->why))
		return false;
	from->was_hash = hash_of(buf_str(text));
	if (to && b->modified)
		to->now = buf_str(text);
	return true;
}

/* A buffer shows the text of a file. Where a link comes or was there is another one, or none: the
 * buffer goes, unless something would be lost with it. */
static bool closed_buffer(struct apply *a, const struct plan_file *f, const struct buffer *b)
{
	a->change[a->changes++] = (struct buffer_change){ b->number, b->tick, f, false, true };
	return !b->modified ||
	       err_set(&a->why, ERR_CONFLICT,
		       "%s would become another file through a symbolic link, but its buffer has "
		       "unsaved changes; write or discard them first",
		       f->path);
}

static bool apply_split_is_inside(const struct apply *a, const struct txn_file *f)
{
	struct buf real SCOPED(buf_release) = BUF_INIT;

	if (!f->within || !plan_exempt(a->plan, f->path))
		return disk_below(f->within ? f->within : a->root, f->path, ERR_IGNORED);
	return protect_real(f->path, false, &real, ERR_IGNORED) && !strcmp(real.p, f->within);
}

/* Whether the file holds what the buffer shows, so that the new text is the file's as well. Not
 * where its bytes are others, as in another encoding, or where it may not be written. */
static bool is_as_shown(const struct apply *a, const struct txn_file *f)
{
	const struct fs *fs = disk_fs();
	struct buf text SCOPED(buf_release) = BUF_INIT;
	struct fs_stat st;

	return apply_split_is_inside(a, f) && fs->stat(fs->self, f->path, &st, ERR_IGNORED) &&
	       st.kind == FS_FILE && !st.link && fs->may_write(fs->self, f->path, &st) &&
	       fs->read(fs->self, f->path, &text, NULL, ERR_IGNORED) &&
	       hash_of(buf_str(&text)) == f->was_hash;
}

/* Which files of buffers recovery could write for an editor that has died. One alone, with nothing
 * beside it, is whole or not by itself. */
void apply_find_held(struct apply *a)
{
	size_t kept = 0, held = 0;

	for (size_t i = 0; i < a->files; i++) {
		struct txn_file *f = &a->file[i];

		if (f->by_editor && (!a->ox->journals || !is_as_shown(a, f))) {
			a->alone = true;
			continue;
		}
		held += f->by_editor;
		a->file[kept++] = *f;
	}
	a->files = kept == 1 && held == 1 ? 0 : kept;
}

/* The editor writes the text; the mode is the disk's, whatever it holds. */
static bool mode_on_disk(struct apply *a, struct txn_file *state)
{
	const struct fs *fs = disk_fs();
	struct buf *text;
	struct fs_stat st;

	if (!state->mode || !fs->stat(fs->self, state->path, &st, &a->why) || st.kind != FS_FILE) {
		state->existed = state->exists = false;
		return !a->why.code;
	}
	text = &a->kept[a->kepts++];
	if (!fs->read(fs->self, state->path, text, &state->seen, &a->why))
		return false;
	state->now = buf_str(text);
	state->was_hash = hash_of(state->now);
	return true;
}

static bool split_buffer(struct apply *a, const struct plan_file *f, struct buffer *b)
{
	if (f->was_mode == MODE_LINK)
		return closed_buffer(a, f, b);
	if (doc_hash(b->doc) != f->was_hash)
		return err_set(&a->why, ERR_STALE,
			       "%s changed since the change was computed; try again", f->path);
	if (f->now_mode == MODE_LINK)
		return closed_buffer(a, f, b);
	a->change[a->changes++] =
		(struct buffer_change){ b->number, b->tick, f, b->modified, !f->exists };
	a->alone = a->alone || b->modified;
	if (f->new_path || !f->exists)
		return moved_buffer(a, f, b);
	if (!state_at(a, f->path)->mode && !b->modified) {
		state_at(a, f->path)->by_editor = true;
		return true;
	}
	a->alone = true;
	return mode_on_disk(a, state_at(a, f->path));
}

/* What goes to the disk, and what to buffers. */
bool apply_split(struct apply *a)
{
	size_t n = plan_files(a->plan), kept = 0;
	const struct txn_file *states;

	for (size_t i = 0; i < n; i++)
		if (apply_buffer(a->ox, plan_file(a->plan, i)) && !plan_want(a->plan, i, &a->why))
			return false;
	states = plan_states(a->plan, &a->files);
	a->file = mem_copy(states, a->files * sizeof(*a->file));
	apply_confine(a);
	a->change = mem_new(n * sizeof(*a->change));
	a->kept = mem_new(n * sizeof(*a->kept));
	for (size_t i = 0; i < n; i++) {
		const struct plan_file *f = plan_file(a->plan, i);
		struct buffer *b = apply_buffer(a->ox, f);

		if (b && !split_buffer(a, f, b))
			return false;
	}
	for (size_t i = 0; i < a->files; i++)
		if (a->file[i].existed || a->file[i].exists)
			a->file[kept++] = a->file[i];
	a->files = kept;
	return true;
}
