#include "base64.h"

void base64_add(struct buf *out, struct str s)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (; s.n; s = str_sub(s, s.n < 3 ? s.n : 3, s.n)) {
		unsigned a = (unsigned char)s.p[0], b = s.n > 1 ? (unsigned char)s.p[1] : 0,
			 c = s.n > 2 ? (unsigned char)s.p[2] : 0, all = a << 16 | b << 8 | c;

		buf_addc(out, digits[all >> 18]);
		buf_addc(out, digits[all >> 12 & 63]);
		buf_addc(out, s.n > 1 ? digits[all >> 6 & 63] : '=');
		buf_addc(out, s.n > 2 ? digits[all & 63] : '=');
	}
}
