#include "shell_talk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../base/plain.h"
#include "../chat/call_line.h"
#include "../chat/excerpt.h"
#include "../chat/local_models.h"

void shell_talk_file(struct shell_talk *s, struct str name)
{
	mem_add(s->files, s->n_files, s->files_cap, mem_dup(name.p, name.n));
}

static void forget_files(struct shell_talk *s)
{
	while (s->n_files)
		free(s->files[--s->n_files]);
}

int shell_talk_option(struct shell_talk *s, int left, char **argv, struct err *e)
{
	bool model = !strcmp(argv[0], "--model"), file = !strcmp(argv[0], "--file");

	if (!strcmp(argv[0], "--yes")) {
		s->call.yes = true;
		return 1;
	}
	if (!model && !file)
		return 0;
	if (left < 2)
		return err_set(e, ERR_INVALID, "%s needs a value", argv[0]);
	if (model)
		s->model_name = str_of(argv[1]);
	else
		shell_talk_file(s, str_of(argv[1]));
	return 2;
}

static char *working_directory(struct err *e)
{
	char cwd[4096];

	if (getcwd(cwd, sizeof(cwd)))
		return mem_dup(cwd, strlen(cwd));
	err_set(e, ERR_IO, "working directory: %s", strerror(errno));
	return NULL;
}

void shell_talk_end_line(struct shell_talk *s)
{
	if (s->in_line)
		front_put(STR("\n"));
	s->in_line = false;
}

static void on_talk_text(void *self, struct str more, bool thought)
{
	struct shell_talk *s = self;
	struct buf shown SCOPED(buf_release) = BUF_INIT;

	if (thought || !more.n || s->json)
		return;
	if (isatty(STDOUT_FILENO))
		plain_add(&shown, more);
	else
		buf_add(&shown, more);
	front_put(buf_str(&shown));
	s->in_line = more.p[more.n - 1] != '\n';
}

static void on_talk_call(void *self, const struct chat_part *call)
{
	struct buf line SCOPED(buf_release) = BUF_INIT;

	shell_talk_end_line(self);
	call_line(&line, call);
	front_say("%s\n", line.p);
}

static void on_talk_result(void *self, const struct chat_part *call, struct str text,
			   const json *answer, bool failed)
{
	struct str line = STR("");

	(void)self;
	(void)answer;
	if (failed && str_line(&text, &line))
		front_say("%.*s: %.*s\n", STR_ARG(call->name), STR_ARG(line));
}

static void on_talk_waits(void *self, uint64_t ms, const struct err *why)
{
	struct shell_talk *s = self;
	bool is_new = strcmp(s->waits.msg, why->msg) != 0;

	shell_talk_end_line(s);
	front_say("oxide: %s%strying again in %.1f s\n", is_new ? why->msg : "", is_new ? "; " : "",
		  (double)ms / 1000);
	s->waits = *why;
}

static void on_talk_changes(void *self, const struct turn_changes *what)
{
	struct shell_talk *s = self;

	s->unchanged = !what->report;
	if (what->fate == TURN_REJECTED)
		front_say("oxide: rejected; nothing was changed\n");
	else if (what->fate == TURN_UNDECIDED)
		front_say("oxide: nothing was changed: %s\n", what->why->msg);
}

static void on_talk_review(void *self)
{
	shell_talk_end_line(self);
}

static void say_incomplete_record(struct shell_talk *s)
{
	const char *why = record_incomplete(s->record);

	if (why)
		front_say("oxide: the record of this conversation is incomplete: %s%s\n", why,
			  s->json ? "" : "; --json prints all of it");
}

static void on_talk_done(void *self, const struct err *e)
{
	struct shell_talk *s = self;

	shell_talk_end_line(s);
	say_incomplete_record(s);
	s->turn = NULL;
	s->waits = (struct err)ERR_INIT;
	s->call.status = e->code || s->unchanged ? 1 : 0;
	if (e->code)
		front_say("oxide: %s\n", e->msg);
	s->over(s, e);
}

static void on_talk_message(void *self)
{
	struct shell_talk *s = self;

	if (s->message)
		s->message(s);
}

static const struct turn_events talk_events = { .text = on_talk_text,
						.call = on_talk_call,
						.result = on_talk_result,
						.review = on_talk_review,
						.message = on_talk_message,
						.waits = on_talk_waits,
						.done = on_talk_done };

