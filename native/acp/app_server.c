#include "app_server.h"

#include "../base/mem.h"

/*
 * app_server_initialize -> app_server_start -> app_server_prompt -> (items, approvals)
 *                       -> app_on_turn_completed
 */
/* "oxide.nvim/0.169.0 (Debian ...)" */
static bool app_read_agent(struct acp *a, const json *result, struct err *e)
{
	struct str agent, release;
	ptrdiff_t slash, space;

	(void)e;
	json_free(a->initialized);
	a->initialized = json_copy(result);
	agent = json_get_str(a->initialized, "userAgent");
	slash = str_find(agent, STR("/"));
	release = slash < 0 ? STR("") : str_sub(agent, (size_t)slash + 1, agent.n);
	space = str_find(release, STR(" "));
	a->agent = (struct acp_agent){ .version = ACP_VERSION,
				       .name = STR("codex"),
				       .title = STR("Codex"),
				       .release = space < 0 ? release
							    : str_sub(release, 0, (size_t)space),
				       .loads = true,
				       .resumes = true,
				       .lists = true };
	peer_notify(a->peer, "initialized", json_object());
	return true;
}

void app_server_initialize(struct acp *a, const struct acp_client *c, uint64_t timeout_ms,
			   acp_reply *fn, void *arg)
{
	json *info = json_of({ "name", json_strz(c->name) }, { "title", json_strz(c->title) },
			     { "version", json_strz(c->version) });
	json *can = json_of({ "experimentalApi", json_bool(true) });

	acp_ask_agent(a, "initialize", json_of({ "clientInfo", info }, { "capabilities", can }),
		      timeout_ms, acp_on_answered, fn, arg)
		->read = app_read_agent;
}

/* A turn */

static void app_ignore(void *arg, struct msg *m, const struct err *e)
{
	(void)arg;
	(void)m;
	(void)e;
}

static void app_interrupt(struct acp *a)
{
	a->interrupts = false;
	peer_call(a->peer, "turn/interrupt",
		  json_of({ "threadId", json_str(buf_str(&a->session)) },
			  { "turnId", json_str(buf_str(&a->turn)) }),
		  a->now, 0, app_ignore, a);
}

static void app_on_turn(void *arg, struct msg *m, const struct err *failed)
{
	struct acp *a = arg;
	struct err e = *failed;
	const json *result = e.code ? NULL : msg_body(m, &e);

	if (e.code) {
		acp_fail_prompt(a, &e);
		return;
	}
	buf_clear(&a->turn);
	buf_add(&a->turn, json_get_str(result, "turn.id"));
	if (a->interrupts && a->prompt)
		app_interrupt(a);
}

void app_server_prompt(struct acp *a, json *blocks, acp_reply *fn, void *arg)
{
	struct acp_waiting *w = mem_new(sizeof(*w));
	json *input = json_array();

	json_each(block, blocks)
		if (json_get_str(block, "text").n)
			json_push(input,
				  json_of({ "type", json_strz("text") },
					  { "text", json_str(json_get_str(block, "text")) }));
	json_free(blocks);
	*w = (struct acp_waiting){ .acp = a, .fn = fn, .arg = arg };
	a->prompt = w;
	a->interrupts = false;
	a->used = (struct acp_used){ 0 };
	buf_clear(&a->turn);
	peer_call(a->peer, "turn/start",
		  json_of({ "threadId", json_str(buf_str(&a->session)) }, { "input", input }),
		  a->now, 0, app_on_turn, a);
}

void app_server_cancel(struct acp *a)
{
	a->interrupts = !a->turn.n; /* it has no number yet */
	if (a->turn.n)
		app_interrupt(a);
}

/* What it tells */

static bool app_is_ours(const struct acp *a, const json *params)
{
	return str_eq(json_get_str(params, "threadId"), buf_str(&a->session));
}

static void app_on_message_delta(void *self, struct msg *m, const json *params)
{
	struct acp *a = self;

	(void)m;
	if (app_is_ours(a, params))
		acp_tell_message(a, ACP_TEXT, json_get_str(params, "itemId"),
				 json_get_str(params, "delta"));
}

