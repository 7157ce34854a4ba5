#include "pos.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../base/utf.h"
#include "edit.h"
#include "line_ends.h"

static void start_line(struct line_table *t, size_t at)
{
	mem_add(t->at, t->n, t->cap, at);
}

/* Starts a line behind each CR in [at, end); the one that belongs to a CRLF is not among them. */
static void split_at_cr(struct line_table *t, struct str text, size_t at, size_t end)
{
	const char *cr;

	while (at < end && (cr = memchr(text.p + at, '\r', end - at))) {
		at = (size_t)(cr - text.p) + 1;
		start_line(t, at);
	}
}

/* Starts a line behind each LF of whole blocks from `at` on; returns how far they go. */
static size_t split_blocks(struct line_table *t, struct str text, size_t at)
{
	for (; text.n - at >= LINE_BLOCK; at += LINE_BLOCK) {
		uint64_t ends = line_ends(text.p + at);

		t->at = mem_grow(t->at, &t->cap, t->n + LINE_BLOCK, sizeof(*t->at));
		for (; ends; ends &= ends - 1)
			t->at[t->n++] = at + (size_t)__builtin_ctzll(ends) + 1;
	}
	return at;
}

void lines_init(struct line_table *t, struct str text, enum line_rule rule)
{
	size_t at = str_starts(text, STR("\xef\xbb\xbf")) ? 3 : 0;
	bool cr = rule == LINES_LSP && text.n && memchr(text.p, '\r', text.n);

	*t = (struct line_table){ 0 };
	start_line(t, at);
	if (!cr)
		at = split_blocks(t, text, at);
	while (at < text.n) {
		const char *lf = memchr(text.p + at, '\n', text.n - at);
		size_t end = lf ? (size_t)(lf - text.p) : text.n;

		if (cr)
			split_at_cr(t, text, at, end - (lf && end > at && lf[-1] == '\r'));
		if (!lf)
			break;
		at = end + 1;
		start_line(t, at);
	}
}

/* The first line that starts at this byte or behind it. */
static size_t first_from(const struct line_table *t, size_t byte)
{
	size_t line = lines_find(t, byte);

	return t->at[line] < byte ? line + 1 : line;
}

/* Reads which of the bytes [at, end] start a line; the first byte of the text is not asked for. */
static void read_starts(struct line_table *t, struct str text, enum line_rule rule, size_t at,
			size_t end)
{
	for (; at <= end; at++) {
		char c = text.p[at - 1];

		if (c == '\n' ||
		    (c == '\r' && rule == LINES_LSP && (at == text.n || text.p[at] != '\n')))
			start_line(t, at);
	}
}

/*
 * Whether a line starts at a byte depends on the byte before and, after a CR, on the byte itself.
 * So starts before the splice stay, those from one byte behind it move, and only what is between
 * has to be read.
 */
void lines_splice(struct line_table *t, struct str text, enum line_rule rule, struct span was,
		  size_t with_n)
{
	struct line_table mid SCOPED(lines_release) = { 0 };
	size_t keep, tail, tail_n;

	if (was.at <= 3) { /* what it begins with decides about the byte order mark */
		lines_release(t);
		lines_init(t, text, rule);
		return;
	}
	read_starts(&mid, text, rule, was.at, was.at + with_n);
	keep = first_from(t, was.at);
	tail = first_from(t, was.end + 1);
	tail_n = t->n - tail;
	t->at = mem_grow(t->at, &t->cap, keep + mid.n + tail_n, sizeof(*t->at));
	memmove(t->at + keep + mid.n, t->at + tail, tail_n * sizeof(*t->at));
	if (mid.n)
		memcpy(t->at + keep, mid.at, mid.n * sizeof(*t->at));
	t->n = keep + mid.n + tail_n;
	for (size_t i = keep + mid.n; i < t->n; i++)
		t->at[i] += with_n - (was.end - was.at);
}

void lines_edit(struct line_table *t, struct str text, enum line_rule rule, const struct edits *set)
{
	struct line_table out = { 0 };
	size_t line = 1, next = 1; /* the first line, and the first byte, that is not decided yet */
	size_t moved = 0;

	if (t->at[0] || str_starts(text, STR("\xef\xbb\xbf"))) {
		lines_release(t);
		lines_init(t, text, rule);
		return;
	}
	out.at = mem_grow(NULL, &out.cap, t->n, sizeof(*out.at));
	start_line(&out, 0);
	for (size_t i = 0; i < set->n; i++) {
		const struct edit *e = &set->v[i];
		size_t end = e->new_at + e->with.n;

		for (; line < t->n && t->at[line] < e->span.at; line++)
			start_line(&out, t->at[line] + moved);
		while (line < t->n && t->at[line] <= e->span.end)
			line++;
		read_starts(&out, text, rule, e->new_at > next ? e->new_at : next, end);
		next = end + 1;
		moved = end - e->span.end;
	}
	for (; line < t->n; line++)
		start_line(&out, t->at[line] + moved);
	lines_release(t);
	*t = out;
}

void lines_release(struct line_table *t)
{
	free(t->at);
	*t = (struct line_table){ 0 };
}

size_t lines_find(const struct line_table *t, size_t byte)
{
	size_t low = 0, high = t->n; /* the line is in [low, high) */

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (t->at[mid] <= byte)
			low = mid;
		else
			high = mid;
	}
	return low;
}

struct span lines_span(const struct line_table *t, struct str text, size_t line)
{
	struct span s = { t->at[line], text.n };

	if (line + 1 == t->n)
		return s;
	s.end = t->at[line + 1] - 1;
	if (text.p[s.end] == '\n' && s.end > s.at && text.p[s.end - 1] == '\r')
		s.end--;
	return s;
}

static size_t units(struct utf u, enum pos_enc enc)
{
	if (enc == POS_UTF8)
		return u.ok ? u.n : sizeof(UTF_BAD) - 1;
	return enc == POS_UTF16 && u.code > 0xffff ? 2 : 1;
}

size_t pos_to_byte(const struct line_table *t, struct str text, struct pos pos, enum pos_enc enc)
{
	size_t left = pos.col;
	struct span s;

	if (pos.line >= t->n)
		return text.n;
	s = lines_span(t, text, pos.line);
	while (left && s.at < s.end) {
		size_t run = utf_ascii(text.p + s.at, left < s.end - s.at ? left : s.end - s.at);
		struct utf u;
		size_t n;

		s.at += run;
		left -= run;
		if (!left || s.at == s.end)
			break;
		u = utf_at(text, s.at);
		n = units(u, enc);
		if (n > left)
			break;
		s.at += u.n;
		left -= n;
	}
	return s.at;
}

struct pos pos_from_byte(const struct line_table *t, struct str text, size_t byte, enum pos_enc enc)
{
	size_t line = lines_find(t, byte), col = 0;
	struct span s = lines_span(t, text, line);

	if (byte < s.end)
		s.end = byte;
	while (s.at < s.end) {
		size_t run = utf_ascii(text.p + s.at, s.end - s.at);
		struct utf u;

		s.at += run;
		col += run;
		if (s.at == s.end)
			break;
		u = utf_at(text, s.at);
		if (u.n > s.end - s.at)
			break;
		s.at += u.n;
		col += units(u, enc);
	}
	return (struct pos){ (uint32_t)line, (uint32_t)col };
}
