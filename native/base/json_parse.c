#include <ctype.h>

#include "jscan.h"
#include "json_impl.h"

static bool not_json(size_t at, struct str text, struct err *e)
{
	return err_set(e, ERR_PROTOCOL, "not JSON at byte %zu of %zu", at, text.n);
}

static bool has_nul(size_t at, struct str text, struct err *e)
{
	return err_set(e, ERR_INVALID,
		       "the JSON has a NUL in a string at byte %zu of %zu; leave it out", at,
		       text.n);
}

/* Of the backslash at this byte. cJSON takes digits that are none for a NUL. */
static bool escape_can(size_t at, struct str text, struct err *e)
{
	struct str rest = str_sub(text, at, text.n);

	if (!str_starts(rest, STR("\\u")))
		return true;
	for (size_t i = 2; i < 6; i++)
		if (i >= rest.n || !isxdigit((unsigned char)rest.p[i]))
			return not_json(at, text, e);
	return !str_starts(rest, STR("\\u0000")) || has_nul(at, text, e);
}

/* What cJSON would do wrong: it recurses, counting nesting only against a bound set when it was
 * built, and ends a string where it holds a NUL. */
static bool cjson_can(struct str text, struct err *e)
{
	size_t depth = 0;
	bool quoted = false;

	for (size_t i = 0; i < text.n; i++) {
		char c;

		i += quoted ? json_plain_run(str_sub(text, i, text.n)) : 0;
		if (i == text.n)
			break;
		c = text.p[i];
		if (quoted && !c)
			return has_nul(i, text, e);
		if (quoted && c == '\\' && !escape_can(i, text, e))
			return false;
		if (quoted && c == '\\')
			i++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && (c == '[' || c == '{') && ++depth > JSON_DEPTH)
			return err_set(e, ERR_LIMIT, "JSON is nested deeper than %d", JSON_DEPTH);
		else if (!quoted && (c == ']' || c == '}') && depth)
			depth--;
	}
	return true;
}

json *json_parse(struct str text, struct err *e)
{
	const char *end = NULL;
	json *v;

	if (!cjson_can(text, e))
		return NULL;
	v = cJSON_ParseWithLengthOpts(text.p, text.n, &end, false);
	if (!v) {
		not_json(end ? (size_t)(end - text.p) : 0, text, e);
		return NULL;
	}
	if (str_trim(str_sub(text, (size_t)(end - text.p), text.n)).n) {
		cJSON_Delete(v);
		err_set(e, ERR_PROTOCOL, "text after the JSON at byte %zu", (size_t)(end - text.p));
		return NULL;
	}
	return v;
}

/* A string is kept byte for byte, a list as it stands there. */
static json *outer_value(struct jscan *s)
{
	char next = jscan_peek(s);
	struct buf text = BUF_INIT;
	struct str raw;

	if (next == '"') {
		if (jscan_str(s, &text))
			return json_own(&text);
		buf_release(&text);
		return NULL;
	}
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
	struct arena names = { 0 };
	struct str key = arena_str(&names, jscan_decoded(s, quoted, &names));
	json *v = jscan_ok(s) ? outer_value(s) : NULL;

	if (v)
		json_add(object, key.p, v);
	arena_release(&names);
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
