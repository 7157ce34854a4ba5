#include <math.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "json_impl.h"

static bool json_print_is_plain(unsigned char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

/* How many bytes it begins with that stand for themselves in a JSON string: ASCII but for controls,
 * quotes and backslashes. Many at once, for strings that are whole files. */
static size_t json_plain_run(struct str s)
{
#ifdef __SSE2__
	const __m128i blank = _mm_set1_epi8(' '), del = _mm_set1_epi8(0x7f);
	const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
	size_t at = 0;

	for (; s.n - at >= sizeof(blank); at += sizeof(blank)) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)(s.p + at));
		/* a byte that is no ASCII is less than a blank, too */
		__m128i odd =
			_mm_or_si128(_mm_or_si128(_mm_cmplt_epi8(v, blank), _mm_cmpeq_epi8(v, del)),
				     _mm_or_si128(_mm_cmpeq_epi8(v, quote),
						  _mm_cmpeq_epi8(v, slash)));
		unsigned mask = (unsigned)_mm_movemask_epi8(odd);

		if (mask)
			return at + (size_t)__builtin_ctz(mask);
	}
#else
	const uint64_t ones = 0x0101010101010101u, high = ones * 0x80;
	uint64_t w, quote, slash;
	size_t at = 0;

	for (; s.n - at >= sizeof(w); at += sizeof(w)) {
		memcpy(&w, s.p + at, sizeof(w));
		quote = w ^ ones * '"';
		slash = w ^ ones * '\\';
		if ((w | (w + ones) | (w - ones * ' ') | (quote - ones) | (slash - ones)) & high)
			break;
	}
#endif
	while (at < s.n && json_print_is_plain((unsigned char)s.p[at]))
		at++;
	return at;
}

/* Where it is printed to; with fn, that gets each part that is long enough. */
struct printing {
	struct buf *out;
	json_part *fn;
	void *arg;
};

#define PART 65536

static void pass_on(struct printing *p, size_t from)
{
	if (!p->fn || p->out->n < from)
		return;
	p->fn(p->arg, buf_str(p->out));
	buf_clear(p->out);
}

static void quote_special(struct buf *out, unsigned char c)
{
	static const char short_form[] = { ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f',
					   ['\r'] = 'r', ['"'] = '"',  ['\\'] = '\\' };

	if (c < sizeof(short_form) && short_form[c]) {
		buf_addc(out, '\\');
		buf_addc(out, short_form[c]);
	} else {
		buf_addf(out, "\\u%04x", c);
	}
}

static void quote_bytes(struct buf *out, struct str s)
{
	size_t plain = 0; /* start of the bytes that can go out as they are */

	buf_room(out, s.n + s.n / 16 + 2);
	for (size_t at = json_plain_run(s); at < s.n; at += json_plain_run(str_sub(s, at, s.n))) {
		unsigned char c = (unsigned char)s.p[at];

		if (c < 0x80) {
			buf_add(out, str_sub(s, plain, at));
			quote_special(out, c);
			plain = at + 1;
		}
		at++;
	}
	buf_add(out, str_sub(s, plain, s.n));
}

static void print_string(struct printing *p, struct str s)
{
	buf_addc(p->out, '"');
	while (s.n) {
		size_t n = str_cut(s, PART).n;

		quote_bytes(p->out, str_sub(s, 0, n));
		pass_on(p, PART);
		s = str_sub(s, n, s.n);
	}
	buf_addc(p->out, '"');
}

static void print(struct printing *p, const json *v);

static void print_list(struct printing *p, const json *v, bool keys)
{
	buf_addc(p->out, keys ? '{' : '[');
	for (const json *c = v->child; c; c = c->next) {
		if (c != v->child)
			buf_addc(p->out, ',');
		if (keys) {
			print_string(p, str_of(c->string));
			buf_addc(p->out, ':');
		}
		print(p, c);
	}
	buf_addc(p->out, keys ? '}' : ']');
}

static void print_number(struct buf *out, double n)
{
	if (isnan(n) || isinf(n))
		buf_adds(out, "null");
	else if (n == floor(n) && fabs(n) < 9e15)
		buf_addf(out, "%lld", (long long)n);
	else
		buf_addf(out, "%.17g", n);
}

static void print(struct printing *p, const json *v)
{
	struct buf *out = p->out;

	if (cJSON_IsString(v))
		print_string(p, json_bytes(v));
	else if (cJSON_IsRaw(v))
		buf_add(out, json_bytes(v));
	else if (cJSON_IsNumber(v))
		print_number(out, v->valuedouble);
	else if (cJSON_IsBool(v))
		buf_adds(out, cJSON_IsTrue(v) ? "true" : "false");
	else if (cJSON_IsArray(v) || cJSON_IsObject(v))
		print_list(p, v, cJSON_IsObject(v));
	else
		buf_adds(out, "null");
	pass_on(p, PART);
}

void json_print(struct buf *out, const json *v)
{
	struct printing p = { .out = out };

	print(&p, v);
}

void json_stream(const json *v, json_part *fn, void *arg)
{
	struct buf part SCOPED(buf_release) = BUF_INIT;
	struct printing p = { &part, fn, arg };

	print(&p, v);
	pass_on(&p, 1);
}

void json_quote(struct buf *out, struct str s)
{
	struct printing p = { .out = out };

	print_string(&p, s);
}
