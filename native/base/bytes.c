#include "bytes.h"

#include "utf.h"

static bool is_byte(uint32_t code)
{
	return code >= BYTES_FIRST + 0x80 && code <= BYTES_FIRST + 0xff;
}

/* How many bytes it begins with that need no second look: U+10FExx begins with an F4. */
static size_t plain_run(struct str s, bool *odd)
{
	size_t at = 0;

	*odd = false;
	while ((at += utf_ascii(s.p + at, s.n - at)) < s.n) {
		struct utf u = utf_at(s, at);

		*odd = !u.ok || is_byte(u.code);
		if (*odd)
			break;
		at += u.n;
	}
	return at;
}

void bytes_show(struct buf *out, struct str text)
{
	bool odd = true;

	while (text.n) {
		size_t n = plain_run(text, &odd);

		buf_add(out, str_sub(text, 0, n));
		text = str_sub(text, n, text.n);
		if (!odd)
			break;
		n = utf_at(text, 0).n;
		for (size_t i = 0; i < n; i++)
			utf_put(out, BYTES_FIRST + (unsigned char)text.p[i]);
		text = str_sub(text, n, text.n);
	}
}

static void mend_from(struct buf *out, size_t from, void (*fn)(struct buf *out, struct str text))
{
	struct buf odd SCOPED(buf_release) = BUF_INIT;

	buf_add(&odd, str_sub(buf_str(out), from, out->n));
	out->n = from;
	fn(out, buf_str(&odd));
}

void bytes_show_from(struct buf *out, size_t from)
{
	bool odd;

	plain_run(str_sub(buf_str(out), from, out->n), &odd);
	if (odd)
		mend_from(out, from, bytes_show);
}

static void blur(struct buf *out, struct str text)
{
	for (size_t at = 0; at < text.n;) {
		struct utf u = utf_at(text, at);

		buf_add(out, u.ok ? str_sub(text, at, at + u.n) : STR(UTF_BAD));
		at += u.n;
	}
}

void bytes_mend_from(struct buf *out, size_t from)
{
	if (!utf_clean(str_sub(buf_str(out), from, out->n)))
		mend_from(out, from, blur);
}

/* The code unit that an escape at the front of `s` names; -1: there is none. */
static int unit_at(struct str s)
{
	int v = 0;

	if (s.n < 6 || s.p[0] != '\\' || s.p[1] != 'u')
		return -1;
	for (int i = 2; i < 6; i++) {
		const char *digits = "0123456789abcdef", *hit;
		char c = s.p[i];

		hit = c ? strchr(digits, c >= 'A' && c <= 'F' ? c | 0x20 : c) : NULL;
		if (!hit)
			return -1;
		v = v * 16 + (int)(hit - digits);
	}
	return v;
}

/* How many bytes of JSON text, from a backslash on, are one escape or several that belong together;
 * *byte is what they show, or -1. */
static size_t escape_at(struct str s, int *byte)
{
	int first = unit_at(s), second = first >= 0 ? unit_at(str_sub(s, 6, s.n)) : -1;

	*byte = -1;
	if (first < 0)
		return s.n < 2 ? s.n : 2;
	if (first >= 0xd800 && first < 0xdc00 && second >= 0xdc00 && second < 0xe000) {
		if (first == 0xdbff && second >= 0xde80 && second <= 0xdeff)
			*byte = second & 0xff;
		return 12;
	}
	if (first >= 0xdc80 && first <= 0xdcff)
		*byte = first & 0xff;
	return 6;
}

/* How many bytes it begins with that are neither escapes nor beyond ASCII. */
static size_t run_of(struct str s, bool escapes)
{
	const char *slash = escapes ? memchr(s.p, '\\', s.n) : NULL;

	return utf_ascii(s.p, slash ? (size_t)(slash - s.p) : s.n);
}

static void read_in(struct buf *text, bool escapes)
{
	struct str s = buf_str(text);
	size_t to = 0, n;

	for (size_t at = 0; at < s.n; at += n) {
		struct str rest = str_sub(s, at, s.n);
		int byte = -1;

		n = run_of(rest, escapes);
		if (!n && rest.p[0] == '\\') {
			n = escape_at(rest, &byte);
		} else if (!n) {
			struct utf u = utf_at(rest, 0);

			n = u.n;
			byte = u.ok && is_byte(u.code) ? (int)(u.code & 0xff) : -1;
		}
		if (byte < 0)
			memmove(text->p + to, rest.p, n);
		else
			text->p[to] = (char)byte;
		to += byte < 0 ? n : 1;
	}
	text->n = to;
	buf_end(text);
}

/* Most texts, though they may be long, have nothing to read. Seeking the first byte takes a
 * fraction of what memmem() does. */
static bool bytes_has(const struct buf *text, const char what[2])
{
	const char *at = text->p, *end = text->n ? at + text->n : at;

	while (at < end && (at = memchr(at, what[0], (size_t)(end - at))))
		if (++at < end && *at == what[1])
			return true;
	return false;
}

void bytes_read(struct buf *text)
{
	if (bytes_has(text, "\xf4\x8f"))
		read_in(text, false);
}

void bytes_read_json(struct buf *text)
{
	if (bytes_has(text, "\xf4\x8f") || bytes_has(text, "\\u"))
		read_in(text, true);
}
