#include "config.h"

#include <inttypes.h>

static const struct {
	const char *name;
	int64_t def, min, max;
	const char *doc;
} rows[] = {
#define X(key, name, def, min, max, doc) { name, def, min, max, doc },
	CONFIG_ROWS(X)
#undef X
};

void config_init(struct config *c)
{
	for (int i = 0; i < CFG_COUNT; i++)
		c->value[i] = rows[i].def;
}

int64_t config_get(const struct config *c, enum config_key key)
{
	return c->value[key];
}

static const char *nearest(struct str name)
{
	const char *best = NULL;
	size_t least = name.n / 2 + 1;

	for (int i = 0; i < CFG_COUNT; i++) {
		size_t d = str_distance(name, str_of(rows[i].name), least);

		if (d < least) {
			least = d;
			best = rows[i].name;
		}
	}
	return best;
}

bool config_set(struct config *c, struct str name, int64_t value, struct err *e)
{
	const char *near;

	for (int i = 0; i < CFG_COUNT; i++) {
		if (!str_eq(name, str_of(rows[i].name)))
			continue;
		if (value < rows[i].min || value > rows[i].max)
			return err_set(e, ERR_INVALID,
				       "option %s is %" PRId64 ", but must be from %" PRId64
				       " to %" PRId64,
				       rows[i].name, value, rows[i].min, rows[i].max);
		c->value[i] = value;
		return true;
	}
	near = nearest(name);
	return err_set(e, ERR_INVALID, "unknown option %.*s%s%s%s", STR_ARG(name),
		       near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

/* Values that have names, in the order of their numbers from 0. */
static const struct {
	enum config_key key;
	const char *values[3]; /* ends with NULL */
} named[] = {
	{ CFG_CHAT_APPLY, { "turn", "each", NULL } },
};

static bool config_set_named(struct config *c, struct str name, struct str value, struct err *e)
{
	for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++) {
		if (!str_eq(name, str_of(rows[named[i].key].name)))
			continue;
		for (int64_t k = 0; named[i].values[k]; k++)
			if (str_eq(value, str_of(named[i].values[k])))
				return config_set(c, name, k, e);
		return err_set(e, ERR_INVALID, "option %.*s is \"%.*s\", allowed: %s, %s",
			       STR_ARG(name), STR_ARG(value), named[i].values[0],
			       named[i].values[1]);
	}
	return err_set(e, ERR_INVALID, "option %.*s must be an integer, not a string",
		       STR_ARG(name));
}

static bool config_set_json(struct config *c, const json *item, struct err *e)
{
	struct str name = str_of(json_key(item));

	if (json_is(item, JSON_STRING))
		return config_set_named(c, name, json_text(item), e);
	return json_is_int(item) ? config_set(c, name, json_number(item), e)
				 : err_set(e, ERR_INVALID, "option %.*s must be an integer, not %s",
					   STR_ARG(name), json_type_name(json_type_of(item)));
}

bool config_set_all(struct config *c, const json *options, struct err *e)
{
	json_each(item, options)
		if (!config_set_json(c, item, e))
			return false;
	return true;
}

json *config_table(void)
{
	json *list = json_array();

	for (int i = 0; i < CFG_COUNT; i++) {
		json_push(list, json_of({ "name", json_strz(rows[i].name) },
					{ "default", json_int(rows[i].def) },
					{ "min", json_int(rows[i].min) },
					{ "max", json_int(rows[i].max) },
					{ "help", json_strz(rows[i].doc) }));
	}
	return list;
}
