#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "peer_fixture.h"

static void a_call_that_is_late_times_out_once(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, &codec_lines, PEER_CANCEL_LSP);
	f.now = 1000;
	call(&f, "slow", 50);
	call(&f, "slower", 500);
	call(&f, "quick", 20);
	call(&f, "patient", 0);
	buf_clear(peer_out(f.peer));
	assert_int_equal(peer_deadline(f.peer), 1020);
	peer_tick(f.peer, 1019);
	assert_trace(&f, "");
	peer_tick(f.peer, 1050);
	assert_trace(&f, "reply timeout quick: no answer within 20 ms\n"
			 "reply timeout slow: no answer within 50 ms\n");
	assert_out(&f,
		   "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":3}}\n"
		   "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":1}}\n");
	assert_int_equal(peer_deadline(f.peer), 1500);
	peer_tick(f.peer, 1499);
	feed(&f, "{\"id\":1,\"result\":1}\n{\"id\":3,\"error\":{}}\n{\"id\":2,\"result\":2}\n");
	assert_trace(&f, "reply ok \nresult 2  2\n");
	assert_int_equal(peer_deadline(f.peer), UINT64_MAX);
	peer_tick(f.peer, UINT64_MAX - 1);
	assert_int_equal(peer_waiting(f.peer), 1);
	stop(&f);
}

static void a_time_that_overflows_is_never(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, &codec_lines, PEER_CANCEL_SILENT);
	f.now = UINT64_MAX - 10;
	call(&f, "m", 11);
	assert_int_equal(peer_deadline(f.peer), UINT64_MAX);
	stop(&f);
}

static void a_cancelled_call_ends_at_the_next_tick(void **state)
{
	static const struct {
		enum peer_cancel cancel;
		const char *out;
	} sides[] = {
		{ PEER_CANCEL_SILENT, "" },
		{ PEER_CANCEL_LSP,
		  "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":2}}\n" },
		{ PEER_CANCEL_MCP, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
				   "\"params\":{\"requestId\":2}}\n" },
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct fixture f;

		start(&f, &codec_lines, sides[i].cancel);
		f.now = 5;
		call(&f, "a", 0);
		call(&f, "b", 100);
		buf_clear(peer_out(f.peer));
		peer_cancel(f.peer, 2);
		peer_cancel(f.peer, 2);
		peer_cancel(f.peer, 77);
		assert_out(&f, sides[i].out);
		assert_trace(&f, "");
		assert_int_equal(peer_deadline(f.peer), 0);
		assert_int_equal(peer_waiting(f.peer), 2);
		peer_tick(f.peer, 5);
		assert_trace(&f, "reply cancelled b was cancelled\n");
		feed(&f,
		     "{\"id\":2,\"result\":1}\n{\"id\":2,\"error\":{}}\n{\"id\":1,\"result\":1}\n");
		assert_trace(&f, "reply ok \nresult 1  1\n");
		peer_cancel(f.peer, 1); /* answered: nothing to give up */
		assert_out(&f, "");
		stop(&f);
	}
}

/* The answer crosses the cancellation: it is dropped, and the call still ends as cancelled. */
static void an_answer_after_cancel_is_dropped(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, &codec_lines, PEER_CANCEL_LSP);
	call(&f, "a", 0);
	peer_cancel(f.peer, 1);
	feed(&f, "{\"id\":1,\"result\":1}\n");
	assert_trace(&f, "reply cancelled a was cancelled\n");
	feed(&f, "{\"id\":1,\"result\":1}\n");
	assert_trace(&f, "");
	stop(&f);
}

static void closing_ends_every_call_at_the_next_tick(void **state)
{
	struct err why = ERR_INIT;
	struct fixture f;
	json *id = json_int(1);

	(void)state;
	start(&f, &codec_lines, PEER_CANCEL_LSP);
	call(&f, "late", 500);
	call(&f, "never", 0);
	call(&f, "soon", 5);
	call(&f, "gone", 0);
	peer_cancel(f.peer, 4);
	buf_clear(peer_out(f.peer));
	peer_notify(f.peer, "exit", NULL);
	err_set(&why, ERR_PEER, "clangd ended with code 1");
	peer_close(f.peer, &why);
	peer_close(f.peer, NULL); /* the first reason counts */
	assert_true(peer_closed(f.peer));
	assert_trace(&f, "");
	peer_notify(f.peer, "n", json_object());
	peer_answer(f.peer, id, json_object());
	peer_refuse(f.peer, id, &why);
	peer_cancel(f.peer, 1);
	call(&f, "after", 0);
	assert_out(&f, "{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}\n");
	assert_int_equal(peer_deadline(f.peer), 0);
	feed(&f, "{\"id\":1,\"result\":1}\n");
	assert_trace(&f, "");
	peer_tick(f.peer, 0);
	assert_trace(&f, "reply io late: clangd ended with code 1\n"
			 "reply io never: clangd ended with code 1\n"
			 "reply io soon: clangd ended with code 1\n"
			 "reply cancelled gone was cancelled\n"
			 "reply io after: clangd ended with code 1\n");
	/* one who tries again waits for the next tick */
	f.act = "call";
	call(&f, "again", 0);
	peer_tick(f.peer, 0);
	assert_trace(&f, "reply io again: clangd ended with code 1\n");
	assert_int_equal(peer_waiting(f.peer), 1);
	json_free(id);
	stop(&f);
}

