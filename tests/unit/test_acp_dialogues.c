#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "acp_rig.h"

/*
 * The dialogues of tests/cases/acp, as real agents have had them, are played: what the agent said
 * goes in, in pieces of each length, and what the client said is done and has to come out.
 */

/* Whether what was sent has all that is in `want`. */
static bool has_all(const json *want, const json *got)
{
	if (json_type_of(want) != json_type_of(got))
		return false;
	if (json_is(want, JSON_OBJECT)) {
		json_each(v, want)
			if (!has_all(v, json_get(got, json_key(v))))
				return false;
		return true;
	}
	if (json_is(want, JSON_ARRAY)) {
		const json *b = json_first(got);

		json_each(a, want) {
			if (!has_all(a, b))
				return false;
			b = json_next(b);
		}
		return !b;
	}
	return json_is(want, JSON_STRING) ? str_eq(json_text(want), json_text(got))
					  : json_double(want) == json_double(got);
}

static json *parse(struct str text)
{
	struct err e = ERR_INIT;
	json *v = json_parse(text, &e);

	if (!v)
		fail_msg("%s: %.*s", e.msg, STR_ARG(text));
	return v;
}

/* The client's requests are counted from 1 here, from 0 there. */
static void shift_id(json *msg, bool is_ours)
{
	if (is_ours && json_get(msg, "id"))
		json_put(msg, "id", json_int(json_get_int(msg, "id", 0) + 1));
}

static void do_request(struct rig *g, const json *msg)
{
	struct str method = json_get_str(msg, "method");
	const json *p = json_get(msg, "params");
	struct err e = ERR_INIT;

	if (str_eq(method, STR("initialize"))) {
		struct acp_client c = { "oxide-neovim", "Oxide", "1.0.0",
					json_get_bool(p, "clientCapabilities.fs.readTextFile",
						      false),
					json_get_bool(p, "clientCapabilities.terminal", false) };

		acp_initialize(g->acp, &c, 0, on_reply, g);
	} else if (str_eq(method, STR("session/new"))) {
		acp_new_session(g->acp, json_get_str(p, "cwd"),
				json_copy(json_get(p, "mcpServers")), on_reply, g);
	} else if (str_eq(method, STR("session/set_mode"))) {
		assert_true(acp_set_option(g->acp, STR("mode"), json_get_str(p, "modeId"), on_reply,
					   g, &e));
	} else if (str_eq(method, STR("session/prompt"))) {
		acp_prompt(g->acp, json_copy(json_get(p, "prompt")), on_reply, g);
	} else {
		assert_true(str_eq(method, STR("session/cancel")));
		acp_cancel(g->acp);
	}
}

static void do_answer(struct rig *g, const json *msg)
{
	const json *error = json_get(msg, "error");
	struct acp_request *r = NULL;
	struct buf message = BUF_INIT;

	for (size_t i = 0; i < g->n; i++)
		if (has_all(json_get(msg, "id"), g->kept[i]->id))
			r = g->kept[i];
	assert_non_null(r);
	forget(g, r);
	buf_add(&message, json_get_str(error, "message"));
	if (error)
		acp_refuse(r, (long)json_get_int(error, "code", 0), message.p);
	else
		acp_answer(r, json_copy(json_get(msg, "result")));
	buf_release(&message);
}

static void must_have_sent(struct rig *g, json *msg)
{
	struct buf *out = peer_out(acp_peer(g->acp));
	struct buf want = BUF_INIT;
	json *got = parse(str_trim(buf_str(out))), *error = (json *)json_get(msg, "error");

	if (error)
		json_drop(error, "data");
	if (str_eq(json_get_str(msg, "method"), STR("session/set_mode")) &&
	    str_eq(json_get_str(got, "method"), STR("session/set_config_option"))) {
		json_free(got); /* the agent offers it in both ways */
		buf_clear(out);
		return;
	}
	json_print(&want, msg);
	if (!has_all(msg, got))
		fail_msg("sent %s instead of %s", out->p, want.p);
	buf_release(&want);
	json_free(got);
	buf_clear(out);
}

static void play_line(struct rig *g, struct str line)
{
	json *v = parse(line), *msg = (json *)json_get(v, "msg");
	bool is_agent = str_eq(json_get_str(v, "dir"), STR("agent")),
	     asks = json_get(msg, "method");

	shift_id(msg, is_agent != asks);
	if (is_agent) {
		struct buf text = BUF_INIT;

		json_print(&text, msg);
		says(g, text.p);
		buf_release(&text);
	} else if (asks) {
		do_request(g, msg);
		must_have_sent(g, msg);
	} else {
		do_answer(g, msg);
		must_have_sent(g, msg);
	}
	json_free(v);
}

static void play(const char *path, size_t cut, struct buf *seen)
{
	FILE *f = fopen(path, "rb");
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	struct rig g;

	assert_non_null(f);
	rig_start(&g, cut);
	while ((n = getline(&line, &cap, f)) > 0)
		play_line(&g, (struct str){ line, (size_t)n });
	assert_int_equal(g.n, 0);
	*seen = g.seen;
	g.seen = (struct buf)BUF_INIT;
	rig_stop(&g);
	free(line);
	fclose(f);
}

/* Each way to cut gives the same; and a few things that each of them has to have. */
static void test_dialogues(void **state)
{
	static const size_t cuts[] = { 1, 2, 3, 7, 64, 1000 };
	glob_t files = { 0 };

	(void)state;
	assert_int_equal(glob("tests/cases/acp/*.jsonl", 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct buf whole = BUF_INIT;

		play(files.gl_pathv[i], SIZE_MAX, &whole);
		assert_non_null(strstr(whole.p, "\ncall "));
		assert_non_null(strstr(whole.p, "{\"stopReason\":\"end_turn\""));
		assert_non_null(strstr(strstr(whole.p, "{\"stopReason\"") + 1, "{\"stopReason\""));
		assert_null(strstr(whole.p, "\nodd"));
		for (size_t k = 0; k < sizeof(cuts) / sizeof(cuts[0]); k++) {
			struct buf pieces = BUF_INIT;

			play(files.gl_pathv[i], cuts[k], &pieces);
			assert_string_equal(pieces.p, whole.p);
			buf_release(&pieces);
		}
		buf_release(&whole);
	}
	globfree(&files);
}

static void test_dialogue_says(void **state)
{
	struct buf seen = BUF_INIT;

	(void)state;
	play("tests/cases/acp/gemini.jsonl", SIZE_MAX, &seen);
	assert_non_null(strstr(seen.p, "thought **Reading**\nFirst the file.\ntext Rea\n"));
	assert_non_null(strstr(seen.p, "asks 1 /home/project/notes.txt\n"));
	assert_non_null(strstr(seen.p, "asks 2 /home/project/notes.txt\n"));
	assert_non_null(strstr(seen.p, "asks 0 replace__call_0200\n"));
	assert_non_null(strstr(seen.p, "`touch made.txt && echo made`"));
	assert_non_null(strstr(seen.p, "\"usage\":{\"input\":700,\"output\":140}"));
	buf_release(&seen);
	play("tests/cases/acp/claude-code-acp.jsonl", SIZE_MAX, &seen);
	assert_non_null(strstr(seen.p, "mcp__acp__Edit"));
	buf_release(&seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dialogues),
		cmocka_unit_test(test_dialogue_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
