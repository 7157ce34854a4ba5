#include "jscan.h"
#include "json_impl.h"

/* A member's name; false: it has a NUL, which no name of a tree can hold. */
static bool json_parse_read_name(struct jscan *s, struct str quoted, struct arena *names,
				 struct str *out)
{
	struct str key = jscan_decoded(s, quoted, names);

	if (jscan_ok(s) && key.n && memchr(key.p, '\0', key.n))
		s->bad = !err_set(s->e, ERR_INVALID, "the JSON has a NUL in a member name");
	*out = arena_str(names, key);
	return jscan_ok(s);
}

static json *string_value(struct jscan *s)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;

	if (jscan_str(s, &text))
		return json_own(&text);
	return NULL;
}

static json *value(struct jscan *s, unsigned depth);

static bool read_members(struct jscan *s, json *list, unsigned depth)
{
	struct arena names SCOPED(arena_release) = { 0 };
	struct str key, name;
	json *v = NULL;

	for (jscan_object(s); jscan_member(s, &key);) {
		v = json_parse_read_name(s, key, &names, &name) ? value(s, depth) : NULL;
		if (!v)
			break;
		json_add(list, name.p, v);
	}
	return jscan_ok(s);
}

static bool read_items(struct jscan *s, json *list, unsigned depth)
{
	json *v;

	for (jscan_array(s); jscan_item(s) && (v = value(s, depth));)
		json_push(list, v);
	return jscan_ok(s);
}

static json *list_value(struct jscan *s, bool object, unsigned depth)
{
	json *list;

	if (depth == JSON_DEPTH) {
		s->bad = true;
		err_set(s->e, ERR_LIMIT, "JSON is nested deeper than %d levels", JSON_DEPTH);
		return NULL;
	}
	list = object ? json_object() : json_array();
	if ((object ? read_members : read_items)(s, list, depth + 1))
		return list;
	json_free(list);
	return NULL;
}

static json *number_value(struct jscan *s)
{
	double n = jscan_double(s);

	return jscan_ok(s) ? json_num(n) : NULL;
}

static json *bool_value(struct jscan *s)
{
	bool yes = jscan_bool(s);

	return jscan_ok(s) ? json_bool(yes) : NULL;
}

static json *value(struct jscan *s, unsigned depth)
{
	switch (jscan_peek(s)) {
	case '{':
		return list_value(s, true, depth);
	case '[':
		return list_value(s, false, depth);
	case '"':
		return string_value(s);
	case '0':
		return number_value(s);
	case 't':
		return bool_value(s);
	default:
		return jscan_skip(s) ? json_null() : NULL;
	}
}

json *json_parse(struct str text, struct err *e)
{
	struct jscan s = jscan_strict(text, e);
	json *v = value(&s, 0);

	if (v && jscan_end(&s))
		return v;
	json_free(v);
	return NULL;
}

/* A string is kept byte for byte, a list as it is there. */
static json *outer_value(struct jscan *s)
{
	char next = jscan_peek(s);
	struct buf text = BUF_INIT;
	struct str raw;

	if (next == '"')
		return string_value(s);
	raw = jscan_raw(s);
	if (!jscan_ok(s))
		return NULL;
	if (next != '[')
		return json_parse(raw, s->e);
	buf_add(&text, raw);
	return json_raw(&text);
}

static bool outer_member(struct jscan *s, struct str quoted, json *object)
{
	struct arena names SCOPED(arena_release) = { 0 };
	struct str key;
	json *v = json_parse_read_name(s, quoted, &names, &key) ? outer_value(s) : NULL;

	if (v)
		json_add(object, key.p, v);
	return v;
}

json *json_parse_outer(struct str text, struct err *e)
{
	struct jscan s = jscan_strict(text, e);
	struct str key;
	json *v;
	bool ok = true;

	if (jscan_peek(&s) != '{')
		return json_parse(text, e);
	v = json_object();
	for (jscan_object(&s); ok && jscan_member(&s, &key);)
		ok = outer_member(&s, key, v);
	if (ok && jscan_end(&s) && json_once(text, e))
		return v;
	json_free(v);
	return NULL;
}
