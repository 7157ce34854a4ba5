#include <stdlib.h>
#include <unistd.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../core/projects.h"
#include "../io/loop.h"
#include "../wire/ws.h"
#include "ide_impl.h"

/*
 * Claude Code's way to us.
 *
 * ide_ws_connect -> ide_ws_feed -> (the handshake) -> ide_ws_on_text -> ide_client_hear
 *                -> ide_ws_close -> (all is said) peer_io_shut -> ide_ws_drop
 */
struct ide_ws {
	struct ide_client client;
	struct ws *ws;
	struct peer_io *link; /* NULL: it goes */
	uint64_t until;	      /* it is closed then; 0: it may stay */
	bool closing;	      /* we say no more than what is written already, and hear nothing */
	bool shut;	      /* that has been taken */
};

void ide_ws_wake(struct ide_client *client)
{
	struct ide_ws *c = (struct ide_ws *)client;

	if (c->link)
		peer_io_wake(c->link);
}

void ide_ws_free(struct ide_client *client)
{
	struct ide_ws *c = (struct ide_ws *)client;

	ws_free(c->ws);
	free(c);
}

static void ide_ws_drop(struct ide_ws *c, const char *why)
{
	if (!c->link)
		return;
	peer_io_free(c->link);
	c->link = NULL;
	ide_client_leave(&c->client, why);
}

/* What is to be said yet is said, and the other side has its time to read it and go. */
static void ide_ws_close(struct ide_ws *c, const struct err *e)
{
	c->closing = true;
	c->until = ide_now(c->client.ide) + ide_limit(c->client.ide, CFG_IDE_HELLO);
	if (e->code)
		log_line(LOG_WARN, "%s: %s", c->client.who, e->msg);
	ide_ws_wake(&c->client);
}

static void ide_ws_on_text(void *self, struct str text)
{
	ide_client_hear(self, text);
}

static bool ide_ws_feed(void *self, struct str bytes, uint64_t now, struct err *e)
{
	struct ide_ws *c = self;
	bool was_open = ws_is_open(c->ws);
	struct err why = ERR_INIT;

	(void)now;
	(void)e;
	if (c->closing)
		return true;
	if (!ws_feed(c->ws, bytes, &why))
		ide_ws_close(c, &why);
	else if (!was_open && ws_is_open(c->ws))
		c->until = 0;
	return true;
}

/* What MCP says, a line each, goes out as a text each. */
static void ide_ws_put_frames(struct ide_ws *c)
{
	struct buf *lines = peer_out(mcp_peer(c->client.mcp));
	struct str rest = buf_str(lines), line;

	while (str_line(&rest, &line))
		ws_send(c->ws, line);
	buf_clear(lines);
}

/* The other side closes the connection once it has read that nothing more comes. */
static void ide_ws_finish_closing(struct ide_ws *c)
{
	if (!peer_io_unwritten(c->link)) {
		c->shut = true;
		peer_io_shut(c->link);
	} else if (ws_out(c->ws)->n) {
		ide_ws_wake(&c->client); /* after it has gone out */
	}
}

static void ide_ws_turn(void *self, uint64_t now)
{
	struct ide_ws *c = self;

	mcp_tick(c->client.mcp, now);
	ide_ws_put_frames(c);
	if (c->closing && !c->shut)
		ide_ws_finish_closing(c);
	if (peer_io_unwritten(c->link) > ide_limit(c->client.ide, CFG_IDE_QUEUE))
		ide_ws_drop(c, "it does not read");
	else if (c->until && now >= c->until)
		ide_ws_drop(c, c->closing ? "" : "it did not identify itself in time");
}

static uint64_t ide_ws_deadline(void *self)
{
	const struct ide_ws *c = self;
	uint64_t due = peer_deadline(mcp_peer(c->client.mcp));

	return c->until && c->until < due ? c->until : due;
}

static struct buf *ide_ws_out(void *self)
{
	struct ide_ws *c = self;

	return ws_out(c->ws);
}

static void ide_ws_ended(void *self, const struct err *e)
{
	ide_ws_drop(self, e->msg);
}

static struct ws *ide_ws_new(struct ide_ws *c)
{
	const struct ide *ide = c->client.ide;
	const struct ws_spec spec = {
		.expect = { "mcp", "x-claude-code-ide-authorization", buf_str(&ide->token),
			    ide->port },
		.head = ide_limit(ide, CFG_IDE_HEAD),
		.message = ide_limit(ide, CFG_IDE_MESSAGE),
		.message_fn = ide_ws_on_text,
		.self = c,
	};

	return ws_new(&spec);
}

void ide_ws_connect(void *self, int fd)
{
	struct ide *ide = self;
	struct ide_ws *c;
	struct peer_io_spec spec = { .turn = ide_ws_turn,
				     .deadline = ide_ws_deadline,
				     .ended = ide_ws_ended,
				     .feed = ide_ws_feed,
				     .out = ide_ws_out,
				     .unwritten = ide_limit(ide, CFG_IDE_QUEUE) };

	if (ide->count >= ide_limit(ide, CFG_IDE_CLIENTS)) {
		log_line(LOG_WARN, "a connection was refused: there are %zu already", ide->count);
		close(fd);
		return;
	}
	c = mem_new(sizeof(*c));
	ide_client_init(&c->client, ide);
	c->until = ide_now(ide) + ide_limit(ide, CFG_IDE_HELLO);
	c->ws = ide_ws_new(c);
	spec.self = c;
	spec.peer = mcp_peer(c->client.mcp);
	c->link = peer_io_socket(ide->nvim->ox->loop, &spec, fd);
	ide_ws_wake(&c->client); /* which arms its deadline */
}

static void ide_ws_drop_last(void *arg)
{
	ide_ws_drop(arg, "the server is being stopped");
}

void ide_ws_stop(struct ide *ide)
{
	struct ide_client *client;

	LIST_FOREACH(client, &ide->clients, all) {
		struct ide_ws *c = (struct ide_ws *)client;

		if (client->gone)
			continue;
		ws_end(c->ws, 1001, "Neovim is exiting");
		ide_ws_wake(client); /* it goes out before the next: */
		loop_soon(ide->nvim->ox->loop, ide_ws_drop_last, c);
	}
}

/* As Claude Code reads it: the process has to be one that lives, of the same user; one that Neovim
 * has started finds it among those above itself. */
struct ide_lock *ide_ws_lock(const struct ide *ide, const char *directory, struct err *e)
{
	const struct projects *projects = ide->nvim->ox->projects;
	json *folders = json_array(), *text SCOPED(json_release) = NULL;
	char *locks SCOPED(mem_release) = path_join(directory, "ide");
	struct buf name SCOPED(buf_release) = BUF_INIT;

	for (size_t i = 0; i < projects_count(projects); i++)
		json_push(folders, json_strz(projects_at(projects, i)->root));
	text = json_of({ "pid", json_int(getppid()) }, { "workspaceFolders", folders },
		       { "ideName", json_strz("Neovim") }, { "transport", json_strz("ws") },
		       { "authToken", json_str(buf_str(&ide->token)) },
		       { IDE_LOCK_MARK, json_bool(true) });
	buf_addf(&name, "%u.lock", ide->port);
	return ide_lock_new(locks, name.p, text, e);
}
