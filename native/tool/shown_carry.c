#include "../base/hash.h"
#include "../base/mem.h"
#include "../text/diff.h"
#include "../text/line_numbers.h"
#include "shown_texts_impl.h"

#define LINE_GONE    0
#define LINE_UNKNOWN SIZE_MAX /* the text has no such line */

static size_t last_of(const struct shown_lines *l)
{
	return l->line + (l->count ? l->count - 1 : 0);
}

/* What one number may mean, by all texts that it may be of. */
struct reading {
	size_t line;  /* of the present text */
	bool any;     /* there is such a text, with a line of that number */
	bool shown;   /* ... in which the line was shown: older ones are not meant */
	bool differ;  /* by two of them it is another line */
	bool gone;    /* by one of them the line is not there any more */
	bool unknown; /* one of them never had so many lines */
};

/* Where the line of that text is now; `before`: the place before it. */
static size_t shown_carry_line_now(const struct alignment *al, size_t line, bool before)
{
	if (!al) /* it is the present text */
		return line;
	if (line - 1 + !before > al->n)
		return LINE_UNKNOWN;
	return al->to[line - 1] + 1; /* ALIGN_NONE + 1 is 0 */
}

static void read_in(const struct view *v, const struct alignment *al, uint64_t moment, size_t line,
		    bool before, struct reading *r)
{
	size_t at;

	if (r->shown || (!v->counted && !view_touches(v, line, line, moment)))
		return;
	at = shown_carry_line_now(al, line, before);
	if (at == LINE_UNKNOWN) {
		r->unknown = true;
		return;
	}
	r->shown = view_covers(v, line, line, moment);
	r->gone |= at == LINE_GONE;
	r->differ |= r->any && r->line != at;
	r->any = true;
	r->line = at;
}

/* What the first of the numbers means if the others follow it. */
static struct reading read_together(const struct reading *r, size_t n)
{
	struct reading all = r[0];

	for (size_t k = 1; k < n; k++) {
		all.shown = all.shown && r[k].shown;
		all.differ |= r[k].differ;
		all.unknown |= r[k].unknown;
		all.gone |= r[k].gone || (r[k].any && all.any && r[k].line != all.line + k);
		all.differ |= r[k].any != all.any;
	}
	return all;
}

/* Of each line by itself, for a client may have read one here and the next there. */
static struct reading read_numbers(struct shown_texts *s, const struct shown_file *f,
				   uint64_t moment, struct str now, uint64_t hash,
				   const struct shown_lines *l)
{
	size_t n = last_of(l) - l->line + 1;
	struct reading *r SCOPED(mem_release) = mem_new(n * sizeof(*r));

	for (size_t i = f->n; i--;) {
		const struct view *v = &f->v[i];
		bool same = v->hash == hash;

		if (v->since > moment ||
		    (!v->counted && !view_touches(v, l->line, last_of(l), moment)))
			continue;
		for (size_t k = 0; k < n; k++)
			read_in(v, same ? NULL : view_align(s, v, now, hash), moment, l->line + k,
				!l->count, &r[k]);
	}
	return read_together(r, n);
}

static bool refuse(const struct shown_lines *l, const char *why, struct err *e)
{
	if (l->count > 1)
		return err_set(e, ERR_STALE, "lines %zu to %zu %s", l->line, last_of(l), why);
	return err_set(e, ERR_STALE, "line %zu %s", l->line, why);
}

#define NOT_KEPT                                                                                   \
	"may be another one now: the file has changed, and the text that you read is not kept "    \
	"any more; read it again"
#define PAST_END "is past the end of the text that you read; read it again"

bool shown_texts_carry(struct shown_texts *s, uint64_t moment, const char *path, struct str now,
		       struct shown_lines *l, struct err *e)
{
	const struct shown_file *f = map_get(&s->files, str_of(path));
	uint64_t hash = f ? hash_of(now) : 0;
	struct reading r;

