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

bool config_set_all(struct config *c, const json *options, struct err *e)
{
	json_each(item, options) {
		if (!json_is_int(item))
			return err_set(e, ERR_INVALID, "option %s must be an integer, not %s",
				       json_key(item), json_type_name(json_type_of(item)));
		if (!config_set(c, str_of(json_key(item)), json_number(item), e))
			return false;
	}
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
