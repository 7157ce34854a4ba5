#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "gen.h"
#include "wire_play.h"

static json *parse(const char *text)
{
	struct err e = ERR_INIT;
	json *v = json_parse(str_of(text), &e);

	assert_non_null(v);
	return v;
}

static void put(struct buf *out, enum msg_kind kind, int64_t id, const char *method,
		const char *body)
{
	json *v = body ? parse(body) : NULL, *n = json_int(id);

	codec_msgpack.put(out, kind, kind == MSG_NOTIFY ? NULL : n, method, v);
	json_free(v);
	json_free(n);
}

static void put_talk(struct buf *out)
{
	put(out, MSG_REQUEST, 1, "nvim_exec_lua",
	    "[\"return ...\",[1,-2,0.5,true,null,[],{},\"\xc3\xa4\\n\"]]");
	put(out, MSG_NOTIFY, 0, "oxide_progress", NULL);
	put(out, MSG_RESULT, 1, NULL,
	    "{\"a\":{\"b\":[-33,127,128,255,256,65536,-32769,4294967296,-9007199254740992]}}");
	put(out, MSG_ERROR, 70000, NULL, "{\"code\":-32001,\"message\":\"no such file\"}");
	put(out, MSG_RESULT, 2, NULL, NULL);
}

static void what_is_put_is_taken_in_any_pieces(void **state)
{
	struct buf stream = BUF_INIT;

	(void)state;
	put_talk(&stream);
	wire_play_all(&codec_msgpack, buf_str(&stream),
		      "request 1 nvim_exec_lua [\"return ...\","
		      "[1,-2,0.5,true,null,[],{},\"\xc3\xa4\\n\"]]\n"
		      "notify  oxide_progress []\n"
		      "result 1  {\"a\":{\"b\":[-33,127,128,255,256,65536,-32769,4294967296,"
		      "-9007199254740992]}}\n"
		      "error 70000  [0,\"no such file\"]\n"
		      "result 2  null\n");
	buf_release(&stream);
}

/* Values as msgpack has them, and how they read as JSON; `want` may be an error's name. */
static const struct {
	struct str raw;
	const char *want;
} values[] = {
	{ { "\xcc\xff", 2 }, "255" },
	{ { "\xcd\x00\x01", 3 }, "1" },
	{ { "\xd0\xff", 2 }, "-1" },
	{ { "\xd1\x80\x00", 3 }, "-32768" },
	{ { "\xd2\xff\xff\xff\xfe", 5 }, "-2" },
	{ { "\xd3\xff\xff\xff\xff\xff\xff\xff\xfd", 9 }, "-3" },
	{ { "\xcf\x00\x20\x00\x00\x00\x00\x00\x00", 9 }, "9007199254740992" },
	{ { "\xcf\x00\x20\x00\x00\x00\x00\x00\x01", 9 }, "protocol" },
	{ { "\xcf\xff\xff\xff\xff\xff\xff\xff\xff", 9 }, "protocol" },
	{ { "\xd3\x80\x00\x00\x00\x00\x00\x00\x00", 9 }, "protocol" },
	{ { "\xca\x3f\x00\x00\x00", 5 }, "0.5" },
	{ { "\xcb\xbf\xe0\x00\x00\x00\x00\x00\x00", 9 }, "-0.5" },
	{ { "\xc4\x02hi", 4 }, "\"hi\"" },
	{ { "\xa2\x80y", 3 }, "\"\x80y\"" },
	{ { "\xd9\x03\x61\x00\x62", 5 }, "\"a\\u0000b\"" },
	{ { "\xd4\x00\x07", 3 }, "7" },		       /* a buffer's handle */
	{ { "\xc7\x03\x02\xcd\x03\xe8", 6 }, "1000" }, /* a tab page's */
	{ { "\xd5\x00\x07\x07", 4 }, "protocol" },
	{ { "\xc7\x00\x00", 3 }, "protocol" },
	{ { "\xd6\x05\xa3"
	    "abc",
	    6 },
	  "protocol" },
	{ { "\xdc\x00\x02\x01\xc0", 5 }, "[1,null]" },
	{ { "\xdf\x00\x00\x00\x01\xa1k\xc3", 8 }, "{\"k\":true}" },
	{ { "\x82\xa1k\x01\xa1k\x02", 7 }, "{\"k\":1,\"k\":2}" },
	{ { "\x81\x01\x02", 3 }, "protocol" },
	{ { "\x81\xc4\x01k\x02", 5 }, "protocol" },
	{ { "\x81\xa1\x00\x02", 4 }, "protocol" },
	{ { "\x92\x01", 2 }, "protocol" },
	{ { "\xdd\xff\xff\xff\xff\x01", 6 }, "protocol" },
	{ { "\xa5"
	    "abc",
	    4 },
	  "protocol" },
	{ { "\x01\x02", 2 }, "protocol" },
	{ { "\xc1", 1 }, "protocol" },
	{ { "", 0 }, "protocol" },
};

