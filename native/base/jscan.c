#include "jscan.h"

#include <stdlib.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "utf.h"

static bool jscan_fail(struct jscan *s, const char *what)
{
	if (!s->bad)
		err_set(s->e, ERR_PROTOCOL, "JSON: %s at byte %zu of %zu", what,
			(size_t)(s->at - s->start), (size_t)(s->end - s->start));
	s->bad = true;
	return false;
}

static inline void blank(struct jscan *s)
{
	while (s->at < s->end &&
	       (*s->at == ' ' || *s->at == '\n' || *s->at == '\t' || *s->at == '\r'))
		s->at++;
}

static inline bool eat(struct jscan *s, char c)
{
	blank(s);
	if (s->bad || s->at == s->end || *s->at != c)
		return false;
	s->at++;
	return true;
}

struct jscan jscan_of(struct str text, struct err *e)
{
	return (struct jscan){ .start = text.p, .at = text.p, .end = text.p + text.n, .e = e };
}

struct jscan jscan_strict(struct str text, struct err *e)
{
	struct jscan s = jscan_of(text, e);

	s.strict = true;
	return s;
}

bool jscan_ok(const struct jscan *s)
{
	return !s->bad;
}

char jscan_peek(struct jscan *s)
{
	blank(s);
	if (s->bad || s->at == s->end)
		return 0;
	switch (*s->at) {
	case '{':
	case '[':
	case '"':
	case 't':
	case 'n':
		return *s->at;
	case 'f':
		return 't';
	default:
		return (*s->at >= '0' && *s->at <= '9') || *s->at == '-' ? '0' : 0;
	}
}

static bool enter(struct jscan *s, char c, const char *what)
{
	if (!eat(s, c))
		return jscan_fail(s, what);
	s->fresh = true;
	return true;
}

bool jscan_object(struct jscan *s)
{
	return enter(s, '{', "expected an object");
}

bool jscan_array(struct jscan *s)
{
	return enter(s, '[', "expected an array");
}

/* Steps to the next element of a list, or out of the list: then false. */
static bool next(struct jscan *s, char close)
{
	bool first = s->fresh;

	s->fresh = false;
	if (s->bad || eat(s, close))
		return false;
	if (!first && !eat(s, ','))
		return jscan_fail(s, "expected a comma or the end of the list");
	return true;
}

bool jscan_member(struct jscan *s, struct str *key)
{
	if (!next(s, '}'))
		return false;
	*key = jscan_quoted(s);
	if (!s->bad && !eat(s, ':'))
		return jscan_fail(s, "expected a colon");
	return !s->bad;
}

bool jscan_item(struct jscan *s)
{
	return next(s, ']');
}

/* Most strings are short; but texts of whole files come in strings, too. */
static const char *find_quote(const char *p, const char *end)
{
	const char *near = end - p > 32 ? p + 32 : end;

#ifdef __SSE2__
	for (; near - p >= 16; p += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
		int mask = _mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')));

		if (mask)
			return p + __builtin_ctz((unsigned)mask);
	}
#endif
	for (; p < near; p++)
		if (*p == '"')
			return p;
	return memchr(p, '"', (size_t)(end - p));
}

/* The quote that ends the string whose text starts at p; NULL when there is none. What is before a
 * quote decides. */
static const char *string_end(const char *p, const char *end)
{
	for (const char *quote = p; (quote = find_quote(quote, end)); quote++) {
		const char *plain = quote;

		while (plain > p && plain[-1] == '\\')
			plain--;
		if ((quote - plain) % 2 == 0)
			return quote;
	}
	return NULL;
}

struct str jscan_quoted(struct jscan *s)
{
	const char *start;

	if (!eat(s, '"')) {
		jscan_fail(s, "expected a string");
		return STR("");
	}
	start = s->at;
	s->at = string_end(start, s->end);
	if (!s->at) {
		s->at = s->end;
		jscan_fail(s, "unterminated string");
		return STR("");
	}
	return (struct str){ start, (size_t)(s->at++ - start) };
}