static void freeing_ends_every_call(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, &codec_msgpack, PEER_CANCEL_SILENT);
	call(&f, "a", 0);
	f.act = "call";
	call(&f, "b", 7);
	peer_free(f.peer);
	f.peer = NULL;
	assert_trace(&f, "reply io a: the connection is closed\n"
			 "reply io b: the connection is closed\n"
			 "reply io inner: the connection is closed\n");
	stop(&f);
}

/* From inside each kind of callback, with more input behind it. */
static void callbacks_may_do_what_they_like(void **state)
{
	static const char *const inputs[] = {
		"{\"id\":1,\"result\":1}\n",
		"{\"id\":1,\"error\":{\"code\":1,\"message\":\"x\"}}\n",
		"{\"method\":\"n\",\"params\":[\"long enough to be seen when it is freed\"]}\n",
		"{\"id\":\"r\",\"method\":\"m\"}\n",
	};
	static const char *const acts[] = { "call", "cancel", "close", "tick" };
	const char *tail = "{\"id\":2,\"result\":2}\n{\"method\":\"last\"}\n";

	(void)state;
	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < 4; k++)
			for (int pieces = 0; pieces < 2; pieces++) {
				bool closes = !strcmp(acts[k], "close");
				bool cancels = !strcmp(acts[k], "cancel");
				struct buf all = BUF_INIT;
				struct str trace;
				struct fixture f;

				start(&f, &codec_lines, PEER_CANCEL_LSP);
				call(&f, "one", 0);
				call(&f, "two", 0);
				f.victim = 2;
				f.act = acts[k];
				if (pieces) /* so that it is read from the peer's own memory */
					feed(&f, "{");
				buf_addf(&all, "%s%s", inputs[i] + pieces, tail);
				feed(&f, all.p);
				peer_tick(f.peer, 0);
				trace = buf_str(&f.trace);
				assert_int_equal(str_find(trace, STR("notify  last")) < 0, closes);
				assert_int_equal(str_find(trace, STR("result 2  2")) < 0,
						 closes || cancels);
				assert_int_equal(str_find(trace, STR("two was cancelled")) >= 0,
						 cancels);
				assert_int_equal(str_find(trace, STR("two: the connection")) >= 0,
						 closes);
				buf_release(&all);
				stop(&f);
			}
}

static void expiring_calls_may_be_cancelled_by_each_other(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, &codec_lines, PEER_CANCEL_SILENT);
	call(&f, "one", 10);
	call(&f, "two", 10);
	f.act = "cancel";
	f.victim = 2;
	peer_tick(f.peer, 10);
	assert_trace(&f, "reply timeout one: no answer within 10 ms\n"
			 "reply cancelled two was cancelled\n");
	call(&f, "three", 10);
	call(&f, "four", 10);
	f.act = "close";
	peer_tick(f.peer, 10);
	assert_trace(&f, "reply timeout three: no answer within 10 ms\n"
			 "reply io four: the connection is closed\n");
	stop(&f);
}

static void count_reply(void *arg, struct msg *m, const struct err *e)
{
	size_t *n = arg;

	assert_true(m ? e->code == ERR_OK : e->code != ERR_OK);
	++*n;
}

static void many_calls_wait_at_once(void **state)
{
	enum { MANY = 10000 };
	struct gen g = { 11 };
	struct buf answers = BUF_INIT;
	struct err e = ERR_INIT;
	size_t replies = 0;
	struct fixture f;

	(void)state;
	start(&f, &codec_lines, PEER_CANCEL_SILENT);
	f.strays_end = true;
	for (int i = 1; i <= MANY; i++)
		peer_call(f.peer, "m", NULL, 0, 1 + gen_below(&g, 1000), count_reply, &replies);
	for (int i = MANY; i; i--)
		buf_addf(&answers, "{\"id\":%d,\"result\":%d}\n", i, i);
	assert_true(peer_feed(f.peer, buf_str(&answers), 0, &e));
	assert_int_equal(replies, MANY);
	assert_int_equal(peer_deadline(f.peer), UINT64_MAX);
	/* Expired in the order of their deadlines; then all answers come, late: none is a stray,
	 * though more calls were given up than are remembered one by one. */
	buf_clear(&answers);
	for (int i = 1; i <= MANY; i++) {
		peer_call(f.peer, "m", NULL, 0, 1 + gen_below(&g, 1000), count_reply, &replies);
		buf_addf(&answers, "{\"id\":%d,\"result\":%d}\n", MANY + i, i);
	}
	for (uint64_t now = 0, due; (due = peer_deadline(f.peer)) != UINT64_MAX; now = due) {
		assert_true(due > now);
		peer_tick(f.peer, due - 1);
		assert_int_equal(peer_deadline(f.peer), due);
		peer_tick(f.peer, due);
	}
	assert_int_equal(replies, 2 * MANY);
	assert_true(peer_feed(f.peer, buf_str(&answers), 0, &e));
	assert_trace(&f, "");
	buf_release(&answers);
	stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_that_is_late_times_out_once),
		cmocka_unit_test(a_time_that_overflows_is_never),
		cmocka_unit_test(a_cancelled_call_ends_at_the_next_tick),
		cmocka_unit_test(an_answer_after_cancel_is_dropped),
		cmocka_unit_test(closing_ends_every_call_at_the_next_tick),
		cmocka_unit_test(freeing_ends_every_call),
		cmocka_unit_test(callbacks_may_do_what_they_like),
		cmocka_unit_test(expiring_calls_may_be_cancelled_by_each_other),
		cmocka_unit_test(many_calls_wait_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