/* FILE, FILE:12 or FILE:3-9; a file of the whole name comes first. part->path is new. */
static bool read_file_word(const char *word, struct excerpt *part, struct err *e)
{
	const char *colon = strrchr(word, ':');
	char *end, *path SCOPED(mem_release) = NULL, *cwd SCOPED(mem_release) = NULL;

	if (access(word, F_OK) && colon) {
		part->first = part->last = strtoul(colon + 1, &end, 10);
		if (*end == '-')
			part->last = strtoul(end + 1, &end, 10);
		if (*end || !part->first)
			return err_set(e, ERR_INVALID,
				       "%s: lines must be FIRST or FIRST-LAST, from 1", word);
	}
	cwd = working_directory(e);
	if (!cwd)
		return false;
	path = mem_dup(word, part->first ? (size_t)(colon - word) : strlen(word));
	part->path = path_join(cwd, path);
	return true;
}

static struct chat_message *last_message(const struct shell_talk *s)
{
	return s->talk.chat.v[s->talk.chat.n - 1];
}

static void send_next(struct shell_talk *s);

/* The message is not sent: it is taken back. */
static void send_failed(struct shell_talk *s, const struct err *e)
{
	conversation_cut(&s->talk, s->talk.chat.n - 1);
	forget_files(s);
	s->call.status = 1;
	front_say("oxide: %s\n", e->msg);
	s->over(s, e);
}

static void put_read(struct shell_talk *s, const json *answer)
{
	struct str file = json_get_str(answer, "file");
	int64_t first = json_get_int(answer, "start_line", 1),
		last = json_get_int(answer, "end_line", 0),
		all = json_get_int(answer, "total_lines", 0);
	struct buf name SCOPED(buf_release) = BUF_INIT;

	buf_add(&name, file);
	if (first != 1 || last != all)
		buf_addf(&name, ", lines %lld to %lld", (long long)first, (long long)last);
	chat_put(last_message(s), &(struct chat_part){ .kind = CHAT_SHOWN,
						       .name = buf_str(&name),
						       .text = json_get_str(answer, "content") });
}

static void on_talk_file_read(void *arg, json *result, const struct err *e)
{
	struct shell_talk *s = arg;

	s->reading = NULL;
	if (e->code) {
		send_failed(s, e);
	} else {
		put_read(s, result);
		send_next(s);
	}
	json_free(result);
}

/* As Neovim has it, saved or not: its tools count these lines. */
static void read_there(struct shell_talk *s, const struct excerpt *part)
{
	json *args = json_of({ "file_path", json_strz(part->path) },
			     { "start_line", part->first ? json_int((int64_t)part->first) : NULL },
			     { "end_line", part->last ? json_int((int64_t)part->last) : NULL });

	s->reading = s->talk.runner->start(s->talk.runner_self, &tool_read_file, args,
					   &s->talk.context, on_talk_file_read, s);
}

/* Shows the files, one after the other, and then asks the model. */
static void send_next(struct shell_talk *s)
{
	bool ok, there = shell_relay_is_there(&s->relay);
	struct err e = ERR_INIT;

	while (s->n_files) {
		struct excerpt part = { 0 };
		char *word = s->files[--s->n_files];

		ok = read_file_word(word, &part, &e);
		if (ok && there)
			read_there(s, &part);
		else
			ok = ok &&
			     excerpt_put(s->call.ox, s->talk.shown, last_message(s), &part, &e);
		free((char *)part.path);
		free(word);
		if (!ok)
			send_failed(s, &e);
		if (!ok || there)
			return;
	}
	conversation_keep_shown(&s->talk);
	if (s->message)
		s->message(s);
	s->turn = turn_start(&s->talk, &talk_events, s);
}

void shell_talk_send(struct shell_talk *s, struct str words,
		     void (*fn)(struct shell_talk *s, const struct err *e))
{
	struct chat_message *m;

	conversation_recall_shown(&s->talk);
	shown_texts_mark(s->talk.shown, s->talk.chat.n);
	m = chat_add(&s->talk.chat, CHAT_PERSON);
	chat_put(m, &(struct chat_part){ .kind = CHAT_TEXT, .text = words });
	s->over = fn;
	s->unchanged = false;
	for (size_t i = 0; i < s->n_files / 2; i++) { /* they are taken from the end */
		char *first = s->files[i];

		s->files[i] = s->files[s->n_files - 1 - i];
		s->files[s->n_files - 1 - i] = first;
	}
	send_next(s);
}

void shell_talk_cancel(struct shell_talk *s)
{
	if (s->reading)
		s->talk.runner->cancel(s->talk.runner_self, s->reading);
	else if (s->turn)
		turn_cancel(s->turn);
}