static int hex4(const char *p)
{
	int v = 0;

	for (int i = 0; i < 4; i++) {
		char c = p[i];
		int d = c >= '0' && c <= '9'   ? c - '0'
			: c >= 'a' && c <= 'f' ? c - 'a' + 10
			: c >= 'A' && c <= 'F' ? c - 'A' + 10
					       : -1;

		if (d < 0)
			return -1;
		v = v * 16 + d;
	}
	return v;
}

static bool has_nul(struct str s)
{
	return s.n && memchr(s.p, '\0', s.n);
}

static void refuse_nul(struct jscan *s)
{
	if (!s->bad)
		err_set(s->e, ERR_INVALID,
			"the JSON has a NUL in a string at byte %zu of %zu; write it as \\u0000",
			(size_t)(s->at - s->start), (size_t)(s->end - s->start));
	s->bad = true;
}

/* Decodes \uXXXX, and a second one where they are a pair. `at` is past the u; returns bytes used.
 */
static size_t put_hex(struct jscan *s, struct buf *out, struct str in, size_t at)
{
	int high = in.n - at >= 4 ? hex4(in.p + at) : -1, low = -1;

	if (high < 0) {
		jscan_fail(s, "a \\u escape needs four hexadecimal digits");
		return in.n - at;
	}
	if (high < 0xd800 || high > 0xdfff) {
		utf_put(out, (uint32_t)high);
		return 4;
	}
	if (high < 0xdc00 && in.n - at >= 10 && in.p[at + 4] == '\\' && in.p[at + 5] == 'u')
		low = hex4(in.p + at + 6);
	if (low < 0xdc00 || low > 0xdfff) {
		if (s->strict)
			jscan_fail(s, "a \\u escape is a lone surrogate");
		buf_adds(out, UTF_BAD);
		return 4;
	}
	utf_put(out, 0x10000u + ((uint32_t)(high - 0xd800) << 10) + (uint32_t)(low - 0xdc00));
	return 10;
}

static size_t put_escape(struct jscan *s, struct buf *out, struct str in, size_t at)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *hit = in.p[at] ? strchr(from, in.p[at]) : NULL;

	if (hit) {
		buf_addc(out, to[hit - from]);
		return 1;
	}
	if (in.p[at] == 'u')
		return 1 + put_hex(s, out, in, at + 1);
	jscan_fail(s, "unknown escape in a string");
	return in.n - at;
}

static bool decode(struct jscan *s, struct str in, struct buf *out)
{
	if (s->strict && has_nul(in))
		refuse_nul(s);
	for (size_t at = 0; at < in.n && !s->bad;) {
		const char *slash = memchr(in.p + at, '\\', in.n - at);
		size_t plain = slash ? (size_t)(slash - in.p) : in.n;

		buf_add(out, str_sub(in, at, plain));
		at = plain;
		if (slash)
			at += 1 + put_escape(s, out, in, at + 1);
	}
	return !s->bad;
}

bool jscan_str(struct jscan *s, struct buf *out)
{
	struct str in = jscan_quoted(s);

	return decode(s, in, out);
}

struct str jscan_decoded(struct jscan *s, struct str text, struct arena *a)
{
	struct buf plain = BUF_INIT;

	if (text.n && memchr(text.p, '\\', text.n)) {
		decode(s, text, &plain);
		text = arena_str(a, buf_str(&plain));
		buf_release(&plain);
	} else if (s->strict && has_nul(text)) {
		refuse_nul(s);
	}
	return s->bad ? STR("") : text;
}

struct str jscan_text(struct jscan *s, struct arena *a)
{
	return jscan_decoded(s, jscan_quoted(s), a);
}

static bool in_number(const struct jscan *s)
{
	return s->at < s->end && memchr("0123456789.eE+-", *s->at, 15);
}

int64_t jscan_int(struct jscan *s)
{
	bool minus;
	int64_t v = 0;
	const char *start;

	if (jscan_peek(s) != '0') {
		jscan_fail(s, "expected a number");
		return 0;
	}
	minus = eat(s, '-');
	for (start = s->at; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++)
		if (v > (INT64_MAX - 9) / 10) {
			jscan_fail(s, "number too large");
			return 0;
		} else {
			v = v * 10 + (*s->at - '0');
		}
	if (s->at == start)
		jscan_fail(s, "expected a number");
	while (in_number(s))
		s->at++;
	return minus ? -v : v;
}

