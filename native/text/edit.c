#include "edit.h"

#include <stdlib.h>

#include "../base/err.h"
#include "../base/mem.h"
#include "diff.h"

static void edit_push(struct edits *set, struct edit e)
{
	mem_add(set->v, set->n, set->cap, e);
}

void edits_add(struct edits *set, struct span span, struct str with, int tag)
{
	edits_lend(set, span, with.n ? arena_str(&set->texts, with) : STR(""), tag);
}

void edits_lend(struct edits *set, struct span span, struct str with, int tag)
{
	edit_push(set, (struct edit){ span, with, tag, 0 });
	set->checked = false;
}

static bool goes_before(const struct edit *a, const struct edit *b)
{
	return a->span.at < b->span.at || (a->span.at == b->span.at && a->span.end < b->span.end);
}

static bool sorted(const struct edit *v, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (goes_before(&v[i], &v[i - 1]))
			return false;
	return true;
}

/* Merges the neighbours [0, half) and [half, n) of `from` into `to`; equals keep their order. */
static void merge(struct edit *to, const struct edit *from, size_t half, size_t n)
{
	size_t a = 0, b = half;

	for (size_t i = 0; i < n; i++)
		if (a == half || (b < n && goes_before(&from[b], &from[a])))
			to[i] = from[b++];
		else
			to[i] = from[a++];
}

/* qsort() may change the order of equals, and that of insertions at one place has a meaning. */
static void sort(struct edits *set)
{
	struct edit *from = set->v, *to SCOPED(mem_release) = NULL, *swap;
	size_t n = set->n;

	if (sorted(from, n))
		return;
	to = mem_new(n * sizeof(*to));
	for (size_t width = 1; width < n; width *= 2) {
		for (size_t at = 0; at < n; at += 2 * width) {
			size_t both = n - at < 2 * width ? n - at : 2 * width;

			merge(to + at, from + at, both < width ? both : width, both);
		}
		swap = from;
		from = to;
		to = swap;
	}
	set->v = from;
	set->cap = n;
}

/* Finds where each replacement begins in the result. */
static void edit_number(struct edits *set)
{
	size_t kept = 0, at = 0;

	for (size_t i = 0; i < set->n; i++) {
		struct edit *e = &set->v[i];

		at += e->span.at - kept;
		e->new_at = at;
		at += e->with.n;
		kept = e->span.end;
	}
}

bool edits_check(struct edits *set, size_t text_len, struct edit_clash *why)
{
	size_t far = 0; /* the edit that reaches furthest so far */

	sort(set);
	for (size_t i = 0; i < set->n; i++) {
		const struct edit *e = &set->v[i];

		if (e->span.at > e->span.end || e->span.end > text_len)
			BUG("edit of bytes %zu to %zu in a text of %zu", e->span.at, e->span.end,
			    text_len);
		if (i && e->span.at < set->v[far].span.end) {
			*why = (struct edit_clash){ set->v[far].tag, e->tag };
			return false;
		}
		if (e->span.end >= set->v[far].span.end)
			far = i;
	}
	edit_number(set);
	set->checked = true;
	return true;
}

static void must_be_checked(const struct edits *set)
{
	if (!set->checked)
		BUG("a set of %zu edits that was not checked", set->n);
}

size_t edits_result(const struct edits *set, size_t text_len)
{
	const struct edit *last = set->n ? &set->v[set->n - 1] : NULL;

	must_be_checked(set);
	return last ? last->new_at + last->with.n + (text_len - last->span.end) : text_len;
}

void edits_lay_out(const struct edits *set, struct str text, struct str *piece)
{
	size_t kept = 0;

	must_be_checked(set);
	for (size_t i = 0; i < set->n; i++) {
		const struct edit *e = &set->v[i];

		*piece++ = str_sub(text, kept, e->span.at);
		*piece++ = e->with;
		kept = e->span.end;
	}
	*piece = str_sub(text, kept, text.n);
}

void edits_apply(const struct edits *set, struct str text, struct buf *out)
{
	size_t kept = 0;

	buf_room(out, edits_result(set, text.n));
	for (size_t i = 0; i < set->n; i++) {
		const struct edit *e = &set->v[i];

		buf_add(out, str_sub(text, kept, e->span.at));
		buf_add(out, e->with);
		kept = e->span.end;
	}
	buf_add(out, str_sub(text, kept, text.n));
}

/* What is kept before edit i, or behind the last one. */
static struct span kept_before(const struct edits *set, size_t i, size_t text_len)
{
	return (struct span){ i ? set->v[i - 1].span.end : 0,
			      i < set->n ? set->v[i].span.at : text_len };
}

static size_t kept_to(const struct edits *set, size_t i)
{
	return i ? set->v[i - 1].new_at + set->v[i - 1].with.n : 0;
}

/* Whether an edit puts in what is in the text itself. */
static bool takes_from(const struct edits *set, const struct buf *text)
{
	uintptr_t from = (uintptr_t)text->p, to = from + text->n;

	for (size_t i = 0; i < set->n; i++) {
		uintptr_t with = (uintptr_t)set->v[i].with.p;

		if (set->v[i].with.n && with >= from && with < to)
			return true;
	}
	return false;
}

/* What moves back goes first, from the first to the last, so that nothing is overwritten which has
 * still to move: all of it ends before what stays or moves on behind it. */
