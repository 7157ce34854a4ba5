#include "ide.h"

#include <stdlib.h>
#include <unistd.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../core/projects.h"
#include "../io/loop.h"
#include "../io/secret.h"
#include "../io/socket.h"
#include "ide_impl.h"

/*
 * ide_on_connect -> ide_feed -> (the handshake) -> ide_on_text -> mcp_feed -> ide_on_call
 *                -> ide_close -> (all is said) peer_io_shut -> ide_drop -> ide_client_rest
 */
static size_t ide_limit(const struct ide *ide, enum config_key key)
{
	return (size_t)config_get(&ide->nvim->ox->config, key);
}

static uint64_t ide_now(const struct ide *ide)
{
	return loop_now(ide->nvim->ox->loop);
}

void ide_client_wake(struct ide_client *c)
{
	if (c->link)
		peer_io_wake(c->link);
}

static void ide_free(struct ide *ide)
{
	if (!ide->over || ide->count)
		return;
	buf_wipe(&ide->token);
	free(ide);
}

static void ide_client_free(void *arg)
{
	struct ide_client *c = arg;
	struct ide *ide = c->ide;

	LIST_REMOVE(c, all);
	ide->count--;
	mcp_free(c->mcp);
	ws_free(c->ws);
	free(c->who);
	free(c);
	ide_free(ide);
}

void ide_client_rest(struct ide_client *c)
{
	if (c->ended && !c->waits && TAILQ_EMPTY(&c->calls))
		ide_client_free(c);
}

static void ide_client_gone(void *arg)
{
	struct ide_client *c = arg;

	mcp_end(c->mcp); /* which takes back what it has asked for */
	c->ended = true;
	if (c->pid) {
		c->waits++;
		nvim_agent_watch_leave(c->ide->nvim, c->pid);
		c->waits--;
		nvim_event(c->ide->nvim, "ide", ide_status(c->ide->nvim));
	}
	ide_client_rest(c);
}

static void ide_drop(struct ide_client *c, const char *why)
{
	if (!c->link)
		return;
	log_line(LOG_INFO, "%s: disconnected%s%s", c->who, *why ? ": " : "", why);
	peer_io_free(c->link);
	c->link = NULL;
	loop_soon(c->ide->nvim->ox->loop, ide_client_gone, c);
}

/* What is to be said yet is said, and the other side has its time to read it and go. */
static void ide_close(struct ide_client *c, const struct err *e)
{
	c->closing = true;
	c->until = ide_now(c->ide) + ide_limit(c->ide, CFG_IDE_HELLO);
	if (e->code)
		log_line(LOG_WARN, "%s: %s", c->who, e->msg);
	ide_client_wake(c);
}

/* One text is one line: outside of strings, in which there are none, line ends mean nothing. */
static void ide_on_text(void *self, struct str text)
{
	struct ide_client *c = self;
	struct buf line = BUF_INIT;

	buf_add(&line, text);
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] == '\n' || line.p[i] == '\r')
			line.p[i] = ' ';
	buf_addc(&line, '\n');
	mcp_feed(c->mcp, buf_str(&line), ide_now(c->ide));
	buf_release(&line);
}

static bool ide_feed(void *self, struct str bytes, uint64_t now, struct err *e)
{
	struct ide_client *c = self;
	bool was_open = ws_is_open(c->ws);
	struct err why = ERR_INIT;

	(void)now;
	(void)e;
	if (c->closing)
		return true;
	if (!ws_feed(c->ws, bytes, &why))
		ide_close(c, &why);
	else if (!was_open && ws_is_open(c->ws))
		c->until = 0;
	return true;
}

/* What MCP says, a line each, goes out as a text each. */
static void ide_put_frames(struct ide_client *c)
{
	struct buf *lines = peer_out(mcp_peer(c->mcp));
	struct str rest = buf_str(lines), line;

	while (str_line(&rest, &line))
		ws_send(c->ws, line);
	buf_clear(lines);
}

/* The other side closes the connection once it has read that nothing more comes. */
static void ide_finish_closing(struct ide_client *c)
{
	if (!peer_io_unwritten(c->link)) {
		c->shut = true;
		peer_io_shut(c->link);
	} else if (ws_out(c->ws)->n) {
		ide_client_wake(c); /* after it has gone out */
	}
}

static void ide_turn(void *self, uint64_t now)
{
	struct ide_client *c = self;

	mcp_tick(c->mcp, now);
	ide_put_frames(c);
	if (c->closing && !c->shut)
		ide_finish_closing(c);
	if (peer_io_unwritten(c->link) > ide_limit(c->ide, CFG_IDE_QUEUE))
		ide_drop(c, "it does not read");
	else if (c->until && now >= c->until)
		ide_drop(c, c->closing ? "" : "it did not identify itself in time");
}

static uint64_t ide_deadline(void *self)
{
	const struct ide_client *c = self;
	uint64_t due = peer_deadline(mcp_peer(c->mcp));

	return c->until && c->until < due ? c->until : due;
}

static struct buf *ide_out(void *self)
{
	struct ide_client *c = self;

	return ws_out(c->ws);
}

static void ide_ended(void *self, const struct err *e)
{
	ide_drop(self, e->msg);
}

static void ide_name_client(struct ide_client *c)
{
	struct buf who = BUF_INIT;

	buf_adds(&who, "claude");
	if (c->pid)
		buf_addf(&who, " (%ld)", c->pid);
	free(c->who);
	c->who = buf_detach(&who);
}

static void ide_on_notified(void *self, struct str method, const json *params)
{
	struct ide_client *c = self;

	if (!str_eq(method, STR("ide_connected")))
		return;
	c->pid = (long)json_get_int(params, "pid", 0);
	ide_name_client(c);
	nvim_event(c->ide->nvim, "ide", ide_status(c->ide->nvim));
}

