#include <string.h>
#include <unistd.h>

#include "../record/transcript.h"
#include "command.h"
#include "shell_talk.h"

/* `oxide chat`: a conversation on the terminal, a message a line. */
struct shell_chat {
	struct shell_talk talk;
	struct terminal input;
	struct transcript transcript;
	struct buf words; /* of the message, as far as it has been typed */
	bool prompts;	  /* somebody sits there */
	bool quoted;	  /* between two lines of """ */
	bool resume, quits;
};

static const char chat_help[] = "/model [NAME]   show the model, or change it\n"
				"/file FILE[:FIRST[-LAST]]   shown with the next message\n"
				"/quit or Ctrl-D  ends; Ctrl-C cancels an answer\n"
				"A line that ends with \\ continues, and so does all between two "
				"lines of \"\"\".\n";

static void chat_next(struct shell_chat *c);

static void chat_say_error(const struct err *e)
{
	front_say("oxide: %s\n", e->msg);
}

static void chat_end(struct shell_chat *c)
{
	if (c->prompts)
		front_say("\n");
	shell_talk_stop(&c->talk);
}

static void chat_over(struct shell_talk *s, const struct err *e)
{
	struct shell_chat *c = (struct shell_chat *)s;

	(void)e; /* has been said; the conversation can go on */
	if (c->quits)
		chat_end(c);
	else
		chat_next(c);
}

static void chat_send(struct shell_chat *c)
{
	struct buf words SCOPED(buf_release) = c->words;

	c->words = (struct buf)BUF_INIT;
	shell_talk_send(&c->talk, buf_str(&words), chat_over);
}

static void chat_say_problem(struct shell_chat *c)
{
	if (c->transcript.problem.code)
		front_say("oxide: %s\n", c->transcript.problem.msg);
	c->transcript.problem = (struct err)ERR_INIT;
}

static void chat_message(struct shell_talk *s)
{
	struct shell_chat *c = (struct shell_chat *)s;
	const struct chat *chat = &s->talk.chat;

	transcript_add(&c->transcript, chat->v[chat->n - 1]);
	chat_say_problem(c);
}

/* What follows the command; false: it is another one. */
static bool is_command(struct str line, struct str name, struct str *rest)
{
	if (!str_skip(&line, name) || (line.n && line.p[0] != ' '))
		return false;
	*rest = str_trim(line);
	return true;
}

static void chat_command(struct shell_chat *c, struct str line)
{
	struct err e = ERR_INIT;
	struct str rest;

	if (is_command(line, STR("/quit"), &rest)) {
		chat_end(c);
		return;
	}
	if (is_command(line, STR("/model"), &rest) && rest.n)
		shell_talk_set_model(&c->talk, rest, &e);
	if (is_command(line, STR("/model"), &rest) && !e.code)
		front_say("%s (%s)\n", c->talk.model.name, c->talk.model.id);
	else if (is_command(line, STR("/file"), &rest) && rest.n)
		shell_talk_file(&c->talk, rest);
	else if (!e.code)
		front_say("%s", chat_help);
	if (e.code)
		chat_say_error(&e);
	chat_next(c);
}

/* Whether the message goes on in the next line. */
static bool cmd_chat_goes_on(struct shell_chat *c, struct str line)
{
	if (str_eq(str_trim(line), STR("\"\"\""))) {
		c->quoted = !c->quoted;
		return c->quoted;
	}
	if (!c->quoted && str_ends(line, STR("\\"))) {
		line.n--;
		buf_addf(&c->words, "%.*s\n", STR_ARG(line));
		return true;
	}
	buf_addf(&c->words, "%.*s%s", STR_ARG(line), c->quoted ? "\n" : "");
	return c->quoted;
}

static void chat_line(void *arg, const struct str *line)
{
	struct shell_chat *c = arg;

	if (!line && !c->quits && c->words.n) /* the input ends in a message */
		c->quits = true;
	else if (!line) {
		chat_end(c);
		return;
	} else if (!c->words.n && !c->quoted && str_starts(*line, STR("/"))) {
		chat_command(c, str_trim(*line));
		return;
	} else if (cmd_chat_goes_on(c, *line)) {
		chat_next(c);
		return;
	}
	if (str_trim(buf_str(&c->words)).n) {
		chat_send(c);
		return;
	}
	buf_clear(&c->words);
	chat_next(c);
}

