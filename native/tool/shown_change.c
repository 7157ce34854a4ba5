#include "../base/hash.h"
#include "../base/mem.h"
#include "../text/diff.h"
#include "shown_texts_impl.h"

static size_t line_start_of(const struct line_table *t, struct str text, size_t line)
{
	return line < t->n ? t->at[line] : text.n;
}

/* For each line of the text before the change, where it is in one that was shown. */
static size_t *lines_shown(struct shown_texts *s, const struct view *v, struct str was, size_t *n)
{
	const struct alignment *al = view_align(s, v, was, hash_of(was));
	size_t *at = mem_new((al->m + 1) * sizeof(*at));

	*n = al->m;
	for (size_t i = 0; i <= al->m; i++)
		at[i] = ALIGN_NONE;
	for (size_t i = 0; i <= al->n; i++)
		if (al->to[i] != ALIGN_NONE)
			at[al->to[i]] = i;
	return at;
}

/* Where the hunk is in a text that was shown: it has the lines that are replaced, or the place
 * between two. Lines around it that the client knows nothing of do not matter. */
static bool place_hunk(const size_t *at, size_t n, const struct diff_hunk *h, size_t *place)
{
	size_t before, behind;

	if (h->old_at + h->old_n > n)
		return false;
	behind = at[h->old_at];
	before = h->old_at ? at[h->old_at - 1] : ALIGN_NONE;
	*place = behind == ALIGN_NONE ? before + 1 : behind;
	if (!h->old_n)
		return (before != ALIGN_NONE || behind != ALIGN_NONE) &&
		       (before == ALIGN_NONE || behind == ALIGN_NONE || before + 1 == behind);
	for (size_t i = 0; i < h->old_n; i++)
		if (at[h->old_at + i] == ALIGN_NONE || at[h->old_at + i] != behind + i)
			return false;
	return true;
}

/* The text as its client has to think that it is now: what was shown, with the change in it. False:
 * nobody can tell. The diff's places become those in there. */
static bool imagine(struct shown_texts *s, const struct view *v, const struct shown_change *c,
		    struct diff *d, struct buf *out)
{
	struct line_table lines SCOPED(lines_release) = { 0 };
	size_t n, *at SCOPED(mem_release) = lines_shown(s, v, *c->was, &n), end = 0, added = 0;
	struct str text = view_text(v);
	bool ok = true;

	lines_init(&lines, text, LINES_VIM);
	for (size_t i = 0; i < c->diff->n && ok; i++) {
		struct diff_hunk h = c->diff->v[i];
		size_t place = 0;

		ok = place_hunk(at, n, &h, &place) && place >= end;
		if (!ok)
			break;
		buf_add(out, str_sub(text, line_start_of(&lines, text, end),
				     line_start_of(&lines, text, place)));
		buf_add(out, str_sub(c->lines, h.new_bytes.at, h.new_bytes.end));
		h.old_at = place;
		h.new_at = place + added;
		added += h.new_n - h.old_n;
		end = place + h.old_n;
		diff_add(d, h);
	}
	if (ok)
		buf_add(out, str_sub(text, line_start_of(&lines, text, end), text.n));
	return ok;
}

/* Lines of the client's own, under numbers that no text had before for lines that are still there:
 * what it replaced has gone, and it knows that. */
static void note_replaced(struct shown_texts *s, const struct shown_file *f, struct view *v,
			  const struct view *base, const struct diff_hunk *h)
{
	struct str was = view_text(base);
	bool *doubt SCOPED(mem_release) = mem_new(h->new_n + 1);

	for (const struct view *old = f->v; old < v; old++) {
		size_t last = h->new_at + h->new_n;
		const struct alignment *al = view_align(s, old, was, base->hash);

		if (!old->counted && !view_touches(old, h->new_at + 1, last, s->clock))
			continue;
		for (size_t k = 0; k < h->new_n && h->new_at + k < al->n; k++) {
			size_t at = al->to[h->new_at + k];

			doubt[k] |=
				at == ALIGN_NONE || at < h->old_at || at >= h->old_at + h->old_n;
		}
	}
	for (size_t k = 0; k < h->new_n; k++)
		if (!doubt[k])
			view_add_range(s, v, h->new_at + k + 1, h->new_at + k + 1, true);
}

/* A line of a text, from 1, once the change is in it; of one that is changed, some line there. */
static size_t moved_line(const struct diff *d, size_t line)
{
	size_t shift = 0;

	for (size_t i = 0; i < d->n && d->v[i].old_at + d->v[i].old_n < line; i++)
		shift += d->v[i].new_n - d->v[i].old_n;
	return line + shift;
}

static void move_ranges(struct shown_texts *s, const struct view *from, struct view *to,
			const struct diff *d)
{
	for (size_t i = 0; i < from->ranges; i++) {
		size_t first = moved_line(d, from->range[i].first), last = from->range[i].last;

		if (last != SHOWN_END)
			last = moved_line(d, last) + 1;
		view_add_range(s, to, first, last > first ? last : first, false);
	}
}

/* Another text that the client may count lines in, after its change: view i with that in it. */
static bool count_on(struct shown_texts *s, struct shown_file *f, size_t i,
		     const struct shown_change *c)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;
	struct diff d SCOPED(diff_release) = { 0 };
	struct view *v;

	if (!c->was || !imagine(s, &f->v[i], c, &d, &text))
		return false;
	v = view_of_text(s, f, buf_str(&text));
	f->v[i].left = true;
	v->left = false;
	v->counted |= f->v[i].counted;
	for (size_t k = 0; k < d.n && f->v[i].counted; k++)
		note_replaced(s, f, v, &f->v[i], &d.v[k]);
	if (!f->v[i].counted && v != &f->v[i])
		move_ranges(s, &f->v[i], v, &d);
	return true;
}

static bool count_all_on(struct shown_texts *s, struct shown_file *f, const struct shown_change *c)
{
	size_t n = f->n;

	for (int counted = 1; counted >= 0; counted--)
		for (size_t i = n; i--;)
			if (f->v[i].counted == counted && !f->v[i].left && !count_on(s, f, i, c))
				return false;
	return true;
}

void shown_give_all_up(struct shown_texts *s, struct shown_file *f)
{
	while (f->n)
		view_give_up(s, f, 0);
	f->touched = s->clock;
	f->forgotten = true;
	f->given_up = 0;
}

void shown_texts_changed(struct shown_texts *s, const char *path, const struct shown_change *c)
{
	struct shown_file *f = shown_file_of(s, path);
	const struct diff *d = c->diff;

	f->touched = ++s->clock;
	if (!count_all_on(s, f, c))
		shown_give_all_up(s, f);
	for (size_t i = 0; i < d->n; i++) {
		size_t first =
			d->v[i].new_at < DIFF_CONTEXT ? 1 : d->v[i].new_at + 1 - DIFF_CONTEXT;

		shown_note_answer(s, f, c->now, first,
				  d->v[i].new_at + d->v[i].new_n + DIFF_CONTEXT);
	}
	shown_keep_to_size(s, f);
}
