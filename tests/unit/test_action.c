#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cut.h"
#include "gen.h"
#include "lsp/action.h"

static void test_ask(void **state)
{
	struct diag d = { .path = "/w/a b.c",
			  .range = { { 1, 2 }, { 3, 4 } },
			  .raw = STR("{\"message\":\"m\",\"data\":[1]}") };
	const struct diag *v = &d;
	json *params = actions_ask(d.path, d.range, &v, 1, STR("quickfix"));
	struct buf out = BUF_INIT;

	(void)state;
	json_print(&out, params);
	assert_text(
		buf_str(&out),
		STR("{\"textDocument\":{\"uri\":\"file:///w/a%20b.c\"},\"range\":{\"start\":{"
		    "\"line\":1,\"character\":2},\"end\":{\"line\":3,\"character\":4}},\"context\":"
		    "{\"diagnostics\":[{\"message\":\"m\",\"data\":[1]}],\"only\":[\"quickfix\"]}}"));
	buf_release(&out);
	json_free(params);
}

static void test_ask_all(void **state)
{
	struct range place = { { 0, 1 }, { 0, 2 } };
	json *params = actions_ask("/w/a", place, NULL, 0, STR(""));

	(void)state;
	assert_int_equal(json_len(json_get(params, "context")), 1);
	assert_int_equal(json_len(json_get(params, "context.diagnostics")), 0);
	json_free(params);
}

/* "title|kind" with a star where it is preferred, a line each. */
static void reads(const char *raw, const char *want)
{
	struct actions all;
	struct buf out = BUF_INIT;
	struct err e = ERR_INIT;

	if (!actions_read(str_of(raw), &all, &e))
		fail_msg("%s", e.msg);
	for (size_t i = 0; i < all.n; i++)
		buf_addf(&out, "%.*s|%.*s%s\n", STR_ARG(all.v[i].title), STR_ARG(all.v[i].kind),
			 all.v[i].preferred ? " *" : "");
	assert_text(buf_str(&out), str_of(want));
	buf_release(&out);
	actions_release(&all);
}

static const char several[] =
	"[{\"title\":\"add \\u0061 ;\",\"kind\":\"quickfix\",\"isPreferred\":true,\"edit\":{}},"
	"{\"title\":\"a command\",\"command\":\"do\",\"arguments\":[1]},"
	"{\"title\":\"not now\",\"kind\":\"quickfix\",\"disabled\":{\"reason\":\"no\"}},"
	"{\"title\":\"nulls\",\"kind\":null,\"isPreferred\":null,\"disabled\":null}]";

static void test_read(void **state)
{
	(void)state;
	reads("null", "");
	reads("[]", "");
	reads(several, "add a ;|quickfix *\na command|\nnulls|\n");
}

static void takes(json *params, const char *want)
{
	struct buf out = BUF_INIT;

	json_print(&out, params);
	assert_text(buf_str(&out), str_of(want));
	buf_release(&out);
	json_free(params);
}

/* A Command has its name and arguments in itself, a CodeAction in a Command of its own. */
static void test_command(void **state)
{
	const char raw[] = "[{\"title\":\"t\",\"command\":\"do\",\"arguments\":[1,{}]},"
			   "{\"title\":\"u\",\"command\":{\"title\":\"x\",\"command\":"
			   "\"do it\"},\"data\":7}]";
	struct actions all;
	struct err e = ERR_INIT;

	(void)state;
	assert_true(actions_read(str_of(raw), &all, &e));
	takes(action_execute(&all.v[0]), "{\"command\":\"do\",\"arguments\":[1,{}]}");
	takes(action_execute(&all.v[1]), "{\"command\":\"do it\"}");
	takes(action_resolve(&all.v[1]), "{\"title\":\"u\",\"command\":{\"title\":\"x\","
					 "\"command\":\"do it\"},\"data\":7}");
	assert_true(actions_add(&all, STR(" {\"title\":\"v\",\"edit\":{\"changes\":{}}}"), &e));
	assert_text(all.v[2].edit, STR("{\"changes\":{}}"));
	actions_release(&all);
}

static bool mends(const char *diagnostics)
{
	struct diag d = { .range = { { 1, 2 }, { 1, 4 } }, .message = STR("a \"b\"") };
	struct action a = { .mends = str_of(diagnostics) };

	return action_mends(&a, &d);
}

static void test_mends(void **state)
{
	(void)state;
	assert_true(mends(""));
	assert_true(mends("[]"));
	assert_true(mends("[{\"message\":\"other\"},{\"message\":\"a \\\"b\\\"\",\"range\":{"
			  "\"start\":{\"line\":1,\"character\":2},"
			  "\"end\":{\"line\":1,\"character\":4}}}]"));
	assert_false(mends("[{\"message\":\"a \\\"b\\\"\",\"range\":{"
			   "\"start\":{\"line\":1,\"character\":2},"
			   "\"end\":{\"line\":1,\"character\":5}}}]"));
	assert_false(mends("[{\"message\":{\"value\":\"m\"},\"range\":null}]"));
}

static bool is(const char *own, const char *kind)
{
	struct action a = { .kind = str_of(own) };

	return action_is(&a, str_of(kind));
}

static void test_kind(void **state)
{
	(void)state;
	assert_true(is("quickfix", "quickfix"));
	assert_true(is("quickfix.import", "quickfix"));
	assert_true(is("", "quickfix"));
	assert_false(is("quickfixes", "quickfix"));
	assert_false(is("quickfix", "quickfix.import"));
	assert_false(is("refactor", "quickfix"));
}

static bool decode(struct str raw, struct err *e)
{
	struct actions all;
	bool ok = actions_read(raw, &all, e);

	if (ok)
		actions_release(&all);
	return ok;
}

static void test_broken(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	assert_cut(several, decode);
	assert_garbled(several, decode);
	assert_false(decode(STR("[{\"kind\":\"quickfix\"}]"), &e));
	assert_string_equal(e.msg, "code actions: a code action has no title");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ask),    cmocka_unit_test(test_ask_all),
		cmocka_unit_test(test_read),   cmocka_unit_test(test_command),
		cmocka_unit_test(test_mends),  cmocka_unit_test(test_kind),
		cmocka_unit_test(test_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
