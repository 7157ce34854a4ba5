#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "txn_impl.h"

/* New texts: those that were given, and those that edits make of old ones. */

uint64_t step_now_hash(const struct txn_step *s)
{
	return s->file->edits ? s->file->now_hash : hash_of(s->file->now);
}

bool step_reads_late(const struct txn_step *s)
{
	return s->file->edits && !s->file->was.p;
}

/* What the journal has is what was checked: the file is no longer asked. */
static bool from_journal(struct txn *t, struct txn_room *room, struct txn_step *s, struct str *text,
			 struct err *e)
{
	buf_clear(&room->scratch);
	if (!wal_read(&t->wal, s->image, s->file->now_n, &room->scratch, e))
		return false;
	*text = buf_str(&room->scratch);
	return text->n == s->file->now_n || err_set(e, ERR_IO, "the journal was truncated");
}

static struct str *room_for_pieces(struct txn_room *room, size_t n)
{
	room->piece = mem_grow(room->piece, &room->piece_cap, n, sizeof(*room->piece));
	return room->piece;
}

bool step_pieces(struct txn *t, struct txn_room *room, struct txn_step *s, const struct str **piece,
		 size_t *n, struct err *e)
{
	const struct txn_file *f = s->file;
	struct str text = f->was, *made;

	*piece = &f->now;
	*n = 1;
	if (!f->edits)
		return true;
	if (!text.p && s->image) {
		*piece = made = room_for_pieces(room, 1);
		return from_journal(t, room, s, made, e);
	}
	if (!text.p && (s->way == STEP_INSIDE || s->way == STEP_EDITOR)) {
		text = buf_str(&s->old);
	} else if (!text.p) {
		if (!step_read_old(t, s, &room->scratch, e))
			return false;
		text = buf_str(&room->scratch);
	}
	*n = edits_pieces(f->edits);
	*piece = made = room_for_pieces(room, *n);
	edits_lay_out(f->edits, text, made);
	return true;
}

struct str pieces_joined(struct txn_room *room, const struct str *piece, size_t n)
{
	if (n == 1)
		return *piece;
	buf_clear(&room->joined);
	for (size_t i = 0; i < n; i++)
		buf_add(&room->joined, piece[i]);
	return buf_str(&room->joined);
}

bool step_text(struct txn *t, struct txn_step *s, struct str *text, struct err *e)
{
	struct txn_room *room = &t->texts[0];
	const struct str *piece;
	size_t n;

	if (!step_pieces(t, room, s, &piece, &n, e))
		return false;
	*text = pieces_joined(room, piece, n);
	return true;
}

void room_release(struct txn_room *room)
{
	buf_release(&room->scratch);
	buf_release(&room->joined);
	free(room->piece);
}
