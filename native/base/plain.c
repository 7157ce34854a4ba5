#include "plain.h"

#include "utf.h"

static bool is_obeyed(uint32_t c)
{
	return (c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7f && c < 0xa0) || c == 0x61c ||
	       (c >= 0x200e && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069) || c == 0xfeff || (c >= 0xe0000 && c <= 0xe007f);
}

void plain_add(struct buf *out, struct str text)
{
	size_t from = 0;

	for (size_t at = 0; at < text.n;) {
		struct utf u = utf_at(text, at);
		bool line_end = u.code == '\r' && at + 1 < text.n && text.p[at + 1] == '\n';

		if (u.ok && (line_end || !is_obeyed(u.code))) {
			at += u.n;
			continue;
		}
		buf_add(out, str_sub(text, from, at));
		buf_addf(out, "<%02x>", u.ok ? u.code : (unsigned char)text.p[at]);
		at += u.n;
		from = at;
	}
	buf_add(out, str_sub(text, from, text.n));
}

void plain_err(struct err *e)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;

	plain_add(&text, str_of(e->msg));
	err_set(e, e->code, "%s", buf_str(&text).p);
}

json *plain_tree(const json *v)
{
	struct buf text = BUF_INIT, key SCOPED(buf_release) = BUF_INIT;
	json *copy;

	if (json_is_raw(v))
		return json_copy(v);
	if (json_is(v, JSON_STRING)) {
		plain_add(&text, json_text(v));
		return json_take(&text);
	}
	if (!json_is(v, JSON_ARRAY) && !json_is(v, JSON_OBJECT))
		return json_copy(v);
	copy = json_is(v, JSON_ARRAY) ? json_array() : json_object();
	json_each(item, v) {
		if (json_is(v, JSON_ARRAY)) {
			json_push(copy, plain_tree(item));
			continue;
		}
		buf_clear(&key);
		plain_add(&key, str_of(json_key(item)));
		json_add(copy, buf_str(&key).p, plain_tree(item));
	}
	return copy;
}
