#include <msgpack.h>

#include "../base/mem.h"
#include "codec_parts.h"
#include "msgpack_scan.h"

/* msgpack-RPC's message types. */
enum { REQUEST, RESPONSE, NOTIFICATION };

static enum codec_state bad(struct err *e, const char *what)
{
	err_set(e, ERR_PROTOCOL, "msgpack-RPC: %s", what);
	return CODEC_BAD;
}

static enum codec_state over(struct err *e, size_t limit)
{
	err_set(e, ERR_LIMIT, "a message exceeds the limit of %zu bytes", limit);
	return CODEC_BAD;
}

static enum codec_state no_message(struct err *e, struct str in)
{
	char shown[CODEC_EXCERPT];

	err_set(e, ERR_PROTOCOL, "not a msgpack-RPC message: \"%s\"", codec_excerpt(in, shown));
	return CODEC_BAD;
}

/* Looks for the end of the message in front, from where the last call stopped: mark->seen is then
 * its length. */
static enum codec_state find_end(struct str in, struct codec_mark *mark, size_t limit,
				 struct err *e)
{
	do {
		struct str rest = str_sub(in, mark->seen, in.n);
		struct mp_value v;
		enum mp_found found = mp_take(&rest, &v);

		if (found == MP_WRONG)
			return mark->seen ? bad(e, "byte 0xc1 is not a value") : no_message(e, in);
		if (v.size > limit - mark->seen)
			return over(e, limit);
		if (!mark->seen && v.size && (v.type != MP_ARRAY || v.n < 3 || v.n > 4))
			return no_message(e, in);
		if (found == MP_SHORT)
			return CODEC_MORE;
		mark->seen += v.size;
		if (v.n > limit - mark->seen) /* every value is a byte at least */
			return over(e, limit);
		if (mark->depth)
			mark->lacks[mark->depth - 1]--;
		if (v.n && mark->depth == CODEC_DEPTH) {
			err_set(e, ERR_LIMIT, "the message is nested deeper than %d levels",
				CODEC_DEPTH);
			return CODEC_BAD;
		}
		if (v.n)
			mark->lacks[mark->depth++] = v.n;
		while (mark->depth && !mark->lacks[mark->depth - 1])
			mark->depth--;
	} while (mark->depth);
	return CODEC_MSG;
}

/* The values of a whole message; sets all of *out but the id. */
static enum codec_state read_parts(struct str in, struct msg *out, int64_t *id, struct err *e)
{
	struct mp_scan s = { .rest = in, .e = e };
	size_t n = mp_array(&s);
	int64_t type = mp_int(&s);
	struct str error;

	if (s.bad || type < REQUEST || type > NOTIFICATION || n != (type == NOTIFICATION ? 3 : 4))
		return no_message(e, in);
	*id = type == NOTIFICATION ? 0 : mp_int(&s);
	if (s.bad || *id < 0 || *id > CODEC_INT_MAX)
		return bad(e, "the id of the message must be an integer");
	if (type == RESPONSE) {
		error = s.rest;
		mp_skip(&s);
		error.n -= s.rest.n;
		out->kind = str_eq(error, STR("\xc0")) ? MSG_RESULT : MSG_ERROR;
		out->raw = out->kind == MSG_RESULT ? s.rest : error;
		return CODEC_MSG;
	}
	out->kind = type == REQUEST ? MSG_REQUEST : MSG_NOTIFY;
	out->method = mp_str(&s);
	out->raw = s.rest;
	if (s.bad || !out->method.n)
		return bad(e, "the method of the message must be a non-empty string");
	mp_array(&s);
	return s.bad ? bad(e, "the parameters of the message must be an array") : CODEC_MSG;
}

static enum codec_state msgpack_take(struct str *in, struct codec_mark *mark, size_t limit,
				     struct msg *out, struct err *e)
{
	enum codec_state state = find_end(*in, mark, limit, e);
	struct str whole;
	int64_t id = 0;

	if (state != CODEC_MSG)
		return state;
	whole = str_sub(*in, 0, mark->seen);
	*in = str_sub(*in, whole.n, in->n);
	*mark = (struct codec_mark){ 0 };
	*out = (struct msg){ .codec = &codec_msgpack };
	state = read_parts(whole, out, &id, e);
	if (state == CODEC_MSG && out->kind != MSG_NOTIFY)
		out->id = json_int(id);
	return state;
}

static json *build(struct mp_scan *s, unsigned depth);

static void build_member(struct mp_scan *s, json *map, unsigned depth)
{
	struct mp_value v;
	char *key SCOPED(mem_release) = NULL;

	if (!mp_next(s, &v))
		return;
	if (v.type != MP_STR || memchr(v.bytes.p, '\0', v.bytes.n)) {
		s->bad = true;
		err_set(s->e, ERR_PROTOCOL,
			"msgpack: a map key is not a string, or contains a NUL");
		return;
	}
	key = mem_dup(v.bytes.p, v.bytes.n);
	json_add(map, key, build(s, depth));
}

