#include "err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "str.h"

static const struct {
	const char *name;
	int rpc;
} codes[] = {
#define X(name, rpc, text) { text, rpc },
	ERR_CODES(X)
#undef X
};

/* A message that was cut ends with a whole character. */
static void err_trim(char *msg, size_t size)
{
	size_t n = strlen(msg), at = n;

	if (n + 1 < size)
		return;
	while (at && n - at < 3 && str_inside(msg[at - 1]))
		at--;
	if (at && (unsigned char)msg[at - 1] >= 0xc0 &&
	    (n - at) + 1 < ((unsigned char)msg[at - 1] < 0xe0	? 2u
			    : (unsigned char)msg[at - 1] < 0xf0 ? 3u
								: 4u))
		msg[at - 1] = '\0';
}

bool err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
	va_list ap;

	e->code = code;
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	err_trim(e->msg, sizeof(e->msg));
	return false;
}

/* The reason matters more than where it was: what does not fit before it is cut in its middle. */
bool err_in(struct err *e, const char *fmt, ...)
{
	char where[2 * sizeof(e->msg)];
	size_t reason = strlen(e->msg), room = sizeof(e->msg) - 1 - reason, head, tail, n;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(where, sizeof(where) - 2, fmt, ap);
	va_end(ap);
	strcat(where, ": ");
	n = strlen(where);
	if (n > room && room < 12)
		return false;
	if (n > room) {
		head = room / 2 - 3;
		tail = n - (room - head - 3);
		while (head && str_inside(where[head]))
			head--;
		while (str_inside(where[tail]))
			tail++;
		memcpy(where + head, "...", 3);
		memmove(where + head + 3, where + tail, n + 1 - tail);
		n = strlen(where);
	}
	memmove(e->msg + n, e->msg, reason + 1);
	memcpy(e->msg, where, n);
	return false;
}

const char *err_name(enum err_code code)
{
	return code < ERR_COUNT ? codes[code].name : "unknown";
}

enum err_code err_from_name(const char *name)
{
	for (int i = ERR_OK + 1; i < ERR_COUNT; i++)
		if (!strcmp(codes[i].name, name))
			return (enum err_code)i;
	return ERR_PEER;
}

int err_rpc(enum err_code code)
{
	return code < ERR_COUNT ? codes[code].rpc : -32603;
}

enum err_code err_from_rpc(long rpc)
{
	for (int i = ERR_OK + 1; i < ERR_COUNT; i++)
		if (codes[i].rpc == rpc)
			return (enum err_code)i;
	return ERR_PEER;
}

void bug_at(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "oxide: bug at %s:%d: ", file, line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}
