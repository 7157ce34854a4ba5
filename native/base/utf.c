#include "utf.h"

static bool follows(struct str s, size_t at, unsigned n)
{
	if (s.n - at < n)
		return false;
	for (unsigned i = 1; i < n; i++)
		if (!str_inside(s.p[at + i]))
			return false;
	return true;
}

struct utf utf_at(struct str s, size_t at)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	static const struct utf bad = { 0xfffd, 1, false };
	unsigned char c = (unsigned char)s.p[at];
	unsigned n = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
	uint32_t code;

	if (n == 1)
		return (struct utf){ c, 1, true };
	if (!n || !follows(s, at, n))
		return bad;
	code = c & (0xffu >> (n + 1));
	for (unsigned i = 1; i < n; i++)
		code = code << 6 | ((unsigned char)s.p[at + i] & 0x3f);
	if (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return bad;
	return (struct utf){ code, n, true };
}

size_t utf_ascii(const char *p, size_t n)
{
	size_t at = 0;
	uint64_t w[8];

	for (; n - at >= sizeof(w); at += sizeof(w)) {
		memcpy(w, p + at, sizeof(w));
		if ((w[0] | w[1] | w[2] | w[3] | w[4] | w[5] | w[6] | w[7]) & 0x8080808080808080u)
			break;
	}
	while (at < n && !((unsigned char)p[at] & 0x80))
		at++;
	return at;
}

bool utf_clean(struct str s)
{
	for (size_t at = utf_ascii(s.p, s.n); at < s.n; at += utf_ascii(s.p + at, s.n - at)) {
		struct utf u = utf_at(s, at);

		if (!u.ok)
			return false;
		at += u.n;
	}
	return true;
}

void utf_put(struct buf *out, uint32_t code)
{
	char *to = buf_room(out, 4);
	unsigned n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	if (n == 1) {
		to[0] = (char)code;
	} else {
		for (unsigned i = n - 1; i; i--) {
			to[i] = (char)(0x80 | (code & 0x3f));
			code >>= 6;
		}
		to[0] = (char)((0xf00u >> n) | code);
	}
	out->n += n;
	buf_end(out);
}