static void move_kept(const struct edits *set, struct buf *text)
{
	for (size_t i = 0; i <= set->n; i++) {
		struct span s = kept_before(set, i, text->n);

		if (kept_to(set, i) < s.at)
			memmove(text->p + kept_to(set, i), text->p + s.at, s.end - s.at);
	}
	for (size_t i = set->n + 1; i > 0; i--) {
		struct span s = kept_before(set, i - 1, text->n);

		if (kept_to(set, i - 1) > s.at)
			memmove(text->p + kept_to(set, i - 1), text->p + s.at, s.end - s.at);
	}
}

void edits_carry_out(const struct edits *set, struct buf *text)
{
	size_t n = edits_result(set, text->n);
	struct buf made = BUF_INIT;

	if (takes_from(set, text)) {
		edits_apply(set, buf_str(text), &made);
		buf_release(text);
		*text = made;
		return;
	}
	buf_room(text, n > text->n ? n - text->n : 0);
	move_kept(set, text);
	for (size_t i = 0; i < set->n; i++)
		if (set->v[i].with.n)
			memcpy(text->p + set->v[i].new_at, set->v[i].with.p, set->v[i].with.n);
	text->n = n;
	buf_end(text);
}

/* Whether a cut at this byte would part a character or a CRLF. */
static bool edit_inside(struct str s, size_t at)
{
	return at && at < s.n && (str_inside(s.p[at]) || (s.p[at] == '\n' && s.p[at - 1] == '\r'));
}

static struct edit trimmed(struct str text, struct edit e)
{
	struct str old = str_sub(text, e.span.at, e.span.end);
	size_t n = str_common(old, e.with);

	while (n && (edit_inside(text, e.span.at + n) || edit_inside(e.with, n)))
		n--;
	e.span.at += n;
	e.with = str_sub(e.with, n, e.with.n);
	n = str_common_end(str_sub(old, n, old.n), e.with);
	while (n && (edit_inside(text, e.span.end - n) || edit_inside(e.with, e.with.n - n)))
		n--;
	e.span.end -= n;
	e.with.n -= n;
	return e;
}

static bool has_lf(struct str s)
{
	return s.n && memchr(s.p, '\n', s.n);
}

static void push_reduced(struct edits *out, struct str text, struct edit e)
{
	struct edit all = trimmed(text, e);
	struct str old = str_sub(text, all.span.at, all.span.end);
	struct diff d SCOPED(diff_release) = { 0 };

	if (!old.n && !all.with.n)
		return;
	if (!has_lf(old) || !has_lf(all.with)) {
		edit_push(out, all);
		return;
	}
	diff_lines(&d, str_sub(text, e.span.at, e.span.end), e.with);
	for (size_t i = 0; i < d.n; i++) {
		const struct diff_hunk *h = &d.v[i];
		struct edit part = e;

		part.span =
			(struct span){ e.span.at + h->old_bytes.at, e.span.at + h->old_bytes.end };
		part.with = str_sub(e.with, h->new_bytes.at, h->new_bytes.end);
		edit_push(out, trimmed(text, part));
	}
}

void edits_reduce(struct edits *set, struct str text)
{
	struct edits out = EDITS_INIT;

	must_be_checked(set);
	out.v = mem_grow(NULL, &out.cap, set->n, sizeof(*out.v));
	for (size_t i = 0; i < set->n; i++)
		push_reduced(&out, text, set->v[i]);
	/* What was cut off goes. */
	for (size_t i = 0; i < out.n; i++)
		out.v[i].with = arena_str(&out.texts, out.v[i].with);
	edits_release(set);
	*set = out;
	set->checked = true;
	edit_number(set);
}

void edits_invert(const struct edits *set, struct str text, struct edits *out)
{
	must_be_checked(set);
	if (out->n)
		BUG("inverting into a set that holds %zu edits", out->n);
	out->v = mem_grow(out->v, &out->cap, set->n, sizeof(*out->v));
	for (size_t i = 0; i < set->n; i++) {
		const struct edit *e = &set->v[i];

		edits_add(out, (struct span){ e->new_at, e->new_at + e->with.n },
			  str_sub(text, e->span.at, e->span.end), e->tag);
	}
	edit_number(out);
	out->checked = true;
}

/* The first edit that ends behind the byte. */
static size_t edits_behind(const struct edits *set, size_t byte)
{
	size_t low = 0, high = set->n;

	must_be_checked(set);
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (set->v[mid].span.end > byte)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

size_t edits_map(const struct edits *set, size_t old_byte)
{
	size_t low = edits_behind(set, old_byte);
	const struct edit *e;

	if (low < set->n && set->v[low].span.at <= old_byte)
		return set->v[low].new_at;
	if (!low)
		return old_byte;
	e = &set->v[low - 1];
	return e->new_at + e->with.n + (old_byte - e->span.end);
}

bool edits_keep(const struct edits *set, struct span old, struct span *now)
{
	size_t next = edits_behind(set, old.at);

	if (next < set->n && set->v[next].span.at < old.end)
		return false;
	now->at = edits_map(set, old.at);
	now->end = now->at + (old.end - old.at);
	return true;
}

void edits_release(struct edits *set)
{
	free(set->v);
	arena_release(&set->texts);
	*set = (struct edits)EDITS_INIT;
}
