#include "model.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "local_models.h"

/* APIs that are asked without a row. */
struct known_api {
	const char *name, *provider, *url, *url_env, *key_env;
};

static const struct known_api known_apis[] = {
	{ "anthropic", "anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_BASE_URL",
	  "ANTHROPIC_API_KEY" },
	{ "openai", "openai-responses", "https://api.openai.com/v1", "OPENAI_BASE_URL",
	  "OPENAI_API_KEY" },
	{ "gemini", "gemini", "https://generativelanguage.googleapis.com/v1beta", NULL,
	  "GEMINI_API_KEY" },
	{ "openrouter", "openai", "https://openrouter.ai/api/v1", NULL, "OPENROUTER_API_KEY" },
	{ "mistral", "openai", "https://api.mistral.ai/v1", NULL, "MISTRAL_API_KEY" },
	{ "deepseek", "openai", "https://api.deepseek.com/v1", NULL, "DEEPSEEK_API_KEY" },
	{ "xai", "openai", "https://api.x.ai/v1", NULL, "XAI_API_KEY" },
};

#define KNOWN_APIS (sizeof(known_apis) / sizeof(known_apis[0]))

static const char *environment(const char *name)
{
	const char *value = name ? getenv(name) : NULL;

	return value && *value ? value : NULL;
}

static char *copy(struct str s)
{
	return s.n ? mem_dup(s.p, s.n) : NULL;
}

static const json *model_rows(const struct oxide *ox)
{
	return json_get(ox->configuration, "models");
}

static const json *local_rows(const struct oxide *ox)
{
	return json_get(ox->configuration, "local_models");
}

json *model_names(const struct oxide *ox)
{
	bool is_named = environment("OXIDE_MODEL");
	json *names = json_array();

	json_each(row, model_rows(ox))
		json_push(names, json_strz(json_key(row)));
	for (size_t i = 0; i < KNOWN_APIS; i++)
		if (environment(known_apis[i].key_env))
			json_push(names,
				  json_strf("%s%s", known_apis[i].name, is_named ? "" : "/MODEL"));
	json_each(row, local_rows(ox))
		json_push(names, json_strz(json_key(row)));
	return names;
}

bool model_is_there(const struct oxide *ox)
{
	json *names SCOPED(json_release) = model_names(ox);

	return json_len(names);
}

static void list_models(const struct oxide *ox, struct buf *out)
{
	const char *between = "";
	json *names SCOPED(json_release) = model_names(ox);

	json_each(name, names) {
		buf_addf(out, "%s%.*s", between, STR_ARG(json_text(name)));
		between = ", ";
	}
}

#define TO_SET_UP                                                                                  \
	"set a key, such as ANTHROPIC_API_KEY or OPENAI_API_KEY, or add `models` to config.lua, "  \
	"or start a model server on this machine"

static bool no_model(const struct oxide *ox, enum err_code code, struct str name, struct err *e)
{
	struct buf all SCOPED(buf_release) = BUF_INIT;

	list_models(ox, &all);
	if (code == ERR_AMBIGUOUS)
		err_set(e, code, "no model was named, and there are several: %s", all.p);
	else if (!all.n && name.n)
		err_set(e, code, "unknown model \"%.*s\", and none is set up: " TO_SET_UP,
			STR_ARG(name));
	else if (!all.n)
		err_set(e, code, "no model is set up: " TO_SET_UP);
	else if (name.n)
		err_set(e, code, "unknown model \"%.*s\"; models: %s", STR_ARG(name), all.p);
	else
		err_set(e, code, "no model was named; models: %s", all.p);
	return false;
}

static void set_url(struct model *m, struct str url)
{
	while (str_ends(url, STR("/")))
		url.n--;
	m->url = copy(url);
}

static double token_price(const json *price, const char *of, double otherwise)
{
	const json *v = json_get(price, of);

	return v ? json_double(v) / 1e6 : otherwise;
}

static void set_prices(struct model *m, const json *price)
{
	m->price_input = token_price(price, "input", 0);
	m->price_output = token_price(price, "output", 0);
	m->price_cached = token_price(price, "cached", m->price_input);
}

double model_cost(const struct model *m, const struct llm_usage *u)
{
	double cached = u->cached > 0 ? (double)u->cached : 0;
	double input = u->input > 0 ? (double)u->input - cached : 0;
	double output = u->output > 0 ? (double)u->output : 0;

	if (m->price_input <= 0 && m->price_output <= 0)
		return -1;
	return input * m->price_input + cached * m->price_cached + output * m->price_output;
}

static bool is_command(const json *v)
{
	if (!json_is(v, JSON_ARRAY) || !json_len(v))
		return false;
	json_each(word, v)
		if (!json_is(word, JSON_STRING))
			return false;
	return true;
}

