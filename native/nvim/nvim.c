#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../core/project_types.h"
#include "../core/recovery.h"
#include "../core/swap_scan.h"
#include "../front/front.h"
#include "../io/disk.h"
#include "../io/loop.h"
#include "../servers/client.h"
#include "../servers/presets.h"
#include "ide.h"
#include "listen.h"
#include "nvim.h"
#include "nvim_chat.h"

/* Without a channel there is nobody to send to; what waits for an answer fails with the tick. */
static void nvim_tick_closed(void *arg)
{
	struct nvim *n = arg;

	peer_tick(n->peer, loop_now(n->ox->loop));
}

void nvim_wake(struct nvim *n)
{
	if (n->link)
		peer_io_wake(n->link);
	else
		loop_soon(n->ox->loop, nvim_tick_closed, n);
}

#define EVENT_ROOM 1000 /* bytes that most answers have room in */

/* Structured values cross as JSON text. Takes v. */
static json *json_printed(json *v)
{
	struct buf text = BUF_INIT;

	buf_room(&text, EVENT_ROOM);
	json_print(&text, v);
	json_free(v);
	return json_take(&text);
}

void nvim_event(struct nvim *n, const char *name, json *v)
{
	peer_notify(n->peer, "nvim_exec_lua",
		    json_list(json_strz("require('oxide.core').on(...)"),
			      json_list(json_strz(name), json_printed(v))));
	nvim_wake(n);
}

void nvim_lua(struct nvim *n, const char *name, json *v, peer_reply *fn, void *arg)
{
	peer_call(n->peer, "nvim_exec_lua",
		  json_list(json_strz("return require('oxide.core').ask(...)"),
			    json_list(json_strz(name), json_printed(v))),
		  loop_now(n->ox->loop), 0, fn, arg);
	nvim_wake(n);
}

json *nvim_lua_result(struct msg *m, const struct err *why, struct err *e)
{
	const json *body = why->code ? NULL : msg_body(m, e);

	if (why->code)
		*e = *why;
	else if (json_is(body, JSON_STRING))
		return json_parse(json_text(body), e);
	else if (!e->code)
		err_set(e, ERR_PROTOCOL, "the plugin's answer is not a string");
	err_in(e, "Neovim");
	return NULL;
}

void nvim_say(struct nvim *n, const char *level, const char *text)
{
	nvim_event(n, "message",
		   json_of({ "level", json_strz(level) }, { "text", json_strz(text) }));
}

/* Once, as soon as there is somebody to tell. */
static void nvim_tell_recovered(struct nvim *n)
{
	struct recover_report *r = &n->ox->recovered;

	for (size_t i = 0; i < r->notes; i++) {
		struct buf line SCOPED(buf_release) = BUF_INIT;

		recovery_say(&line, &r->note[i]);
		nvim_say(n, "warn", line.p);
	}
	recover_report_release(r);
}

/* All that Neovim sets; what it does not is as config.lua has it. */
static bool nvim_set_options(struct nvim *n, const json *options, struct err *e)
{
	bool ok;

	n->ox->config = n->config;
	ok = config_set_all(&n->ox->config, options, e);
	oxide_apply_log(n->ox);
	return ok;
}

static void nvim_on_options(struct nvim *n, const json *options)
{
	struct err e = ERR_INIT;

	if (!nvim_set_options(n, options, &e))
		nvim_say(n, "error", e.msg);
}

static void nvim_on_configure(struct nvim *n, const json *v)
{
	struct str root = json_get_str(v, "root");
	struct err e = ERR_INIT;

	disk_process(&n->ox->editor.process, json_get_int(v, "pid", 0));
	swap_scan_directory(n->ox, json_get_str(v, "swap"));
	nvim_chat_configure(n, v);
	if (json_get_int(v, "protocol", 0) != OXIDE_PROTOCOL)
		err_set(&e, ERR_PROTOCOL,
			"the plugin speaks protocol %d, the core %d; rebuild it with `make`",
			(int)json_get_int(v, "protocol", 0), OXIDE_PROTOCOL);
	else if (!root.n || oxide_set_root(n->ox, root.p, &e))
		(void)(nvim_set_options(n, json_get(v, "options"), &e) &&
		       presets_add_all(n->ox->presets, json_get(v, "servers"), &e) &&
		       project_types_add_all(n->ox->project_types, json_get(v, "projects"), &e));
	if (e.code)
		nvim_say(n, "error", e.msg);
	nvim_tell_recovered(n);
}

