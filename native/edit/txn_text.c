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
static bool from_journal(struct txn *t, struct txn_step *s, struct str *text, struct err *e)
{
	buf_clear(&t->scratch);
	if (!wal_read(&t->wal, s->image, s->file->now_n, &t->scratch, e))
		return false;
	*text = buf_str(&t->scratch);
	return text->n == s->file->now_n || err_set(e, ERR_IO, "the journal was truncated");
}

static void lay_out(struct txn *t, const struct edits *set, struct str old)
{
	t->piece = mem_grow(t->piece, &t->piece_cap, edits_pieces(set), sizeof(*t->piece));
	edits_lay_out(set, old, t->piece);
}

bool step_pieces(struct txn *t, struct txn_step *s, const struct str **piece, size_t *n,
		 struct err *e)
{
	const struct txn_file *f = s->file;
	struct str text = f->was;

	*piece = &f->now;
	*n = 1;
	if (!f->edits)
		return true;
	if (!text.p && s->image) {
		t->piece = mem_grow(t->piece, &t->piece_cap, 1, sizeof(*t->piece));
		*piece = t->piece;
		return from_journal(t, s, t->piece, e);
	}
	if (!text.p && (s->way == STEP_INSIDE || s->way == STEP_EDITOR)) {
		text = buf_str(&s->old);
	} else if (!text.p) {
		if (!step_read_old(t, s, &t->scratch, e))
			return false;
		text = buf_str(&t->scratch);
	}
	lay_out(t, f->edits, text);
	*piece = t->piece;
	*n = edits_pieces(f->edits);
	return true;
}

bool step_text(struct txn *t, struct txn_step *s, struct str *text, struct err *e)
{
	const struct str *piece;
	size_t n;

	if (!step_pieces(t, s, &piece, &n, e))
		return false;
	*text = *piece;
	if (n == 1)
		return true;
	buf_clear(&t->joined);
	for (size_t i = 0; i < n; i++)
		buf_add(&t->joined, piece[i]);
	*text = buf_str(&t->joined);
	return true;
}