static void chat_next(struct shell_chat *c)
{
	if (c->prompts)
		front_say(c->words.n || c->quoted ? "... " : "> ");
	terminal_read(&c->input, chat_line, c);
}

/* Ctrl-C cancels what goes on: the answer, or the message that is being typed. */
static void chat_on_signal(void *arg)
{
	struct shell_chat *c = arg;
	bool interrupt = loop_was_interrupted(c->talk.call.loop);

	c->quits = c->quits || !interrupt;
	if (c->talk.turn || c->talk.reading) {
		shell_talk_cancel(&c->talk);
	} else if (c->quits) {
		terminal_cancel(&c->input);
	} else if (c->input.reading) {
		buf_clear(&c->words);
		c->quoted = false;
		front_say("\n/quit or Ctrl-D ends the conversation\n");
		chat_next(c);
	}
}

static void chat_ready(struct shell_talk *s, const struct err *e)
{
	struct shell_chat *c = (struct shell_chat *)s;

	if (!e->code) {
		chat_next(c);
		return;
	}
	chat_say_error(e);
	s->call.status = 1;
	shell_talk_stop(s);
}

static bool chat_open(struct shell_chat *c, const struct call_options *o, struct err *e)
{
	struct shell_talk *s = &c->talk;

	if (!shell_talk_open(s, o, e))
		return false;
	s->message = chat_message;
	if (c->resume &&
	    !transcript_resume(&c->transcript, s->call.ox->root, s->model.name, &s->talk.chat, e))
		return false;
	s->talk.resumed = c->resume;
	if (c->transcript.is_copy)
		front_say("another shell or Neovim has this conversation open; here it goes on in "
			  "a copy\n");
	if (!c->resume)
		transcript_begin(&c->transcript, s->call.ox->root, s->model.name);
	chat_say_problem(c);
	c->prompts = isatty(STDIN_FILENO);
	if (c->prompts)
		front_say("%s (%s); /help lists the commands%s\n", s->model.name, s->model.id,
			  c->resume ? "; the conversation goes on" : "");
	s->call.status = 0;
	terminal_init(&c->input, s->call.loop, NULL);
	loop_on_signal(s->call.loop, chat_on_signal, c);
	shell_talk_begin(s, o, "oxide chat", chat_ready);
	return true;
}

static bool chat_options(struct shell_chat *c, int argc, char **argv, struct err *e)
{
	for (int i = 0; i < argc; i++) {
		int used = shell_talk_option(&c->talk, argc - i, argv + i, e);

		if (e->code)
			return false;
		if (!used && !strcmp(argv[i], "--resume"))
			c->resume = true;
		else if (!used && argv[i][0] == '-')
			return err_set(e, ERR_INVALID, "unknown option %s", argv[i]);
		else if (!used)
			return err_set(e, ERR_INVALID,
				       "chat reads messages from standard input, not \"%s\"",
				       argv[i]);
		i += used ? used - 1 : 0;
	}
	return true;
}

int cmd_chat(const struct call_options *o, bool as_json, int argc, char **argv)
{
	struct shell_chat c = { .talk.json = as_json, .transcript.fd = -1 };
	struct shell_talk *s = &c.talk;
	struct err e = ERR_INIT;

	s->call.status = 2;
	if (!chat_options(&c, argc, argv, &e)) {
		front_refuse("chat", &e);
	} else if (!chat_open(&c, o, &e)) {
		chat_say_error(&e);
		if (s->call.ox)
			shell_talk_stop(s);
	}
	if (s->call.ox)
		loop_run(s->call.loop);
	transcript_end(&c.transcript);
	terminal_release(&c.input);
	shell_talk_close(s);
	buf_release(&c.words);
	return s->call.status;
}