	l->shown = false;
	if (!f)
		return !s->doubts || refuse(l, NOT_KEPT, e);
	if (l->count > now.n + 1)
		return (f->n && f->v[f->n - 1].hash == hash) || refuse(l, PAST_END, e);
	r = read_numbers(s, f, moment, now, hash, l);
	if (r.gone)
		return refuse(l, "changed after you read it; these are the present lines", e);
	if (!r.shown && f->forgotten && f->given_up != hash)
		return refuse(l, NOT_KEPT, e);
	if (r.differ || (r.any && !r.shown && r.line != l->line))
		return refuse(
			l,
			"may mean two different lines: the file changed between what you were "
			"shown of it; read it again, or give an edit its old text as `expect`",
			e);
	if (r.unknown && !r.any)
		return refuse(l, PAST_END, e);
	if (r.any)
		l->line = r.line;
	l->shown = r.shown;
	return true;
}

/* The text that the number was read in, as far as anybody can tell; NULL: none is kept. */
static const struct view *view_meant(const struct shown_file *f, uint64_t moment,
				     const struct shown_lines *l)
{
	const struct view *last = NULL;

	for (size_t i = f->n; i--;) {
		const struct view *v = &f->v[i];

		if (v->since > moment || !v->counted)
			continue;
		if (view_covers(v, l->line, last_of(l), moment))
			return v;
		last = last ? last : v;
	}
	return last;
}

/* The hunk that has the line, else the last one before it, else the first; d->n is not 0. */
static size_t hunk_near(const struct diff *d, size_t line)
{
	size_t at = 0;

	for (size_t i = 0; i < d->n && d->v[i].old_at <= line; i++)
		at = i;
	return at;
}

#define LINES_AROUND 3
#define LINES_SHOWN  60

static void put_lines(struct shown_texts *s, const char *path, struct str now, size_t first,
		      size_t last, json *into)
{
	struct shown_file *f = shown_file_of(s, path);
	struct buf out SCOPED(buf_release) = BUF_INIT;
	struct str rest = now, line;
	size_t from = now.n, end = now.n;

	first = first > LINES_AROUND ? first - LINES_AROUND : 1;
	last += LINES_AROUND;
	if (last - first >= LINES_SHOWN)
		last = first + LINES_SHOWN - 1;
	for (size_t n = 1, at = 0; str_line(&rest, &line); n++, at = now.n - rest.n) {
		if (n == first)
			from = at;
		if (n == last)
			end = now.n - rest.n;
	}
	if (from < end)
		number_lines(&out, str_sub(now, from, end), first);
	json_put(into, "lines", json_str(buf_str(&out)));
	s->clock++;
	shown_note_answer(s, f, now, first, last);
	shown_keep_to_size(s, f);
}

/* What has changed at the lines or before them, and in *l where they are now, or what is there. */
static void explain_change(const struct diff *d, const struct view *v, const char *name,
			   struct str now, struct shown_lines *l, struct buf *out)
{
	const struct diff_hunk *near = &d->v[hunk_near(d, l->line - 1)];
	struct diff_side was = { name, 0, view_text(v) }, is = { name, 0, now };
	struct diff part SCOPED(diff_release) = { 0 };
	size_t from, to = 0;

	do {
		from = to;
		to = diff_group(d, from, DIFF_CONTEXT);
	} while (d->v + to <= near);
	for (size_t i = from; i < to; i++)
		diff_add(&part, d->v[i]);
	diff_sides(out, &was, &is, &part, DIFF_CONTEXT);
	if (near->old_at + near->old_n >= l->line) {
		l->line = near->new_at + 1;
		l->count = near->new_n;
	} else if (l->line > near->old_at) {
		l->line += near->new_at + near->new_n;
		l->line -= near->old_at + near->old_n;
	}
}

void shown_texts_explain(struct shown_texts *s, uint64_t moment, const char *path, const char *name,
			 struct str now, const struct shown_lines *l, json *into)
{
	const struct shown_file *f = map_get(&s->files, str_of(path));
	const struct view *v = f ? view_meant(f, moment, l) : NULL;
	struct shown_lines at = *l;
	struct buf out SCOPED(buf_release) = BUF_INIT;
	struct diff d SCOPED(diff_release) = { 0 };

	if (v)
		diff_lines(&d, view_text(v), now);
	if (d.n)
		explain_change(&d, v, name, now, &at, &out);
	put_lines(s, path, now, at.line, last_of(&at), into);
	if (out.n)
		json_put(into, "changed", json_str(buf_str(&out)));
}
