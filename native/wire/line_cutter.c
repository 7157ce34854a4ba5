#include "line_cutter.h"

void line_cutter_release(struct line_cutter *c)
{
	buf_release(&c->begin);
	c->given = c->skipping = false;
}

static bool line_cutter_give(struct line_cutter *c, struct str text, struct str *line)
{
	*line = text;
	c->given = true;
	return true;
}

/* `part` is a line or its end, or (whole: false) what has come of it. */
static bool take_part(struct line_cutter *c, struct str part, bool whole, struct str *line,
		      bool *is_long)
{
	if (c->skipping) {
		c->skipping = !whole;
		return false;
	}
	*is_long = c->begin.n + part.n > c->limit;
	if (*is_long) {
		buf_add(&c->begin, str_sub(part, 0, c->limit - c->begin.n));
		c->skipping = !whole;
		return line_cutter_give(c, buf_str(&c->begin), line);
	}
	if (whole && !c->begin.n)
		return line_cutter_give(c, part, line);
	buf_add(&c->begin, part);
	return whole && line_cutter_give(c, buf_str(&c->begin), line);
}

bool line_cutter_take(struct line_cutter *c, struct str *bytes, struct str *line, bool *is_long)
{
	if (c->given)
		buf_release(&c->begin);
	c->given = false;
	while (bytes->n) {
		const char *lf = memchr(bytes->p, '\n', bytes->n);
		size_t n = lf ? (size_t)(lf - bytes->p) : bytes->n;
		struct str part = str_sub(*bytes, 0, n);

		*bytes = str_sub(*bytes, n + (lf != NULL), bytes->n);
		if (take_part(c, part, lf != NULL, line, is_long))
			return true;
	}
	return false;
}
