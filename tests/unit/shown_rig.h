#ifndef OX_TEST_SHOWN_RIG_H
#define OX_TEST_SHOWN_RIG_H

/* Where a line of a text that was shown is now. Included behind cmocka.h. */

#include "text/diff.h"
#include "tool/shown_texts.h"

#define FILE_PATH "/p/a.c"

/* 0: refused as stale. */
static inline size_t carried(struct shown_texts *s, const char *now, size_t line, size_t count)
{
	struct shown_lines l = { .line = line, .count = count };
	struct err e = ERR_INIT;

	if (shown_texts_carry(s, shown_texts_moment(s), FILE_PATH, str_of(now), &l, &e))
		return l.line;
	assert_int_equal(e.code, ERR_STALE);
	return 0;
}

#endif
