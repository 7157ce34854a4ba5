// links: full
/* Readers of agents, and recordings that are not quite as today's agents print them: with types and
 * members that nobody knows, without those that are known, with values of other types in their
 * places. OXIDE_MUTATIONS=200 for so many of each recording; OXIDE_MUTATION_SEED=n: others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gen.h"
#include "reader_rig.h"

/* Of the record at `path`, the agent whose reader is asked; new. */
static char *agent_of(const char *path)
{
	struct err e = ERR_INIT;
	struct buf expected = read_all(path), name = BUF_INIT;
	json *want = json_parse(buf_str(&expected), &e);

	buf_add(&name, json_get_str(want, "agent"));
	assert_true(name.n > 0);
	json_free(want);
	buf_release(&expected);
	return buf_detach(&name);
}

static void each_recording(void (*fn)(const char *agent, struct str text, void *arg), void *arg)
{
	glob_t found = recordings();

	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct buf text = recorded(found.gl_pathv[i]);
		char *agent = agent_of(found.gl_pathv[i]);

		fn(agent, buf_str(&text), arg);
		free(agent);
		buf_release(&text);
	}
	globfree(&found);
}

/* The line as an object, or NULL: it is something else. New. */
static json *object_in(struct str line)
{
	struct err e = ERR_INIT;
	json *v = json_parse(line, &e);

	if (v && !json_is(v, JSON_OBJECT)) {
		json_free(v);
		v = NULL;
	}
	return v;
}

/* More than it had, and its members the other way round. */
static void add_enriched(struct buf *out, const json *v)
{
	struct buf rest = BUF_INIT;

	json_each(member, v) {
		struct buf one = BUF_INIT;

		json_quote(&one, str_of(json_key(member)));
		buf_addc(&one, ':');
		json_print(&one, member);
		buf_addc(&one, ',');
		buf_add(&one, buf_str(&rest));
		buf_release(&rest);
		rest = one;
	}
	buf_addf(out, "{\"_tomorrow\":{\"type\":\"tool_use\",\"id\":7},%s\"_later\":null}\n",
		 rest.p);
	buf_release(&rest);
}

static const char *const unknown[] = {
	"",
	"{}",
	"[]",
	"null",
	"7",
	"\"text\"",
	"Warning: something is printed",
	"{\"type\":\"tomorrow\",\"id\":\"t1\",\"item\":{\"id\":\"i\",\"type\":\"tomorrow\"}}",
	"{\"type\":null,\"subtype\":4}",
	"{\"type\":[\"user\"],\"message\":{}}",
	"{\"type\":\"system\",\"subtype\":\"tomorrow\",\"tool_use_id\":{}}",
	"{\"type\":\"item.completed\",\"item\":{\"id\":\"x1\",\"type\":\"tomorrow\"}}",
	"{\"type\":\"event_msg\",\"payload\":{\"type\":\"tomorrow\",\"item\":[]}}",
	"{\"method\":\"session/tomorrow\",\"params\":{\"update\":7},\"jsonrpc\":\"2.0\"}",
	"{\"dir\":\"agent\",\"msg\":null}",
	"{\"dir\":7,\"msg\":{\"jsonrpc\":\"2.0\",\"id\":\"none\",\"result\":null}}",
	"{\"hook\":\"tomorrow\",\"input\":[]}",
	"{\"stdin\":{\"hook_event_name\":\"Tomorrow\"}}",
};

static void add_unknown(struct buf *out)
{
	for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
		buf_addf(out, "%s\n", unknown[i]);
}

static void enrich(const char *agent, struct str text, void *arg)
{
	json *want = read_text(agent, text, WHOLE), *got;
	char *first = printed(want), *second;
	struct buf more = BUF_INIT;
	struct str line;

	(void)arg;
	while (str_line(&text, &line)) {
		json *v = object_in(line);

		if (v)
			add_enriched(&more, v);
		else
			buf_addf(&more, "%.*s\n", STR_ARG(line));
		if (v) /* else it is one value over many lines */
			add_unknown(&more);
		json_free(v);
	}
	got = read_text(agent, buf_str(&more), WHOLE);
	second = printed(got);
	assert_string_equal(second, first);
	free(first);
	free(second);
	json_free(want);
	json_free(got);
	buf_release(&more);
}

