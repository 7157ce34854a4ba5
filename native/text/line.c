#include "line.h"

size_t line_start(struct str text, size_t at)
{
	const char *nl = at ? memrchr(text.p, '\n', at) : NULL;

	return nl ? (size_t)(nl - text.p) + 1 : 0;
}

size_t line_next(struct str text, size_t at)
{
	const char *nl = at < text.n ? memchr(text.p + at, '\n', text.n - at) : NULL;

	return nl ? (size_t)(nl - text.p) + 1 : text.n;
}

size_t line_end(struct str text, size_t at)
{
	size_t end = line_next(text, at);

	if (at < text.n && text.p[end - 1] == '\n')
		end -= end > 1 && text.p[end - 2] == '\r' ? 2 : 1;
	return end;
}

struct str line_indent(struct str text, size_t at)
{
	size_t start = line_start(text, at), end = start;

	while (end < text.n && (text.p[end] == ' ' || text.p[end] == '\t'))
		end++;
	return str_sub(text, start, end);
}

bool line_blank(struct str text, size_t at)
{
	return !str_trim(str_sub(text, line_start(text, at), line_end(text, at))).n;
}
