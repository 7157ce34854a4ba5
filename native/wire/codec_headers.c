#include <stdint.h>

#include "../base/bytes.h"
#include "codec_parts.h"

static enum codec_state bad(struct err *e, enum err_code code, const char *what, struct str bytes)
{
	char shown[CODEC_EXCERPT];

	err_set(e, code, "%s: \"%s\"", what, codec_excerpt(bytes, shown));
	return CODEC_BAD;
}

/* Length of what may be before a field's colon. */
static size_t name_length(struct str line)
{
	size_t n = 0;

	for (; n < line.n; n++) {
		char c = line.p[n], low = (char)(c | 0x20);

		if (!(low >= 'a' && low <= 'z') && !(c >= '0' && c <= '9') && c != '-' && c != '_')
			break;
	}
	return n;
}

static bool same_name(struct str name, const char *lower)
{
	if (name.n != strlen(lower))
		return false;
	for (size_t i = 0; i < name.n; i++)
		if ((name.p[i] | 0x20) != (lower[i] | 0x20))
			return false;
	return true;
}

static enum codec_state read_length(struct str value, struct codec_mark *mark, size_t limit,
				    struct err *e)
{
	size_t n = 0;

	if (!value.n)
		return bad(e, ERR_PROTOCOL, "Content-Length is empty", value);
	for (size_t i = 0; i < value.n; i++) {
		if (value.p[i] < '0' || value.p[i] > '9')
			return bad(e, ERR_PROTOCOL, "Content-Length is not a number", value);
		/* stays past every limit once it is too large for a size_t */
		n = n > SIZE_MAX / 10 - 1 ? SIZE_MAX : n * 10 + (size_t)(value.p[i] - '0');
	}
	if (n > limit || n == SIZE_MAX) {
		char shown[CODEC_EXCERPT];

		err_set(e, ERR_LIMIT, "a message of %s bytes exceeds the limit of %zu",
			codec_excerpt(value, shown), limit);
		return CODEC_BAD;
	}
	if (mark->body && mark->body != n + 1)
		return bad(e, ERR_PROTOCOL, "two different Content-Length headers", value);
	mark->body = n + 1;
	return CODEC_MSG;
}

/* One line, whole or as far as it is there: garbage is found before the line ends. */
static enum codec_state read_field(struct str line, bool whole, struct codec_mark *mark,
				   size_t limit, struct err *e)
{
	size_t n = name_length(line);

	if (n == line.n && !whole)
		return CODEC_MORE;
	if (!n || n == line.n || line.p[n] != ':')
		return bad(e, ERR_PROTOCOL, "bad header", line);
	if (!whole || !same_name(str_sub(line, 0, n), "content-length"))
		return whole ? CODEC_MSG : CODEC_MORE;
	return read_length(str_trim(str_sub(line, n + 1, line.n)), mark, limit, e);
}

/* The header block line by line; CODEC_MSG once mark->in_body is set. */
static enum codec_state read_header(struct str *in, struct codec_mark *mark, size_t limit,
				    struct err *e)
{
	while (!mark->in_body) {
		struct str rest = str_sub(*in, mark->seen, in->n), line = STR("");
		const char *lf = rest.n ? memchr(rest.p, '\n', rest.n) : NULL;
		size_t past = lf ? (size_t)(lf - in->p) + 1 : in->n;
		enum codec_state state = CODEC_MSG;

		if (past > CODEC_HEADER)
			return bad(e, ERR_LIMIT, "unterminated header", *in);
		str_line(&rest, &line);
		if (!lf && !line.n)
			return CODEC_MORE;
		if (line.n) {
			state = read_field(line, lf != NULL, mark, limit, e);
		} else if (!mark->seen) {
			*in = str_sub(*in, past, in->n);
			past = 0;
		} else if (mark->body) {
			mark->in_body = true;
		} else {
			return bad(e, ERR_PROTOCOL, "the header has no Content-Length", *in);
		}
		if (state != CODEC_MSG)
			return state;
		mark->seen = past;
	}
	return CODEC_MSG;
}

static enum codec_state headers_take(struct str *in, struct codec_mark *mark, size_t limit,
				     struct msg *out, struct err *e)
{
	enum codec_state state = read_header(in, mark, limit, e);
	struct str body;

	if (state != CODEC_MSG)
		return state;
	if (in->n - mark->seen < mark->body - 1)
		return CODEC_MORE;
	body = str_sub(*in, mark->seen, mark->seen + mark->body - 1);
	*in = str_sub(*in, mark->seen + body.n, in->n);
	*mark = (struct codec_mark){ 0 };
	return codec_json_take(body, &codec_headers, out, e);
}

static void headers_put(struct buf *out, enum msg_kind kind, const json *id, const char *method,
			const json *body)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;

	codec_json_print(&text, kind, id, method, body);
	bytes_mend_from(&text, 0);
	buf_addf(out, "Content-Length: %zu\r\n\r\n", text.n);
	buf_add(out, buf_str(&text));
}

const struct codec codec_headers = { "headers", headers_take, headers_put, json_parse };
