#include "batch_impl.h"

/*
 * How the edits of a round move lines. They are looked at from the last to the first, so that all
 * before the one at hand is where it was.
 *
 * A line of which the beginning or the end is left is still that line, unless what is before it
 * joins it. The last line of a text may have no end: whether an edit is followed by anything, once
 * those behind it are made, decides whether what it puts in ends with a line of its own.
 */
bool batch_joins(const struct target *t, const struct edit *ed)
{
	size_t from = lines_find(&t->lines, ed->span.at), to = lines_find(&t->lines, ed->span.end);
	bool whole = ed->span.at <= t->lines.at[from] && !ed->with.n;

	return from < to && ed->span.end <= t->lines.at[to] && !whole &&
	       !str_ends(ed->with, STR("\n"));
}

struct splice {
	size_t at, removed, added;
};

static struct splice splice_of(const struct target *t, const struct edit *ed, bool by_line,
			       bool followed)
{
	size_t from = lines_find(&t->lines, ed->span.at), to = lines_find(&t->lines, ed->span.end);
	size_t ends = str_count(ed->with, '\n');
	bool closed = ed->with.n && ed->with.p[ed->with.n - 1] == '\n';
	bool begins_line = ed->span.at <= t->lines.at[from];
	bool before_line = ed->span.end <= t->lines.at[to];
	size_t open = ed->with.n && !closed && !followed; /* the last one, without an end */

	if (before_line && begins_line)
		return (struct splice){ from, to - from, ends + open };
	if (before_line && (closed || !followed))
		return (struct splice){ from + 1, to - from - 1, ends - closed };
	if (begins_line && by_line && ed->with.n) /* the last line, which has no end */
		return (struct splice){ from, to - from + 1, ends + 1 };
	if (before_line || followed)
		return (struct splice){ from + 1, to - from, ends };
	if (begins_line && !ed->with.n)
		return (struct splice){ from, to - from + 1, 0 };
	return (struct splice){ from + 1, to - from, ends - closed };
}

void batch_move_lines(const struct batch *b, struct target *t)
{
	size_t behind = t->base.n; /* the text that is behind all edits so far ends here */
	bool followed = false;

	for (size_t i = t->pending.n; i--;) {
		const struct edit *ed = &t->pending.v[i];
		struct splice s;

		followed = followed || ed->span.end < behind;
		s = splice_of(t, ed, operation_by_line(&b->ops->v[ed->tag]), followed);
		if (s.removed || s.added)
			linemap_splice(t->map, s.at, s.removed, s.added);
		followed = followed || ed->with.n;
		behind = ed->span.at;
	}
}

/* A text that is a byte order mark alone has no line, however it came to be. */
void batch_count_lines(struct target *t)
{
	size_t n = linemap_lines(t->map);

	if (n > t->n_lines)
		linemap_splice(t->map, t->n_lines, n - t->n_lines, 0);
	else if (n < t->n_lines)
		linemap_splice(t->map, n, 0, t->n_lines - n);
}
