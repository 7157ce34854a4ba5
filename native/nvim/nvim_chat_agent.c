
#include "../base/mem.h"
#include "../chat/call_line.h"
#include "nvim_chat_impl.h"

/* Conversations with agent programs: what nvim_chat.c does not have in common with models. */
bool nvim_chat_is_agent(const struct nvim_chat *c)
{
	return c->talk.engine == &engine_acp;
}

/* A model of the user's own goes first. */
struct agent_preset *nvim_chat_agent(const struct nvim *n, struct str name)
{
	struct agent_preset *p = NULL;

	json_each(row, json_get(n->ox->configuration, "models"))
		if (str_eq(name, str_of(json_key(row))))
			return NULL;
	if (name.n && !memchr(name.p, '/', name.n))
		p = agent_preset_find(n->ox, name, ERR_IGNORED);
	if (p && agent_has_way(p, AGENT_ACP))
		return p;
	agent_preset_free(p);
	return NULL;
}

static bool can_be_had(const struct nvim *n, struct str name)
{
	struct agent_preset *p = nvim_chat_agent(n, name);
	struct agent_command command SCOPED(agent_command_release) = { 0 };
	bool there = p && agent_command(p, AGENT_ACP, &command, ERR_IGNORED);

	agent_preset_free(p);
	return there;
}

json *nvim_chat_agents(const struct nvim *n)
{
	json *all SCOPED(json_release) = agent_preset_names(n->ox), *there = json_array();

	json_each(name, all)
		if (can_be_had(n, json_text(name)))
			json_push(there, json_copy(name));
	return there;
}

json *nvim_chat_about_agent(const struct nvim_chat *c)
{
	json *v = acp_program_about(c->talk.program);

	json_put(v, "model", json_strz(conversation_who(&c->talk)));
	json_put(v, "id", json_str(json_get_str(v, "title")));
	json_put(v, "window", json_int(0));
	json_put(v, "agent", json_bool(true));
	return v;
}

/* {kind: "agent", what, value}: as acp_events has them. */
static void on_told(void *self, const char *what, const json *value)
{
	struct nvim_chat *c = self;

	if (!c->closed)
		nvim_chat_tell(c, "agent",
			       json_of({ "what", json_strz(what) }, { "value", json_copy(value) }));
}

/* What was said before in a session that was resumed: the messages, as they are kept, and the
 * lines of their calls. */
static json *history_of(struct nvim_chat *c)
{
	const struct chat *chat = &c->talk.chat;
	json *list = json_array();

	for (; c->told < chat->n; c->told++) {
		const struct chat_message *m = chat->v[c->told];
		json *v SCOPED(json_release) = chat_message_json(m), *lines = json_object();
		struct buf text = BUF_INIT;

		json_print(&text, v);
		for (size_t i = 0; i < m->n; i++) {
			struct buf line = BUF_INIT, id SCOPED(buf_release) = BUF_INIT;

			if (m->v[i].kind != CHAT_CALL)
				continue;
			call_line(&line, &m->v[i]);
			buf_add(&id, m->v[i].id);
			json_put(lines, id.p, json_take(&line));
		}
		json_push(list, json_of({ "message", json_take(&text) }, { "lines", lines }));
	}
	return list;
}

static void answer_open(struct nvim_chat *c, const struct err *e)
{
	int64_t id = c->opening;
	const json *methods = acp_program_methods(c->talk.program);
	json *result = NULL;

	c->opening = 0;
	if (!e->code) {
		result = nvim_chat_about_agent(c);
		json_put(result, "history", history_of(c));
	} else if (e->code == ERR_DENIED && json_len(methods)) {
		result = error_object(e);
		error_put(result, "methods", json_copy(methods));
	}
	nvim_chat_answer(c, id, result, e);
}

/* One that wants to be authenticated stays, to be told how. */
static void on_opened(void *arg, const struct err *e)
{
	struct nvim_chat *c = arg;

	answer_open(c, e);
	if (e->code && e->code != ERR_DENIED)
		nvim_chat_free(c);
}

static json *command_of(const struct agent_preset *p)
{
	struct agent_command command SCOPED(agent_command_release) = { 0 };
	json *list = json_array();

	if (agent_command(p, AGENT_ACP, &command, ERR_IGNORED))
		for (char **word = command.argv; *word; word++)
			json_push(list, json_strz(*word));
	return list;
}

bool nvim_chat_open_agent(struct nvim_chat *c, int64_t id, struct agent_preset *preset,
			  const json *v, struct err *e)
{
	static const struct acp_events events = { on_told };
	struct str session = json_get_str(v, "session");
	char *kept SCOPED(mem_release) = session.n ? mem_dup(session.p, session.n) : NULL;
	struct acp_spec spec = { .name = preset->name,
				 .preset = preset,
				 .cwd = c->nvim->ox->root,
				 .session = kept,
				 .lists = json_get_bool(v, "sessions", false),
				 .events = &events,
				 .self = c };
	bool ok = acp_program_new(&c->talk, &spec, e) && nvim_chat_load(c, v, e);

	if (ok) {
		nvim_chat_record(c, json_of({ "name", json_strz(preset->name) },
					    { "engine", json_strz("acp") },
					    { "command", command_of(preset) }));
		c->opening = id;
		acp_program_open(c->talk.program, on_opened, c);
	}
	agent_preset_free(preset);
	return ok;
}

void nvim_chat_close_agent(struct nvim_chat *c)
{
	if (c->talk.program)
		acp_program_close(c->talk.program);
}

bool nvim_chat_authenticate(struct nvim_chat *c, int64_t id, const json *v, struct err *e)
{
	if (!nvim_chat_is_agent(c) || c->opening || c->turn)
		return err_set(e, ERR_CONFLICT, "no agent is waiting for authentication");
	c->opening = id;
	acp_program_authenticate(c->talk.program, json_get_str(v, "method"), on_opened, c);
	return true;
}

bool nvim_chat_take_session(struct nvim_chat *c, int64_t id, const json *v, struct err *e)
{
	if (!nvim_chat_is_agent(c) || c->opening || c->turn || c->talk.chat.n)
		return err_set(e, ERR_CONFLICT,
			       "no agent is waiting for one of its sessions to be chosen");
	c->opening = id;
	acp_program_take(c->talk.program, json_get_str(v, "session"), on_opened, c);
	return true;
}

static void on_set(void *arg, const struct err *e)
{
	answer_open(arg, e);
}

/* {option, value}, or {model}. */
bool nvim_chat_set_option(struct nvim_chat *c, int64_t id, const json *v, struct err *e)
{
	struct str option = json_get_str(v, "option"), value = json_get_str(v, "value");

	if (!nvim_chat_is_agent(c))
		return err_set(e, ERR_UNSUPPORTED, "only agents have options");
	if (c->opening || c->turn)
		return err_set(e, ERR_CONFLICT, "%s is busy", conversation_who(&c->talk));
	if (!option.n) {
		option = STR("model");
		value = json_get_str(v, "model");
	}
	c->opening = id;
	acp_program_set(c->talk.program, option, value, on_set, c);
	return true;
}
