#ifndef OX_TEST_READER_RIG_H
#define OX_TEST_READER_RIG_H

/* Readers of agents with what they are given, and what they tell. Include cmocka's headers first.
 */

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent_preset.h"
#include "read_all.h"
#include "record/reader.h"
#include "tempdir.h"

static char data[4096], dir[64];
static struct oxide *ox;

static inline int start(void **state)
{
	struct oxide_options o = { .root = "/", .data = data, .origin = "cli" };
	struct err e = ERR_INIT;

	(void)state;
	if (!realpath("lua/oxide", data) || !make_tempdir(dir, sizeof(dir), "reader"))
		return 1;
	setenv("XDG_STATE_HOME", dir, 1);
	setenv("XDG_CONFIG_HOME", dir, 1);
	ox = oxide_new(&o, &e);
	return !ox;
}

static inline int end(void **state)
{
	char command[128];

	(void)state;
	oxide_free(ox);
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	return system(command);
}

/* What was told, in lists as the record has them, and `session`, `usage` and `states`. */
static inline void on_row(void *self, enum record_row kind, json *row)
{
	static const char *const lists[] = { "tool_calls", "file_operations", "shell_commands",
					     "messages" };

	json_push((json *)(uintptr_t)json_get(self, lists[kind]), row);
}

static inline void on_session(void *self, const json *what)
{
	json *session = (json *)(uintptr_t)json_get(self, "session");

	json_each(member, what)
		json_put(session, json_key(member), json_copy(member));
}

static inline void on_usage(void *self, const json *usage)
{
	json_put(self, "usage", json_copy(usage));
}

static inline void on_state(void *self, const char *state)
{
	json_put(self, "state", json_strz(state));
}

static const struct reader_events events = { on_row, on_session, on_usage, on_state };

static inline json *nothing_told(void)
{
	return json_of({ "tool_calls", json_array() }, { "file_operations", json_array() },
		       { "shell_commands", json_array() }, { "messages", json_array() },
		       { "session", json_object() });
}

static inline struct reader *reader_of(const char *name, json *told)
{
	struct err e = ERR_INIT;
	char *path = agent_reader_path(ox, str_of(name), &e);
	struct reader_source source = { path, NULL, false };
	struct reader *r = path ? reader_new(ox, &source, &events, told, &e) : NULL;

	if (!r)
		fail_msg("%s", e.msg);
	free(path);
	return r;
}

enum { WHOLE, BYTES, PIECES };

static inline size_t piece(int how, size_t left, unsigned *seed)
{
	size_t n = how == WHOLE ? left : 1;

	if (how == PIECES) {
		*seed = *seed * 1103515245u + 12345u;
		n = 1 + (*seed >> 16) % 4096;
	}
	return n > left ? left : n;
}

static inline json *read_text(const char *name, struct str text, int how)
{
	json *told = nothing_told();
	struct reader *r = reader_of(name, told);
	struct str given = text;
	unsigned seed = 1;

	while (text.n) {
		size_t n = piece(how, text.n, &seed);

		reader_feed(r, str_sub(text, 0, n));
		text = str_sub(text, n, text.n);
	}
	reader_finish(r, NULL);
	if (reader_broken(r))
		fail_msg("%s: %s\n%.*s", name, reader_broken(r), (int)given.n, given.p);
	reader_free(r);
	return told;
}

static inline char *printed(const json *v)
{
	struct buf text = BUF_INIT;

	json_print(&text, v);
	return buf_detach(&text);
}

/* The recordings of agents, by their expected records; globfree() it. */
static inline glob_t recordings(void)
{
	glob_t found = { 0 };

	assert_int_equal(glob("tests/cases/agents/*/*.expected.json", 0, NULL, &found), 0);
	assert_int_equal(glob("tests/cases/acp/*.expected.json", GLOB_APPEND, NULL, &found), 0);
	assert_true(found.gl_pathc > 30);
	return found;
}

/* What belongs to an expected record at `path`. */
static inline struct buf recorded(const char *path)
{
	struct buf source = BUF_INIT, text;

	buf_addf(&source, "%.*s.jsonl", (int)(strlen(path) - strlen(".expected.json")), path);
	text = read_all(source.p);
	assert_true(text.n > 0);
	buf_release(&source);
	return text;
}

#endif
