#include "acp_client_impl.h"

/* Version 1 has true, version 2 an object, for what is there. */
static bool acp_has(const json *capabilities, const char *path)
{
	const json *v = json_get(capabilities, path);

	return json_is(v, JSON_OBJECT) || json_true(v);
}

static void read_methods(struct acp *a, const json *methods)
{
	json *list = json_array();

	json_each(method, methods) {
		struct str id = json_get_str(method, "id"), text;
		json *row = id.n || (id = json_get_str(method, "methodId")).n
				    ? json_push(list, json_of({ "id", json_str(id) }))
				    : NULL;

		if (row && (text = json_get_str(method, "name")).n)
			json_put(row, "name", json_str(text));
		if (row && (text = json_get_str(method, "description")).n)
			json_put(row, "description", json_str(text));
	}
	a->agent.auth = json_put(a->initialized, "methods", list);
}

bool acp_read_agent(struct acp *a, const json *result, struct err *e)
{
	struct acp_agent *g = &a->agent;
	const json *c, *info;

	*g = (struct acp_agent){ .version = json_get_int(result, "protocolVersion", 0) };
	if (g->version != 1 && g->version != 2)
		return err_set(e, ERR_UNSUPPORTED,
			       "the agent speaks version %lld of the protocol; 1 is needed",
			       (long long)g->version);
	json_free(a->initialized);
	a->initialized = json_copy(result);
	result = a->initialized;
	c = json_get(result, g->version == 1 ? "agentCapabilities" : "capabilities");
	info = json_get(result, g->version == 1 ? "agentInfo" : "info");
	g->name = json_get_str(info, "name");
	g->title = json_get_str(info, "title");
	g->release = json_get_str(info, "version");
	g->loads = acp_has(c, "loadSession");
	g->resumes = acp_has(c, "sessionCapabilities.resume") || acp_has(c, "session");
	g->lists = acp_has(c, "sessionCapabilities.list") || acp_has(c, "session");
	g->embeds = acp_has(c, "promptCapabilities.embeddedContext") ||
		    acp_has(c, "session.prompt.embeddedContext");
	g->images = acp_has(c, "promptCapabilities.image") || acp_has(c, "session.prompt.image");
	read_methods(a, json_get(result, "authMethods"));
	return true;
}

const struct acp_agent *acp_agent(const struct acp *a)
{
	return &a->agent;
}

struct str acp_session(const struct acp *a)
{
	return buf_str(&a->session);
}

const json *acp_options(const struct acp *a)
{
	return a->options;
}

static void acp_put_text(json *row, const char *to, const json *from, const char *member)
{
	struct str text = json_get_str(from, member);

	if (text.n)
		json_put(row, to, json_str(text));
}

static void add_value(json *values, const json *from, const char *id)
{
	json *row;

	if (!json_get_str(from, id).n)
		return;
	row = json_push(values, json_object());
	acp_put_text(row, "value", from, id);
	acp_put_text(row, "name", from, "name");
	acp_put_text(row, "description", from, "description");
}

/* Modes and models, as version 1 had them before there were options. `via`: what sets them. */
static void add_state(json *options, const json *state, const char *list, const char *id,
		      const char *current, const char *category, const char *name)
{
	json *row, *values;

	if (!json_is(json_get(state, list), JSON_ARRAY))
		return;
	row = json_push(options,
			json_of({ "id", json_strz(category) }, { "name", json_strz(name) },
				{ "category", json_strz(category) }, { "via", json_strz(category) },
				{ "value", json_str(json_get_str(state, current)) }));
	values = json_put(row, "values", json_array());
	json_each(v, json_get(state, list))
		add_value(values, v, id);
}

/* Values may be in groups. */
static void add_option(json *options, const json *o)
{
	json *row, *values;

	if (!json_get_str(o, "id").n)
		return;
	row = json_push(options, json_of({ "via", json_strz("option") }));
	acp_put_text(row, "id", o, "id");
	acp_put_text(row, "name", o, "name");
	acp_put_text(row, "category", o, "category");
	acp_put_text(row, "value", o, "currentValue");
	values = json_put(row, "values", json_array());
	json_each(v, json_get(o, "options")) {
		add_value(values, v, "value");
		json_each(inner, json_get(v, "options"))
			add_value(values, inner, "value");
	}
}

static bool has_category(const json *options, const char *category)
{
	json_each(o, options)
		if (str_eq(json_get_str(o, "category"), str_of(category)))
			return true;
	return false;
}

/* An agent may tell the same as options and as modes or models. */
bool acp_read_options(struct acp *a, const json *result)
{
	const json *list = json_get(result, "configOptions"), *modes = json_get(result, "modes"),
		   *models = json_get(result, "models");
	json *options = json_array();

	json_each(o, list)
		add_option(options, o);
	if (!has_category(options, "mode"))
		add_state(options, modes, "availableModes", "id", "currentModeId", "mode", "Mode");
	if (!has_category(options, "model"))
		add_state(options, models, "availableModels", "modelId", "currentModelId", "model",
			  "Model");
	if (!json_is(list, JSON_ARRAY) && !json_len(options)) {
		json_free(options);
		return false;
	}
	json_free(a->options);
	a->options = options;
	return true;
}

bool acp_read_session(struct acp *a, const json *result, struct err *e)
{
	struct str id = json_get_str(result, "sessionId");

	if (id.n) {
		buf_clear(&a->session);
		buf_add(&a->session, id);
	}
	acp_read_options(a, result);
	return a->session.n ||
	       err_set(e, ERR_PEER, "the agent has begun a session without a sessionId");
}

const json *acp_find_option(const struct acp *a, struct str option)
{
	json_each(o, a->options)
		if (str_eq(json_get_str(o, "id"), option))
			return o;
	json_each(o, a->options)
		if (str_eq(json_get_str(o, "category"), option))
			return o;
	return NULL;
}

void acp_set_current(struct acp *a, const char *category, struct str value)
{
	const json *o = value.n ? acp_find_option(a, str_of(category)) : NULL;

	if (o)
		json_put((json *)o, "value", json_str(value));
}
