#include "ide.h"

#include <stdlib.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../io/loop.h"
#include "../io/secret.h"
#include "../io/socket.h"
#include "ide_impl.h"

/*
 * (kind->connect) ide_client_init -> ide_client_hear -> mcp_feed -> ide_on_call
 *                                 -> ide_client_leave -> ide_client_gone -> ide_client_rest
 */
static const struct ide_kind *const ide_kinds[IDE_KINDS] = { &ide_claude, &ide_gemini };

size_t ide_limit(const struct ide *ide, enum config_key key)
{
	return (size_t)config_get(&ide->nvim->ox->config, key);
}

uint64_t ide_now(const struct ide *ide)
{
	return loop_now(ide->nvim->ox->loop);
}

void ide_rest(struct ide *ide)
{
	if (!ide->over || ide->count || ide->linked)
		return;
	buf_wipe(&ide->token);
	free(ide);
}

static void ide_name_client(struct ide_client *c)
{
	struct buf who = BUF_INIT;

	buf_adds(&who, c->ide->kind->agent);
	if (c->pid > 0)
		buf_addf(&who, " (%ld)", c->pid);
	free(c->who);
	c->who = buf_detach(&who);
}

static void ide_tell_neovim(struct nvim *n)
{
	nvim_event(n, "ide", ide_status(n));
}

void ide_client_is(struct ide_client *c, long pid)
{
	c->pid = pid;
	c->open = true;
	ide_name_client(c);
	ide_tell_neovim(c->ide->nvim);
}

static void ide_on_notified(void *self, struct str method, const json *params)
{
	if (str_eq(method, STR("ide_connected")))
		ide_client_is(self, (long)json_get_int(params, "pid", 0));
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

void ide_client_init(struct ide_client *c, struct ide *ide)
{
	c->ide = ide;
	TAILQ_INIT(&c->calls);
	ide_name_client(c);
	c->mcp = ide_mcp_new(c);
	c->notes = json_array();
	c->asked = json_array();
	LIST_INSERT_HEAD(&ide->clients, c, all);
	ide->count++;
}

void ide_client_wake(struct ide_client *c)
{
	if (!c->gone)
		c->ide->kind->wake(c);
}

void ide_client_hear(struct ide_client *c, struct str text)
{
	struct buf line SCOPED(buf_release) = BUF_INIT;

	buf_add(&line, text);
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] == '\n' || line.p[i] == '\r')
			line.p[i] = ' ';
	buf_addc(&line, '\n');
	mcp_feed(c->mcp, buf_str(&line), ide_now(c->ide));
}

struct nvim_ide_agent ide_client_agent(const struct ide_client *c)
{
	return (struct nvim_ide_agent){ c->pid, c->ide->kind->agent, c->ide->kind->title };
}

void ide_client_rest(struct ide_client *c)
{
	struct ide *ide = c->ide;

	if (!c->ended || c->waits || !TAILQ_EMPTY(&c->calls))
		return;
	LIST_REMOVE(c, all);
	ide->count--;
	mcp_free(c->mcp);
	json_free(c->notes);
	json_free(c->asked);
	free(c->who);
	ide->kind->free(c);
	ide_rest(ide);
}

static void ide_client_gone(void *arg)
{
	struct ide_client *c = arg;
	struct nvim_ide_agent agent = ide_client_agent(c);

	c->waits++;
	mcp_end(c->mcp); /* which takes back what it has asked for */
	ide_close_diffs(c, NULL, true);
	c->ended = true;
	if (c->open) {
		nvim_agent_watch_leave(c->ide->nvim, &agent);
		ide_tell_neovim(c->ide->nvim);
	}
	c->waits--;
	ide_client_rest(c);
}

void ide_client_leave(struct ide_client *c, const char *why)
{
	if (c->gone)
		return;
	log_line(LOG_INFO, "%s: disconnected%s%s", c->who, *why ? ": " : "", why);
	c->gone = true;
	loop_soon(c->ide->nvim->ox->loop, ide_client_gone, c);
}

static void ide_stop(struct ide **place)
{
	struct ide *ide = *place;

	*place = NULL;
	ide_lock_free(ide->lock);
	listener_free(ide->socket);
	ide->kind->stop(ide);
	ide->over = true;
	ide_rest(ide);
}

static bool ide_listen(struct ide *ide, const char *directory, struct err *e)
{
	if (!secret_new(&ide->token, e))
		return false;
	ide->socket =
		listener_new_loopback(ide->nvim->ox->loop, &ide->port, ide->kind->connect, ide, e);
	if (ide->socket)
		ide->lock = ide->kind->lock(ide, directory, e);
	return ide->lock;
}

bool ide_start(struct nvim *n, struct str agent, const char *directory, struct err *e)
{
	size_t i = 0;
	struct ide *ide;

	while (i < IDE_KINDS && !str_eq(agent, str_of(ide_kinds[i]->agent)))
		i++;
	if (i == IDE_KINDS)
		return err_set(e, ERR_INVALID, "%.*s connects to no IDE that is known here",
			       STR_ARG(agent));
	if (n->ide[i])
		return true;
	n->ide[i] = ide = mem_new(sizeof(*ide));
	ide->nvim = n;
	ide->kind = ide_kinds[i];
	if (!ide_listen(ide, directory, e))
		ide_stop(&n->ide[i]);
	return !e->code;
}

void ide_end(struct nvim *n)
{
	for (size_t i = 0; i < IDE_KINDS; i++)
		if (n->ide[i])
			ide_stop(&n->ide[i]);
}

static void ide_put_clients(const struct ide *ide, json *clients)
{
	const struct ide_client *c;

	LIST_FOREACH(c, &ide->clients, all)
		if (!c->gone && c->open)
			json_push(clients,
				  json_of({ "agent", json_strz(ide->kind->agent) },
					  { "who", json_strz(c->who) },
					  { "calls", json_int((int64_t)mcp_waiting(c->mcp)) }));
}

json *ide_status(const struct nvim *n)
{
	json *clients = json_array(), *servers = json_object();

	for (size_t i = 0; i < IDE_KINDS; i++) {
		const struct ide *ide = n->ide[i];

		if (!ide)
			continue;
		json_put(servers, ide->kind->agent,
			 json_of({ "port", json_int(ide->port) },
				 { "lock", json_strz(ide_lock_path(ide->lock)) }));
		ide_put_clients(ide, clients);
	}
	return json_of({ "servers", servers }, { "clients", clients });
}

size_t ide_tell(struct nvim *n, struct str agent, const char *method, json *params)
{
	size_t told = 0;

	for (size_t i = 0; i < IDE_KINDS; i++) {
		struct ide *ide = n->ide[i];
		struct ide_client *c;

		if (!ide || !str_eq(agent, str_of(ide->kind->agent)))
			continue;
		LIST_FOREACH(c, &ide->clients, all)
			if (!c->gone && c->open) {
				peer_notify(mcp_peer(c->mcp), method, json_copy(params));
				ide_client_wake(c);
				told++;
			}
	}
	json_free(params);
	return told;
}

void ide_run_held(struct nvim *n)
{
	struct ide_client *c;

	for (size_t i = 0; i < IDE_KINDS; i++)
		if (n->ide[i])
			LIST_FOREACH(c, &n->ide[i]->clients, all)
				pending_calls_start(&c->calls, n->ox);
}
