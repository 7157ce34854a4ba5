#include "listen.h"

#include <stdlib.h>
#include <unistd.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../io/loop.h"
#include "../io/socket.h"
#include "../relay/relay.h"
#include "../tool/shown_texts.h"
#include "listen_impl.h"

uint64_t remote_limit(const struct remote *client, enum config_key key)
{
	return (uint64_t)config_get(&client->listen->nvim->ox->config, key);
}

static void listen_free(struct listen *l)
{
	l->nvim->listen = NULL;
	listen_forget(l);
	free(l->path);
	free(l);
}

static void remote_gone(void *arg)
{
	struct remote *client = arg;
	struct listen *l = client->listen;

	LIST_REMOVE(client, all);
	remote_leaves_calls(client);
	remote_leaves_turns(client);
	remote_leaves_agent_turn(client);
	terminals_gone(&l->nvim->terminals, client);
	peer_free(client->peer);
	json_free(client->called);
	json_free(client->failed);
	shown_texts_free(client->shown);
	free(client->folder);
	free(client->who);
	free(client);
	l->count--;
	if (!l->count && !l->socket)
		listen_free(l);
}

static void remote_drop(struct remote *client, const char *why)
{
	if (!client->link)
		return;
	log_line(LOG_INFO, "%s: %s", client->who ? client->who : "a remote client", why);
	peer_io_free(client->link);
	client->link = NULL;
	loop_soon(client->listen->nvim->ox->loop, remote_gone, client);
}

void remote_send(struct remote *client)
{
	if (!client->link)
		return;
	if (peer_io_unwritten(client->link) > remote_limit(client, CFG_RELAY_QUEUE))
		remote_drop(client, "disconnected: it does not read its answers");
	else
		peer_io_wake(client->link);
}

/* After the editor's end a remote client stays for the answer to what was being written. */
static bool remote_is_over(const struct remote *client)
{
	return !client->listen->socket && !client->waiting && !peer_io_unwritten(client->link);
}

/* One that has read nothing for too long goes. */
static void remote_turn(void *self, uint64_t now)
{
	struct remote *client = self;
	size_t unread = peer_io_unwritten(client->link);

	peer_tick(client->peer, now);
	if (!client->unread || unread < client->unread)
		client->since = now;
	client->unread = unread;
	if (unread && now - client->since >= remote_limit(client, CFG_RELAY_STALL))
		remote_drop(client, "disconnected: it stopped reading");
	else if (remote_is_over(client))
		remote_drop(client, "disconnected: Neovim is exiting");
}

static uint64_t remote_deadline(void *self)
{
	struct remote *client = self;
	uint64_t due = peer_deadline(client->peer);
	uint64_t stall =
		client->unread ? client->since + remote_limit(client, CFG_RELAY_STALL) : UINT64_MAX;

	return remote_is_over(client) ? 0 : due < stall ? due : stall;
}

static void remote_ended(void *self, const struct err *e)
{
	remote_drop(self, e->code ? e->msg : "gone");
}

static json *remote_introduction(const struct nvim *n)
{
	const char *address = getenv("NVIM"); /* Neovim gives its address to its children */

	return json_of({ "protocol", json_int(RELAY_PROTOCOL) },
		       { "version", json_strz(OXIDE_VERSION) }, { "root", json_strz(n->ox->root) },
		       { "nvim", json_strz(address ? address : "") },
		       { "editor", json_strf("Neovim %ld", (long)getppid()) },
		       { "used_ms", json_int(n->used_ms) });
}

#define NAME_MOST 64

/* "oxide call (4711)", fit to be in a line. */
static void remote_on_hello(void *self, struct msg *m, const json *params)
{
	struct remote *client = self;
	struct str name = json_get_str(params, "name"), folder = json_get_str(params, "folder");
	struct buf who = BUF_INIT;

	for (size_t i = 0; i < name.n && i < NAME_MOST; i++)
		buf_addc(&who, name.p[i] >= ' ' && name.p[i] <= '~' ? name.p[i] : '?');
	buf_addf(&who, " (%ld)", (long)json_get_int(params, "pid", 0));
	free(client->who);
	free(client->folder);
	client->who = buf_detach(&who);
	client->folder = mem_dup(folder.p, folder.n);
	client->came_ms = loop_wall_ms();
	client->origin = str_eq(json_get_str(params, "origin"), STR("mcp")) ? "mcp" : "cli";
	client->person = json_get_bool(params, "person", false);
	if (!client->shown)
		client->shown = shown_texts_new(remote_limit(client, CFG_SHOWN_BYTES));
	peer_answer(client->peer, m->id, remote_introduction(client->listen->nvim));
}

