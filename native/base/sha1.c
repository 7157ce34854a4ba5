#include "sha1.h"

#include <stdio.h>

#include <stdint.h>

struct sha1 {
	uint32_t h[5];
	unsigned char block[64];
	size_t n; /* bytes so far */
};

static uint32_t sha1_turn(uint32_t x, int by)
{
	return x << by | x >> (32 - by);
}

static void take_block(struct sha1 *s)
{
	static const uint32_t add[] = { 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6 };
	uint32_t w[80], a = s->h[0], b = s->h[1], c = s->h[2], d = s->h[3], e = s->h[4];

	for (int i = 0; i < 16; i++)
		w[i] = (uint32_t)s->block[4 * i] << 24 | (uint32_t)s->block[4 * i + 1] << 16 |
		       (uint32_t)s->block[4 * i + 2] << 8 | s->block[4 * i + 3];
	for (int i = 16; i < 80; i++)
		w[i] = sha1_turn(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	for (int i = 0; i < 80; i++) {
		uint32_t f = i < 20		 ? (b & c) | (~b & d)
			     : i >= 40 && i < 60 ? (b & c) | (b & d) | (c & d)
						 : b ^ c ^ d;
		uint32_t next = sha1_turn(a, 5) + f + e + add[i / 20] + w[i];

		e = d;
		d = c;
		c = sha1_turn(b, 30);
		b = a;
		a = next;
	}
	s->h[0] += a;
	s->h[1] += b;
	s->h[2] += c;
	s->h[3] += d;
	s->h[4] += e;
}

static void sha1_take(struct sha1 *s, struct str bytes)
{
	for (size_t i = 0; i < bytes.n; i++) {
		s->block[s->n++ % 64] = (unsigned char)bytes.p[i];
		if (s->n % 64 == 0)
			take_block(s);
	}
}

void sha1(unsigned char out[SHA1_BYTES], struct str a, struct str b)
{
	struct sha1 s = { .h = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 } };
	uint64_t bits = 8 * (uint64_t)(a.n + b.n);
	char length[8];

	sha1_take(&s, a);
	sha1_take(&s, b);
	sha1_take(&s, STR("\x80"));
	while (s.n % 64 != 56)
		sha1_take(&s, (struct str){ "", 1 });
	for (int i = 0; i < 8; i++)
		length[i] = (char)(bits >> (56 - 8 * i));
	sha1_take(&s, (struct str){ length, 8 });
	for (int i = 0; i < SHA1_BYTES; i++)
		out[i] = (unsigned char)(s.h[i / 4] >> (24 - 8 * (i % 4)));
}

void sha1_blob(char hex[2 * SHA1_BYTES + 1], struct str text)
{
	unsigned char sum[SHA1_BYTES];
	char head[32];
	int n = snprintf(head, sizeof(head), "blob %zu", text.n);

	sha1(sum, (struct str){ head, (size_t)n + 1 }, text); /* its NUL as well */
	for (int i = 0; i < SHA1_BYTES; i++)
		snprintf(hex + 2 * i, 3, "%02x", sum[i]);
}
