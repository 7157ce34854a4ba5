#include <stdlib.h>

#include "../agent/agent_preset.h"
#include "../base/mem.h"
#include "../io/loop.h"
#include "ide.h"
#include "listen_impl.h"

#define ORDER_MS 10000 /* how long `oxide run` may take to carry out an order */

static void agent_changed(void *self, const json *info)
{
	nvim_event(self, "agent", json_copy(info));
	nvim_agent_watch_changed(self, info);
}

void nvim_agent_init(struct nvim *n)
{
	n->terminals.changed = agent_changed;
	n->terminals.self = n;
}

void remote_on_agent(void *self, struct msg *m, const json *params)
{
	struct remote *client = self;

	(void)m;
	if (client->who)
		terminals_take(&client->listen->nvim->terminals, params, client);
}

/* A request `agent_turn`, until it is answered or who asked has gone. */
struct agent_turn_asked {
	struct remote *remote;
	json *id;
};

static void agent_turn_told(void *arg)
{
	struct agent_turn_asked *t = arg;

	if (t->remote) {
		t->remote->agent_turn = NULL;
		peer_answer(t->remote->peer, t->id, json_object());
		remote_send(t->remote);
	}
	json_free(t->id);
	free(t);
}

void remote_leaves_agent_turn(struct remote *client)
{
	if (client->agent_turn)
		client->agent_turn->remote = NULL;
	client->agent_turn = NULL;
}

void remote_on_agent_turn(void *self, struct msg *m, const json *params)
{
	struct remote *client = self;
	struct agent_turn_asked *t;

	if (!client->who || client->agent_turn) {
		peer_refuse_unknown(client->peer, m);
		return;
	}
	t = mem_new(sizeof(*t));
	*t = (struct agent_turn_asked){ client, json_copy(m->id) };
	client->agent_turn = t;
	nvim_agent_watch_turn(client->listen->nvim, params, agent_turn_told, t);
}

void nvim_agent_answer(struct nvim *n, int64_t id, json *result, const struct err *e)
{
	json *v = e->code ? error_object(e) : json_of({ "result", result });

	json_put(v, "id", json_int(id));
	nvim_event(n, "answer", v);
}

static json *agent_words(char *const *words)
{
	json *list = json_array();

	for (; words && *words; words++)
		json_push(list, json_strz(*words));
	return list;
}

/* What is started for an agent by this name: a preset's program, or one of that name. */
static json *agent_open(struct nvim *n, const json *v, struct err *e)
{
	struct agent_preset *p = agent_preset_find(n->ox, json_get_str(v, "name"), e);
	const json *ide = p ? json_get(p->data, "ide") : NULL;
	struct agent_command c SCOPED(agent_command_release) = { 0 };
	json *result = NULL;

	if (p && agent_command(p, AGENT_TERMINAL, &c, e)) {
		json_each(word, json_get(v, "args"))
			agent_command_add(&c, json_text(word));
		result = json_of({ "name", json_strz(p->name) },
				 { "title", json_strz(agent_preset_title(p)) },
				 { "argv", agent_words(c.argv) },
				 { "ide", ide ? json_copy(ide) : NULL });
	}
	agent_preset_free(p);
	return result;
}

struct agent_order {
	struct nvim *nvim;
	int64_t id;
};

static void agent_ordered(void *arg, struct msg *m, const struct err *e)
{
	struct agent_order *o = arg;

	(void)m;
	nvim_agent_answer(o->nvim, o->id, e->code ? NULL : json_object(), e);
	free(o);
}

static void agent_order(struct nvim *n, int64_t id, const json *v, struct err *e)
{
	struct terminal_agent *a = terminals_find(&n->terminals, json_get_str(v, "agent"), e);
	struct remote *client = a ? a->link : NULL;
	struct agent_order *o;

	if (!client)
		return;
	o = mem_new(sizeof(*o));
	*o = (struct agent_order){ n, id };
	peer_call(client->peer, "order", json_copy(json_get(v, "order")), loop_now(n->ox->loop),
		  ORDER_MS, agent_ordered, o);
	remote_send(client);
}

/* The servers for agents: one starts, all end or tell something, and then how they are. */
static json *nvim_agent_ide(struct nvim *n, const json *v, struct err *e)
{
	struct str action = json_get_str(v, "action"), agent = json_get_str(v, "agent");
	size_t told = 0;

	if (str_eq(action, STR("start")) && !ide_start(n, agent, json_get_str(v, "directory").p, e))
		return NULL;
	if (str_eq(action, STR("stop")))
		ide_end(n);
	if (str_eq(action, STR("tell")))
		told = ide_tell(n, agent, json_get_str(v, "method").p,
				json_copy(json_get(v, "params")));
	return json_of({ "told", json_int((int64_t)told) }, { "ide", ide_status(n) });
}

void nvim_agent_request(struct nvim *n, const json *params)
{
	const json *id = json_first(params);
	struct err e = ERR_INIT;
	json *v SCOPED(json_release) = id ? json_parse(json_text(json_next(id)), &e) : NULL;
	json *result = NULL;
	struct str what = json_get_str(v, "what");

	if (str_eq(what, STR("open")))
		result = agent_open(n, v, &e);
	else if (str_eq(what, STR("order")))
		agent_order(n, json_number(id), v, &e);
	else if (str_eq(what, STR("ide")))
		result = nvim_agent_ide(n, v, &e);
	else if (str_eq(what, STR("turn")))
		nvim_agent_watch_cut(n, json_number(id));
	else
		err_set(&e, ERR_INVALID, "\"%.*s\" is not known here", STR_ARG(what));
	if (result || e.code)
		nvim_agent_answer(n, json_number(id), result, &e);
}