static void remote_on_cancel(void *self, struct msg *m, const json *params)
{
	struct remote *client = self;

	(void)m;
	pending_calls_cancel(&client->calls, json_get_int(params, "call", 0));
}

static const struct peer_method remote_methods[] = {
	{ "hello", true, remote_on_hello },
	{ "call", true, remote_on_call },
	{ "cancel", false, remote_on_cancel },
	{ "leave", false, remote_on_leave },
	{ "agent", false, remote_on_agent },
	{ "agent_turn", true, remote_on_agent_turn },
	{ "unattended", false, remote_on_unattended },
	{ NULL, false, NULL },
};

static void listen_on_connect(void *self, int fd)
{
	static const struct peer_handler handler = { .methods = remote_methods };
	struct listen *l = self;
	struct remote *client = mem_new(sizeof(*client));
	struct peer_io_spec spec = { .self = client,
				     .turn = remote_turn,
				     .deadline = remote_deadline,
				     .ended = remote_ended };

	client->listen = l;
	TAILQ_INIT(&client->calls);
	if (l->count >= remote_limit(client, CFG_RELAY_CALLERS)) {
		log_line(LOG_WARN, "a remote client was refused: %zu are connected already",
			 l->count);
		close(fd);
		free(client);
		return;
	}
	client->peer = spec.peer =
		peer_new(&codec_lines_raw, remote_limit(client, CFG_RELAY_MESSAGE),
			 PEER_CANCEL_SILENT, &handler, client);
	peer_set_name(client->peer, "remote client");
	client->link = peer_io_socket(l->nvim->ox->loop, &spec, fd);
	client->called = json_object();
	client->failed = json_object();
	LIST_INSERT_HEAD(&l->remotes, client, all);
	l->count++;
}

static char *listen_path(const struct nvim *n, struct err *e)
{
	struct buf path = BUF_INIT;
	char *dir SCOPED(mem_release) = socket_dir(e);

	if (!dir)
		return NULL;
	buf_addf(&path, "%s/", dir);
	relay_name(&path, n->ox->root, (long)getpid());
	return buf_detach(&path);
}

void listen_start(struct nvim *n)
{
	struct listen *l;

	if (n->listen)
		return;
	l = mem_new(sizeof(*l));
	l->nvim = n;
	l->most = (size_t)config_get(&n->ox->config, CFG_RELAY_CHANGES);
	l->changes = mem_new((l->most + 1) * sizeof(*l->changes));
	n->unheard = (struct err)ERR_INIT;
	l->path = listen_path(n, &n->unheard);
	if (l->path)
		l->socket = listener_new(n->ox->loop, l->path, listen_on_connect, l, &n->unheard);
	n->listen = l;
	if (l->socket)
		return;
	log_line(LOG_WARN, "other processes cannot connect to this Neovim: %s", n->unheard.msg);
	listen_free(l);
}

void listen_end(struct nvim *n)
{
	struct listen *l = n->listen;
	struct remote *client;

	if (!l || !l->socket)
		return;
	listener_free(l->socket);
	l->socket = NULL;
	LIST_FOREACH(client, &l->remotes, all)
		if (!remote_writes(client))
			remote_drop(client, "disconnected: Neovim is exiting");
	if (!l->count)
		listen_free(l);
}

/* To each that is connected, and has said who it is. `params` is taken. */
static void notify_remotes(struct nvim *n, const char *method, json *params, bool only_callers)
{
	struct remote *client;

	if (n->listen)
		LIST_FOREACH(client, &n->listen->remotes, all)
			if (client->link && client->who && !(only_callers && !client->waiting)) {
				peer_notify(client->peer, method, json_copy(params));
				remote_send(client);
			}
	json_free(params);
}

void listen_progress(struct nvim *n, const json *what)
{
	notify_remotes(n, "progress", json_copy(what), true);
}

void listen_actions(struct nvim *n)
{
	notify_remotes(n, "actions", json_object(), false);
}
