#ifndef OX_UTF_H
#define OX_UTF_H

#include <stdint.h>

#include "buf.h"

/*
 * UTF-8 as it comes: files hold anything. A byte that is not part of a well-formed character (RFC
 * 3629: shortest form, no surrogates, at most U+10FFFF) is one bad character of one byte; bytes.h
 * has what is sent for it.
 */
struct utf {
	uint32_t code; /* U+FFFD where bad */
	unsigned n;    /* bytes, 1 to 4 */
	bool ok;
};

#define UTF_BAD "\xef\xbf\xbd" /* U+FFFD */

struct utf utf_at(struct str s, size_t at); /* at < s.n */
/* How many ASCII bytes the first n begin with; by words, for lines that are whole files. */
size_t utf_ascii(const char *p, size_t n);
bool utf_clean(struct str s); /* well-formed throughout */
void utf_put(struct buf *out, uint32_t code);

#endif