static void values_are_read_as_documented(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct buf got = BUF_INIT;
		struct err e = ERR_INIT;
		/* so that a look behind the end is found */
		char *exact = mem_copy(values[i].raw.p, values[i].raw.n);
		json *v = codec_msgpack.decode((struct str){ exact, values[i].raw.n }, &e);

		if (v)
			json_print(&got, v);
		else
			buf_adds(&got, err_name(e.code));
		assert_text(buf_str(&got), str_of(values[i].want));
		json_free(v);
		free(exact);
		buf_release(&got);
	}
}

/* As whole numbers they would be refused when they are read. */
static void whole_numbers_over_2_53_go_out_as_floats(void **state)
{
	struct buf stream = BUF_INIT;

	(void)state;
	put(&stream, MSG_RESULT, 1, NULL, "[1e18,-1e18,9007199254740992]");
	wire_play_all(&codec_msgpack, buf_str(&stream),
		      "result 1  [1e+18,-1e+18,9007199254740992]\n");
	buf_release(&stream);
}

static void put_head(struct gen *g, struct buf *out, char small, size_t most_small, char wide,
		     unsigned width, size_t n)
{
	if (small && n <= most_small && gen_below(g, 3)) {
		buf_addc(out, (char)(small | (char)n));
		return;
	}
	while (width < 4 && (n >> (8 * width) || !gen_below(g, 3))) {
		width *= 2;
		wide++;
	}
	buf_addc(out, wide);
	while (width--)
		buf_addc(out, (char)(n >> (8 * width)));
}

/* A value in one of the forms that msgpack has for it, and its JSON. */
static void put_random(struct gen *g, struct buf *raw, struct buf *text, unsigned depth)
{
	static const char *const words[] = { "", "a", "\xc3\xa4", "line",
					     "0123456789abcdef0123456789abcdef" };
	size_t n = gen_below(g, 20), kind = gen_below(g, depth < 20 ? 7 : 4);
	const char *word = words[gen_below(g, 5)];

	switch (kind) {
	case 0:
		buf_addc(raw, "\xc0\xc2\xc3"[n % 3]);
		buf_adds(text, n % 3 == 0 ? "null" : n % 3 == 1 ? "false" : "true");
		break;
	case 1:
		n = gen_below(g, (size_t)1 << gen_below(g, 32));
		put_head(g, raw, 0, 0, '\xcc', 1, n);
		buf_addf(text, "%zu", n);
		break;
	case 2:
		buf_addc(raw, (char)(n - 20));
		buf_addf(text, "%d", (int)n - 20);
		break;
	case 3:
		if (strlen(word) < 32)
			put_head(g, raw, '\xa0', 31, '\xd9', 1, strlen(word));
		else
			put_head(g, raw, 0, 0, '\xc4', 1, strlen(word));
		buf_adds(raw, word);
		json_quote(text, str_of(word));
		break;
	default:
		n %= 5;
		put_head(g, raw, kind == 4 ? '\x80' : '\x90', 15, kind == 4 ? '\xde' : '\xdc', 2,
			 n);
		buf_addc(text, kind == 4 ? '{' : '[');
		for (size_t i = 0; i < n; i++) {
			buf_adds(text, i ? "," : "");
			if (kind == 4) {
				buf_addf(raw, "\xa2k%zu", i);
				buf_addf(text, "\"k%zu\":", i);
			}
			put_random(g, raw, text, depth + 1);
		}
		buf_addc(text, kind == 4 ? '}' : ']');
	}
}

static void random_values_survive_both_ways(void **state)
{
	struct gen g = { 7 };

	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct buf raw = BUF_INIT, text = BUF_INIT, trace = BUF_INIT, want = BUF_INIT;
		struct err e = ERR_INIT;
		size_t first;

		buf_add(&raw, STR("\x94\x01\x05\xc0"));
		put_random(&g, &raw, &text, 0);
		buf_addf(&want, "result 5  %s\n", text.p);
		first = 1 + gen_below(&g, raw.n);
		wire_play(&codec_msgpack, buf_str(&raw), first, 1 + gen_below(&g, 9), &trace, &e);
		assert_text(buf_str(&trace), buf_str(&want));
		buf_clear(&raw);
		buf_clear(&trace);
		put(&raw, MSG_RESULT, 5, NULL, text.p);
		wire_play(&codec_msgpack, buf_str(&raw), first, raw.n, &trace, &e);
		assert_text(buf_str(&trace), buf_str(&want));
		buf_release(&raw);
		buf_release(&text);
		buf_release(&trace);
		buf_release(&want);
	}
}

