#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/mask.h"

static void masked(const char *given, const char *want)
{
	struct buf out = BUF_INIT;

	mask_json(&out, str_of(given));
	assert_string_equal(buf_str(&out).p, want);
	buf_release(&out);
}

static void keys(void **state)
{
	(void)state;
	masked("{\"api_key\":\"a \\\"b\",\"x\":1}", "{\"api_key\":\"***\",\"x\":1}");
	masked("{\"Authorization\":\"Basic abc\"}", "{\"Authorization\":\"***\"}");
	masked("\"OPENAI_API_KEY=abcdefgh\\nX=1\"", "\"OPENAI_API_KEY=***\\nX=1\"");
	masked("\"GITHUB_TOKEN=\\\"abcdefgh\\\"\"", "\"GITHUB_TOKEN=\\\"***\\\"\"");
	masked("\"-H Bearer abcdefghi.j-k\"", "\"-H Bearer ***\"");
	masked("\"it is sk-ant-0123456789abcdef, or\"", "\"it is ***, or\"");
	masked("\"\\nghp_0123456789abcdef0123\"", "\"\\n***\"");
	masked("\"{\\\"token\\\":\\\"abcdefgh\\\"}\"", "\"{\\\"token\\\":\\\"***\\\"}\"");
}

/* What programs are made of. */
static void no_keys(void **state)
{
	static const char *const same[] = { "{\"max_tokens\":5,\"tokens\":\"many\"}",
					    "\"next_token=lexer_next_token(l)\"",
					    "\"sk-short\"",
					    "\"the password is asked for\"",
					    "\"Bearer of news\"",
					    "\"KEY=1\"",
					    "{\"key\":\"value\",\"keyboard\":\"us\"}",
					    "" };

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		if (*same[i])
			masked(same[i], same[i]);
}

/* Whatever it is given, JSON stays JSON. */
static void stays_json(void **state)
{
	static const char *const parts[] = { "api_key", "TOKEN=", "sk-0123456789abcdefgh",
					     "\\\"",	"\\n",	  ":",
					     "Bearer ", " ",	  "abcdefghij",
					     "\\u00e9", "=",	  "\xc3\xa9" };
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct buf given = BUF_INIT, out = BUF_INIT;
		struct err e = ERR_INIT;
		json *v;

		buf_adds(&given, "{\"password\":\"");
		for (int i = 0; i < 12; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			buf_adds(&given, parts[(seed >> 33) % (sizeof(parts) / sizeof(*parts))]);
			if (i == 5)
				buf_adds(&given, "\",\"x\":\"");
		}
		buf_adds(&given, "\"}");
		mask_json(&out, buf_str(&given));
		v = json_parse(buf_str(&out), &e);
		assert_non_null(v);
		assert_true(str_eq(json_get_str(v, "password"), STR("***")));
		json_free(v);
		buf_release(&given);
		buf_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(keys), cmocka_unit_test(no_keys),
					    cmocka_unit_test(stays_json) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
