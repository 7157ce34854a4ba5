#include <stdio.h>

#include "cmd_call.h"

static void shell_on_reply(void *arg, const struct str *line)
{
	struct shell_call *c = arg;
	bool yes = line && line->n && (*line->p == 'y' || *line->p == 'Y');

	if (!c->gone)
		c->said(c->said_arg, yes);
}

static void shell_read(struct shell_call *c, const char *prompt, terminal_line *fn)
{
	fputs(prompt, stderr);
	fflush(stderr);
	if (!c->terminal.loop)
		terminal_init(&c->terminal, c->loop, "/dev/tty");
	c->gone = false;
	terminal_read(&c->terminal, fn, c);
}

void shell_call_ask(void *self, const struct shown_question *q, relay_said *fn, void *arg)
{
	struct shell_call *c = self;

	c->said = fn;
	c->said_arg = arg;
	front_say("%.*s%s%s", STR_ARG(q->diff), q->notes, q->title);
	if (q->files)
		fprintf(stderr, " in %zu file%s", q->files, q->files == 1 ? "" : "s");
	fputc('\n', stderr);
	shell_read(c, "Apply this? [y/N] ", shell_on_reply);
}

static bool person_call_is_word(struct str said, const char *letter, const char *word)
{
	return str_eq(said, str_of(letter)) || str_eq(said, str_of(word));
}

/* What is none of the answers is why not. */
static struct verdict permission_verdict(const struct shell_call *c, struct str said)
{
	struct verdict v = { .yes = true };

	if (person_call_is_word(said, "y", "yes") || person_call_is_word(said, "o", "once"))
		return v;
	if (c->lasting && (person_call_is_word(said, "s", "session") ||
			   person_call_is_word(said, "a", "always"))) {
		v.lasts = *said.p == 's' ? LASTS_SESSION : LASTS_ALWAYS;
		return v;
	}
	v.yes = false;
	if (!person_call_is_word(said, "n", "no"))
		v.why = said;
	return v;
}

static void shell_on_permission(void *arg, const struct str *line)
{
	struct shell_call *c = arg;
	struct verdict v = permission_verdict(c, line ? str_trim(*line) : STR(""));

	if (!c->gone)
		c->permission(c->said_arg, &v);
}

void shell_call_ask_permission(struct shell_call *c, const struct question *q, editor_verdict *fn,
			       void *arg)
{
	c->permission = fn;
	c->said_arg = arg;
	c->lasting = q->lasting;
	front_say("%s\n", q->title);
	shell_read(c,
		   q->lasting
			   ? "Allow this? y once, s for this session, a always for exactly this, "
			     "n no, or why not: "
			   : "Allow this? y once, n no, or why not: ",
		   shell_on_permission);
}

/* One line of it, which the next one is written over. */
void shell_call_progress(void *self, struct str title, struct str message, int percent, bool done)
{
	struct shell_call *c = self;
	struct buf line SCOPED(buf_release) = BUF_INIT;

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
}

void shell_call_say(const char *what, const char *more)
{
	front_say("oxide: %s%s\n", what, more);
}
