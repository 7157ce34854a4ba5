#ifndef OX_TEST_SHOWN_RIG_H
#define OX_TEST_SHOWN_RIG_H

/* What a client was shown of one file, and where the lines are now. Included behind cmocka.h. */

#include "base/mem.h"
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

/* The client makes `now` of `was`. */
static inline void change(struct shown_texts *s, const char *was, const char *now)
{
	struct diff d SCOPED(diff_release) = { 0 };
	struct str old = str_of(was);

	diff_lines(&d, old, str_of(now));
	shown_texts_changed(s, FILE_PATH,
			    &(struct shown_change){ &old, &d, str_of(now), str_of(now) });
}

#endif
