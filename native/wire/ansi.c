#include "ansi.h"

#define ESCAPE '\033'

static bool is_between(char c, char from, char to)
{
	return c >= from && c <= to;
}

/* Behind "ESC [": parameters, then one letter. */
static size_t skip_control(struct str s, size_t at)
{
	while (at < s.n && is_between(s.p[at], ' ', '?'))
		at++;
	return at < s.n && is_between(s.p[at], '@', '~') ? at + 1 : at;
}

/* Behind "ESC ]" and its kin: a text that ends with BEL or "ESC \". */
static size_t skip_text(struct str s, size_t at)
{
	while (at < s.n && s.p[at] != '\a' && s.p[at] != ESCAPE)
		at++;
	if (at < s.n && s.p[at] == ESCAPE && at + 1 < s.n && s.p[at + 1] == '\\')
		return at + 2;
	return at < s.n && s.p[at] == '\a' ? at + 1 : at;
}

static size_t skip_escape(struct str s, size_t at)
{
	at++;
	if (at == s.n)
		return at;
	if (s.p[at] == '[')
		return skip_control(s, at + 1);
	if (str_any("]PX^_", s.p[at]))
		return skip_text(s, at + 1);
	while (at < s.n && is_between(s.p[at], ' ', '/'))
		at++;
	return at < s.n && is_between(s.p[at], '0', '~') ? at + 1 : at;
}

void ansi_strip(struct buf *out, struct str line)
{
	for (size_t at = 0; at < line.n;) {
		size_t from = at;

		while (at < line.n && ((unsigned char)line.p[at] >= ' ' || line.p[at] == '\t') &&
		       line.p[at] != 0x7f)
			at++;
		buf_add(out, str_sub(line, from, at));
		if (at < line.n)
			at = line.p[at] == ESCAPE ? skip_escape(line, at) : at + 1;
	}
}