double jscan_double(struct jscan *s)
{
	char digits[64] = "", *end;
	size_t n = 0;
	double v;

	if (jscan_peek(s) != '0') {
		jscan_fail(s, "expected a number");
		return 0;
	}
	for (; in_number(s) && n < sizeof(digits) - 1; s->at++)
		digits[n++] = *s->at;
	v = strtod(digits, &end);
	if (*end || in_number(s))
		jscan_fail(s, "unterminated number");
	return v;
}

static bool word(struct jscan *s, struct str w)
{
	struct str rest;

	blank(s);
	rest = (struct str){ s->at, (size_t)(s->end - s->at) };
	if (!str_starts(rest, w))
		return false;
	s->at += w.n;
	return true;
}

bool jscan_bool(struct jscan *s)
{
	if (s->bad)
		return false;
	if (word(s, STR("true")))
		return true;
	if (!word(s, STR("false")))
		jscan_fail(s, "expected true or false");
	return false;
}

enum kind { OTHER, BLANK, SEPARATOR, QUOTE, OPEN, CLOSE, NUMBER, WORD };

/* Also every byte that may be inside a number. */
static const unsigned char kind_of[256] = {
	[' '] = BLANK,	['\t'] = BLANK, ['\n'] = BLANK,	   ['\r'] = BLANK,    ['"'] = QUOTE,
	['{'] = OPEN,	['['] = OPEN,	['}'] = CLOSE,	   [']'] = CLOSE,     ['-'] = NUMBER,
	['0'] = NUMBER, ['1'] = NUMBER, ['2'] = NUMBER,	   ['3'] = NUMBER,    ['4'] = NUMBER,
	['5'] = NUMBER, ['6'] = NUMBER, ['7'] = NUMBER,	   ['8'] = NUMBER,    ['9'] = NUMBER,
	['t'] = WORD,	['f'] = WORD,	['n'] = WORD,	   ['.'] = NUMBER,    ['+'] = NUMBER,
	['E'] = NUMBER, ['e'] = NUMBER, [','] = SEPARATOR, [':'] = SEPARATOR,
};

static enum kind kind_at(const struct jscan *s)
{
	return s->at < s->end ? (enum kind)kind_of[(unsigned char)*s->at] : OTHER;
}

/* Past one string, number or word. */
static bool skip_plain(struct jscan *s, enum kind kind)
{
	if (kind == QUOTE) {
		const char *quote = string_end(s->at + 1, s->end);

		if (!quote)
			return jscan_fail(s, "unterminated string");
		s->at = quote + 1;
		return true;
	}
	if (kind == NUMBER && jscan_peek(s) == '0') {
		do
			s->at++;
		while (kind_at(s) == NUMBER);
		return true;
	}
	return (kind == WORD &&
		(word(s, STR("true")) || word(s, STR("false")) || word(s, STR("null")))) ||
	       jscan_fail(s, "expected a value");
}

bool jscan_skip(struct jscan *s)
{
	size_t depth = 0;

	if (s->bad)
		return false;
	blank(s);
	do {
		enum kind kind = kind_at(s);

		if (kind == OPEN || kind == CLOSE) {
			if (kind == CLOSE && !depth)
				return jscan_fail(s, "expected a value");
			depth += kind == OPEN ? 1 : (size_t)-1;
			s->at++;
		} else if (depth && (kind == BLANK || kind == SEPARATOR)) {
			s->at++;
		} else if (!skip_plain(s, kind)) {
			return false;
		}
	} while (depth);
	return true;
}

bool jscan_end(struct jscan *s)
{
	blank(s);
	return !s->bad && (s->at == s->end || jscan_fail(s, "unexpected text after the value"));
}

struct str jscan_raw(struct jscan *s)
{
	const char *start;

	blank(s);
	start = s->at;
	if (!jscan_skip(s))
		return STR("");
	return (struct str){ start, (size_t)(s->at - start) };
}
