#include "collect.h"

#include <stdlib.h>
#include <string.h>

#include "../base/mem.h"
#include "reader.h"

#define FLOOD_MOST (256u << 10) /* bytes without anything of note; then only that is looked for */
#define MARK	   STR("\033]133;")

struct collect {
	struct record *record;
	struct reader *reader;
	json *session, *usage; /* usage NULL: none was told */
	bool live, gated, told;
	json *since;	  /* NULL: all is new */
	size_t plain;	  /* bytes since the last thing of note */
	bool line_begins; /* with the next byte */
	bool noted;	  /* the line that goes on is of note */
};

/* A session that is gone on with has what another record has already. */
static bool is_old(const struct collect *c, const json *row)
{
	struct str when = json_get_str(row, "timestamp");

	return c->since && when.n && str_cmp(when, json_text(c->since)) < 0;
}

static void on_collect_row(void *self, enum record_row kind, json *row)
{
	struct collect *c = self;

	if (is_old(c, row)) {
		json_free(row);
		return;
	}
	c->told = true;
	record_add(c->record, kind, row);
}

static void on_collect_session(void *self, const json *what)
{
	struct collect *c = self;

	json_each(member, what)
		json_put(c->session, json_key(member), json_copy(member));
}

static json *usage_count(const json *usage, const char *member)
{
	return json_get(usage, member) ? json_int(json_get_int(usage, member, 0)) : json_null();
}

static void on_collect_usage(void *self, const json *usage)
{
	struct collect *c = self;
	const json *cost = json_get(usage, "cost");

	json_free(c->usage);
	c->usage = json_of({ "input_tokens", usage_count(usage, "input_tokens") },
			   { "output_tokens", usage_count(usage, "output_tokens") },
			   { "cost", json_is(cost, JSON_NUMBER) ? json_copy(cost) : json_null() });
}

struct collect *collect_new(const struct oxide *ox, struct record *record,
			    const struct collect_source *source, struct err *e)
{
	static const struct reader_events events = { on_collect_row, on_collect_session,
						     on_collect_usage, NULL };
	struct collect *c = mem_new(sizeof(*c));
	struct reader_source of = { source->reader, source->kind, source->live };

	*c = (struct collect){ .record = record, .live = source->live, .line_begins = true };
	c->gated = source->kind && !strcmp(source->kind, "terminal");
	c->session = json_object();
	c->since = source->since_ms ? record_time(source->since_ms) : NULL;
	c->reader = reader_new(ox, &of, &events, c, e);
	if (c->reader)
		return c;
	collect_free(c);
	return NULL;
}

void collect_free(struct collect *c)
{
	if (!c)
		return;
	reader_free(c->reader);
	json_free(c->session);
	json_free(c->usage);
	json_free(c->since);
	free(c);
}

/* Where the first line of JSON, or the first mark, begins; -1: there is none. */
static ptrdiff_t find_note(const struct collect *c, struct str bytes)
{
	ptrdiff_t mark = str_find(bytes, MARK), object = str_find(bytes, STR("\n{"));

	if (c->line_begins && bytes.n && *bytes.p == '{')
		return 0;
	object = object < 0 ? object : object + 1;
	return mark < 0 ? object : object < 0 || mark < object ? mark : object;
}

/* A line that is passed over ends here for the reader. */
static void feed_plain(struct collect *c, struct str bytes)
{
	size_t room = c->plain < FLOOD_MOST ? FLOOD_MOST - c->plain : 0;
	size_t n = bytes.n < room ? bytes.n : room;

	reader_feed(c->reader, str_sub(bytes, 0, n));
	c->plain += bytes.n;
	if (n && c->plain >= FLOOD_MOST)
		reader_feed(c->reader, STR("\n"));
}

/* The line of note that goes on, to its end. */
static void feed_line(struct collect *c, struct str *bytes)
{
	const char *lf = memchr(bytes->p, '\n', bytes->n);
	size_t n = lf ? (size_t)(lf - bytes->p) + 1 : bytes->n;

	reader_feed(c->reader, str_sub(*bytes, 0, n));
	*bytes = str_sub(*bytes, n, bytes->n);
	c->plain = 0;
	c->noted = !lf;
	c->line_begins = lf;
}

void collect_feed(struct collect *c, struct str bytes)
{
	if (!c->gated)
		reader_feed(c->reader, bytes);
	while (c->gated && bytes.n) {
		ptrdiff_t at = c->noted ? 0 : find_note(c, bytes);
		size_t plain = at < 0 ? bytes.n : (size_t)at;

		if (plain) {
			c->line_begins = bytes.p[plain - 1] == '\n';
			feed_plain(c, str_sub(bytes, 0, plain));
		}
		bytes = str_sub(bytes, plain, bytes.n);
		if (bytes.n)
			feed_line(c, &bytes);
	}
}

static void take_text(json *to, const char *name, const json *what, const char *member)
{
	const json *v = json_get(what, member);

	if (json_is(v, JSON_STRING))
		json_put(to, name, json_copy(v));
}

void collect_end(struct collect *c, const json *exit, json *whole, json *agent)
{
	reader_finish(c->reader, exit);
	if (c->usage)
		json_put(whole, "usage", json_copy(c->usage));
	take_text(agent, "model", c->session, "model");
	take_text(agent, "version", c->session, "version");
	if (c->live)
		return;
	take_text(agent, "engine", c->session, "engine");
	take_text(whole, "session_id", c->session, "id");
	take_text(whole, "timestamp", c->session, "timestamp");
	take_text(whole, "cwd", c->session, "cwd");
}

bool collect_has_told(const struct collect *c)
{
	return c && c->told;
}

const char *collect_broken(const struct collect *c)
{
	return reader_broken(c->reader);
}
