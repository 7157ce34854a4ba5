#include "reader_impl.h"

#include "../base/utf.h"

#define READER_ROOM (4 * (size_t)READER_TEXT) /* so much of a string, and it is cut */

void reader_line_release(struct reader_line *l)
{
	size_t most = l->most;

	buf_release(&l->text);
	*l = (struct reader_line){ .most = most };
}

static bool is_surrogate(struct str s, char first, const char *second)
{
	return s.n > 3 && s.p[0] == '\\' && s.p[1] == 'u' && (s.p[2] | 0x20) == first &&
	       str_any(second, (char)(s.p[3] | 0x20));
}

/* Bytes of the first character of a string in JSON, its escapes in one piece. */
static size_t json_unit(struct str s)
{
	size_t n = s.p[0] != '\\' ? utf_at(s, 0).n : s.n > 1 && s.p[1] == 'u' ? 6 : 2;

	if (n == 6 && s.n > 6 && is_surrogate(s, 'd', "89ab") &&
	    is_surrogate(str_sub(s, 6, s.n), 'd', "cdef"))
		n = 12;
	return n > s.n ? s.n : n;
}

/* The first place from `at` on, which begins a character, that is not before `least`. */
static size_t next_unit(const struct buf *b, size_t at, size_t least)
{
	while (at < least)
		at += json_unit(str_sub(buf_str(b), at, b->n));
	return at;
}

/* The string has got long: what is behind its head and before its end goes. */
static void drop_middle(struct reader_line *l)
{
	struct buf *b = &l->text;
	size_t tail;

	if (!l->head)
		l->head = next_unit(b, l->begin, l->begin + READER_TEXT / 2);
	tail = next_unit(b, l->head, b->n - READER_TEXT / 2);
	memmove(b->p + l->head, b->p + tail, b->n - tail);
	l->left_out += tail - l->head;
	b->n -= tail - l->head;
	buf_end(b);
}

static void end_string(struct reader_line *l)
{
	struct buf note = BUF_INIT;
	struct str tail;

	if (l->left_out) {
		drop_middle(l);
		tail = str_sub(buf_str(&l->text), l->head, l->text.n);
		buf_addf(&note, "\\n[... %zu bytes left out ...]\\n", l->left_out);
		buf_add(&note, tail);
		l->text.n = l->head;
		buf_add(&l->text, buf_str(&note));
		buf_release(&note);
	}
	l->inside = false;
	l->left_out = l->head = 0;
}

/* How many bytes of `s` go on in the same way: up to a quote, or to what a backslash begins. */
static size_t same_way(const struct reader_line *l, struct str s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] != '"' && !(l->inside && s.p[n] == '\\'))
		n++;
	return n;
}

static void add_byte(struct reader_line *l, char c)
{
	if (l->escaped) {
		l->escaped = false;
	} else if (l->inside && c == '\\') {
		l->escaped = true;
	} else if (l->inside) {
		end_string(l);
	} else {
		l->inside = true;
		l->begin = l->text.n + 1;
	}
	buf_addc(&l->text, c);
}

static void add_part(struct reader_line *l, struct str s)
{
	while (s.n && !l->skipping) {
		size_t n = l->escaped ? 0 : same_way(l, s);

		n = n > READER_TEXT ? READER_TEXT : n;
		buf_add(&l->text, str_sub(s, 0, n));
		s = str_sub(s, n, s.n);
		if (s.n && n < READER_TEXT && (l->escaped || same_way(l, s) == 0)) {
			add_byte(l, *s.p);
			s = str_sub(s, 1, s.n);
		}
		if (l->inside && !l->escaped && l->text.n - l->begin > READER_ROOM)
			drop_middle(l);
		l->skipping = l->text.n > l->most + READER_ROOM;
	}
}

static bool give_line(struct reader_line *l, struct str *line)
{
	bool skipped = l->skipping || l->text.n > l->most;

	if (l->inside)
		end_string(l);
	l->given = true;
	*line = buf_str(&l->text);
	return !skipped;
}

static void begin_line(struct reader_line *l)
{
	if (!l->given)
		return;
	if (l->text.cap > READER_ROOM)
		buf_release(&l->text);
	else
		buf_clear(&l->text);
	l->given = l->skipping = l->inside = l->escaped = false;
}

bool reader_line_take(struct reader_line *l, struct str *bytes, struct str *line)
{
	begin_line(l);
	while (bytes->n) {
		const char *lf = memchr(bytes->p, '\n', bytes->n);
		size_t n = lf ? (size_t)(lf - bytes->p) : bytes->n;

		add_part(l, str_sub(*bytes, 0, n));
		*bytes = str_sub(*bytes, n + (lf != NULL), bytes->n);
		if (lf && give_line(l, line))
			return true;
		begin_line(l);
	}
	return false;
}

bool reader_line_last(struct reader_line *l, struct str *line)
{
	begin_line(l);
	return l->text.n && give_line(l, line);
}