static const struct {
	struct str bytes;
	enum err_code code;
	const char *says;
} bad[] = {
	{ { "Error: cannot open display\n", 27 }, ERR_PROTOCOL, "\"Error: cannot open" },
	{ { "\x01", 1 }, ERR_PROTOCOL, "not a msgpack-RPC message" },
	{ { "\xc1", 1 }, ERR_PROTOCOL, "not a msgpack-RPC message" },
	{ { "\x90", 1 }, ERR_PROTOCOL, "not a msgpack-RPC message" },
	{ { "\x95\x00\x00\x00\x00\x00", 6 }, ERR_PROTOCOL, "not a msgpack-RPC message" },
	{ { "\x94\x03\x01\xa1m\x90", 6 }, ERR_PROTOCOL, "not a msgpack-RPC message" },
	{ { "\x93\x00\x01\xa1m", 5 }, ERR_PROTOCOL, "not a msgpack-RPC message" },
	{ { "\x94\x02\xa1m\x90\x90", 6 }, ERR_PROTOCOL, "not a msgpack-RPC message" },
	{ { "\x94\xa1x\x01\xa1m\x90", 7 }, ERR_PROTOCOL, "not a msgpack-RPC message" },
	{ { "\x94\x00\xa1x\xa1m\x90", 7 }, ERR_PROTOCOL, "id" },
	{ { "\x94\x00\xff\xa1m\x90", 6 }, ERR_PROTOCOL, "id" },
	{ { "\x94\x00\x01\x05\x90", 5 }, ERR_PROTOCOL, "must be a non-empty string" },
	{ { "\x94\x00\x01\xa0\x90", 5 }, ERR_PROTOCOL, "must be a non-empty string" },
	{ { "\x93\x02\xa1m\x80", 5 }, ERR_PROTOCOL, "must be an array" },
	{ { "\x93\x02\xa1m\x91\xc1", 6 }, ERR_PROTOCOL, "0xc1" },
	{ { "\x94\x01\x01\xc0\xdb\xff\xff\xff\xff", 9 }, ERR_LIMIT, "limit" },
	{ { "\x94\x01\x01\xc0\xc6\x00\x10\x00\x00", 9 }, ERR_LIMIT, "limit" },
	{ { "\x94\x01\x01\xc0\xdd\x7f\xff\xff\xff", 9 }, ERR_LIMIT, "limit" },
	{ { "\x94\x01\x01\xc0\xdf\xff\xff\xff\xff", 9 }, ERR_LIMIT, "limit" },
	{ { "\x94\x01\x01\xc0\xc9\xff\xff\xff\xff\x00", 10 }, ERR_LIMIT, "limit" },
};

static void bad_messages_are_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		for (size_t step = 1; step < 100; step += 98) {
			struct buf trace = BUF_INIT;
			struct err e = ERR_INIT;

			/* the excerpt needs more than the first byte */
			if (step == 1 && bad[i].bytes.n > 20)
				continue;
			assert_int_equal(wire_play(&codec_msgpack, bad[i].bytes, step, step, &trace,
						   &e),
					 CODEC_BAD);
			if (e.code != bad[i].code || !strstr(e.msg, bad[i].says))
				fail_msg("%s: got %s: %s", bad[i].says, err_name(e.code), e.msg);
			buf_release(&trace);
		}
}

static enum codec_state take_nested(size_t depth, struct err *e)
{
	struct buf raw = BUF_INIT;
	struct codec_mark mark = { 0 };
	struct msg m = { 0 };
	struct str in;
	enum codec_state got;

	buf_add(&raw, STR("\x94\x01\x05\xc0"));
	for (size_t i = 1; i < depth; i++)
		buf_adds(&raw, "\x91");
	buf_adds(&raw, "\x01");
	in = buf_str(&raw);
	got = codec_msgpack.take(&in, &mark, LIMIT, &m, e);
	if (got == CODEC_MSG)
		assert_non_null(msg_body(&m, e));
	msg_release(&m);
	buf_release(&raw);
	return got;
}

