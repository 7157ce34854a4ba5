#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "code/names.h"
#include "gen.h"

/* The bytes at which `f` stands in code: `#` behind one on a line of the preprocessor, `.` behind
 * one outside of all brackets. */
static void stands(const char *filetype, const char *text, const char *want)
{
	struct names names = { 0 };
	struct buf got = BUF_INIT;

	names_in_code(language_of(filetype), str_of(text), STR("f"), &names);
	for (size_t i = 0; i < names.n; i++)
		buf_addf(&got, "%s%zu%s%s", i ? " " : "", names.v[i].at,
			 names.v[i].directive ? "#" : "", names.v[i].outside ? "." : "");
	assert_text(buf_str(&got), str_of(want));
	buf_release(&got);
	free(names.v);
}

static void test_code(void **state)
{
	(void)state;
	stands("c", "int f; /* f */ // f\nint g(int f) { return f; }\n", "4. 30 42");
	stands("c", "x = \"f\" + 'f' + f_ + ff + f;", "26.");
	stands("python", "f = 1 # f\ng(f)\n", "0. 12");
	stands("c", "", "");
}

static void test_directives(void **state)
{
	(void)state;
	stands("c", "#ifdef f\n#define f(x) (f)\n#undef f\n#endif // f\n", "7#. 17#. 23# 33#.");
	stands("c", "#include <f>\n#include \"f\"\n#error f is f\n", "");
	stands("c", "{\n#define A (\nf\n}\nf\n", "14 18.");
}

static void test_strings_with_code(void **state)
{
	(void)state;
	stands("python", "print(f\"{f}\")\n", "6 9");
	stands("typescript", "x = `${f}`", "7.");
	stands("c", "x = \"{f}\"", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code),
		cmocka_unit_test(test_directives),
		cmocka_unit_test(test_strings_with_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
