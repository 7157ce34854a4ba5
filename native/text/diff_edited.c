#include "../base/mem.h"
#include "diff.h"
#include "line.h"

/* A diff of a text and of what edits make of it, which is not there. */

struct walk {
	struct str text;
	const struct edit *v;
	size_t n, i;	 /* edits, and the next one */
	size_t at, line; /* a byte of the text, and its line from 0 */
	ptrdiff_t grown; /* lines put in so far, less those taken away */
	struct buf *lines;
};

static bool starts_line(struct str text, size_t at)
{
	return !at || text.p[at - 1] == '\n';
}

/* The whole lines that the next edits touch, as they are and as they will be: as many edits as have
 * no untouched line between them. */
static void next_lines(struct walk *w, struct span *was, struct span *now)
{
	size_t kept = line_start(w->text, w->v[w->i].span.at), end;

	was->at = kept;
	now->at = w->lines->n;
	do {
		const struct edit *e = &w->v[w->i];

		buf_add(w->lines, str_sub(w->text, kept, e->span.at));
		buf_add(w->lines, e->with);
		kept = end = e->span.end;
		if (!starts_line(w->text, end) ||
		    (w->lines->n > now->at && !starts_line(buf_str(w->lines), w->lines->n)))
			end = line_next(w->text, end);
	} while (++w->i < w->n && line_start(w->text, w->v[w->i].span.at) <= end);
	buf_add(w->lines, str_sub(w->text, kept, end));
	was->end = end;
	now->end = w->lines->n;
}

static bool is_line(struct str s)
{
	const char *lf = s.n ? memchr(s.p, '\n', s.n) : NULL;

	return s.n && (!lf || lf == s.p + s.n - 1);
}

static void diff_edited_compare(struct diff *part, struct str was, struct str now)
{
	*part = (struct diff){ 0 };
	if (!is_line(was) || !is_line(now))
		diff_lines(part, was, now);
	else if (!str_eq(was, now))
		diff_add(part, (struct diff_hunk){ 0, 1, 0, 1, { 0, was.n }, { 0, now.n } });
}

static void move_on(struct span *s, size_t by)
{
	s->at += by;
	s->end += by;
}

static void shift(struct diff_hunk *h, const struct walk *w, size_t old_at, size_t new_at)
{
	h->old_at += w->line;
	h->new_at += (size_t)((ptrdiff_t)w->line + w->grown);
	move_on(&h->old_bytes, old_at);
	move_on(&h->new_bytes, new_at);
}

void diff_edited(struct diff *d, struct str old_text, const struct edits *set, struct buf *lines)
{
	struct walk w = { .text = old_text, .v = set->v, .n = set->n, .lines = lines };

	*d = (struct diff){ 0 };
	d->v = mem_grow(NULL, &d->cap, set->n, sizeof(*d->v));
	while (w.i < w.n) {
		struct span a, b;
		struct str was, now;
		struct diff part SCOPED(diff_release) = { 0 };
		size_t n;

		next_lines(&w, &a, &b);
		was = str_sub(old_text, a.at, a.end);
		now = str_sub(buf_str(lines), b.at, b.end);
		w.line += str_count(str_sub(old_text, w.at, a.at), '\n');
		diff_edited_compare(&part, was, now);
		for (size_t i = 0; i < part.n; i++) {
			shift(&part.v[i], &w, a.at, b.at);
			diff_add(d, part.v[i]);
		}
		n = str_lines(was);
		w.line += n;
		w.grown += (ptrdiff_t)str_lines(now) - (ptrdiff_t)n;
		w.at = a.end;
	}
	diff_slide(d, old_text, buf_str(lines), lines->p);
}