static void app_on_thought_delta(void *self, struct msg *m, const json *params)
{
	struct acp *a = self;

	(void)m;
	if (app_is_ours(a, params))
		acp_tell_message(a, ACP_THOUGHT, json_get_str(params, "itemId"),
				 json_get_str(params, "delta"));
}

void app_server_tell_call(struct acp *a, json *update)
{
	struct acp_call *c = update ? acp_merge_call(a, update) : NULL;

	json_free(update);
	if (!c)
		return;
	acp_end_message(a);
	a->host.update(a->self, &(struct acp_update){ .kind = ACP_CALL, .call = c });
}

static void app_on_item(void *self, struct msg *m, const json *params)
{
	struct acp *a = self;

	(void)m;
	if (app_is_ours(a, params))
		app_server_tell_call(a, app_server_call(json_get(params, "item")));
}

static void app_on_patch(void *self, struct msg *m, const json *params)
{
	struct acp *a = self;

	(void)m;
	if (app_is_ours(a, params))
		app_server_tell_call(
			a, json_of({ "toolCallId", json_str(json_get_str(params, "itemId")) },
				   { "content", app_server_changes(json_get(params, "changes")) }));
}

static void app_on_steps(void *self, struct msg *m, const json *params)
{
	struct acp *a = self;
	json *plan SCOPED(json_release) = json_array();

	(void)m;
	json_each(step, json_get(params, "plan")) {
		struct str status = json_get_str(step, "status");

		if (str_eq(status, STR("inProgress")))
			status = STR("in_progress");
		json_push(plan, json_of({ "content", json_str(json_get_str(step, "step")) },
					{ "priority", json_strz("medium") },
					{ "status", json_str(status) }));
	}
	if (app_is_ours(a, params))
		a->host.update(a->self, &(struct acp_update){ .kind = ACP_PLAN, .value = plan });
}

static void app_on_name(void *self, struct msg *m, const json *params)
{
	struct str name = json_get_str(params, "threadName");
	struct acp *a = self;

	(void)m;
	if (app_is_ours(a, params) && name.n)
		a->host.update(a->self, &(struct acp_update){ .kind = ACP_TITLE, .text = name });
}

static void app_on_tokens(void *self, struct msg *m, const json *params)
{
	const json *last = json_get(params, "tokenUsage.last");
	struct acp *a = self;
	json *usage SCOPED(json_release) = NULL;

	(void)m;
	if (!app_is_ours(a, params))
		return;
	a->used.input += json_get_int(last, "inputTokens", 0);
	a->used.output += json_get_int(last, "outputTokens", 0);
	a->used.cached += json_get_int(last, "cachedInputTokens", 0);
	usage = json_of({ "used", json_int(json_get_int(last, "totalTokens", 0)) },
			{ "size",
			  json_int(json_get_int(params, "tokenUsage.modelContextWindow", 0)) });
	a->host.update(a->self, &(struct acp_update){ .kind = ACP_USAGE, .value = usage });
}

static void app_say_failure(const json *error, struct err *e)
{
	struct str why = json_get_str(error, "message");

	err_set(e, ERR_PEER, "%.*s%s", STR_ARG(why.n ? why : STR("the turn has failed")),
		str_eq(json_get_str(error, "codexErrorInfo"), STR("unauthorized"))
			? "; `codex login` in a terminal gives it access"
			: "");
}

static void app_on_turn_completed(void *self, struct msg *m, const json *params)
{
	struct str status = json_get_str(params, "turn.status");
	struct acp *a = self;
	struct err e = ERR_INIT;
	json *end SCOPED(json_release) = NULL;

	(void)m;
	if (!app_is_ours(a, params))
		return;
	if (str_eq(status, STR("failed"))) {
		app_say_failure(json_get(params, "turn.error"), &e);
		acp_fail_prompt(a, &e);
		return;
	}
	end = json_of({ "stopReason",
			json_strz(str_eq(status, STR("interrupted")) ? "cancelled" : "end_turn") },
		      { "usage", json_of({ "inputTokens", json_int(a->used.input) },
					 { "outputTokens", json_int(a->used.output) },
					 { "cachedReadTokens", json_int(a->used.cached) }) });
	acp_on_stopped(a, end);
}

