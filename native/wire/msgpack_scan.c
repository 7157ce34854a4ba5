#include "msgpack_scan.h"

#define HEADS 0xc0 /* the first byte that names a type outright, up to 0xdf */

/* What follows such a byte: a number of so many bytes, which is the value itself or a count. */
static const struct {
	unsigned char type, width;
} heads[32] = {
	{ MP_NIL, 0 },	{ MP_NIL, 0 }, /* 0xc1 is not a value */
	{ MP_BOOL, 0 }, { MP_BOOL, 0 },	 { MP_BIN, 1 },	  { MP_BIN, 2 },   { MP_BIN, 4 },
	{ MP_EXT, 1 },	{ MP_EXT, 2 },	 { MP_EXT, 4 },	  { MP_FLOAT, 4 }, { MP_FLOAT, 8 },
	{ MP_INT, 1 },	{ MP_INT, 2 },	 { MP_INT, 4 },	  { MP_INT, 8 },   { MP_INT, 1 },
	{ MP_INT, 2 },	{ MP_INT, 4 },	 { MP_INT, 8 },	  { MP_EXT, 0 },   { MP_EXT, 0 },
	{ MP_EXT, 0 },	{ MP_EXT, 0 },	 { MP_EXT, 0 },	  { MP_STR, 1 },   { MP_STR, 2 },
	{ MP_STR, 4 },	{ MP_ARRAY, 2 }, { MP_ARRAY, 4 }, { MP_MAP, 2 },   { MP_MAP, 4 },
};

static void set_int(struct mp_value *out, uint64_t v, unsigned width, bool is_signed)
{
	unsigned unused = 64 - 8 * width;

	out->type = !is_signed && v > INT64_MAX ? MP_HUGE : MP_INT;
	/* the sign bit of the narrow number becomes that of the wide one */
	if (is_signed && v >> (8 * width - 1))
		v |= unused ? ~(UINT64_MAX >> unused) : 0;
	memcpy(&out->num, &v, sizeof(v));
}

static void set_float(struct mp_value *out, uint64_t v, unsigned width)
{
	uint32_t narrow = (uint32_t)v;
	float real;

	if (width == 8) {
		memcpy(&out->real, &v, sizeof(v));
	} else {
		memcpy(&real, &narrow, sizeof(real));
		out->real = (double)real;
	}
}

/* Fills in all but `bytes`, whose length goes to *len and whose distance from the start is
 * *at. */
static void set_value(struct mp_value *out, unsigned char c, uint64_t v, unsigned width, size_t *at,
		      size_t *len)
{
	switch (out->type) {
	case MP_BOOL:
		out->num = c & 1;
		break;
	case MP_INT:
		set_int(out, v, width, c >= 0xd0);
		break;
	case MP_FLOAT:
		set_float(out, v, width);
		break;
	case MP_ARRAY:
	case MP_MAP:
		out->n = (size_t)v * (out->type == MP_MAP ? 2 : 1);
		break;
	case MP_EXT:
		*len = width ? (size_t)v : (size_t)1 << (c - 0xd4);
		++*at; /* the extension's own type */
		break;
	case MP_STR:
	case MP_BIN:
		*len = (size_t)v;
		break;
	case MP_NIL:
	case MP_HUGE:
		break;
	}
}

/* Values whose first byte holds the number, too. */
static bool take_small(unsigned char c, struct mp_value *out, size_t *len)
{
	if (c < 0x80 || c >= 0xe0) {
		out->type = MP_INT;
		out->num = c < 0x80 ? c : c - 256;
	} else if (c < 0xa0) {
		out->type = c < 0x90 ? MP_MAP : MP_ARRAY;
		out->n = (size_t)(c & 15) * (c < 0x90 ? 2 : 1);
	} else if (c < 0xc0) {
		out->type = MP_STR;
		*len = c & 31;
	} else {
		return false;
	}
	return true;
}

enum mp_found mp_take(struct str *in, struct mp_value *out)
{
	size_t at = 1, len = 0;

	*out = (struct mp_value){ 0 };
	if (!in->n)
		return MP_SHORT;
	if (!take_small((unsigned char)in->p[0], out, &len)) {
		unsigned char c = (unsigned char)in->p[0];
		unsigned width = heads[c - HEADS].width;
		uint64_t v = 0;

		if (c == 0xc1)
			return MP_WRONG;
		if (in->n < 1 + (size_t)width)
			return MP_SHORT;
		for (unsigned i = 1; i <= width; i++)
			v = v << 8 | (unsigned char)in->p[i];
		at = 1 + width;
		out->type = (enum mp_type)heads[c - HEADS].type;
		set_value(out, c, v, width, &at, &len);
	}
	out->size = at + len;
	if (in->n < out->size)
		return MP_SHORT;
	out->bytes = str_sub(*in, at, at + len);
	*in = str_sub(*in, out->size, in->n);
	return MP_VALUE;
}

static bool msgpack_scan_fail(struct mp_scan *s, const char *what)
{
	if (!s->bad)
		err_set(s->e, ERR_PROTOCOL, "msgpack: %s, %zu bytes before the end", what,
			s->rest.n);
	s->bad = true;
	return false;
}

bool mp_next(struct mp_scan *s, struct mp_value *out)
{
	enum mp_found found = s->bad ? MP_SHORT : mp_take(&s->rest, out);

	if (found == MP_VALUE)
		return true;
	*out = (struct mp_value){ 0 };
	return msgpack_scan_fail(s, found == MP_SHORT ? "a value is truncated"
						      : "byte 0xc1 is not a value");
}

bool mp_skip(struct mp_scan *s)
{
	struct mp_value v;

	for (size_t left = 1; left; left += v.n - 1)
		if (!mp_next(s, &v))
			return false;
	return true;
}

size_t mp_array(struct mp_scan *s)
{
	struct mp_value v;

	if (mp_next(s, &v) && v.type != MP_ARRAY)
		msgpack_scan_fail(s, "expected an array");
	return s->bad ? 0 : v.n;
}

bool mp_handle(struct str bytes, int64_t *out)
{
	struct mp_value v;

	if (mp_take(&bytes, &v) != MP_VALUE || v.type != MP_INT || bytes.n)
		return false;
	*out = v.num;
	return true;
}

int64_t mp_int(struct mp_scan *s)
{
	struct mp_value v;

	if (mp_next(s, &v) && v.type != MP_INT && !(v.type == MP_EXT && mp_handle(v.bytes, &v.num)))
		msgpack_scan_fail(s, "expected an integer");
	return s->bad ? 0 : v.num;
}

bool mp_bool(struct mp_scan *s)
{
	struct mp_value v;

	if (mp_next(s, &v) && v.type != MP_BOOL)
		msgpack_scan_fail(s, "expected true or false");
	return !s->bad && v.num;
}

struct str mp_str(struct mp_scan *s)
{
	struct mp_value v;

	if (mp_next(s, &v) && v.type != MP_STR && v.type != MP_BIN)
		msgpack_scan_fail(s, "expected a string");
	return s->bad ? STR("") : v.bytes;
}
