#include "../base/bytes.h"
#include "codec_parts.h"

static enum codec_state lines_codec_take(struct str *in, struct codec_mark *mark, size_t limit,
					 struct msg *out, struct err *e)
{
	struct str line;
	const char *lf;

	for (;;) {
		lf = in->n > mark->seen ? memchr(in->p + mark->seen, '\n', in->n - mark->seen)
					: NULL;
		line = str_sub(*in, 0, lf ? (size_t)(lf - in->p) : in->n);
		if (line.n > limit) {
			err_set(e, ERR_LIMIT, "a line exceeds the limit of %zu bytes", limit);
			return CODEC_BAD;
		}
		if (!lf) {
			mark->seen = in->n;
			return CODEC_MORE;
		}
		*in = str_sub(*in, line.n + 1, in->n);
		*mark = (struct codec_mark){ 0 };
		line = str_trim(line);
		if (line.n)
			break;
	}
	return codec_json_take(line, &codec_lines, out, e);
}

static void put_raw(struct buf *out, enum msg_kind kind, const json *id, const char *method,
		    const json *body)
{
	size_t start = out->n;

	codec_json_print(out, kind, id, method, body);
	/* A line end can only come with a json_raw(), and only as white space. */
	for (char *lf; (lf = memchr(out->p + start, '\n', out->n - start));)
		*lf = ' ';
	buf_addc(out, '\n');
}

static void lines_codec_put(struct buf *out, enum msg_kind kind, const json *id, const char *method,
			    const json *body)
{
	size_t start = out->n;

	put_raw(out, kind, id, method, body);
	bytes_mend_from(out, start);
}

static void put_shown(struct buf *out, enum msg_kind kind, const json *id, const char *method,
		      const json *body)
{
	size_t start = out->n;

	put_raw(out, kind, id, method, body);
	bytes_show_from(out, start);
}

const struct codec codec_lines = { "lines", lines_codec_take, lines_codec_put, json_parse };
const struct codec codec_lines_shown = { "lines", lines_codec_take, put_shown, json_parse };
const struct codec codec_lines_raw = { "lines", lines_codec_take, put_raw, json_parse };
