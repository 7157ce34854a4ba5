#include "app_server.h"

/*
 * Threads of Codex' app server: a new one; one of its list, gone on with; and what was said in it,
 * which comes by pages of turns so that no answer is longer than a message may be.
 *
 * app_server_start  -> app_read_thread
 * app_server_resume -> app_read_thread, or app_on_resumed -> app_on_turns, for each page
 */
#define APP_TURNS 8 /* of a page */

static bool app_read_thread(struct acp *a, const json *result, struct err *e)
{
	struct str id = json_get_str(result, "thread.id");

	if (!id.n)
		return err_set(e, ERR_PEER, "the app server has begun a thread without an id");
	buf_clear(&a->session);
	buf_add(&a->session, id);
	return true;
}

/* Servers of MCP as its configuration has them; what Oxide's tools do is asked about by Oxide. */
static json *app_config(const json *servers)
{
	json *config = json_object();

	json_each(server, servers) {
		struct buf key SCOPED(buf_release) = BUF_INIT;

		buf_addf(&key, "mcp_servers.%.*s", STR_ARG(json_get_str(server, "name")));
		json_put(config, key.p,
			 json_of({ "command", json_str(json_get_str(server, "command")) },
				 { "args", json_copy(json_get(server, "args")) },
				 { "env_vars",
				   json_list(json_strz("NVIM"), json_strz("NVIM_APPNAME"),
					     json_strz("OXIDE_CONFIG"), json_strz("OXIDE_DATA"),
					     json_strz("XDG_CONFIG_HOME"),
					     json_strz("XDG_RUNTIME_DIR"),
					     json_strz("XDG_STATE_HOME")) },
				 { "default_tools_approval_mode", json_strz("approve") }));
	}
	return config;
}

/* It asks before everything that changes something. `servers` is taken. */
static json *app_thread_params(struct str id, struct str cwd, json *servers)
{
	json *params =
		json_of({ "threadId", id.n ? json_str(id) : NULL },
			{ "excludeTurns", id.n ? json_bool(true) : NULL }, { "cwd", json_str(cwd) },
			{ "approvalPolicy", json_strz("untrusted") },
			{ "sandbox", json_strz("workspace-write") },
			{ "config", app_config(servers) });

	json_free(servers);
	return params;
}

void app_server_start(struct acp *a, struct str cwd, json *servers, acp_reply *fn, void *arg)
{
	acp_ask_agent(a, "thread/start", app_thread_params(STR(""), cwd, servers), 0,
		      acp_on_answered, fn, arg)
		->read = app_read_thread;
}

/* What was said in a thread */

/* Of a message in parts each is a paragraph: a text, or an object that may have one. */
static void app_tell_parts(struct acp *a, enum acp_update_kind kind, struct str id,
			   const json *parts)
{
	bool any = false;

	json_each(part, parts) {
		struct str text =
			json_is(part, JSON_STRING) ? json_text(part) : json_get_str(part, "text");

		if (any && text.n)
			acp_tell_message(a, kind, id, STR("\n\n"));
		acp_tell_message(a, kind, id, text);
		any = any || text.n;
	}
}

static void app_tell_said(struct acp *a, const json *item)
{
	struct str type = json_get_str(item, "type"), id = json_get_str(item, "id");

	if (str_eq(type, STR("agentMessage")))
		acp_tell_message(a, ACP_TEXT, id, json_get_str(item, "text"));
	else if (str_eq(type, STR("userMessage")))
		app_tell_parts(a, ACP_USER_TEXT, id, json_get(item, "content"));
	else if (str_eq(type, STR("reasoning")))
		app_tell_parts(a, ACP_THOUGHT, id, json_get(item, "summary"));
	else
		app_server_tell_call(a, app_server_call(item));
}

static void app_ask_turns(struct acp_waiting *w, struct str cursor);

static void app_on_turns(void *arg, struct msg *m, const struct err *failed)
{
	struct acp_waiting *w = arg;
	struct err e = *failed;
	const json *result = e.code ? NULL : msg_body(m, &e), *turns = json_get(result, "data");
	struct str next = json_get_str(result, "nextCursor");

	json_each(turn, turns)
		json_each(item, json_get(turn, "items"))
			app_tell_said(w->acp, item);
	if (!e.code && next.n && json_len(turns) && !w->acp->ended)
		app_ask_turns(w, next);
	else
		acp_end_waiting(w, e.code ? NULL : result, &e);
}

static void app_ask_turns(struct acp_waiting *w, struct str cursor)
{
	struct acp *a = w->acp;

	peer_call(a->peer, "thread/turns/list",
		  json_of({ "threadId", json_str(buf_str(&a->session)) },
			  { "cursor", cursor.n ? json_str(cursor) : NULL },
			  { "itemsView", json_strz("full") }, { "sortDirection", json_strz("asc") },
			  { "limit", json_int(APP_TURNS) }),
		  a->now, 0, app_on_turns, w);
}

static void app_on_resumed(void *arg, struct msg *m, const struct err *failed)
{
	struct acp_waiting *w = arg;
	struct err e = *failed;
	const json *result = e.code ? NULL : msg_body(m, &e);

	if (!e.code && app_read_thread(w->acp, result, &e) && !w->acp->ended)
		app_ask_turns(w, STR(""));
	else
		acp_end_waiting(w, e.code ? NULL : result, &e);
}

void app_server_resume(struct acp *a, struct str id, bool all, struct str cwd, json *servers,
		       acp_reply *fn, void *arg)
{
	struct acp_waiting *w =
		acp_ask_agent(a, "thread/resume", app_thread_params(id, cwd, servers), 0,
			      all ? app_on_resumed : acp_on_answered, fn, arg);

	w->read = all ? NULL : app_read_thread;
	acp_end_message(a);
}

/* Its list */

static json *app_sessions(const json *result)
{
	struct str next = json_get_str(result, "nextCursor");
	json *sessions = json_array();

	json_each(thread, json_get(result, "data")) {
		struct str name = json_get_str(thread, "name"), cwd = json_get_str(thread, "cwd");
		int64_t seconds = json_get_int(thread, "updatedAt", 0);

		if (!name.n)
			name = json_get_str(thread, "preview");
		json_push(sessions,
			  json_of({ "sessionId", json_str(json_get_str(thread, "id")) },
				  { "cwd", json_str(cwd) },
				  { "title", name.n ? json_str(name) : NULL },
				  { "updatedAt", seconds ? json_int(seconds * 1000) : NULL }));
	}
	return json_of({ "sessions", sessions }, { "nextCursor", next.n ? json_str(next) : NULL });
}

static void app_on_list(void *arg, struct msg *m, const struct err *failed)
{
	struct acp_waiting *w = arg;
	struct err e = *failed;
	const json *result = e.code ? NULL : msg_body(m, &e);
	json *sessions SCOPED(json_release) = e.code ? NULL : app_sessions(result);

	acp_end_waiting(w, sessions, &e);
}

/* Those that a user has had, wherever: its own default leaves out those of other programs. */
void app_server_list(struct acp *a, struct str cwd, struct str cursor, acp_reply *fn, void *arg)
{
	json *sources = json_list(json_strz("cli"), json_strz("vscode"), json_strz("exec"),
				  json_strz("appServer"));

	acp_ask_agent(a, "thread/list",
		      json_of({ "cwd", json_str(cwd) },
			      { "cursor", cursor.n ? json_str(cursor) : NULL },
			      { "sourceKinds", sources }, { "sortKey", json_strz("updated_at") }),
		      0, app_on_list, fn, arg);
}
