#include "json_impl.h"

#include <math.h>
#include <stdarg.h>

#include "mem.h"

/* cJSON's own would end a string at a NUL. */
json *json_copy(const json *v)
{
	struct buf text = BUF_INIT;
	json *copy;

	if (cJSON_IsString(v) || cJSON_IsRaw(v)) {
		buf_add(&text, json_bytes(v));
		return cJSON_IsRaw(v) ? json_raw(&text) : json_own(&text);
	}
	if (!cJSON_IsArray(v) && !cJSON_IsObject(v))
		return v ? cJSON_Duplicate(v, false) : NULL;
	copy = cJSON_IsArray(v) ? json_array() : json_object();
	json_each(item, v) {
		if (cJSON_IsArray(v))
			json_push(copy, json_copy(item));
		else
			json_add(copy, json_key(item), json_copy(item));
	}
	return copy;
}

void json_free(json *v)
{
	cJSON_Delete(v);
}

void json_release(json **v)
{
	json_free(*v);
}

const json *json_get(const json *v, const char *path)
{
	char name[64];

	while (v && *path) {
		size_t n = strcspn(path, ".");

		if (n >= sizeof(name))
			BUG("member name too long: %s", path);
		memcpy(name, path, n);
		name[n] = '\0';
		v = cJSON_IsObject(v) ? cJSON_GetObjectItemCaseSensitive(v, name) : NULL;
		path += n + (path[n] == '.');
	}
	return v && !cJSON_IsNull(v) ? v : NULL;
}

struct str json_get_str(const json *v, const char *path)
{
	return json_text(json_get(v, path));
}

char *json_dup(const json *v, const char *path)
{
	struct str s = json_get_str(v, path);

	return s.n ? mem_dup(s.p, s.n) : NULL;
}

int64_t json_get_int(const json *v, const char *path, int64_t if_absent)
{
	const json *m = json_get(v, path);

	return json_is_int(m) ? json_number(m) : if_absent;
}

bool json_get_bool(const json *v, const char *path, bool if_absent)
{
	const json *m = json_get(v, path);

	return cJSON_IsBool(m) ? cJSON_IsTrue(m) : if_absent;
}

enum json_type json_type_of(const json *v)
{
	if (cJSON_IsBool(v))
		return JSON_BOOL;
	if (cJSON_IsNumber(v))
		return JSON_NUMBER;
	if (cJSON_IsString(v))
		return JSON_STRING;
	if (cJSON_IsArray(v) || (cJSON_IsRaw(v) && *v->valuestring == '['))
		return JSON_ARRAY;
	return cJSON_IsObject(v) ? JSON_OBJECT : JSON_NULL;
}

const char *json_type_name(enum json_type t)
{
	static const char *const names[] = { "null",	 "true or false", "a number",
					     "a string", "an array",	  "an object" };

	return names[t];
}

bool json_is(const json *v, enum json_type t)
{
	return v && json_type_of(v) == t;
}

bool json_is_int(const json *v)
{
	return cJSON_IsNumber(v) && v->valuedouble == floor(v->valuedouble) &&
	       fabs(v->valuedouble) < 9.2e18;
}

struct str json_text(const json *v)
{
	return cJSON_IsString(v) ? json_bytes(v) : STR("");
}

int64_t json_number(const json *v)
{
	double n = json_double(v);

	return fabs(n) < 9.2e18 ? (int64_t)n : 0;
}

double json_double(const json *v)
{
	return cJSON_IsNumber(v) ? v->valuedouble : 0;
}

bool json_true(const json *v)
{
	return cJSON_IsTrue(v);
}

size_t json_len(const json *list)
{
	size_t n = 0;

	json_each(item, list)
		n++;
	return n;
}

const json *json_first(const json *list)
{
	return cJSON_IsArray(list) || cJSON_IsObject(list) ? list->child : NULL;
}

const json *json_next(const json *item)
{
	return item->next;
}

const char *json_key(const json *member)
{
	return member->string ? member->string : "";
}

static json *made(json *v)
{
	if (!v)
		BUG("out of memory (a JSON value)");
	return v;
}

json *json_object(void)
{
	return made(cJSON_CreateObject());
}

json *json_array(void)
{
	return made(cJSON_CreateArray());
}

json *json_with_members(const struct json_member *v)
{
	json *obj = json_object();

	for (; v->key; v++)
		if (v->value)
			json_add(obj, v->key, v->value);
	return obj;
}

json *json_with_items(json *const *v)
{
	json *arr = json_array();

	while (*v)
		json_push(arr, *v++);
	return arr;
}

json *json_put(json *obj, const char *key, json *child)
{
	json_drop(obj, key);
	return json_add(obj, key, child);
}

json *json_add(json *obj, const char *key, json *child)
{
	cJSON_AddItemToObject(obj, key, child);
	return child;
}

json *json_push(json *arr, json *child)
{
	cJSON_AddItemToArray(arr, child);
	return child;
}

void json_drop(json *obj, const char *key)
{
	cJSON_DeleteItemFromObjectCaseSensitive(obj, key);
}

static json *owner(int type, struct buf *text)
{
	json *v = json_null();

	v->type = type;
	v->valuedouble = (double)text->n;
	v->valuestring = buf_detach(text);
	return v;
}

struct str json_bytes(const json *v)
{
	return (struct str){ v->valuestring, (size_t)v->valuedouble };
}

json *json_own(struct buf *text)
{
	return owner(cJSON_String, text);
}

json *json_take(struct buf *text)
{
	return json_own(text);
}

json *json_str(struct str s)
{
	struct buf copy = BUF_INIT;

	buf_add(&copy, s);
	return json_own(&copy);
}

json *json_strz(const char *s)
{
	return json_str(str_of(s));
}

json *json_strf(const char *fmt, ...)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	buf_addv(&text, fmt, ap);
	va_end(ap);
	return json_str(buf_str(&text));
}

json *json_int(int64_t n)
{
	return made(cJSON_CreateNumber((double)n));
}

json *json_num(double n)
{
	return made(cJSON_CreateNumber(n));
}

json *json_bool(bool b)
{
	return made(cJSON_CreateBool(b));
}

json *json_null(void)
{
	return made(cJSON_CreateNull());
}

json *json_raw(struct buf *text)
{
	return owner(cJSON_Raw, text);
}

bool json_is_raw(const json *v)
{
	return cJSON_IsRaw(v);
}

struct str json_raw_text(const json *v)
{
	return cJSON_IsRaw(v) ? json_bytes(v) : STR("");
}
