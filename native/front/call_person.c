#include <stdio.h>

#include "call_impl.h"

static void ask(void *arg)
{
	struct caller *c = arg;
	FILE *tty = fopen("/dev/tty", "r");
	char line[16] = "";

	fputs("Apply this? [y/N] ", stderr);
	fflush(stderr);
	c->answer = tty && fgets(line, sizeof(line), tty) && (line[0] == 'y' || line[0] == 'Y');
	if (tty)
		fclose(tty);
}

static void answered(void *arg)
{
	struct caller *c = arg;

	if (!c->gone)
		c->said(c->said_arg, c->answer);
}

void caller_ask(struct caller *c, const struct relay_question *q, relay_said *fn, void *arg)
{
	c->said = fn;
	c->said_arg = arg;
	c->gone = false;
	fprintf(stderr, "%s%s%s", q->diff, q->notes, q->title);
	if (q->files)
		fprintf(stderr, " in %zu files", q->files);
	fputc('\n', stderr);
	loop_work(c->loop, ask, answered, c);
}

void caller_progress(struct caller *c, struct str title, struct str message, int percent, bool done)
{
	if (!c->person)
		return;
	if (done)
		fprintf(stderr, "\r\033[K");
	else if (percent >= 0)
		fprintf(stderr, "\r\033[K%.*s %d%%", STR_ARG(title), percent);
	else
		fprintf(stderr, "\r\033[K%.*s %.*s", STR_ARG(title), STR_ARG(message));
}

void caller_say(const char *what, const char *more)
{
	fprintf(stderr, "oxide: %s%s\n", what, more);
}
