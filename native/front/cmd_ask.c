#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../agent/call_line.h"
#include "../agent/shown.h"
#include "../agent/turn.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../base/plain.h"
#include "../base/retry.h"
#include "cmd_call.h"

/* `oxide ask`: one turn of a conversation with a model. Its words go to standard output as they
 * come; what it does, and questions, to standard error. */
struct shell_ask {
	struct shell_call call; /* questions on the terminal */
	struct str model_name;
	const char **files;
	size_t n_files;
	struct buf words; /* of the person */
	struct model model;
	struct permissions permissions;
	struct conversation talk;
	struct turn *turn;
	bool in_line; /* standard output stands in a line */
};

static bool read_words(struct buf *out, struct err *e)
{
	ssize_t n;

	do {
		RETRY(n, read(STDIN_FILENO, buf_room(out, 65536), 65536));
		if (n < 0)
			return err_set(e, ERR_IO, "standard input cannot be read: %s",
				       strerror(errno));
		out->n += (size_t)n;
		buf_end(out);
	} while (n);
	return true;
}

static bool read_line(struct shell_ask *a, int argc, char **argv, struct err *e)
{
	bool input = false;

	a->files = mem_new(((size_t)argc + 1) * sizeof(*a->files));
	for (int i = 0; i < argc; i++) {
		bool model = !strcmp(argv[i], "--model"), file = !strcmp(argv[i], "--file");

		if ((model || file) && i + 1 == argc)
			return err_set(e, ERR_INVALID, "%s needs a value", argv[i]);
		if (model)
			a->model_name = str_of(argv[++i]);
		else if (file)
			a->files[a->n_files++] = argv[++i];
		else if (!strcmp(argv[i], "--yes"))
			a->call.yes = true;
		else if (!strcmp(argv[i], "-"))
			input = true;
		else if (argv[i][0] == '-' && argv[i][1] == '-')
			return err_set(e, ERR_INVALID, "unknown option %s", argv[i]);
		else
			buf_addf(&a->words, "%s%s", a->words.n ? " " : "", argv[i]);
	}
	if (input && a->words.n)
		buf_addc(&a->words, '\n');
	if (input && !read_words(&a->words, e))
		return false;
	return str_trim(buf_str(&a->words)).n || err_set(e, ERR_INVALID, "the prompt is empty");
}

/* FILE, FILE:12 or FILE:3-9; a file of the whole name comes first. */
static bool show_file(struct shell_ask *a, struct chat_message *m, const char *word, struct err *e)
{
	char *end, *path = NULL, cwd[4096];
	const char *colon = strrchr(word, ':');
	struct shown_part part = { 0 };
	bool ok;

	if (access(word, F_OK) && colon) {
		part.first = part.last = strtoul(colon + 1, &end, 10);
		if (*end == '-')
			part.last = strtoul(end + 1, &end, 10);
		if (*end || !part.first)
			return err_set(e, ERR_INVALID,
				       "%s: lines must be FIRST or FIRST-LAST, "
				       "from 1",
				       word);
	}
	if (!getcwd(cwd, sizeof(cwd)))
		return err_set(e, ERR_IO, "working directory: %s", strerror(errno));
	path = mem_dup(word, part.first ? (size_t)(colon - word) : strlen(word));
	part.path = path_join(cwd, path);
	ok = shown_put(a->call.ox, m, &part, e);
	free((char *)part.path);
	free(path);
	return ok;
}

static bool put_message(struct shell_ask *a, struct err *e)
{
	struct chat_message *m = chat_add(&a->talk.chat, CHAT_PERSON);
	bool ok = true;

	chat_put(m, &(struct chat_part){ .kind = CHAT_TEXT, .text = buf_str(&a->words) });
	for (size_t i = 0; ok && i < a->n_files; i++)
		ok = show_file(a, m, a->files[i], e);
	return ok;
}