static void nesting_is_bounded_in_both_directions(void **state)
{
	struct err e = ERR_INIT;
	struct buf deep = BUF_INIT, out = BUF_INIT, trace = BUF_INIT;

	(void)state;
	assert_int_equal(take_nested(CODEC_DEPTH, &e), CODEC_MSG);
	assert_int_equal(take_nested(CODEC_DEPTH + 1, &e), CODEC_BAD);
	assert_int_equal(e.code, ERR_LIMIT);
	for (int i = 0; i < CODEC_SEND_DEPTH; i++)
		buf_addc(&deep, '[');
	for (int i = 0; i < CODEC_SEND_DEPTH; i++)
		buf_addc(&deep, ']');
	put(&out, MSG_RESULT, 1, NULL, deep.p);
	wire_play(&codec_msgpack, buf_str(&out), out.n, 1, &trace, &e);
	assert_true(str_starts(buf_str(&trace), STR("result 1  [[[[")));
	buf_clear(&out);
	buf_clear(&trace);
	/* one more, and the answer becomes an error: Neovim would close the channel */
	memmove(buf_room(&deep, 2) - deep.n + 1, deep.p, deep.n);
	deep.n += 2;
	deep.p[deep.n - 1] = ']';
	buf_end(&deep);
	put(&out, MSG_RESULT, 1, NULL, deep.p);
	wire_play(&codec_msgpack, buf_str(&out), out.n, 1, &trace, &e);
	assert_text(buf_str(&trace),
		    STR("error 1  [0,\"the response is nested too deeply for Neovim\"]\n"));
	buf_release(&deep);
	buf_release(&out);
	buf_release(&trace);
}

/* In a child, since a BUG ends the program. */
static void assert_bug(enum msg_kind kind, const json *body)
{
	struct buf out = BUF_INIT;
	json *id = json_int(1);
	pid_t child = fork();
	int status = 0;

	if (!child) {
		fclose(stderr);
		codec_msgpack.put(&out, kind, id, "m", body);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
	json_free(id);
}

static void what_cannot_be_sent_is_a_bug(void **state)
{
	json *deep = json_array(), *text = json_array();
	struct buf raw = BUF_INIT;
	json *at = deep;

	(void)state;
	for (int i = 0; i < CODEC_SEND_DEPTH; i++)
		at = json_push(at, json_array());
	assert_bug(MSG_REQUEST, deep);
	buf_adds(&raw, "1");
	json_push(text, json_raw(&raw));
	assert_bug(MSG_RESULT, text);
	json_free(deep);
	json_free(text);
}

static void a_limit_counts_the_message(void **state)
{
	static const struct str raw = { "\x93\x02\xa1m\x91\x07", 6 };
	struct err e = ERR_INIT;

	(void)state;
	for (size_t limit = 4; limit <= 6; limit++) {
		struct codec_mark mark = { 0 };
		struct msg m = { 0 };
		struct str in = raw;

		assert_int_equal(codec_msgpack.take(&in, &mark, limit, &m, &e),
				 limit < 6 ? CODEC_BAD : CODEC_MSG);
		assert_int_equal(e.code, ERR_LIMIT);
		msg_release(&m);
	}
}

/* Nothing is looked at twice, but the value in front. */
static void a_byte_at_a_time_is_linear(void **state)
{
	struct buf raw = BUF_INIT;
	struct codec_mark mark = { 0 };
	struct msg m = { 0 };
	struct err e = ERR_INIT;
	struct str in;

	(void)state;
	buf_add(&raw, STR("\x94\x01\x05\xc0\xdd\x00\x03\x0d\x40")); /* 200,000 items */
	for (int i = 0; i < 200000; i++)
		buf_add(&raw, i % 2 ? STR("\xa2xy") : STR("\x92\x01\xcc\xff"));
	for (size_t n = 0; n < raw.n; n++) {
		in = str_sub(buf_str(&raw), 0, n);
		assert_int_equal(codec_msgpack.take(&in, &mark, LIMIT, &m, &e), CODEC_MORE);
		assert_true(mark.seen + 5 > n);
	}
	in = buf_str(&raw);
	assert_int_equal(codec_msgpack.take(&in, &mark, LIMIT, &m, &e), CODEC_MSG);
	assert_int_equal(json_len(msg_body(&m, &e)), 200000);
	msg_release(&m);
	buf_release(&raw);
}

static void broken_streams_do_no_harm(void **state)
{
	static const char *const pieces[] = { "\xdb\x7f",     "\xdd",	  "\xdf\x01", "\xc1",
					      "\x91\x91\x91", "\xc9\xff", "\xd8",     "\xcf",
					      "\x94\x01\x05", "\xa9" };
	struct buf stream = BUF_INIT;

	(void)state;
	put_talk(&stream);
	wire_break(&codec_msgpack, buf_str(&stream), 6000, 99, pieces,
		   sizeof(pieces) / sizeof(pieces[0]));
	buf_release(&stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_put_is_taken_in_any_pieces),
		cmocka_unit_test(values_are_read_as_documented),
		cmocka_unit_test(whole_numbers_over_2_53_go_out_as_floats),
		cmocka_unit_test(random_values_survive_both_ways),
		cmocka_unit_test(bad_messages_are_named),
		cmocka_unit_test(nesting_is_bounded_in_both_directions),
		cmocka_unit_test(what_cannot_be_sent_is_a_bug),
		cmocka_unit_test(a_limit_counts_the_message),
		cmocka_unit_test(a_byte_at_a_time_is_linear),
		cmocka_unit_test(broken_streams_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