static json *ide_none(void *self)
{
	(void)self;
	return json_array();
}

static struct mcp *ide_mcp_new(struct ide_client *c)
{
	const struct mcp_limits limits = { ide_limit(c->ide, CFG_IDE_MESSAGE) + 2, 100,
					   ide_limit(c->ide, CFG_IDE_CALLS), 0, 0 };
	const struct mcp_host host = {
		.name = "oxide",
		.title = "Oxide",
		.version = OXIDE_VERSION,
		.tools = ide_tools,
		.resources = ide_none,
		.templates = ide_none,
		.prompts = ide_none,
		.call = ide_on_call,
		.cancel = ide_on_cancel,
		.notified = ide_on_notified,
	};

	return mcp_new(&host, &limits, c);
}

static struct ws *ide_ws_new(struct ide_client *c)
{
	const struct ws_spec spec = {
		.expect = { "mcp", "x-claude-code-ide-authorization", buf_str(&c->ide->token),
			    c->ide->port },
		.head = ide_limit(c->ide, CFG_IDE_HEAD),
		.message = ide_limit(c->ide, CFG_IDE_MESSAGE),
		.message_fn = ide_on_text,
		.self = c,
	};

	return ws_new(&spec);
}

static void ide_on_connect(void *self, int fd)
{
	struct ide *ide = self;
	struct ide_client *c;
	struct peer_io_spec spec = { .turn = ide_turn,
				     .deadline = ide_deadline,
				     .ended = ide_ended,
				     .feed = ide_feed,
				     .out = ide_out,
				     .unwritten = ide_limit(ide, CFG_IDE_QUEUE) };

	if (ide->count >= ide_limit(ide, CFG_IDE_CLIENTS)) {
		log_line(LOG_WARN, "a connection was refused: there are %zu already", ide->count);
		close(fd);
		return;
	}
	c = mem_new(sizeof(*c));
	c->ide = ide;
	TAILQ_INIT(&c->calls);
	ide_name_client(c);
	c->until = ide_now(ide) + ide_limit(ide, CFG_IDE_HELLO);
	c->mcp = ide_mcp_new(c);
	c->ws = ide_ws_new(c);
	spec.self = c;
	spec.peer = mcp_peer(c->mcp);
	c->link = peer_io_socket(ide->nvim->ox->loop, &spec, fd);
	LIST_INSERT_HEAD(&ide->clients, c, all);
	ide->count++;
	ide_client_wake(c); /* which arms its deadline */
}

/* As Claude Code reads it: the process has to be one that lives, of the same user; one that Neovim
 * has started finds it among those above itself. */
static json *ide_lock_text(const struct ide *ide)
{
	const struct projects *projects = ide->nvim->ox->projects;
	json *folders = json_array();

	for (size_t i = 0; i < projects_count(projects); i++)
		json_push(folders, json_strz(projects_at(projects, i)->root));
	return json_of({ "pid", json_int(getppid()) }, { "workspaceFolders", folders },
		       { "ideName", json_strz("Neovim") }, { "transport", json_strz("ws") },
		       { "authToken", json_str(buf_str(&ide->token)) },
		       { IDE_LOCK_MARK, json_bool(true) });
}

bool ide_start(struct nvim *n, const char *directory, struct err *e)
{
	struct ide *ide = n->ide;
	char *locks;
	json *text;

	if (ide)
		return true;
	n->ide = ide = mem_new(sizeof(*ide));
	ide->nvim = n;
	locks = path_join(directory, "ide");
	if (secret_new(&ide->token, e))
		ide->socket =
			listener_new_loopback(n->ox->loop, &ide->port, ide_on_connect, ide, e);
	text = ide_lock_text(ide);
	if (ide->socket)
		ide->lock = ide_lock_new(locks, ide->port, text, e);
	json_free(text);
	free(locks);
	if (!ide->lock)
		ide_end(n);
	return !e->code;
}

static void ide_drop_last(void *arg)
{
	ide_drop(arg, "the server is being stopped");
}

void ide_end(struct nvim *n)
{
	struct ide *ide = n->ide;
	struct ide_client *c, *next;

	if (!ide)
		return;
	n->ide = NULL;
	ide_lock_free(ide->lock);
	listener_free(ide->socket);
	ide->over = true;
	for (c = LIST_FIRST(&ide->clients); c; c = next) {
		next = LIST_NEXT(c, all);
		if (!c->link)
			continue; /* it is going */
		ws_end(c->ws, 1001, "Neovim is exiting");
		ide_client_wake(c); /* it goes out before the next: */
		loop_soon(n->ox->loop, ide_drop_last, c);
	}
	ide_free(ide);
}

json *ide_status(const struct nvim *n)
{
	const struct ide *ide = n->ide;
	json *clients = json_array();
	const struct ide_client *c;

	if (ide)
		LIST_FOREACH(c, &ide->clients, all)
			if (c->link && ws_is_open(c->ws))
				json_push(clients,
					  json_of({ "who", json_strz(c->who) },
						  { "calls",
						    json_int((int64_t)mcp_waiting(c->mcp)) }));
	return json_of({ "port", ide ? json_int(ide->port) : NULL },
		       { "lock", ide ? json_strz(ide_lock_path(ide->lock)) : NULL },
		       { "clients", clients });
}

size_t ide_tell(struct nvim *n, const char *method, json *params)
{
	struct ide_client *c;
	size_t told = 0;

	if (n->ide)
		LIST_FOREACH(c, &n->ide->clients, all)
			if (c->link && c->pid) {
				peer_notify(mcp_peer(c->mcp), method, json_copy(params));
				ide_client_wake(c);
				told++;
			}
	json_free(params);
	return told;
}
