#include "acp_client_impl.h"

static void acp_tell(struct acp *a, const struct acp_update *u)
{
	a->host.update(a->self, u);
}

void acp_end_message(struct acp *a)
{
	a->said.is = false;
	buf_clear(&a->said.id);
}

void acp_tell_message(struct acp *a, enum acp_update_kind kind, struct str id, struct str text)
{
	struct acp_said *s = &a->said;
	bool another = s->is && s->kind == kind && s->id.n && id.n && !str_eq(id, buf_str(&s->id));

	if (!text.n)
		return;
	if (another)
		acp_tell(a, &(struct acp_update){ .kind = kind, .text = STR("\n\n") });
	acp_end_message(a);
	s->is = true;
	s->kind = kind;
	buf_add(&s->id, id);
	acp_tell(a, &(struct acp_update){ .kind = kind, .text = text });
}

/* A chunk has one block; a whole message of version 2 a list of them. Blocks without a text are
 * named. */
static void acp_tell_block(struct acp *a, enum acp_update_kind kind, struct str id,
			   const json *block)
{
	struct str text = json_get_str(block, "text"), type = json_get_str(block, "type");
	struct buf named SCOPED(buf_release) = BUF_INIT;

	if (!text.n && type.n && !str_eq(type, STR("text"))) {
		struct str uri = json_get_str(block, "uri");

		if (!uri.n)
			uri = json_get_str(block, "resource.uri");
		buf_addf(&named, "[%.*s%s%.*s]", STR_ARG(type), uri.n ? " " : "", STR_ARG(uri));
		text = buf_str(&named);
	}
	acp_tell_message(a, kind, id, text);
}

static void acp_tell_text(struct acp *a, enum acp_update_kind kind, const json *update)
{
	const json *content = json_get(update, "content");
	struct str id = json_get_str(update, "messageId");

	if (json_is(content, JSON_ARRAY)) {
		json_each(block, content)
			acp_tell_block(a, kind, id, block);
	} else {
		acp_tell_block(a, kind, id, content);
	}
}

static void on_agent_text(struct acp *a, const json *update)
{
	acp_tell_text(a, ACP_TEXT, update);
}

static void on_thought(struct acp *a, const json *update)
{
	acp_tell_text(a, ACP_THOUGHT, update);
}

static void on_user_text(struct acp *a, const json *update)
{
	acp_tell_text(a, ACP_USER_TEXT, update);
}

static void acp_tell_call(struct acp *a, struct acp_call *c)
{
	if (!c)
		return;
	acp_end_message(a);
	acp_tell(a, &(struct acp_update){ .kind = ACP_CALL, .call = c });
}

static void acp_on_call(struct acp *a, const json *update)
{
	acp_tell_call(a, acp_merge_call(a, update));
}

static void on_call_content(struct acp *a, const json *update)
{
	struct acp_call *c = map_get(&a->calls, json_get_str(update, "toolCallId"));

	if (c)
		acp_add_content(c, update);
	acp_tell_call(a, c);
}

static void acp_tell_value(struct acp *a, enum acp_update_kind kind, const json *value)
{
	if (value)
		acp_tell(a, &(struct acp_update){ .kind = kind, .value = value });
}

static void on_plan(struct acp *a, const json *update)
{
	const json *entries = json_get(update, "entries");

	acp_tell_value(a, ACP_PLAN, entries ? entries : json_get(update, "plan.entries"));
}

static void on_commands(struct acp *a, const json *update)
{
	acp_tell_value(a, ACP_COMMANDS, json_get(update, "availableCommands"));
}

static void on_mode(struct acp *a, const json *update)
{
	acp_set_current(a, "mode", json_get_str(update, "currentModeId"));
	acp_tell_value(a, ACP_OPTIONS, a->options);
}

static void on_options(struct acp *a, const json *update)
{
	if (acp_read_options(a, update))
		acp_tell_value(a, ACP_OPTIONS, a->options);
}

static void acp_on_usage(struct acp *a, const json *update)
{
	acp_tell_value(a, ACP_USAGE, update);
}

static void on_title(struct acp *a, const json *update)
{
	struct str title = json_get_str(update, "title");

	if (title.n)
		acp_tell(a, &(struct acp_update){ .kind = ACP_TITLE, .text = title });
}

static void on_state(struct acp *a, const json *update)
{
	if (str_eq(json_get_str(update, "state"), STR("idle")))
		acp_on_stopped(a, update);
}

static const struct {
	const char *name;
	void (*take)(struct acp *a, const json *update);
} updates[] = {
	{ "agent_message_chunk", on_agent_text },
	{ "agent_message", on_agent_text },
	{ "agent_thought_chunk", on_thought },
	{ "agent_thought", on_thought },
	{ "user_message_chunk", on_user_text },
	{ "user_message", on_user_text },
	{ "tool_call", acp_on_call },
	{ "tool_call_update", acp_on_call },
	{ "tool_call_content_chunk", on_call_content },
	{ "plan", on_plan },
	{ "plan_update", on_plan },
	{ "available_commands_update", on_commands },
	{ "current_mode_update", on_mode },
	{ "config_option_update", on_options },
	{ "usage_update", acp_on_usage },
	{ "session_info_update", on_title },
	{ "state_update", on_state },
};

/* Those of a session that is being opened come before its name does. */
void acp_on_update(void *self, struct msg *m, const json *params)
{
	struct acp *a = self;
	const json *update = json_get(params, "update");
	struct str name = json_get_str(update, "sessionUpdate"),
		   session = json_get_str(params, "sessionId");

	(void)m;
	if (a->session.n && !str_eq(session, buf_str(&a->session)))
		return;
	for (size_t i = 0; i < sizeof(updates) / sizeof(updates[0]); i++)
		if (str_eq(name, str_of(updates[i].name))) {
			updates[i].take(a, update);
			return;
		}
}
