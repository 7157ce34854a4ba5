#include <string.h>

#include "../chat/acp.h"
#include "shell_talk.h"

/* `oxide ask --agent NAME`: an agent program that speaks ACP answers, instead of a model. Its files
 * are read and changed here, on the disk; Oxide's tools, which it is given too, find a Neovim by
 * themselves. */
static void on_agent_told(void *self, const char *kind, const json *value)
{
	struct shell_talk *s = self;

	if (strcmp(kind, "changed") != 0)
		return;
	shell_talk_end_line(s);
	json_each(file, json_get(value, "files"))
		front_say("oxide: %.*s has changed %.*s itself: +%lld -%lld\n",
			  STR_ARG(s->agent_name), STR_ARG(json_get_str(file, "file")),
			  (long long)json_get_int(file, "lines_added", 0),
			  (long long)json_get_int(file, "lines_removed", 0));
}

static const struct acp_events agent_events = { on_agent_told };

static void open_agent_record(struct shell_talk *s, const struct agent_preset *p, const char *cwd)
{
	struct agent_command command SCOPED(agent_command_release) = { 0 };
	json *words = json_array();
	struct record_session session = { .cwd = cwd };

	if (agent_command(p, AGENT_ACP, &command, ERR_IGNORED))
		for (char **word = command.argv; *word; word++)
			json_push(words, json_strz(*word));
	session.agent = json_of({ "name", json_strz(p->name) }, { "engine", json_strz("acp") },
				{ "command", words });
	s->record = record_new(s->call.ox, &session);
	s->talk.record = s->record;
}

bool shell_agent_open(struct shell_talk *s, const char *cwd, struct err *e)
{
	struct agent_preset *p = agent_preset_find(s->call.ox, s->agent_name, e);
	struct acp_spec spec = { .preset = p, .cwd = cwd, .events = &agent_events, .self = s };
	bool ok = p && (agent_has_way(p, AGENT_ACP) ||
			err_set(e, ERR_UNSUPPORTED,
				"%s does not speak ACP; `oxide run --name %s` starts it in the "
				"terminal",
				agent_preset_title(p), p->name));

	if (ok)
		spec.name = p->name;
	ok = ok && acp_program_new(&s->talk, &spec, e);
	if (ok)
		open_agent_record(s, p, cwd);
	agent_preset_free(p);
	return ok;
}

/* ERR_DENIED: it wants to know who asks. */
static void say_methods(const struct shell_talk *s, struct err *e)
{
	struct err why = *e;
	struct buf names SCOPED(buf_release) = BUF_INIT;

	json_each(method, acp_program_methods(s->talk.program))
		buf_addf(&names, "%s%.*s", names.n ? ", " : "",
			 STR_ARG(json_get_str(method, "name")));
	if (names.n)
		err_set(e, ERR_DENIED,
			"%s; log in once, in its own program or in Neovim (`:Oxide chat %.*s`): %s",
			why.msg, STR_ARG(s->agent_name), names.p);
}

static void on_agent_opened(void *arg, const struct err *e)
{
	struct shell_talk *s = arg;
	struct err why = *e;

	if (e->code == ERR_DENIED)
		say_methods(s, &why);
	s->ready(s, &why);
}

/* Its model is an option of its session. */
static void on_agent_session(void *arg, const struct err *e)
{
	struct shell_talk *s = arg;

	if (e->code || !s->model_name.n)
		on_agent_opened(s, e);
	else
		acp_program_set(s->talk.program, STR("model"), s->model_name, on_agent_opened, s);
}

void shell_agent_begin(struct shell_talk *s)
{
	acp_program_open(s->talk.program, on_agent_session, s);
}

void shell_agent_close(struct shell_talk *s)
{
	if (!s->talk.program)
		return;
	s->usage = conversation_usage(&s->talk);
	acp_program_close(s->talk.program);
}
