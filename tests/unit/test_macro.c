#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "code/macro.h"
#include "gen.h"

/* The macros in whose bodies `f` is used: name and byte, one after the other. */
static void used(const char *text, const char *want)
{
	struct buf got = BUF_INIT;
	struct str t = str_of(text);
	struct macro m;

	for (size_t at = 0; macro_next_use(t, STR("f"), &at, &m); at++)
		buf_addf(&got, "%s%.*s:%zu", got.n ? " " : "",
			 STR_ARG(str_sub(t, m.name.at, m.name.end)), at);
	assert_text(buf_str(&got), str_of(want));
	buf_release(&got);
}

static void test_bodies(void **state)
{
	(void)state;
	used("#define A f\n", "A:10");
	used("#define A(x) f(x)", "A:13");
	used("  #  define A(x, y) \\\n\tg(x) \\\r\n\tf(f)\n f\n", "A:32 A:34");
	used("#define A (f)\n#define B g\n#define C f\n", "A:11 C:36");
	used("x \\\n#define A f\n", "");
}

static void test_what_is_no_use(void **state)
{
	(void)state;
	used("f(1);\n#define A\nf();\n#undef f\n#define f f\n#if f\n", "f:40");
	used("#define A(f) f + 1\n#define B(x, f) x.f\n", "");
	used("#define A \"f\" 'f' /* f */ ff f2 _f // f\n", "");
	used("#define A(x) f ## x\n#define B(x) x##f\n#define C(x) f #x\n", "C:51");
	used("#define A(x\nf\n#define\nf\n#define A(\\\nf\\\n)", "");
	used("#define", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bodies),
		cmocka_unit_test(test_what_is_no_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
