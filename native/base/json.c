#include "json.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "mem.h"
#include "utf.h"

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

static bool is_plain(unsigned char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

/* How many bytes it begins with that stand for themselves in a JSON string: ASCII but for controls,
 * quotes and backslashes. By words, for strings that are whole files. */
static size_t plain_run(struct str s)
{
	const uint64_t ones = 0x0101010101010101u, high = ones * 0x80;
	uint64_t w, quote, slash;
	size_t at = 0;

	for (; s.n - at >= sizeof(w); at += sizeof(w)) {
		memcpy(&w, s.p + at, sizeof(w));
		quote = w ^ ones * '"';
		slash = w ^ ones * '\\';
		if ((w | (w + ones) | (w - ones * ' ') | (quote - ones) | (slash - ones)) & high)
			break;
	}
	while (at < s.n && is_plain((unsigned char)s.p[at]))
		at++;
	return at;
}

/* What cJSON would do wrong: it recurses, counting nesting only against a bound set when it was
 * built, and ends a string where it holds a NUL. */
static bool cjson_can(struct str text, struct err *e)
{
	size_t depth = 0;
	bool quoted = false;

	for (size_t i = 0; i < text.n; i++) {
		char c;

		i += quoted ? plain_run(str_sub(text, i, text.n)) : 0;
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

/* Where it is printed to; with fn, that gets each part that is long enough. */
struct printing {
	struct buf *out;
	json_part *fn;
	void *arg;
};

#define PART 65536

static void pass_on(struct printing *p, size_t from)
{
	if (!p->fn || p->out->n < from)
		return;
	p->fn(p->arg, buf_str(p->out));
	buf_clear(p->out);
}

static void quote_special(struct buf *out, unsigned char c)
{
	static const char short_form[] = { ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f',
					   ['\r'] = 'r', ['"'] = '"',  ['\\'] = '\\' };

	if (c < sizeof(short_form) && short_form[c]) {
		buf_addc(out, '\\');
		buf_addc(out, short_form[c]);
	} else {
		buf_addf(out, "\\u%04x", c);
	}
}

static void quote_bytes(struct buf *out, struct str s)
{
	size_t plain = 0; /* start of the bytes that can go out as they are */

	buf_room(out, s.n + s.n / 16 + 2);
	for (size_t at = plain_run(s); at < s.n; at += plain_run(str_sub(s, at, s.n))) {
		unsigned char c = (unsigned char)s.p[at];
		struct utf u = { c, 1, true };

		if (c >= 0x80)
			u = utf_at(s, at);
		if (u.ok && c >= 0x80) {
			at += u.n;
			continue;
		}
		buf_add(out, str_sub(s, plain, at));
		if (u.ok)
			quote_special(out, c);
		else
			buf_adds(out, UTF_BAD);
		at += u.n;
		plain = at;
	}
	buf_add(out, str_sub(s, plain, s.n));
}

/* A part of it that ends with a character. */
static size_t first_part(struct str s)
{
	size_t n = PART;

	if (s.n <= PART)
		return s.n;
	while (n > PART - 4 && ((unsigned char)s.p[n] & 0xc0) == 0x80)
		n--;
	return n;
}

static void print_string(struct printing *p, struct str s)
{
	buf_addc(p->out, '"');
	while (s.n) {
		size_t n = first_part(s);

		quote_bytes(p->out, str_sub(s, 0, n));
		pass_on(p, PART);
		s = str_sub(s, n, s.n);
	}
	buf_addc(p->out, '"');
}

static void print(struct printing *p, const json *v);

static void print_list(struct printing *p, const json *v, bool keys)
{
	buf_addc(p->out, keys ? '{' : '[');
	for (const json *c = v->child; c; c = c->next) {
		if (c != v->child)
			buf_addc(p->out, ',');
		if (keys) {
			print_string(p, str_of(c->string));
			buf_addc(p->out, ':');
		}
		print(p, c);
	}
	buf_addc(p->out, keys ? '}' : ']');
}

static void print_number(struct buf *out, double n)
{
	if (isnan(n) || isinf(n))
		buf_adds(out, "null");
	else if (n == floor(n) && fabs(n) < 9e15)
		buf_addf(out, "%lld", (long long)n);
	else
		buf_addf(out, "%.17g", n);
}

static void print(struct printing *p, const json *v)
{
	struct buf *out = p->out;

	if (cJSON_IsString(v))
		print_string(p, str_of(v->valuestring));
	else if (cJSON_IsRaw(v))
		buf_adds(out, v->valuestring);
	else if (cJSON_IsNumber(v))
		print_number(out, v->valuedouble);
	else if (cJSON_IsBool(v))
		buf_adds(out, cJSON_IsTrue(v) ? "true" : "false");
	else if (cJSON_IsArray(v) || cJSON_IsObject(v))
		print_list(p, v, cJSON_IsObject(v));
	else
		buf_adds(out, "null");
	pass_on(p, PART);
}

void json_print(struct buf *out, const json *v)
{
	struct printing p = { .out = out };

	print(&p, v);
}

void json_stream(const json *v, json_part *fn, void *arg)
{
	struct buf part = BUF_INIT;
	struct printing p = { &part, fn, arg };

	print(&p, v);
	pass_on(&p, 1);
	buf_release(&part);
}

void json_quote(struct buf *out, struct str s)
{
	struct printing p = { .out = out };

	print_string(&p, s);
}

json *json_copy(const json *v)
{
	return v ? cJSON_Duplicate(v, true) : NULL;
}

void json_free(json *v)
{
	cJSON_Delete(v);
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

struct jread json_read(const json *v, struct err *e)
{
	return (struct jread){ v, e, false };
}

bool jread_ok(const struct jread *r)
{
	return !r->bad;
}

const json *jread_any(struct jread *r, const char *path)
{
	const json *m = r->bad ? NULL : json_get(r->v, path);

	if (!m && !r->bad) {
		err_set(r->e, ERR_INVALID, "member \"%s\" is missing", path);
		r->bad = true;
	}
	return m;
}

static const json *demand(struct jread *r, const char *path, enum json_type t)
{
	const json *m = jread_any(r, path);

	if (m && json_type_of(m) != t) {
		err_set(r->e, ERR_INVALID, "member \"%s\" is %s, not %s", path,
			json_type_name(json_type_of(m)), json_type_name(t));
		r->bad = true;
	}
	return r->bad ? NULL : m;
}

struct str jread_str(struct jread *r, const char *path)
{
	return json_text(demand(r, path, JSON_STRING));
}

int64_t jread_int(struct jread *r, const char *path)
{
	return json_number(demand(r, path, JSON_NUMBER));
}

enum json_type json_type_of(const json *v)
{
	if (cJSON_IsBool(v))
		return JSON_BOOL;
	if (cJSON_IsNumber(v))
		return JSON_NUMBER;
	if (cJSON_IsString(v))
		return JSON_STRING;
	if (cJSON_IsArray(v))
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
	return str_of(cJSON_IsString(v) ? v->valuestring : "");
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

	json_each(item, list) n++;
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

/* What a cJSON string can hold, and every wire can carry. */
static bool fits_string(struct str s)
{
	return utf_clean(s) && (!s.n || !memchr(s.p, '\0', s.n));
}

json *json_take(struct buf *text)
{
	json *v;

	if (!fits_string(buf_str(text))) {
		v = json_str(buf_str(text));
		buf_release(text);
		return v;
	}
	v = json_null();
	v->type = cJSON_String;
	v->valuestring = buf_detach(text);
	return v;
}

json *json_str(struct str s)
{
	struct buf clean = BUF_INIT;

	if (fits_string(s)) {
		buf_add(&clean, s);
		return json_take(&clean);
	}
	for (size_t at = 0; at < s.n;) {
		struct utf u = utf_at(s, at);

		/* a cJSON string ends at a NUL, so that one cannot stay either */
		buf_add(&clean, u.ok && u.code ? str_sub(s, at, at + u.n) : STR(UTF_BAD));
		at += u.n;
	}
	return json_take(&clean);
}

json *json_strz(const char *s)
{
	return json_str(str_of(s));
}

json *json_strf(const char *fmt, ...)
{
	struct buf text = BUF_INIT;
	va_list ap;
	json *v;

	va_start(ap, fmt);
	buf_addv(&text, fmt, ap);
	va_end(ap);
	v = json_str(buf_str(&text));
	buf_release(&text);
	return v;
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

json *json_raw(struct str text)
{
	char *copy = mem_dup(text.p, text.n);
	json *v = made(cJSON_CreateRaw(copy));

	free(copy);
	return v;
}

bool json_is_raw(const json *v)
{
	return cJSON_IsRaw(v);
}