static void what_is_unknown_changes_nothing(void **state)
{
	(void)state;
	each_recording(enrich, NULL);
}

static json *odd_value(struct gen *g)
{
	switch (gen_below(g, 12)) {
	case 0:
		return json_int(0);
	case 1:
		return json_num(-1.5);
	case 2:
		return json_num(1e300);
	case 3:
		return json_strz("");
	case 4:
		return json_strz("x");
	case 5:
		return json_bool(gen_below(g, 2));
	case 6:
		return json_array();
	case 7:
		return json_object();
	case 8:
		return json_list(json_int(1), json_null(), json_strz("a"));
	case 9:
		return json_list(json_of({ "type", json_strz("text") }, { "text", json_int(1) }));
	case 10:
		return json_of({ "type", json_strz("x") }, { "id", json_null() });
	default:
		return json_null();
	}
}

/* A copy in which one of so many values is another, or is gone. */
static json *mutated(struct gen *g, const json *v, size_t one_of)
{
	json *to;

	if (!gen_below(g, one_of))
		return odd_value(g);
	if (!json_is(v, JSON_OBJECT) && !json_is(v, JSON_ARRAY))
		return v ? json_copy(v) : json_null();
	to = json_is(v, JSON_OBJECT) ? json_object() : json_array();
	json_each(item, v) {
		if (!gen_below(g, one_of))
			continue;
		if (json_is(v, JSON_OBJECT))
			json_add(to, json_key(item), mutated(g, item, one_of));
		else
			json_push(to, mutated(g, item, one_of));
	}
	return to;
}

static void add_mutated(struct gen *g, struct buf *out, struct str line, size_t one_of)
{
	json *v = object_in(line), *to;

	if (!v) {
		buf_addf(out, "%.*s\n", STR_ARG(line));
		return;
	}
	to = mutated(g, v, one_of);
	json_print(out, to);
	buf_addc(out, '\n');
	json_free(v);
	json_free(to);
}

static void mutate(const char *agent, struct str text, void *arg)
{
	static const size_t often[] = { 8, 40, 200, 1000 };
	const char *more = getenv("OXIDE_MUTATIONS");
	size_t rounds = more ? (size_t)atol(more) : 4;

	for (size_t i = 0; i < rounds; i++) {
		struct buf given = BUF_INIT;
		struct str rest = text, line;

		while (str_line(&rest, &line))
			add_mutated(arg, &given, line, often[i % 4]);
		json_free(read_text(agent, buf_str(&given), WHOLE));
		if (i % 4 == 0)
			json_free(read_text("plain", buf_str(&given), WHOLE));
		buf_release(&given);
	}
}

/* read_text() fails where the reader does. */
static void no_value_breaks_a_reader(void **state)
{
	const char *seed = getenv("OXIDE_MUTATION_SEED");
	struct gen g = { seed ? (uint64_t)atoll(seed) | 1 : 20261125 };

	(void)state;
	each_recording(mutate, &g);
}

/* Of what a screen may be given, the half of anything may come before what a shell marks, and the
 * other half behind it. */
static void half_a_sequence_hides_no_command(void **state)
{
	static const char odd[] =
		"\303\033[3 \376\377 \033]0;half \360\237\222 \001 \033P+q \355\240\200 "
		"\033]133;B \033]133;C;cmdline=\033[?2004h\033]8;;x\033\\",
			  marked[] = "\r\n\033]133;A\007$ \033]133;B\007run\r\n"
				     "\033]133;C\007out\r\n\033]133;D;3\007\r\n";

	(void)state;
	for (size_t cut = 0; cut < sizeof(odd); cut++) {
		struct buf text = BUF_INIT;
		const json *last = NULL;
		json *told;

		buf_addf(&text, "%.*s%s%s", (int)cut, odd, marked, odd + cut);
		told = read_text("plain", buf_str(&text), cut % 2 ? WHOLE : BYTES);
		json_each(command, json_get(told, "shell_commands"))
			if (json_get_int(command, "exit_code", 0) == 3)
				last = command;
		assert_non_null(last);
		assert_string_equal(json_get_str(last, "command").p, "run");
		json_free(told);
		buf_release(&text);
	}
}

#define T(f) cmocka_unit_test_setup_teardown(f, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(what_is_unknown_changes_nothing),
		T(no_value_breaks_a_reader),
		T(half_a_sequence_hides_no_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
