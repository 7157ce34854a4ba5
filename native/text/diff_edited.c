#include "diff.h"

/* A diff of two texts of which the edits between them are known. */

struct walk {
	struct str old_text, new_text;
	const struct edit *v;
	size_t n, i;		/* edits, and the next one */
	size_t at, line;	/* a byte of the old text, and its line from 0 */
	ptrdiff_t bytes, grown; /* what is put in so far, less what is taken away; lines likewise */
};

static size_t line_start(struct str text, size_t at)
{
	const char *lf = at ? memrchr(text.p, '\n', at) : NULL;

	return lf ? (size_t)(lf - text.p) + 1 : 0;
}

static size_t line_end(struct str text, size_t at)
{
	const char *lf = at < text.n ? memchr(text.p + at, '\n', text.n - at) : NULL;

	return lf ? (size_t)(lf - text.p) + 1 : text.n;
}

static bool starts_line(struct str text, size_t at)
{
	return !at || text.p[at - 1] == '\n';
}

static size_t count_lines(struct str text)
{
	return str_count(text, '\n') + (text.n && text.p[text.n - 1] != '\n');
}

/* The whole lines that the next edits touch, in both texts: as many edits as have no untouched
 * line between them. */
static void next_lines(struct walk *w, struct span *old_bytes, struct span *new_bytes)
{
	size_t start = line_start(w->old_text, w->v[w->i].span.at), end;

	*old_bytes = (struct span){ start, start };
	new_bytes->at = (size_t)((ptrdiff_t)start + w->bytes);
	do {
		const struct edit *e = &w->v[w->i];

		end = e->span.end;
		w->bytes = (ptrdiff_t)(e->new_at + e->with.n) - (ptrdiff_t)end;
		if (!starts_line(w->old_text, end) ||
		    !starts_line(w->new_text, e->new_at + e->with.n))
			end = line_end(w->old_text, end);
	} while (++w->i < w->n && line_start(w->old_text, w->v[w->i].span.at) <= end);
	old_bytes->end = end;
	new_bytes->end = (size_t)((ptrdiff_t)end + w->bytes);
}

static void shift(struct diff_hunk *h, const struct walk *w, size_t old_at, size_t new_at)
{
	h->old_at += w->line;
	h->new_at += (size_t)((ptrdiff_t)w->line + w->grown);
	h->old_bytes.at += old_at;
	h->old_bytes.end += old_at;
	h->new_bytes.at += new_at;
	h->new_bytes.end += new_at;
}

void diff_edited(struct diff *d, struct str old_text, struct str new_text, const struct edits *set)
{
	struct walk w = { .old_text = old_text, .new_text = new_text, .v = set->v, .n = set->n };

	*d = (struct diff){ 0 };
	while (w.i < w.n) {
		struct span a, b;
		struct str old_part, new_part;
		struct diff part;
		size_t lines;

		next_lines(&w, &a, &b);
		old_part = str_sub(old_text, a.at, a.end);
		new_part = str_sub(new_text, b.at, b.end);
		w.line += str_count(str_sub(old_text, w.at, a.at), '\n');
		diff_lines(&part, old_part, new_part);
		for (size_t i = 0; i < part.n; i++) {
			shift(&part.v[i], &w, a.at, b.at);
			diff_add(d, part.v[i]);
		}
		diff_release(&part);
		lines = count_lines(old_part);
		w.line += lines;
		w.grown += (ptrdiff_t)count_lines(new_part) - (ptrdiff_t)lines;
		w.at = a.end;
	}
	diff_slide(d, old_text, new_text);
}
