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
	struct macros in = macros_of(t);
	struct macro m;

	for (size_t at = 0; macros_next_use(&in, STR("f"), &at, &m); at++)
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

static void test_defines(void **state)
{
	struct macros in = macros_of(STR("x \\\n#define f\n#undef f\n # define \\\n f f\n"));
	size_t at = 0;

	(void)state;
	assert_false(macros_next_define(&in, STR("g"), &at));
	at = 0;
	assert_true(macros_next_define(&in, STR("f"), &at));
	assert_int_equal(at, 36);
	assert_true(macros_next_define(&in, STR("f"), &at));
	assert_int_equal(at, 36);
	at++;
	assert_false(macros_next_define(&in, STR("f"), &at));
}

/* What is asked about in any other order is answered the same. */
static void test_order(void **state)
{
	static const char text[] = "#define A(x) f x f\n#define B f ## f + f\n#define C(f) f\n";
	static const size_t used_at[] = { 13, 17, 38 };
	struct macros in = macros_of(str_of(text));
	struct macro m;

	(void)state;
	for (size_t i = 0; i < 7 * 11 * 13; i++) {
		size_t at = i * 23 % (sizeof(text) - 1), k = 0;

		if (text[at] != 'f' || str_named(text[at - 1]) || str_named(text[at + 1]))
			continue;
		while (k < 3 && used_at[k] != at)
			k++;
		assert_int_equal(macros_using(&in, at, &m), k < 3);
	}
}

#define LINES 100000

/* In a `#define` of so many lines, each with the name: how much is read grows with the lines. */
static void read_once(const char *head, const char *line, size_t uses, size_t defines)
{
	struct buf text = BUF_INIT;
	struct macros in;
	struct macro m;
	size_t n = 0;

	buf_addf(&text, "%s", head);
	for (size_t i = 0; i < LINES; i++)
		buf_addf(&text, "%s", line);
	in = macros_of(buf_str(&text));
	for (size_t at = 0; macros_next_use(&in, STR("f"), &at, &m); at++)
		n++;
	assert_int_equal(n, uses);
	n = 0;
	for (size_t at = 0; macros_next_define(&in, STR("f"), &at); at++)
		n++;
	assert_int_equal(n, defines);
	assert_in_range(in.read, text.n, 4 * text.n);
	buf_release(&text);
}

static void test_long(void **state)
{
	(void)state;
	read_once("#define A \\\n", "\tf(1); \\\n", LINES, 0);
	read_once("#define A(x) \\\n", "#define f \\\n", LINES, 0);
	read_once("#define A /* \\\n", "f \\\n", 0, 0);
	read_once("#define A(f \\\n", ",f \\\n", 0, 0);
	read_once("#define A(x \\\n", ", y) f \\\n", LINES, 0);
	read_once("x \\\n", "f \\\n", 0, 0);
	read_once("#define f \\\n", "#define f \\\n", LINES, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bodies),	cmocka_unit_test(test_what_is_no_use),
		cmocka_unit_test(test_defines), cmocka_unit_test(test_order),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
