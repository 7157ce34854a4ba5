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

static size_t skip_plain(struct str s, size_t at)
{
	while (at < s.n && ((unsigned char)s.p[at] >= ' ' || s.p[at] == '\t') && s.p[at] != 0x7f)
		at++;
	return at;
}

void ansi_strip(struct buf *out, struct str line)
{
	size_t begin = out->n;
	bool anew = false; /* what comes next is written over the line */

	for (size_t at = 0, end; at < line.n; at = end) {
		end = skip_plain(line, at);
		if (anew && end > at)
			out->n = begin;
		anew = anew && end == at;
		buf_add(out, str_sub(line, at, end));
		if (end == line.n)
			break;
		anew = anew || line.p[end] == '\r';
		end = line.p[end] == ESCAPE ? skip_escape(line, end) : end + 1;
	}
}
