#include "scan.h"

#include <stdarg.h>
#include <stdio.h>

#include "../base/path.h"

bool scan_fail(struct jscan *s, enum err_code code, const char *fmt, ...)
{
	va_list ap;

	if (!s->bad) {
		char msg[sizeof(s->e->msg)];

		va_start(ap, fmt);
		vsnprintf(msg, sizeof(msg), fmt, ap);
		va_end(ap);
		err_set(s->e, code, "%s", msg);
	}
	s->bad = true;
	return false;
}

bool scan_null(struct jscan *s)
{
	char c = jscan_peek(s);

	if (c == 'n')
		return jscan_skip(s);
	return !c && !s->bad && s->at == s->end;
}

bool scan_end(struct jscan *s)
{
	jscan_peek(s); /* steps over white space */
	if (!s->bad && s->at != s->end)
		scan_fail(s, ERR_PROTOCOL, "JSON: text follows at byte %zu of %zu",
			  (size_t)(s->at - s->start), (size_t)(s->end - s->start));
	return jscan_ok(s);
}

struct str scan_key(struct jscan *s, struct str key, struct buf *tmp)
{
	struct jscan again;

	if (s->bad || !memchr(key.p, '\\', key.n))
		return key;
	buf_clear(tmp);
	again = jscan_of((struct str){ key.p - 1, key.n + 2 }, s->e);
	if (!jscan_str(&again, tmp))
		s->bad = true;
	return buf_str(tmp);
}

struct str scan_str(struct jscan *s, struct buf *tmp)
{
	struct str quoted = jscan_quoted(s);

	return scan_key(s, quoted, tmp);
}

static uint32_t scan_unit(struct jscan *s, bool loose)
{
	int64_t n = jscan_int(s);

	if (n < 0 && !loose)
		scan_fail(s, ERR_PROTOCOL, "a position has a negative number, %lld", (long long)n);
	return n < 0 ? 0 : n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

static struct pos scan_pos(struct jscan *s, bool loose)
{
	struct pos pos = { 0, 0 };
	struct str key;
	int seen = 0;

	for (jscan_object(s); jscan_member(s, &key);)
		if (str_eq(key, STR("line"))) {
			pos.line = scan_unit(s, loose);
			seen |= 1;
		} else if (str_eq(key, STR("character"))) {
			pos.col = scan_unit(s, loose);
			seen |= 2;
		} else {
			jscan_skip(s);
		}
	if (seen != 3)
		scan_fail(s, ERR_PROTOCOL, "a position has no %s", seen & 1 ? "character" : "line");
	return pos;
}

static struct range scan_ends(struct jscan *s, bool loose)
{
	struct range r = { 0 };
	struct str key;
	int seen = 0;

	for (jscan_object(s); jscan_member(s, &key);)
		if (str_eq(key, STR("start"))) {
			r.from = scan_pos(s, loose);
			seen |= 1;
		} else if (str_eq(key, STR("end"))) {
			r.to = scan_pos(s, loose);
			seen |= 2;
		} else {
			jscan_skip(s);
		}
	if (seen != 3)
		scan_fail(s, ERR_PROTOCOL, "a range has no %s", seen & 1 ? "end" : "start");
	return r;
}

struct range scan_range_loose(struct jscan *s)
{
	return scan_ends(s, true);
}

struct range scan_range(struct jscan *s)
{
	return scan_ends(s, false);
}

struct str scan_path(struct jscan *s, struct scan_uri *last, struct arena *texts)
{
	struct buf tmp SCOPED(buf_release) = BUF_INIT, path SCOPED(buf_release) = BUF_INIT;
	struct str raw = jscan_quoted(s), uri;

	if (s->bad || (last->raw.p && str_eq(raw, last->raw)))
		return last->path;
	uri = scan_key(s, raw, &tmp);
	*last = (struct scan_uri){ raw, STR("") };
	if (uri_to_path(&path, uri, ERR_IGNORED))
		last->path = arena_str(texts, buf_str(&path));
	return last->path;
}

bool scan_edit(struct jscan *s, struct buf *decoded, struct text_edit *out)
{
	struct str key;
	int seen = 0;

	*out = (struct text_edit){ .text = STR(""), .annotation = STR("") };
	for (jscan_object(s); jscan_member(s, &key);)
		if (str_eq(key, STR("range"))) {
			out->range = scan_range(s);
			seen |= 1;
		} else if (str_eq(key, STR("newText"))) {
			out->text = scan_str(s, decoded);
			seen |= 2;
		} else if (str_eq(key, STR("annotationId"))) {
			out->annotation = jscan_quoted(s);
		} else if (str_eq(key, STR("snippet"))) {
			scan_fail(s, ERR_UNSUPPORTED,
				  "the edit is a snippet, which needs a cursor to fill it in");
		} else {
			jscan_skip(s);
		}
	if (seen != 3)
		scan_fail(s, ERR_PROTOCOL, "a text edit has no %s", seen & 1 ? "newText" : "range");
	return jscan_ok(s);
}

struct span range_span(struct range r, const struct line_table *lines, struct str text,
		       enum pos_enc enc)
{
	size_t a = pos_to_byte(lines, text, r.from, enc), b = pos_to_byte(lines, text, r.to, enc);

	return a <= b ? (struct span){ a, b } : (struct span){ b, a };
}
