#include "sha256.h"

#include <stdint.h>
#include <stdio.h>

struct sha256 {
	uint32_t h[8];
	unsigned char block[64];
	size_t n; /* bytes so far */
};

/* The first 32 bits behind the point of the cube roots of the first 64 primes. */
static const uint32_t round_add[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2
};

static uint32_t turn_right(uint32_t x, int by)
{
	return x >> by | x << (32 - by);
}

static void sha256_spread(const unsigned char *block, uint32_t *w)
{
	for (int i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
		       (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (int i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + (turn_right(a, 7) ^ turn_right(a, 18) ^ a >> 3) + w[i - 7] +
		       (turn_right(b, 17) ^ turn_right(b, 19) ^ b >> 10);
	}
}

static void mix_block(struct sha256 *s)
{
	uint32_t w[64], v[8];

	sha256_spread(s->block, w);
	memcpy(v, s->h, sizeof(v));
	for (int i = 0; i < 64; i++) {
		uint32_t a = v[0], e = v[4];
		uint32_t one = v[7] + (turn_right(e, 6) ^ turn_right(e, 11) ^ turn_right(e, 25)) +
			       ((e & v[5]) ^ (~e & v[6])) + round_add[i] + w[i];
		uint32_t two = (turn_right(a, 2) ^ turn_right(a, 13) ^ turn_right(a, 22)) +
			       ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += one;
		v[0] = one + two;
	}
	for (int i = 0; i < 8; i++)
		s->h[i] += v[i];
}

static void take_bytes(struct sha256 *s, struct str bytes)
{
	for (size_t i = 0; i < bytes.n; i++) {
		s->block[s->n++ % 64] = (unsigned char)bytes.p[i];
		if (s->n % 64 == 0)
			mix_block(s);
	}
}

void sha256_hex(char hex[SHA256_DIGITS + 1], struct str text)
{
	struct sha256 s = { .h = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
				   0x9b05688c, 0x1f83d9ab, 0x5be0cd19 } };
	uint64_t bits = 8 * (uint64_t)text.n;
	char length[8];

	take_bytes(&s, text);
	take_bytes(&s, STR("\x80"));
	while (s.n % 64 != 56)
		take_bytes(&s, (struct str){ "", 1 });
	for (int i = 0; i < 8; i++)
		length[i] = (char)(bits >> (56 - 8 * i));
	take_bytes(&s, (struct str){ length, 8 });
	for (int i = 0; i < 8; i++)
		snprintf(hex + 8 * i, 9, "%08x", (unsigned)s.h[i]);
}
