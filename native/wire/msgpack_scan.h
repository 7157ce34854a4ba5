#ifndef OX_MSGPACK_SCAN_H
#define OX_MSGPACK_SCAN_H

#include <stdint.h>

#include "../base/err.h"
#include "../base/str.h"

/*
 * msgpack read in place, value by value, as jscan.h reads JSON: no tree, no copies. A list is its
 * head only; the values in it follow.
 */
enum mp_type {
	MP_NIL,
	MP_BOOL,
	MP_INT,
	MP_HUGE, /* a whole number that no int64_t holds */
	MP_FLOAT,
	MP_STR,
	MP_BIN,
	MP_EXT,
	MP_ARRAY,
	MP_MAP
};

struct mp_value {
	enum mp_type type;
	int64_t num;	  /* MP_BOOL, MP_INT */
	double real;	  /* MP_FLOAT */
	struct str bytes; /* MP_STR, MP_BIN, MP_EXT: borrowed */
	size_t n;	  /* lists: values that follow; a map has two for each member */
	size_t size;	  /* bytes of all this in the input; 0 while even that is unknown */
};

enum mp_found { MP_VALUE, MP_SHORT, MP_WRONG };

/* Takes one value off the front of *in, or leaves *in: MP_SHORT when its end is not there yet,
 * MP_WRONG when no value begins with that byte. */
enum mp_found mp_take(struct str *in, struct mp_value *out);

/* Reading with a sticky error (ERR_PROTOCOL): once `bad`, all answers are false or zero. */
struct mp_scan {
	struct str rest;
	struct err *e;
	bool bad;
};

bool mp_next(struct mp_scan *s, struct mp_value *out);
bool mp_skip(struct mp_scan *s);    /* a value and all in it; nesting costs no stack */
size_t mp_array(struct mp_scan *s); /* enter: the number of items */
int64_t mp_int(struct mp_scan *s);  /* also a handle: an extension that holds one number */
bool mp_bool(struct mp_scan *s);
struct str mp_str(struct mp_scan *s); /* or a blob */
/* The number in a handle's bytes. */
bool mp_handle(struct str bytes, int64_t *out);

#endif