static bool from_row(struct model *m, const json *row, struct err *e)
{
	struct str provider = json_get_str(row, "provider"), url = json_get_str(row, "url");

	m->provider = provider_find(provider.n ? provider : STR("openai"), e);
	if (!m->provider)
		return err_in(e, "models.%s.provider", json_key(row));
	if (!url.n)
		return err_set(e, ERR_INVALID, "models.%s.url is missing", json_key(row));
	set_url(m, url);
	m->id = m->id ? m->id : json_dup(row, "model");
	m->key_env = json_dup(row, "key_env");
	if (json_get(row, "key_command")) {
		if (!is_command(json_get(row, "key_command")))
			return err_set(e, ERR_INVALID,
				       "models.%s.key_command must be a list of strings: a program "
				       "and its arguments",
				       json_key(row));
		m->key_command = json_copy(json_get(row, "key_command"));
		m->key = mem_new(sizeof(*m->key));
	}
	m->effort = json_dup(row, "effort");
	m->window = (size_t)json_get_int(row, "window", 0);
	m->max_tokens = json_get_int(row, "max_tokens", 0);
	m->strict = json_get_bool(row, "strict", false);
	set_prices(m, json_get(row, "price"));
	m->extra = json_get(row, "extra") ? json_copy(json_get(row, "extra")) : NULL;
	return m->id || err_set(e, ERR_INVALID, "models.%s.model is missing", json_key(row));
}

static bool from_known(struct model *m, const struct known_api *api, struct err *e)
{
	const char *url = environment(api->url_env), *id = environment("OXIDE_MODEL");

	m->provider = provider_find(str_of(api->provider), e);
	set_url(m, str_of(url ? url : api->url));
	m->key_env = copy(str_of(api->key_env));
	m->id = m->id ? m->id : copy(str_of(id));
	return m->id || err_set(e, ERR_INVALID,
				"which model of %s? Name it as %s/MODEL, or in "
				"OXIDE_MODEL",
				api->name, api->name);
}

static const json *row_named(const struct oxide *ox, struct str name)
{
	json_each(row, model_rows(ox))
		if (str_eq(str_of(json_key(row)), name))
			return row;
	json_each(row, local_rows(ox))
		if (str_eq(str_of(json_key(row)), name))
			return row;
	return NULL;
}

static const struct known_api *api_named(struct str name)
{
	for (size_t i = 0; i < KNOWN_APIS; i++)
		if (str_eq(str_of(known_apis[i].name), name))
			return &known_apis[i];
	return NULL;
}

/* The name of the only row, or of the only API with a key; empty: none, or several. */
static struct str only_model(const struct oxide *ox, bool *several)
{
	const json *rows = model_rows(ox);
	struct str found = STR("");

	*several = json_len(rows) > 1;
	if (json_len(rows))
		return *several ? found : str_of(json_key(json_first(rows)));
	for (size_t i = 0; i < KNOWN_APIS; i++)
		if (environment(known_apis[i].key_env)) {
			*several = *several || found.n;
			found = str_of(known_apis[i].name);
		}
	if (!found.n && json_len(local_rows(ox))) {
		*several = json_len(local_rows(ox)) > 1;
		found = str_of(json_key(json_first(local_rows(ox))));
	}
	return *several ? STR("") : found;
}

bool model_find(struct oxide *ox, struct str name, struct model *m, struct err *e)
{
	const struct known_api *api;
	const json *row;
	struct str head;
	bool several = false;
	const char *slash;

	name = name.n ? name : json_get_str(ox->configuration, "model");
	name = name.n ? name : only_model(ox, &several);
	if (!name.n)
		return no_model(ox, several ? ERR_AMBIGUOUS : ERR_NOT_FOUND, name, e);
	m->name = copy(name);
	row = row_named(ox, name);
	if (row)
		return from_row(m, row, e);
	slash = memchr(name.p, '/', name.n);
	head = slash ? str_sub(name, 0, (size_t)(slash - name.p)) : name;
	m->id = slash ? copy(str_sub(name, head.n + 1, name.n)) : NULL;
	row = row_named(ox, head);
	api = api_named(head);
	if (row)
		return from_row(m, row, e);
	if (api)
		return from_known(m, api, e);
	if (!m->id || !local_server_url(ox, head).n)
		return no_model(ox, ERR_NOT_FOUND, name, e);
	set_url(m, local_server_url(ox, head));
	m->provider = provider_find(STR("openai"), e);
	return true;
}

void model_release(struct model *m)
{
	free(m->name);
	free(m->url);
	free(m->id);
	free(m->key_env);
	free(m->effort);
	json_free(m->extra);
	json_free(m->key_command);
	model_set_key(m, STR(""));
	free(m->key);
	*m = (struct model){ 0 };
}

bool model_key(const struct model *m, struct str *key, struct err *e)
{
	const char *value = environment(m->key_env);

	*key = value || !m->key ? str_of(value) : buf_str(m->key);
	return !m->key_env || key->n ||
	       err_set(e, ERR_DENIED, "no key for %s: the environment variable %s is not set",
		       m->name, m->key_env);
}

bool model_wants_key(const struct model *m)
{
	return m->key && !m->key->n && !environment(m->key_env);
}

void model_set_key(const struct model *m, struct str key)
{
	if (!m->key)
		return;
	buf_wipe(m->key);
	if (key.n)
		buf_add(m->key, key);
}
