#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../base/bytes.h"
#include "../base/plain.h"
#include "../base/retry.h"
#include "../core/recovery.h"
#include "front.h"

void front_put(struct str text)
{
	ssize_t n;

	fflush(stdout);
	while (text.n) {
		RETRY(n, write(STDOUT_FILENO, text.p, text.n));
		if (n < 0 && errno == EAGAIN)
			poll(&(struct pollfd){ STDOUT_FILENO, POLLOUT, 0 }, 1, -1);
		else if (n < 0)
			return;
		else
			text = str_sub(text, (size_t)n, text.n);
	}
}

void front_print_json(json *v)
{
	struct buf out SCOPED(buf_release) = BUF_INIT;

	json_print(&out, v);
	bytes_show_from(&out, 0);
	buf_addc(&out, '\n');
	front_put(buf_str(&out));
	json_free(v);
}

void front_say(const char *fmt, ...)
{
	struct buf text SCOPED(buf_release) = BUF_INIT, plain SCOPED(buf_release) = BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	buf_addv(&text, fmt, ap);
	va_end(ap);
	plain_add(&plain, buf_str(&text));
	fwrite(buf_str(&plain).p, 1, plain.n, stderr);
	fflush(stderr);
}

void front_point_to_help(struct err *e, const char *command)
{
	size_t n = strlen(e->msg);

	snprintf(e->msg + n, sizeof(e->msg) - n, "; see `oxide %s%s--help`", command ? command : "",
		 command ? " " : "");
}

int front_refuse(const char *command, const struct err *e)
{
	struct err told = *e;

	if (e->code == ERR_INVALID)
		front_point_to_help(&told, command);
	front_say("oxide: %s\n", told.msg);
	return 2;
}

void front_tell_recovered(const struct oxide *ox)
{
	for (size_t i = 0; i < ox->recovered.notes; i++) {
		struct buf line SCOPED(buf_release) = BUF_INIT;

		recovery_say(&line, &ox->recovered.note[i]);
		front_say("oxide: %s\n", line.p);
	}
}
