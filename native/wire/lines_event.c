#include "lines_event.h"

#include "msgpack_scan.h"

/* A line number; -1 is SIZE_MAX where the caller allows it. */
static size_t read_line_number(struct mp_scan *s, bool may_be_end)
{
	int64_t n = mp_int(s);

	if (n < (may_be_end ? -1 : 0) && !s->bad) {
		err_set(s->e, ERR_PROTOCOL, "line %lld", (long long)n);
		s->bad = true;
	}
	return s->bad ? 0 : n < 0 ? SIZE_MAX : (size_t)n;
}

/* The tick is nil in a preview. */
static int64_t read_tick(struct mp_scan *s)
{
	struct mp_scan ahead = *s;
	struct mp_value v;

	if (!mp_next(&ahead, &v) || v.type != MP_NIL)
		return mp_int(s);
	*s = ahead;
	return -1;
}

bool lines_event_read(struct lines_event *ev, struct str raw, struct err *e)
{
	struct mp_scan s = { .rest = raw, .e = e };

	*ev = (struct lines_event){ 0 };
	if (mp_array(&s) < 6 && !s.bad)
		return err_set(e, ERR_PROTOCOL, "nvim_buf_lines_event: expected six arguments");
	ev->buf = mp_int(&s);
	ev->tick = read_tick(&s);
	ev->first = read_line_number(&s, false);
	ev->last = read_line_number(&s, true);
	if (ev->last < ev->first && !s.bad)
		return err_set(e, ERR_PROTOCOL, "nvim_buf_lines_event: lines %zu to %zu", ev->first,
			       ev->last);
	ev->lines = mp_array(&s);
	ev->rest = s.rest;
	for (size_t i = 0; i < ev->lines && !s.bad; i++)
		mp_str(&s);
	ev->rest.n -= s.rest.n;
	ev->more = mp_bool(&s);
	return !s.bad || err_in(e, "nvim_buf_lines_event");
}

bool lines_event_next(struct lines_event *ev, struct str *line)
{
	struct mp_value v;

	if (mp_take(&ev->rest, &v) != MP_VALUE)
		return false;
	*line = v.bytes;
	return true;
}