static void nvim_on_server(struct nvim *n, const json *v)
{
	struct str name = json_get_str(v, "name");
	struct err e = ERR_INIT;
	bool stop = str_eq(json_get_str(v, "action"), STR("stop"));

	if (!(stop ? pool_end : pool_restart)(n->ox->pool, name.n ? name.p : NULL, &e))
		nvim_say(n, "error", e.msg);
}

/* Nobody answers any more: questions are refused, and a change under way is taken back. */
static void nvim_end(void *arg)
{
	struct nvim *n = arg;

	if (n->link)
		peer_io_free(n->link);
	n->link = NULL;
	nvim_agent_watch_end(n);
	listen_end(n);
	ide_end(n);
	nvim_chats_end(n);
	pending_calls_end(&n->calls);
	peer_close(n->peer, NULL);
	peer_tick(n->peer, loop_now(n->ox->loop));
	nvim_ask_release(n);
	oxide_stop(n->ox);
}

/* `ping` is the empty question: nil, at once. A call of a tool is not a request but a notification
 * with an id, so that nobody waits for it with the editor standing still. */
static void nvim_answer_ping(void *self, struct msg *m, const json *params)
{
	struct nvim *n = self;

	(void)params;
	peer_answer(n->peer, m->id, NULL);
}

static const struct peer_method nvim_requests[] = {
	{ "ping", true, nvim_answer_ping },
	{ NULL, false, NULL },
};

/* The same for who must not wait, such as a watchdog: the answer is an event. */
static void nvim_on_ping(struct nvim *n, const json *params)
{
	(void)params;
	nvim_event(n, "pong", json_null());
}

static void nvim_on_quit(struct nvim *n, const json *params)
{
	(void)params;
	oxide_stop(n->ox);
}

static void nvim_on_detached(struct nvim *n, const json *params)
{
	nvim_detach_event(n, (long)json_number(json_first(params)));
}

static void nvim_on_buf_close(struct nvim *n, const json *v)
{
	nvim_buffer_close(n, (long)json_get_int(v, "buf", 0));
}

static void nvim_on_clients(struct nvim *n, const json *v)
{
	clients_are(n->ox->pool, json_get(v, "clients"));
}

static void nvim_on_listen(struct nvim *n, const json *v)
{
	(void)v;
	listen_start(n);
}

static const struct notice {
	const char *method;
	void (*take)(struct nvim *n, const json *v);
	bool text; /* the first parameter is JSON text, which is parsed first */
} notices[] = {
	{ "call", nvim_call_start, false },
	{ "cancel", nvim_call_cancel, false },
	{ "chat", nvim_chat_request, false },
	{ "agent", nvim_agent_request, false },
	{ "ping", nvim_on_ping, false },
	{ "client_said", nvim_lsp_said, false },
	{ "status", nvim_status, false },
	{ "runs", nvim_runs, false },
	{ "history", nvim_history, false },
	{ "history_diff", nvim_history_diff, false },
	{ "review_text", nvim_ask_text, false },
	{ "quit", nvim_on_quit, false },
	{ "nvim_buf_changedtick_event", nvim_tick_event, false },
	{ "nvim_buf_detach_event", nvim_on_detached, false },
	{ "configure", nvim_on_configure, true },
	{ "options", nvim_on_options, true },
	{ "models", nvim_chat_configure, true },
	{ "buf_open", nvim_buffer_open, true },
	{ "buf_info", nvim_buffer_open, true },
	{ "buf_saved", nvim_buffer_saved, true },
	{ "buf_behind", nvim_buffer_behind, true },
	{ "buf_close", nvim_on_buf_close, true },
	{ "reply", nvim_ask_reply, true },
	{ "clients", nvim_on_clients, true },
	{ "server", nvim_on_server, true },
	{ "listen", nvim_on_listen, true },
};

static const struct notice *nvim_notice(struct str method)
{
	for (size_t i = 0; i < sizeof(notices) / sizeof(*notices); i++)
		if (str_eq(method, str_of(notices[i].method)))
			return &notices[i];
	return NULL;
}

static void nvim_take_notice(struct nvim *n, const struct notice *what, const json *params,
			     struct err *e)
{
	json *v SCOPED(json_release) =
		what->text ? json_parse(json_text(json_first(params)), e) : NULL;

	if (!e->code)
		what->take(n, what->text ? v : params);
}

