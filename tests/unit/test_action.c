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
	json *params = actions_ask(&d);
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
	assert_string_equal(e.msg, "code actions: an action lacks its title");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ask),
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
