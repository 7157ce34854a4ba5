#include "listen.h"

#include <stdlib.h>
#include <unistd.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../io/loop.h"
#include "../io/socket.h"
#include "listen_impl.h"
#include "relay.h"

uint64_t remote_limit(const struct remote *g, enum config_key key)
{
	return (uint64_t)config_get(&g->listen->nvim->ox->config, key);
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
	struct remote *g = arg;
	struct listen *l = g->listen;

	LIST_REMOVE(g, all);
	remote_leaves_calls(g);
	peer_free(g->peer);
	json_free(g->called);
	json_free(g->failed);
	free(g->folder);
	free(g->who);
	free(g);
	l->count--;
	if (!l->count && !l->socket)
		listen_free(l);
}

void remote_drop(struct remote *g, const char *why)
{
	if (!g->link)
		return;
	log_line(LOG_INFO, "%s: %s", g->who ? g->who : "a caller", why);
	peer_io_free(g->link);
	g->link = NULL;
	loop_soon(g->listen->nvim->ox->loop, remote_gone, g);
}

void remote_send(struct remote *g)
{
	if (!g->link)
		return;
	if (peer_io_unwritten(g->link) > remote_limit(g, CFG_RELAY_QUEUE))
		remote_drop(g, "it does not read what it asked for; dropped");
	else
		peer_io_wake(g->link);
}

/* After the editor's end a remote client stays for the answer to what was being written. */
static bool is_over(const struct remote *g)
{
	return !g->listen->socket && LIST_EMPTY(&g->calls) && !peer_io_unwritten(g->link);
}

/* One that has read nothing for too long goes. */
static void turn(void *self, uint64_t now)
{
	struct remote *g = self;
	size_t unread = peer_io_unwritten(g->link);

	peer_tick(g->peer, now);
	if (!g->unread || unread < g->unread)
		g->since = now;
	g->unread = unread;
	if (unread && now - g->since >= remote_limit(g, CFG_RELAY_STALL))
		remote_drop(g, "it stopped reading; dropped");
	else if (is_over(g))
		remote_drop(g, "the editor has ended");
}

static uint64_t deadline(void *self)
{
	struct remote *g = self;
	uint64_t due = peer_deadline(g->peer);
	uint64_t stall = g->unread ? g->since + remote_limit(g, CFG_RELAY_STALL) : UINT64_MAX;

	return is_over(g) ? 0 : due < stall ? due : stall;
}

static void ended(void *self, const struct err *e)
{
	remote_drop(self, e->code ? e->msg : "gone");
}

static json *introduction(const struct nvim *n)
{
	const char *address = getenv("NVIM"); /* Neovim gives its address to its children */
	json *v = json_object();

	json_put(v, "protocol", json_int(RELAY_PROTOCOL));
	json_put(v, "version", json_strz(OXIDE_VERSION));
	json_put(v, "root", json_strz(n->ox->root));
	json_put(v, "nvim", json_strz(address ? address : ""));
	json_put(v, "editor", json_strf("Neovim %ld", (long)getppid()));
	json_put(v, "used_ms", json_int(n->used_ms));
	return v;
}

#define NAME_MOST 64

/* "oxide call (4711)", fit to stand in a line. */
static void on_hello(struct remote *g, struct msg *m, const json *params)
{
	struct str name = json_get_str(params, "name"), folder = json_get_str(params, "folder");
	struct buf who = BUF_INIT;

	for (size_t i = 0; i < name.n && i < NAME_MOST; i++)
		buf_addc(&who, name.p[i] >= ' ' && name.p[i] <= '~' ? name.p[i] : '?');
	buf_addf(&who, " (%ld)", (long)json_get_int(params, "pid", 0));
	free(g->who);
	free(g->folder);
	g->who = buf_detach(&who);
	g->folder = mem_dup(folder.p, folder.n);
	g->came_ms = loop_wall_ms();
	g->origin = str_eq(json_get_str(params, "origin"), STR("mcp")) ? "mcp" : "cli";
	g->person = json_get_bool(params, "person", false);
	peer_answer(g->peer, m->id, introduction(g->listen->nvim));
}

static void on_request(void *self, struct msg *m)
{
	struct remote *g = self;
	struct err e = ERR_INIT;
	const json *params = msg_body(m, &e);

	if (params && str_eq(m->method, STR("hello"))) {
		on_hello(g, m, params);
	} else if (params && str_eq(m->method, STR("call")) && g->who) {
		remote_call(g, m, params);
	} else {
		err_set(&e, ERR_UNSUPPORTED, "%.*s is not answered here", STR_ARG(m->method));
		peer_refuse(g->peer, m->id, &e);
	}
}

static void on_notify(void *self, struct msg *m)
{
	struct err e = ERR_INIT;
	const json *params = msg_body(m, &e);

	if (params && str_eq(m->method, STR("cancel")))
		remote_cancel(self, params);
	else if (str_eq(m->method, STR("unattended")))
		remote_unattended(self);
}

static void on_connect(void *self, int fd)
{
	static const struct peer_handler handler = { on_request, on_notify, NULL, NULL };
	struct listen *l = self;
	struct remote *g = mem_new(sizeof(*g));
	struct peer_io_spec spec = { NULL, g, turn, deadline, ended, NULL, 0 };

	g->listen = l;
	if (l->count >= remote_limit(g, CFG_RELAY_CALLERS)) {
		log_line(LOG_WARN, "a caller was turned away: there are %zu", l->count);
		close(fd);
		free(g);
		return;
	}
	g->peer = spec.peer = peer_new(&codec_lines_raw, remote_limit(g, CFG_RELAY_MESSAGE),
				       PEER_CANCEL_SILENT, &handler, g);
	peer_set_name(g->peer, "remote client");
	g->link = peer_io_socket(l->nvim->ox->loop, &spec, fd);
	g->called = json_object();
	g->failed = json_object();
	LIST_INSERT_HEAD(&l->remotes, g, all);
	l->count++;
}

static char *our_path(const struct nvim *n, struct err *e)
{
	struct buf path = BUF_INIT;
	char *dir = socket_dir(e);

	if (!dir)
		return NULL;
	buf_addf(&path, "%s/", dir);
	relay_name(&path, n->ox->root, (long)getpid());
	free(dir);
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
	l->path = our_path(n, &n->unheard);
	if (l->path)
		l->socket = listener_new(n->ox->loop, l->path, on_connect, l, &n->unheard);
	n->listen = l;
	if (l->socket)
		return;
	log_line(LOG_WARN, "no other process can work in this editor: %s", n->unheard.msg);
	listen_free(l);
}

void listen_end(struct nvim *n)
{
	struct listen *l = n->listen;
	struct remote *g;

	if (!l || !l->socket)
		return;
	listener_free(l->socket);
	l->socket = NULL;
	LIST_FOREACH(g, &l->remotes, all)
		if (!remote_writes(g))
			remote_drop(g, "the editor has ended");
	if (!l->count)
		listen_free(l);
}

/* To each that is connected, and has said who it is. `params` is taken. */
static void notify_remotes(struct nvim *n, const char *method, json *params, bool only_callers)
{
	struct remote *g;

	if (n->listen)
		LIST_FOREACH(g, &n->listen->remotes, all)
			if (g->link && g->who && !(only_callers && LIST_EMPTY(&g->calls))) {
				peer_notify(g->peer, method, json_copy(params));
				remote_send(g);
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