static void nvim_on_notify(void *self, struct msg *m)
{
	struct nvim *n = self;
	const struct notice *what;
	struct err e = ERR_INIT;
	const json *params;

	n->used_ms = loop_wall_ms();
	if (str_eq(m->method, STR("nvim_buf_lines_event"))) { /* megabytes: not as JSON */
		nvim_lines_event(n, m->raw);
		return;
	}
	params = msg_body(m, &e);
	what = nvim_notice(m->method);
	if (params && !what)
		log_line(LOG_WARN, "Neovim sent the unknown notification %.*s", STR_ARG(m->method));
	else if (params)
		nvim_take_notice(n, what, params, &e);
	if (e.code)
		log_line(LOG_WARN, "Neovim: %.*s: %s", STR_ARG(m->method), e.msg);
}

static bool nvim_on_stray(void *self, struct msg *m)
{
	(void)self;
	(void)m;
	return true; /* Neovim is to be trusted with its ids */
}

static void nvim_channel_ended(void *self, const struct err *e)
{
	struct nvim *n = self;

	log_line(LOG_INFO, "Neovim has disconnected%s%s", e->code ? ": " : "", e->msg);
	pending_calls_end(&n->calls);
	peer_close(n->peer, e->code ? e : NULL);
	loop_soon(n->ox->loop, nvim_end, n);
}

void nvim_log_error(void *arg, struct msg *m, const struct err *e)
{
	(void)arg;
	(void)m;
	if (e->code)
		log_line(LOG_WARN, "Neovim: %s", e->msg);
}

static void nvim_put_words(json *list, const struct param *p)
{
	const char *at = p->values ? p->values : p->type == P_BOOL ? "true|false" : "";
	size_t n;

	do {
		n = strcspn(at, "|");
		json_push(list, json_strf("%s=%.*s", p->name, (int)n, at));
		at += n;
	} while (*at++);
}

/* For :Oxide: the words that each tool takes, KEY= or KEY=VALUE. */
static json *nvim_tool_rows(void)
{
	json *all = json_object();

	for (const struct tool *const *t = tools; *t; t++) {
		json *list = json_put(all, (*t)->name, json_array());

		for (const struct param *p = (*t)->params; p->name; p++)
			nvim_put_words(list, p);
	}
	return all;
}

static void nvim_introduce(struct nvim *n)
{
	int major = 0, minor = 0, patch = 0;

	sscanf(OXIDE_VERSION, "%d.%d.%d", &major, &minor, &patch);
	peer_call(n->peer, "nvim_set_client_info",
		  json_list(json_strz("oxide"),
			    json_of({ "major", json_int(major) }, { "minor", json_int(minor) },
				    { "patch", json_int(patch) }),
			    json_strz("remote"), json_object(),
			    json_of({ "protocol", json_strf("%d", OXIDE_PROTOCOL) })),
		  loop_now(n->ox->loop), 0, nvim_log_error, n);
	nvim_event(n, "ready",
		   json_of({ "version", json_strz(OXIDE_VERSION) },
			   { "protocol", json_int(OXIDE_PROTOCOL) }, { "pid", json_int(getpid()) },
			   { "tools", nvim_tool_rows() }, { "log", json_strz(log_path()) }));
}

int front_nvim(struct oxide *ox)
{
	static const struct peer_handler handler = { .notify = nvim_on_notify,
						     .stray = nvim_on_stray,
						     .methods = nvim_requests };
	struct nvim n = { .ox = ox,
			  .config = ox->config,
			  .configuration = json_copy(ox->configuration),
			  .calls = TAILQ_HEAD_INITIALIZER(n.calls) };
	struct peer_io_spec spec = { .self = &n, .ended = nvim_channel_ended };
	struct err e = ERR_INIT;

	n.peer = peer_new(&codec_msgpack, (size_t)config_get(&ox->config, CFG_NVIM_MESSAGE),
			  PEER_CANCEL_SILENT, &handler, &n);
	peer_set_name(n.peer, "neovim");
	spec.peer = n.peer;
	n.link = peer_io_stdio(ox->loop, &spec, &e);
	if (!n.link) {
		front_say("oxide: %s\n", e.msg);
		_exit(1);
	}
	ox->editor.self = &n;
	nvim_apply_init(&n);
	nvim_reread_init(&n);
	nvim_ask_init(&n);
	nvim_agent_init(&n);
	nvim_lsp_init(&n);
	loop_on_signal(ox->loop, nvim_end, &n);
	nvim_introduce(&n);
	loop_spare_memory(ox->loop);
	loop_run(ox->loop);
	nvim_ask_release(&n);
	nvim_chats_release(&n);
	json_free(n.configuration);
	peer_free(n.peer);
	nvim_buffers_release(&n);
	return 0;
}
