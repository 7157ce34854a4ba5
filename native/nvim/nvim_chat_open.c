#include <stdlib.h>

#include "../base/mem.h"
#include "../chat/local_models.h"
#include "nvim_chat_impl.h"

/* Who is to answer: a model, an agent program, or what the user has to choose from. */
/* The request fails for want of a model; `models` is what there is. */
json *nvim_chat_no_model(const struct nvim *n, const struct err *e)
{
	json *object = error_object(e);

	error_put(object, "models", model_names(n->ox));
	return object;
}

/* What all conversations share; once. */
static bool chat_prepare(struct nvim *n, struct err *e)
{
	if (!permissions_shared(n->ox, e))
		return false;
	if (!n->http)
		n->http = http_new(n->ox->loop, e);
	return n->http;
}

static void chat_with_model(struct nvim_chat *c, struct model *model)
{
	c->model = *model;
	conversation_with_model(&c->talk, c->nvim->http, &c->model);
	nvim_chat_record(c, json_of({ "name", json_strz(c->model.name) },
				    { "engine", json_strz("model") },
				    { "model", json_strz(c->model.id) }));
}

/* Where the models leave it open, agents that can be had here are to choose from, too. */
static bool chat_choose_agent(struct nvim *n, struct str *name, struct err *e, json **result)
{
	json *agents, *models;

	if (name->n || (e->code != ERR_NOT_FOUND && e->code != ERR_AMBIGUOUS))
		return false;
	agents = nvim_chat_agents(n);
	if (e->code == ERR_NOT_FOUND && json_len(agents) == 1) {
		*result = agents; /* holds the name */
		*name = json_text(json_first(agents));
		*e = (struct err)ERR_INIT;
		return true;
	}
	if (json_len(agents)) {
		models = e->code == ERR_AMBIGUOUS ? model_names(n->ox) : json_array();
		json_each(agent, agents)
			json_push(models, json_copy(agent));
		err_set(e, ERR_AMBIGUOUS, "several models and agents can be asked; name one");
		*result = error_object(e);
		error_put(*result, "models", models);
	}
	json_free(agents);
	return false;
}

static bool chat_open_model(struct nvim *n, int64_t number, struct model *model, const json *v,
			    json **result, struct err *e)
{
	struct nvim_chat *c = nvim_chat_new(n, number);

	chat_with_model(c, model);
	if (nvim_chat_load(c, v, e))
		*result = nvim_chat_model(c);
	else
		nvim_chat_free(c);
	return false;
}

static bool chat_open_with(struct nvim *n, int64_t id, struct agent_preset *agent, const json *v,
			   struct err *e)
{
	struct nvim_chat *c = nvim_chat_new(n, json_get_int(v, "chat", 0));

	if (nvim_chat_open_agent(c, id, agent, v, e))
		return true;
	nvim_chat_free(c);
	return false;
}

/* True: it is answered later; else with *result, or *e. */
static bool chat_open(struct nvim *n, int64_t id, const json *v, json **result, struct err *e)
{
	int64_t number = json_get_int(v, "chat", 0);
	struct nvim_chat *c = nvim_chat_numbered(n, number);
	struct str name = json_get_str(v, "model");
	struct agent_preset *agent;
	struct model model = { 0 };
	json *named = NULL;
	bool later = false;

	if (!chat_prepare(n, e))
		return false;
	agent = nvim_chat_agent(n, name);
	if (!agent && !model_find(n->ox, name, &model, e)) {
		if (chat_choose_agent(n, &name, e, &named))
			agent = nvim_chat_agent(n, name);
		else
			*result = named ? named : nvim_chat_no_model(n, e);
	}
	if (c && !e->code)
		nvim_chat_close(c);
	if (agent)
		later = chat_open_with(n, id, agent, v, e);
	else if (!e->code)
		later = chat_open_model(n, number, &model, v, result, e);
	else
		model_release(&model);
	if (agent && named)
		json_free(named);
	return later;
}

/* An `open` that waits for what model servers on this machine have. */
struct nvim_look {
	struct nvim *nvim;
	struct local_models *of;
	int64_t id;
	json *request;
};

static void look_free(struct nvim *n)
{
	if (n->look)
		json_free(n->look->request);
	free(n->look);
	n->look = NULL;
}

static void on_looked(void *arg)
{
	struct nvim_look *look = arg;
	struct nvim *n = look->nvim;
	struct err e = ERR_INIT;
	json *result = NULL;

	if (!chat_open(n, look->id, look->request, &result, &e))
		nvim_chat_answer_request(n, look->id, result, &e);
	look_free(n);
}

/* Where no model is known at all, and no agent is named. */
static bool chat_look(struct nvim *n, int64_t id, const json *v)
{
	struct agent_preset *agent;

	if (n->look || model_is_there(n->ox) || !chat_prepare(n, ERR_IGNORED))
		return false;
	agent = nvim_chat_agent(n, json_get_str(v, "model"));
	agent_preset_free(agent);
	if (agent)
		return false;
	n->look = mem_new(sizeof(*n->look));
	*n->look = (struct nvim_look){ .nvim = n, .id = id, .request = json_copy(v) };
	n->look->of = local_models_find(n->ox, n->http, on_looked, n->look);
	return true;
}

void nvim_chat_end_look(struct nvim *n)
{
	if (n->look)
		local_models_cancel(n->look->of);
	look_free(n);
}

bool nvim_chat_open(struct nvim *n, int64_t id, const json *v, json **result, struct err *e)
{
	return chat_look(n, id, v) || chat_open(n, id, v, result, e);
}

json *nvim_chat_rules(struct nvim *n, const json *v, struct err *e)
{
	struct agent_preset *agent = nvim_chat_agent(n, json_get_str(v, "model"));
	json *files;

	if (agent) {
		agent_preset_free(agent);
		files = json_array();
	} else {
		const struct permissions *p = permissions_shared(n->ox, e);

		files = p ? conversation_rules_files(n->ox, p) : NULL;
	}
	return files ? json_of({ "files", files }) : NULL;
}
