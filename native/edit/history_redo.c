#include <stdlib.h>

#include "../base/mem.h"
#include "history_impl.h"

/* Gives the entry the end of its name that says so. */
static bool history_redo_mark(struct history *h, const struct slot *s, bool undone, struct err *e)
{
	char *from SCOPED(mem_release) = NULL, *to SCOPED(mem_release) = NULL, *redo;
	bool ok;

	if (s->undone == undone)
		return true;
	from = slot_path(h, s);
	to = slot_path_as(h, s, undone ? SLOT_UNDONE : SLOT_LIVE);
	ok = h->fs->rename(h->fs->self, from, to, e);
	if (ok && !undone) {
		redo = slot_path_as(h, s, SLOT_REDO);
		h->fs->remove(h->fs->self, redo, ERR_IGNORED);
		free(redo);
	}
	return ok;
}

static const struct slot *find_slot(const struct slots *s, struct str id)
{
	for (size_t i = 0; i < s->n; i++)
		if (str_eq(s->v[i].id, id))
			return &s->v[i];
	return NULL;
}

/* The names are in `s`, which is new. */
static const struct slot *slot_named(struct history *h, struct slots *s, struct str id,
				     struct err *e)
{
	const struct slot *slot;

	if (!slots_read(h, s, e))
		return NULL;
	slot = find_slot(s, id);
	if (!slot)
		err_set(e, ERR_NOT_FOUND, "unknown change %.*s", STR_ARG(id));
	return slot;
}

bool history_mark(struct history *h, struct str id, bool undone, struct err *e)
{
	struct slots s SCOPED(slots_release) = { 0 };
	const struct slot *slot = slot_named(h, &s, id, e);

	return slot && history_redo_mark(h, slot, undone, e);
}

bool history_is_undone(struct history *h, struct str id)
{
	struct slots s SCOPED(slots_release) = { 0 };
	const struct slot *slot = slot_named(h, &s, id, ERR_IGNORED);

	return slot && slot->undone;
}

bool history_remove(struct history *h, struct str id, struct err *e)
{
	struct slots s SCOPED(slots_release) = { 0 };
	const struct slot *slot = slot_named(h, &s, id, e);
	char *path SCOPED(mem_release) = slot ? slot_path(h, slot) : NULL;

	return slot && h->fs->remove(h->fs->self, path, e);
}

bool history_add_redo(struct history *h, struct str id, struct str record, struct err *e)
{
	const struct slot *slot;
	struct slots s SCOPED(slots_release) = { 0 };
	bool ok = slots_read(h, &s, e);

	slot = ok ? find_slot(&s, id) : NULL;
	if (slot && record.n <= h->max_bytes) {
		char *path SCOPED(mem_release) = slot_path_as(h, slot, SLOT_REDO);

		h->fs->remove(h->fs->self, path, ERR_IGNORED); /* of one that was killed */
		ok = h->fs->create(h->fs->self, path, record, 0600, e);
	}
	return ok;
}

bool slot_read_redo(struct history *h, const struct slot *s, const struct record *undone,
		    struct buf *raw, struct record *r, struct arena *a, struct err *e)
{
	char *path SCOPED(mem_release) = slot_path_as(h, s, SLOT_REDO);
	bool ok, there;

	there = h->fs->read(h->fs->self, path, raw, NULL, ERR_IGNORED);
	ok = there ? record_decode(r, buf_str(raw), a, e) : record_reverse(r, undone, a, e);
	if (!ok && !there)
		err_set(e, ERR_UNSUPPORTED,
			"%.*s cannot be redone: what it changed was not kept when it was undone",
			STR_ARG(s->id));
	r->again = true;
	return ok;
}

/* *at: when it was undone; 0: nobody has kept that. */
static bool is_kept(struct history *h, const struct slot *s, const struct record *undone,
		    int64_t *at)
{
	struct buf raw SCOPED(buf_release) = BUF_INIT;
	struct arena a SCOPED(arena_release) = { 0 };
	struct record r;

	if (!slot_read_redo(h, s, undone, &raw, &r, &a, ERR_IGNORED))
		return false;
	*at = raw.n ? r.entry.time_ms : 0;
	return true;
}

/*
 * The one named, or of those that are undone and younger than the last that is not the one that was
 * undone last; where that is not known, the oldest. One that cannot be made again, for the history
 * has only found it undone, is taken where all are such.
 */
static const struct slot *find_undone(struct history *h, const struct slots *s, const char *root,
				      struct str id, struct buf *raw, struct record *r,
				      struct arena *a)
{
	const struct slot *found = NULL, *kept = NULL;
	int64_t at = 0, latest = 0;

	for (size_t i = s->n; i--;) {
		const struct slot *v = &s->v[i];
		struct record one;

		if ((id.n && !str_eq(v->id, id)) || !slot_is_of(v, root) ||
		    !slot_read(h, v, root, raw, &one, a))
			continue;
		if (!id.n && !v->undone)
			break;
		found = v;
		if (!is_kept(h, v, &one, &at) || at < latest)
			continue;
		kept = v;
		latest = at;
	}
	found = kept ? kept : found;
	/* Texts lie in `raw`. */
	return found && slot_read(h, found, root, raw, r, a) ? found : NULL;
}

bool history_redo(struct history *h, const char *root, struct str id, struct plan *p,
		  struct buf *found, struct buf *title, struct err *e)
{
	struct buf raw SCOPED(buf_release) = BUF_INIT, redo SCOPED(buf_release) = BUF_INIT;
	struct arena a SCOPED(arena_release) = { 0 };
	const struct slot *slot;
	struct record r, again;
	struct slots s SCOPED(slots_release) = { 0 };
	bool ok = slots_read(h, &s, e);

	h->damaged = 0;
	slot = ok ? find_undone(h, &s, root, id, &raw, &r, &a) : NULL;
	if (slot && slot->undone) {
		buf_add(found, slot->id);
		buf_add(title, r.entry.title);
		ok = slot_read_redo(h, slot, &r, &redo, &again, &a, e) &&
		     record_undo(&again, p, NULL, e);
	} else if (slot) {
		ok = err_set(e, ERR_CONFLICT, "%.*s is not undone", STR_ARG(id));
	} else if (ok) {
		ok = err_set(e, ERR_NOT_FOUND, "nothing to redo%s%.*s in %s", id.n ? " named " : "",
			     STR_ARG(id), root);
	}
	return ok;
}