static void end_line(struct shell_ask *a)
{
	if (a->in_line)
		front_put(STR("\n"));
	a->in_line = false;
}

static void on_text(void *self, struct str more, bool thought)
{
	struct shell_ask *a = self;
	struct buf shown = BUF_INIT;

	if (thought || !more.n)
		return;
	if (isatty(STDOUT_FILENO))
		plain_add(&shown, more);
	else
		buf_add(&shown, more);
	front_put(buf_str(&shown));
	a->in_line = more.p[more.n - 1] != '\n';
	buf_release(&shown);
}

static void on_call(void *self, const struct chat_part *call)
{
	struct buf line = BUF_INIT;

	end_line(self);
	call_line(&line, call);
	front_say("%s\n", line.p);
	buf_release(&line);
}

static void on_result(void *self, const struct chat_part *call, struct str text, const json *answer,
		      bool failed)
{
	struct str line = STR("");

	(void)self;
	(void)answer;
	if (failed && str_line(&text, &line))
		front_say("%.*s: %.*s\n", STR_ARG(call->name), STR_ARG(line));
}

static void on_waits(void *self, uint64_t ms, const struct err *why)
{
	end_line(self);
	front_say("oxide: %s; trying again in %.1f s\n", why->msg, (double)ms / 1000);
}

static void on_done(void *self, const struct err *e)
{
	struct shell_ask *a = self;

	end_line(a);
	a->turn = NULL;
	a->call.status = e->code ? 1 : 0;
	if (e->code)
		front_say("oxide: %s\n", e->msg);
	oxide_stop(a->call.ox);
}

static const struct turn_events turn_events = {
	.text = on_text, .call = on_call, .result = on_result, .waits = on_waits, .done = on_done
};

static void on_signal(void *arg)
{
	struct shell_ask *a = arg;

	if (a->turn)
		turn_cancel(a->turn);
}

static bool begin(struct shell_ask *a, struct err *e)
{
	struct oxide *ox = a->call.ox;
	struct http *http;

	if (!permissions_init(&a->permissions, ox, e) ||
	    !model_find(ox, a->model_name, &a->model, e) || !(http = http_new(ox->loop, e)))
		return false;
	conversation_init(&a->talk, ox, http, &a->model);
	a->talk.system = conversation_system;
	a->talk.permissions = &a->permissions;
	a->talk.context.confirm = a->call.yes ? CONFIRM_NEVER : CONFIRM_ALWAYS;
	if (!put_message(a, e))
		return false;
	shell_call_serve(&a->call);
	a->turn = turn_start(&a->talk, &turn_events, a);
	loop_on_signal(ox->loop, on_signal, a);
	return true;
}

static int refuse(const struct err *e, int status)
{
	front_say("oxide: %s\n", e->msg);
	return status;
}

static int ask(struct shell_ask *a, const struct oxide_options *o)
{
	struct err e = ERR_INIT;

	a->call.status = 1;
	a->call.person = isatty(STDERR_FILENO) && (isatty(STDIN_FILENO) || isatty(STDOUT_FILENO));
	a->call.ox = oxide_with_servers(o, &e);
	if (!a->call.ox)
		return refuse(&e, 1);
	front_tell_recovered(a->call.ox);
	if (!begin(a, &e)) {
		refuse(&e, 1);
		oxide_stop(a->call.ox);
	}
	loop_run(a->call.ox->loop);
	http_free(a->talk.http);
	conversation_release(&a->talk);
	model_release(&a->model);
	permissions_release(&a->permissions);
	terminal_release(&a->call.terminal);
	oxide_free(a->call.ox);
	return a->call.status;
}

int front_ask(const struct oxide_options *o, int argc, char **argv)
{
	struct shell_ask a = { 0 };
	struct err e = ERR_INIT;
	int status = read_line(&a, argc, argv, &e) ? ask(&a, o) : refuse(&e, 2);

	buf_release(&a.words);
	free(a.files);
	return status;
}