static json *build_list(struct mp_scan *s, const struct mp_value *v, unsigned depth)
{
	bool is_map = v->type == MP_MAP;
	json *list = is_map ? json_object() : json_array();

	if (v->n && depth == CODEC_DEPTH) {
		s->bad = true;
		err_set(s->e, ERR_LIMIT, "msgpack: nested deeper than %d levels", CODEC_DEPTH);
	}
	for (size_t i = 0; i < v->n && !s->bad; i += is_map ? 2 : 1)
		if (is_map)
			build_member(s, list, depth + 1);
		else
			json_push(list, build(s, depth + 1));
	return list;
}

static bool is_exact(int64_t n)
{
	return n <= CODEC_INT_MAX && n >= -CODEC_INT_MAX;
}

static json *build_int(struct mp_scan *s, int64_t n, bool huge)
{
	if (!huge && is_exact(n))
		return json_int(n);
	s->bad = true;
	err_set(s->e, ERR_PROTOCOL, "msgpack: an integer over 2^53");
	return json_null();
}

/* Never NULL; what is built under an error is thrown away at the top. */
static json *build(struct mp_scan *s, unsigned depth)
{
	struct mp_value v;

	mp_next(s, &v);
	switch (v.type) {
	case MP_BOOL:
		return json_bool(v.num);
	case MP_INT:
	case MP_HUGE:
		return build_int(s, v.num, v.type == MP_HUGE);
	case MP_FLOAT:
		return json_num(v.real);
	case MP_STR:
	case MP_BIN:
		return json_str(v.bytes);
	case MP_ARRAY:
	case MP_MAP:
		return build_list(s, &v, depth);
	case MP_EXT:
		if (mp_handle(v.bytes, &v.num))
			return build_int(s, v.num, false);
		s->bad = true;
		err_set(s->e, ERR_PROTOCOL, "msgpack: an extension type that is not a handle");
		return json_null();
	case MP_NIL:
		break;
	}
	return json_null();
}

static json *decode(struct str raw, struct err *e)
{
	struct mp_scan s = { .rest = raw, .e = e };
	json *v = build(&s, 0);

	if (!s.bad && s.rest.n)
		s.bad = !err_set(e, ERR_PROTOCOL, "msgpack: %zu bytes after the value", s.rest.n);
	if (!s.bad)
		return v;
	json_free(v);
	return NULL;
}

static int write_out(void *out, const char *p, size_t n)
{
	buf_add(out, (struct str){ p, n });
	return 0;
}

static void pack_str(msgpack_packer *to, struct str s)
{
	msgpack_pack_str(to, s.n);
	msgpack_pack_str_body(to, s.p, s.n);
}

static void pack(msgpack_packer *to, const json *v)
{
	if (v && json_is_raw(v))
		BUG("raw JSON text cannot be encoded as msgpack");
	switch (json_type_of(v)) {
	case JSON_NULL:
		msgpack_pack_nil(to);
		break;
	case JSON_BOOL:
		json_true(v) ? msgpack_pack_true(to) : msgpack_pack_false(to);
		break;
	case JSON_NUMBER:
		if (json_is_int(v) && is_exact(json_number(v)))
			msgpack_pack_int64(to, json_number(v));
		else
			msgpack_pack_double(to, json_double(v));
		break;
	case JSON_STRING:
		pack_str(to, json_text(v));
		break;
	case JSON_ARRAY:
		msgpack_pack_array(to, json_len(v));
		json_each(item, v)
			pack(to, item);
		break;
	case JSON_OBJECT:
		msgpack_pack_map(to, json_len(v));
		json_each(item, v) {
			pack_str(to, str_of(json_key(item)));
			pack(to, item);
		}
		break;
	}
}

static size_t nesting(const json *v)
{
	size_t most = 0;

	json_each(item, v) {
		size_t n = nesting(item);

		if (n > most)
			most = n;
	}
	return most + (json_is(v, JSON_ARRAY) || json_is(v, JSON_OBJECT) ? 1 : 0);
}

/* Neovim shows an error only as a pair: 0, an exception, and the message. */
static void pack_error(msgpack_packer *to, struct str message)
{
	msgpack_pack_array(to, 2);
	msgpack_pack_int(to, 0);
	pack_str(to, message);
	msgpack_pack_nil(to);
}

static void msgpack_put(struct buf *out, enum msg_kind kind, const json *id, const char *method,
			const json *body)
{
	bool deep = nesting(body) > CODEC_SEND_DEPTH;
	msgpack_packer to;

	msgpack_packer_init(&to, out, write_out);
	msgpack_pack_array(&to, kind == MSG_NOTIFY ? 3 : 4);
	msgpack_pack_int(&to, kind == MSG_REQUEST  ? REQUEST
			      : kind == MSG_NOTIFY ? NOTIFICATION
						   : RESPONSE);
	if (kind != MSG_NOTIFY)
		pack(&to, id);
	if (kind == MSG_ERROR) {
		pack_error(&to, json_get_str(body, "message"));
	} else if (kind == MSG_RESULT && deep) {
		pack_error(&to, STR("the response is nested too deeply for Neovim"));
	} else if (kind == MSG_RESULT) {
		msgpack_pack_nil(&to);
		pack(&to, body);
	} else {
		if (deep)
			BUG("the parameters of %s are nested too deeply for Neovim", method);
		pack_str(&to, str_of(method));
		if (body)
			pack(&to, body);
		else
			msgpack_pack_array(&to, 0);
	}
}

const struct codec codec_msgpack = { "msgpack", msgpack_take, msgpack_put, decode };
