#include "codec.h"

#include "../base/jscan.h"
#include "codec_parts.h"

const json *msg_body(struct msg *m, struct err *e)
{
	if (!m->body)
		m->body = m->raw.n ? m->codec->decode(m->raw, e) : json_null();
	return m->body;
}

void msg_release(struct msg *m)
{
	json_free(m->id);
	json_free(m->body);
	buf_release(&m->name);
	*m = (struct msg){ 0 };
}

const char *codec_excerpt(struct str bytes, char out[CODEC_EXCERPT])
{
	size_t n = 0, most = CODEC_EXCERPT - sizeof("...");

	for (; n < bytes.n && n < most; n++)
		out[n] = bytes.p[n] >= ' ' && bytes.p[n] <= '~' ? bytes.p[n] : '.';
	strcpy(out + n, n < bytes.n ? "..." : "");
	return out;
}

/* The values of a message's members as they are; empty when absent. */
struct embedded {
	struct str id, method, params, result, error;
};

static struct str *part_of(struct embedded *p, struct str key)
{
	if (str_eq(key, STR("id")))
		return &p->id;
	if (str_eq(key, STR("method")))
		return &p->method;
	if (str_eq(key, STR("params")))
		return &p->params;
	if (str_eq(key, STR("result")))
		return &p->result;
	return str_eq(key, STR("error")) ? &p->error : NULL;
}

static bool codec_split(struct str text, struct embedded *parts, struct err *e)
{
	struct jscan s = jscan_of(text, e);
	struct str key;

	for (jscan_object(&s); jscan_member(&s, &key);) {
		struct str *part = part_of(parts, key), value = jscan_raw(&s);

		if (part && part->n)
			return err_set(e, ERR_PROTOCOL, "the message has two members \"%.*s\"",
				       STR_ARG(key));
		if (part)
			*part = value;
	}
	if (!jscan_ok(&s))
		return false;
	if (str_trim(str_sub(text, (size_t)(s.at - text.p), text.n)).n)
		return err_set(e, ERR_PROTOCOL, "text after the message at byte %zu of %zu",
			       (size_t)(s.at - text.p), text.n);
	return true;
}

static bool is_null(struct str value)
{
	return str_eq(value, STR("null"));
}

static bool says(struct str value)
{
	return value.n && !is_null(value);
}

static bool read_method(struct str value, struct msg *out, struct err *e)
{
	struct jscan s = jscan_of(value, e);

	if (value.p[0] != '"' || value.n == 2)
		return err_set(e, ERR_PROTOCOL,
			       "the method of the message must be a non-empty "
			       "string");
	if (!memchr(value.p, '\\', value.n)) {
		out->method = jscan_quoted(&s);
		return true;
	}
	/* PHP's encoder writes a slash as \/ unless told otherwise, and servers are written in it.
	 */
	if (!jscan_str(&s, &out->name))
		return err_in(e, "a message's method");
	out->method = buf_str(&out->name);
	return true;
}

static bool read_id(struct str value, struct msg *out, struct err *e)
{
	char shown[CODEC_EXCERPT];

	if (value.p[0] == '"') {
		struct jscan s = jscan_of(value, e);
		struct buf text SCOPED(buf_release) = BUF_INIT;
		bool ok = jscan_str(&s, &text);

		if (ok)
			out->id = json_str(buf_str(&text));
		return ok || err_in(e, "a message's id");
	}
	if (strchr("-0123456789", value.p[0]))
		out->id = json_parse(value, e);
	if (json_is_int(out->id) && json_number(out->id) <= CODEC_INT_MAX &&
	    json_number(out->id) >= -CODEC_INT_MAX)
		return true;
	return err_set(e, ERR_PROTOCOL, "the id of the message must be an integer or a string: %s",
		       codec_excerpt(value, shown));
}

/* Which of the four things the members say. */
static bool codec_read_kind(const struct embedded *p, struct msg *out, struct err *e)
{
	if (p->method.n) {
		if (says(p->result) || says(p->error))
			return err_set(e, ERR_PROTOCOL,
				       "the message is both a request and a "
				       "response");
		out->kind = p->id.n ? MSG_REQUEST : MSG_NOTIFY;
		out->raw = p->params;
		return true;
	}
	if (!p->id.n)
		return err_set(e, ERR_PROTOCOL, "the message has neither a method nor an id");
	/* Some servers send both members, one of them null. */
	if (says(p->error) && says(p->result))
		return err_set(e, ERR_PROTOCOL, "the response has both a result and an error");
	if (!p->result.n && !says(p->error))
		return err_set(e, ERR_PROTOCOL, "the response has neither a result nor an error");
	out->kind = says(p->error) ? MSG_ERROR : MSG_RESULT;
	out->raw = says(p->error) ? p->error : p->result;
	return true;
}

bool codec_json_read(struct str text, struct msg *out, struct err *e)
{
	struct embedded parts = { 0 };
	bool ok;

	*out = (struct msg){ 0 };
	ok = codec_split(text, &parts, e) && codec_read_kind(&parts, out, e);
	if (ok && parts.method.n)
		ok = read_method(parts.method, out, e);
	if (ok && parts.id.n && !(is_null(parts.id) && out->kind == MSG_ERROR))
		ok = read_id(parts.id, out, e);
	if (!ok)
		msg_release(out);
	return ok;
}

/* The id that an answer which makes no sense was given, so that who waits for it is told. */
static void read_odd_id(struct str text, struct msg *out)
{
	struct embedded parts = { 0 };

	codec_split(text, &parts, ERR_IGNORED);
	out->kind = MSG_ERROR;
	if (!parts.id.n || parts.method.n || !read_id(parts.id, out, ERR_IGNORED)) {
		json_free(out->id);
		out->id = NULL;
	}
}

enum codec_state codec_json_take(struct str text, const struct codec *codec, struct msg *out,
				 struct err *e)
{
	bool ok = codec_json_read(text, out, e);

	if (!ok)
		read_odd_id(text, out);
	out->codec = codec;
	return ok ? CODEC_MSG : CODEC_ODD;
}

void codec_json_print(struct buf *out, enum msg_kind kind, const json *id, const char *method,
		      const json *body)
{
	buf_adds(out, "{\"jsonrpc\":\"2.0\"");
	if (kind != MSG_NOTIFY) {
		buf_adds(out, ",\"id\":");
		json_print(out, id);
	}
	if (kind == MSG_REQUEST || kind == MSG_NOTIFY) {
		buf_adds(out, ",\"method\":");
		json_quote(out, str_of(method));
		buf_adds(out, body ? ",\"params\":" : "");
	} else {
		buf_adds(out, kind == MSG_RESULT ? ",\"result\":" : ",\"error\":");
		buf_adds(out, body ? "" : "null");
	}
	if (body)
		json_print(out, body);
	buf_addc(out, '}');
}
