#include "../base/bytes.h"
#include "call_impl.h"

json *tool_args(const struct tool *t, struct buf *text, struct err *e)
{
	json *args;

	bytes_read_json(text);
	args = json_parse_outer(buf_str(text), e);
	buf_release(text);
	/* a list that was sent as the text of it is one more layer */
	for (const struct param *p = t->params; p->name; p++) {
		const json *list = p->type == P_LIST ? json_get(args, p->name) : NULL;

		if (!json_is(list, JSON_STRING))
			continue;
		buf_add(text, json_text(list));
		bytes_read_json(text);
		json_put(args, p->name, json_take(text));
	}
	return args;
}

static const char *const type_names[] = { "string", "integer", "integer", "boolean",
					  "string", "array",   "string" };

static json *values_of(const struct param *p)
{
	json *list = json_array();
	struct str rest = str_of(p->values);

	while (rest.n) {
		const char *bar = memchr(rest.p, '|', rest.n);
		size_t n = bar ? (size_t)(bar - rest.p) : rest.n;

		json_push(list, json_str(str_sub(rest, 0, n)));
		rest = str_sub(rest, n + (bar ? 1 : 0), rest.n);
	}
	return list;
}

json *tool_schema(const struct tool *t)
{
	json *schema = json_object(), *props = json_object(), *required = json_array();

	for (const struct param *p = t->params; p->name; p++) {
		json_put(props, p->name,
			 json_of({ "type", json_strz(type_names[p->type]) },
				 { "description", json_strz(p->doc) },
				 { "enum", p->values ? values_of(p) : NULL },
				 { "minimum", p->type == P_INT || p->type == P_INDEX
						      ? json_int(p->type == P_INT)
						      : NULL }));
		if (p->required)
			json_push(required, json_strz(p->name));
	}
	json_put(schema, "type", json_strz("object"));
	json_put(schema, "properties", props);
	json_put(schema, "required", required);
	json_put(schema, "additionalProperties", json_bool(false));
	return schema;
}

static const struct param *find_param(const struct tool *t, const char *name,
				      const struct param **near)
{
	size_t least = strlen(name) / 2 + 2;

	*near = NULL;
	for (const struct param *p = t->params; p->name; p++)
		if (!strcmp(p->name, name))
			return p;
	for (const struct param *p = t->params; p->name; p++) {
		size_t d = str_distance(str_of(name), str_of(p->name), least);

		/* `file` is short for file_path, whatever else it looks like */
		if (*name && str_starts(str_of(p->name), str_of(name)))
			d = 0;
		if (d < least) {
			least = d;
			*near = p;
		}
	}
	return NULL;
}

static bool allowed_value(const struct param *p, struct str value)
{
	json *list SCOPED(json_release) = p->values ? values_of(p) : NULL;
	bool hit = !list;

	json_each(v, list)
		hit |= str_eq(json_text(v), value);
	return hit;
}

static bool check_value(const struct tool *t, const struct param *p, const json *v, struct err *e)
{
	const int least = p->type == P_INT;

	switch (p->type) {
	case P_INT:
	case P_INDEX:
		if (!json_is_int(v) || json_number(v) < least || json_number(v) > INT32_MAX)
			return err_set(e, ERR_INVALID, "%s: %s must be an integer >= %d", t->name,
				       p->name, least);
		return true;
	case P_LIST:
		/* models also send a list as the text of it */
		if (json_is(v, JSON_STRING))
			return json_once(json_text(v), e) || err_in(e, "%s: %s", t->name, p->name);
		return json_is(v, JSON_ARRAY) ||
		       err_set(e, ERR_INVALID, "%s: %s must be an array, not %s", t->name, p->name,
			       json_type_name(json_type_of(v)));
	case P_BOOL:
		return json_is(v, JSON_BOOL) ||
		       err_set(e, ERR_INVALID, "%s: %s must be true or false, not %s", t->name,
			       p->name, json_type_name(json_type_of(v)));
	default:
		if (!json_is(v, JSON_STRING))
			return err_set(e, ERR_INVALID, "%s: %s must be a string, not %s", t->name,
				       p->name, json_type_name(json_type_of(v)));
		if (p->type == P_PATH && !json_text(v).n)
			return err_set(e, ERR_INVALID, "%s: %s is empty", t->name, p->name);
		if (p->type != P_TEXT && strlen(json_text(v).p) < json_text(v).n)
			return err_set(e, ERR_INVALID, "%s: %s contains a NUL byte", t->name,
				       p->name);
		return allowed_value(p, json_text(v)) ||
		       err_set(e, ERR_INVALID, "%s: %s is \"%.*s\", allowed: %s", t->name, p->name,
			       STR_ARG(json_text(v)), p->values);
	}
}

bool tool_check_args(const struct tool *t, const json *args, struct err *e)
{
	const struct param *p, *near;

	if (!json_is(args, JSON_OBJECT))
		return err_set(e, ERR_INVALID, "%s: the arguments must be an object, not %s",
			       t->name, json_type_name(json_type_of(args)));
	json_each(v, args) {
		p = find_param(t, json_key(v), &near);
		if (!p)
			return err_set(e, ERR_INVALID, "%s: unknown argument %s%s%s%s", t->name,
				       json_key(v), near ? " (did you mean " : "",
				       near ? near->name : "", near ? "?)" : "");
		if (!json_is(v, JSON_NULL) && !check_value(t, p, v, e))
			return false;
	}
	for (p = t->params; p->name; p++)
		if (p->required && !json_get(args, p->name))
			return err_set(e, ERR_INVALID, "%s: argument %s is missing: %s", t->name,
				       p->name, p->doc);
	return true;
}