static void app_on_resolved(void *self, struct msg *m, const json *params)
{
	(void)m;
	acp_drop_request(self, json_get(params, "requestId"));
}

const struct peer_method app_server_notifications[] = {
	{ "item/agentMessage/delta", false, app_on_message_delta },
	{ "item/reasoning/summaryTextDelta", false, app_on_thought_delta },
	{ "item/reasoning/textDelta", false, app_on_thought_delta },
	{ "item/started", false, app_on_item },
	{ "item/completed", false, app_on_item },
	{ "item/fileChange/patchUpdated", false, app_on_patch },
	{ "turn/plan/updated", false, app_on_steps },
	{ "turn/completed", false, app_on_turn_completed },
	{ "thread/name/updated", false, app_on_name },
	{ "thread/tokenUsage/updated", false, app_on_tokens },
	{ "serverRequest/resolved", false, app_on_resolved },
	{ NULL, false, NULL },
};

/* What it asks */

static json *app_options(const char *yes, const char *no)
{
	return json_list(json_of({ "optionId", json_strz(yes) },
				 { "kind", json_strz("allow_once") }),
			 json_of({ "optionId", json_strz(no) },
				 { "kind", json_strz("reject_once") }));
}

/* Of an item that is known already, or of a command that tells itself. */
static json *app_approval(const json *params, bool command)
{
	json *call = json_of({ "toolCallId", json_str(json_get_str(params, "itemId")) },
			     { "kind", json_strz("edit") });
	json *item;

	if (command && json_get_str(params, "command").n) {
		item = json_copy(params);
		json_put(item, "type", json_strz("commandExecution"));
		json_put(item, "id", json_str(json_get_str(params, "itemId")));
		json_free(call);
		call = app_server_call(item);
		json_free(item);
	}
	return call;
}

/* A call of another server's tool. */
static json *app_elicited(const json *params)
{
	struct str server = json_get_str(params, "serverName"),
		   tool = json_get_str(params, "_meta.tool_name");
	const json *input = json_get(params, "_meta.tool_params");

	return json_of({ "toolCallId", json_strf("%.*s.%.*s?", STR_ARG(server), STR_ARG(tool)) },
		       { "title", json_strf("%.*s.%.*s", STR_ARG(server), STR_ARG(tool)) },
		       { "kind", json_strz("other") },
		       { "rawInput", input ? json_copy(input) : NULL });
}

/* As a request for permission in ACP; NULL: it is none that we know. */
static json *app_permission(struct str method, const json *params)
{
	bool change = str_eq(method, STR("item/fileChange/requestApproval")),
	     command = str_eq(method, STR("item/commandExecution/requestApproval"));
	json *call = NULL;

	if ((change || command) && json_get_str(params, "itemId").n)
		call = app_approval(params, command);
	else if (str_eq(method, STR("mcpServer/elicitation/request")) &&
		 str_eq(json_get_str(params, "_meta.codex_approval_kind"), STR("mcp_tool_call")))
		call = app_elicited(params);
	if (!call)
		return NULL;
	return json_of({ "toolCall", call }, { "options", app_options("accept", "decline") },
		       { "answer", json_strz(change || command ? "decision" : "action") });
}

void app_server_on_request(void *self, struct msg *m)
{
	struct acp *a = self;
	struct err e = ERR_INIT;
	const json *params = msg_body(m, &e);
	json *asked SCOPED(json_release) =
		params && app_is_ours(a, params) ? app_permission(m->method, params) : NULL;

	if (!asked)
		peer_refuse_unknown(a->peer, m);
	else
		acp_start_permission(a, m->id, asked);
}

json *app_server_answer(const struct acp_request *r, json *result)
{
	struct str as = json_get_str(r->params, "answer"),
		   option = json_get_str(result, "outcome.optionId");
	json *answer = json_object();

	json_put(answer, as.p, json_str(option.n ? option : STR("cancel")));
	if (str_eq(as, STR("action")))
		json_put(answer, "content", json_object());
	json_free(result);
	return answer;
}
