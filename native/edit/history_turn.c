#include <stdlib.h>

#include "../base/mem.h"
#include "history_impl.h"

/* The transactions of one turn, the oldest first. */
struct turn_entry {
	struct record r;
	struct buf raw;
};

struct turn_entries {
	struct turn_entry *v;
	size_t n, cap;
	struct arena arena;
};

static void turn_entries_release(struct turn_entries *t)
{
	for (size_t i = 0; i < t->n; i++)
		buf_release(&t->v[i].raw);
	free(t->v);
	arena_release(&t->arena);
}

void history_turn_release(struct history_turn *t)
{
	buf_release(&t->turn);
	buf_release(&t->title);
	buf_release(&t->ids);
	json_free(t->clashes);
	*t = (struct history_turn){ 0 };
}

/* The turn that a slot is a part of; "": none. */
static void turn_of(struct history *h, const struct slot *s, const char *root, struct buf *turn)
{
	struct arena a SCOPED(arena_release) = { 0 };
	struct buf raw SCOPED(buf_release) = BUF_INIT;
	struct record r;

	buf_clear(turn);
	if (slot_is_of(s, root) && slot_read(h, s, root, &raw, &r, &a))
		buf_add(turn, r.entry.turn);
}

/* Which turn is meant where none is named. */
enum turn_choice {
	TURN_LAST,
	TURN_LAST_DONE,
	TURN_FIRST_UNDONE, /* of those behind the last that is done */
};

static void choose_turn(struct history *h, const struct slots *s, const char *root,
			enum turn_choice choice, struct buf *turn)
{
	struct buf one SCOPED(buf_release) = BUF_INIT;

	for (size_t i = s->n; i--;) {
		bool done = !s->v[i].undone;

		turn_of(h, &s->v[i], root, &one);
		if (!one.n || (choice == TURN_LAST_DONE && !done))
			continue;
		if (choice == TURN_FIRST_UNDONE && done)
			break;
		buf_clear(turn);
		buf_add(turn, buf_str(&one));
		if (choice != TURN_FIRST_UNDONE)
			break;
	}
}

static void read_turn(struct history *h, const struct slots *s, const char *root, struct str turn,
		      struct turn_entries *t)
{
	for (size_t i = 0; i < s->n; i++) {
		struct turn_entry one = { .raw = BUF_INIT };

		if (!slot_is_of(&s->v[i], root) ||
		    !slot_read(h, &s->v[i], root, &one.raw, &one.r, &t->arena) ||
		    !str_eq(one.r.entry.turn, turn)) {
			buf_release(&one.raw);
			continue;
		}
		mem_add(t->v, t->n, t->cap, one);
	}
}

static bool find_turn(struct history *h, const char *root, struct str turn, enum turn_choice choice,
		      struct turn_entries *t, struct history_turn *out, struct err *e)
{
	struct slots s SCOPED(slots_release) = { 0 };
	bool ok = slots_read(h, &s, e);

	h->damaged = 0;
	buf_add(&out->turn, turn);
	if (ok && !turn.n)
		choose_turn(h, &s, root, choice, &out->turn);
	if (ok && out->turn.n)
		read_turn(h, &s, root, buf_str(&out->turn), t);
	if (!ok || !t->n)
		return ok &&
		       err_set(e, ERR_NOT_FOUND, "no turn%s%.*s of a model %s in %s",
			       turn.n ? " " : "", STR_ARG(turn),
			       choice == TURN_FIRST_UNDONE ? "to redo" : "has changed files", root);
	buf_add(&out->title, t->v[0].r.entry.title);
	return true;
}

static bool history_turn_step(struct turn_entries *t, const struct record *r, enum history_way way,
			      struct plan *p, json *clashes, struct err *e)
{
	struct record other;

	if (way == HISTORY_UNDO)
		return record_undo(r, p, clashes, e);
	return record_reverse(&other, r, &t->arena, e) && record_undo(&other, p, clashes, e);
}

static bool step_all(struct turn_entries *t, enum history_way way, struct plan *p,
		     struct history_turn *out, struct err *e)
{
	bool redo = way == HISTORY_REDO;

	out->clashes = json_array();
	for (size_t i = 0; i < t->n; i++) {
		const struct record *r = &t->v[redo ? i : t->n - 1 - i].r;

		if (r->entry.undone != redo)
			continue;
		if (!history_turn_step(t, r, way, p, out->clashes, e))
			return false;
		buf_add(&out->ids, r->entry.id);
		buf_addc(&out->ids, '\n');
	}
	return out->ids.n || err_set(e, ERR_CONFLICT, "turn %s is %s", out->turn.p,
				     redo ? "not undone" : "already undone");
}

bool history_turn(struct history *h, const char *root, struct str turn, enum history_way way,
		  struct plan *p, struct history_turn *out, struct err *e)
{
	struct turn_entries t SCOPED(turn_entries_release) = { 0 };

	return find_turn(h, root, turn, way == HISTORY_UNDO ? TURN_LAST_DONE : TURN_FIRST_UNDONE,
			 &t, out, e) &&
	       step_all(&t, way, p, out, e);
}

bool history_turn_diff(struct history *h, const char *root, struct str turn, struct buf *diff,
		       struct history_turn *out, struct err *e)
{
	struct turn_entries t SCOPED(turn_entries_release) = { 0 };
	bool ok = find_turn(h, root, turn, TURN_LAST, &t, out, e);

	for (size_t i = 0; ok && i < t.n; i++) {
		for (size_t k = 0; k < t.v[i].r.entry.files; k++)
			record_diff(&t.v[i].r, k, &t.arena, diff);
		buf_add(&out->ids, t.v[i].r.entry.id);
		buf_addc(&out->ids, '\n');
	}
	return ok;
}
