#include "sse.h"

#include <stdint.h>

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* The event is handed over with its buffers taken out, so that fn finds the parser between events.
 */
static bool sse_dispatch(struct sse *s, sse_event *fn, void *arg, struct err *e)
{
	struct str data = buf_str(&s->data);
	bool go_on = true;

	if (data.n)
		go_on = fn(arg, buf_str(&s->name), str_sub(data, 0, data.n - 1), e);
	buf_clear(&s->data);
	buf_clear(&s->name);
	return go_on;
}

static void sse_field(struct sse *s, struct str line)
{
	const char *colon = memchr(line.p, ':', line.n);
	struct str name = colon ? str_sub(line, 0, (size_t)(colon - line.p)) : line;
	struct str value = colon ? str_sub(line, name.n + 1, line.n) : STR("");

	str_skip(&value, STR(" "));
	if (str_eq(name, STR("data"))) {
		buf_add(&s->data, value);
		buf_addc(&s->data, '\n');
	} else if (str_eq(name, STR("event"))) {
		buf_clear(&s->name);
		buf_add(&s->name, value);
	}
}

static bool sse_line(struct sse *s, struct str line, sse_event *fn, void *arg, struct err *e)
{
	if (!s->started) {
		s->started = true;
		str_skip(&line, STR(BYTE_ORDER_MARK));
	}
	if (!line.n)
		return sse_dispatch(s, fn, arg, e);
	sse_field(s, line);
	return true;
}

static bool sse_fits(const struct sse *s, size_t more, struct err *e)
{
	if (s->line.n + s->data.n + s->name.n + more <= s->limit)
		return true;
	return err_set(e, ERR_LIMIT, "an event of the stream is longer than %zu bytes", s->limit);
}

/* Where the next such byte is from `at` on, or the end. *known is what was found before. */
static size_t sse_find(struct str bytes, size_t at, char c, size_t *known)
{
	const char *found;

	if (*known < at || *known == SIZE_MAX) {
		found = memchr(bytes.p + at, c, bytes.n - at);
		*known = found ? (size_t)(found - bytes.p) : bytes.n;
	}
	return *known;
}

bool sse_feed(struct sse *s, struct str bytes, sse_event *fn, void *arg, struct err *e)
{
	size_t at = 0, end, next_lf = SIZE_MAX, next_cr = SIZE_MAX;

	while (at < bytes.n) {
		size_t lf, cr;
		struct str line;
		bool go_on;

		if (s->skip_lf && bytes.p[at] == '\n')
			at++;
		s->skip_lf = false;
		if (at == bytes.n)
			break;
		lf = sse_find(bytes, at, '\n', &next_lf);
		cr = sse_find(bytes, at, '\r', &next_cr);
		end = lf < cr ? lf : cr;
		line = str_sub(bytes, at, end);
		if (!sse_fits(s, line.n, e))
			return false;
		if (end == bytes.n) {
			buf_add(&s->line, line);
			break;
		}
		s->skip_lf = bytes.p[end] == '\r';
		if (s->line.n) {
			buf_add(&s->line, line);
			line = buf_str(&s->line);
		}
		go_on = sse_line(s, line, fn, arg, e);
		buf_clear(&s->line);
		if (!go_on)
			return false;
		at = end + 1;
	}
	return true;
}

bool sse_is_cut(const struct sse *s)
{
	return s->line.n || s->data.n;
}

void sse_release(struct sse *s)
{
	buf_release(&s->line);
	buf_release(&s->data);
	buf_release(&s->name);
}