bool shell_talk_set_model(struct shell_talk *s, struct str name, struct err *e)
{
	struct model model = { 0 };

	if (!model_find(s->call.ox, name, &model, e)) {
		model_release(&model);
		return false;
	}
	model_release(&s->model);
	s->model = model;
	return true;
}

static void models_found(void *loop)
{
	loop_stop(loop);
}

/* Where nothing is configured, one of a server on this machine. */
static bool find_model(struct shell_talk *s, struct http *http, struct err *e)
{
	struct oxide *ox = s->call.ox;

	if (shell_talk_set_model(s, s->model_name, e))
		return true;
	if (e->code != ERR_NOT_FOUND || model_is_there(ox))
		return false;
	*e = (struct err)ERR_INIT;
	local_models_find(ox, http, models_found, ox->loop);
	loop_run(ox->loop);
	return shell_talk_set_model(s, s->model_name, e);
}

static void open_record(struct shell_talk *s, const char *cwd)
{
	json *agent =
		json_of({ "name", json_strz(s->model.name) }, { "engine", json_strz("model") },
			{ "model", json_strz(s->model.id) });
	struct record_session session = { .agent = agent, .cwd = cwd };

	s->record = record_new(s->call.ox, &session);
	s->talk.record = s->record;
}

static bool open_model(struct shell_talk *s, const char *cwd, struct err *e)
{
	struct http *http = http_new(s->call.loop, e);

	if (!http || !find_model(s, http, e)) {
		http_free(http);
		return false;
	}
	conversation_with_model(&s->talk, http, &s->model);
	open_record(s, cwd);
	return true;
}

static void talk_is_ready(void *arg)
{
	struct shell_talk *s = arg;

	if (shell_relay_is_there(&s->relay)) {
		s->talk.runner = &shell_relay_runner;
		s->talk.runner_self = &s->relay;
	}
	s->ready(s, &s->relay.why);
}

void shell_talk_begin(struct shell_talk *s, const struct call_options *o, const char *who,
		      void (*fn)(struct shell_talk *s, const struct err *e))
{
	s->ready = fn;
	if (s->agent_name.n)
		shell_agent_begin(s);
	else if (!shell_relay_open(&s->relay, s->call.ox, o, who, talk_is_ready, s))
		loop_soon(s->call.loop, talk_is_ready, s);
}

void shell_talk_stop(struct shell_talk *s)
{
	shell_relay_end(&s->relay);
	shell_agent_close(s);
	oxide_stop(s->call.ox);
}

bool shell_talk_open(struct shell_talk *s, const struct call_options *o, struct err *e)
{
	char *cwd SCOPED(mem_release) = working_directory(e);
	bool ok;

	s->call.status = 1;
	s->call.person = isatty(STDERR_FILENO) && (isatty(STDIN_FILENO) || isatty(STDOUT_FILENO));
	s->call.ox = cwd ? oxide_with_servers(&o->oxide, e) : NULL;
	ok = s->call.ox != NULL;
	if (ok) {
		front_tell_recovered(s->call.ox);
		shell_call_serve(&s->call);
	}
	ok = ok && permissions_init(&s->permissions, s->call.ox, e);
	if (ok) {
		conversation_init(&s->talk, s->call.ox);
		s->talk.permissions = &s->permissions;
		s->talk.changes = on_talk_changes;
		s->talk.changes_self = s;
		s->talk.context.confirm = s->call.yes ? CONFIRM_NEVER : CONFIRM_ALWAYS;
		ok = (s->agent_name.n ? shell_agent_open : open_model)(s, cwd, e);
	}
	return ok;
}

static void close_record(struct shell_talk *s)
{
	struct err e = ERR_INIT;
	json *whole, *usage = s->usage ? s->usage : conversation_usage(&s->talk);

	s->usage = NULL;
	if (!record_end(s->record, usage, &e))
		front_say("oxide: %s\n", e.msg);
	say_incomplete_record(s);
	whole = s->json ? record_whole(s->record, &e) : NULL;
	if (whole)
		front_print_json(whole);
	else if (s->json)
		front_say("oxide: %s\n", e.msg);
	record_free(s->record);
}

void shell_talk_close(struct shell_talk *s)
{
	if (s->record)
		close_record(s);
	forget_files(s);
	free(s->files);
	http_free(s->talk.http);
	conversation_release(&s->talk);
	model_release(&s->model);
	permissions_release(&s->permissions);
	terminal_release(&s->call.terminal);
	if (s->call.ox)
		oxide_free(s->call.ox);
}
