#include <string.h>

#include "command.h"
#include "shell_input.h"
#include "shell_talk.h"

/* `oxide ask`: one turn of a conversation with a model, or with an agent. */
static bool read_line(struct shell_talk *s, struct buf *words, int argc, char **argv, struct err *e)
{
	bool input = false;

	for (int i = 0; i < argc; i++) {
		int used = shell_talk_option(s, argc - i, argv + i, e);

		if (e->code)
			return false;
		if (used)
			i += used - 1;
		else if (!strcmp(argv[i], "--agent") && i + 1 == argc)
			return err_set(e, ERR_INVALID, "--agent needs a value");
		else if (!strcmp(argv[i], "--agent"))
			s->agent_name = str_of(argv[++i]);
		else if (!strcmp(argv[i], "-"))
			input = true;
		else if (argv[i][0] == '-' && argv[i][1] == '-')
			return err_set(e, ERR_INVALID, "unknown option %s", argv[i]);
		else
			buf_addf(words, "%s%s", words->n ? " " : "", argv[i]);
	}
	if (input && words->n)
		buf_addc(words, '\n');
	if (input && !shell_read_input(words, e))
		return false;
	return str_trim(buf_str(words)).n || err_set(e, ERR_INVALID, "the prompt is empty");
}

/* An agent's files are read and changed here. */
static bool may_be_there(const struct shell_talk *s, const struct call_options *o, struct err *e)
{
	return !s->agent_name.n || o->where != CALL_EDITOR ||
	       err_set(e, ERR_INVALID,
		       "--editor is for models, not for --agent; in Neovim, "
		       "`:Oxide chat %.*s` asks an agent",
		       STR_ARG(s->agent_name));
}

struct shell_ask {
	struct shell_talk talk;
	struct buf words;
};

static void ask_over(struct shell_talk *s, const struct err *e)
{
	(void)e;
	shell_talk_stop(s);
}

static void ask_ready(struct shell_talk *s, const struct err *e)
{
	struct shell_ask *a = (struct shell_ask *)s;

	if (!e->code) {
		shell_talk_send(s, buf_str(&a->words), ask_over);
		return;
	}
	front_say("oxide: %s\n", e->msg);
	shell_talk_stop(s);
}

static void ask_on_signal(void *arg)
{
	shell_talk_cancel(arg);
}

static int ask(struct shell_talk *s, const struct call_options *o)
{
	struct err e = ERR_INIT;

	if (shell_talk_open(s, o, &e)) {
		shell_talk_begin(s, o, "oxide ask", ask_ready);
		loop_on_signal(s->call.loop, ask_on_signal, s);
	} else {
		front_say("oxide: %s\n", e.msg);
		if (s->call.ox)
			shell_talk_stop(s);
	}
	if (s->call.ox)
		loop_run(s->call.loop);
	return s->call.status;
}

int cmd_ask(const struct call_options *o, bool as_json, int argc, char **argv)
{
	struct shell_ask a = { .talk.json = as_json };
	struct err e = ERR_INIT;
	int status = 2;

	if (read_line(&a.talk, &a.words, argc, argv, &e) && may_be_there(&a.talk, o, &e))
		status = ask(&a.talk, o);
	else
		front_refuse("ask", &e);
	shell_talk_close(&a.talk);
	buf_release(&a.words);
	return status;
}
