#include <stdio.h>

#include "../base/plain.h"
#include "cmd_call.h"

static void shell_read_reply(void *arg)
{
	struct shell_call *c = arg;
	FILE *tty = fopen("/dev/tty", "r");
	char line[16] = "";

	fputs("Apply this? [y/N] ", stderr);
	fflush(stderr);
	c->answer = tty && fgets(line, sizeof(line), tty) && (line[0] == 'y' || line[0] == 'Y');
	if (tty)
		fclose(tty);
}

static void shell_on_reply(void *arg)
{
	struct shell_call *c = arg;

	if (!c->gone)
		c->said(c->said_arg, c->answer);
}

void shell_call_ask(void *self, const struct shown_question *q, relay_said *fn, void *arg)
{
	struct shell_call *c = self;

	c->said = fn;
	c->said_arg = arg;
	c->gone = false;
	front_say("%.*s%s%s", STR_ARG(q->diff), q->notes, q->title);
	if (q->files)
		fprintf(stderr, " in %zu file%s", q->files, q->files == 1 ? "" : "s");
	fputc('\n', stderr);
	loop_work(c->loop, shell_read_reply, shell_on_reply, c);
}

/* One line of it, which the next one is written over. */
void shell_call_progress(void *self, struct str title, struct str message, int percent, bool done)
{
	struct shell_call *c = self;
	struct buf line = BUF_INIT;

	if (!c->person)
		return;
	if (percent >= 0)
		buf_addf(&line, "%.*s %d%%", STR_ARG(title), percent);
	else
		buf_addf(&line, "%.*s %.*s", STR_ARG(title), STR_ARG(message));
	for (size_t i = 0; i < line.n; i++)
		line.p[i] = line.p[i] == '\n' || line.p[i] == '\r' ? ' ' : line.p[i];
	fputs("\r\033[K", stderr);
	if (!done)
		front_say("%s", line.p);
	buf_release(&line);
}

void shell_call_say(const char *what, const char *more)
{
	front_say("oxide: %s%s\n", what, more);
}
