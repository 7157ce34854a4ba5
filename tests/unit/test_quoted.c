#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "code/macro.h"
#include "code/quoted.h"
#include "gen.h"

static struct str define_in(void *arg, struct str name, size_t *at)
{
	struct macros in = macros_of(str_of(arg));

	*at = 0;
	return macros_next_define(&in, name, at) ? in.text : STR("");
}

/* What each `x` of the text is made: "S:" a string or "P:" a part of a name, and by which macro. */
static void made(const char *defines, const char *text, const char *want)
{
	struct quoted q = quoted_from(str_of(text), define_in, (void *)(uintptr_t)defines);
	struct buf got = BUF_INIT;

	for (size_t at = 0; str_find_name(str_of(text), STR("x"), &at); at++) {
		struct str macro = STR("");
		enum quoted_as as = quoted_at(&q, at, &macro);

		buf_addf(&got, "%s%c", got.n ? " " : "", "-SP"[as]);
		if (as)
			buf_addf(&got, ":%.*s", STR_ARG(macro));
	}
	assert_text(buf_str(&got), str_of(want));
	buf_release(&got);
}

static void test_by_its_own_macro(void **state)
{
	static const char defines[] = "#define A(a) f(#a, a)\n#define B(a, b) a##b\n"
				      "#define C(a, b) a; # b\n#define D(a) (a)\n";

	(void)state;
	made(defines, "A(x); f(x); x", "S:A - -");
	made(defines, "B(x, 1); B(1, x); D(x);", "P:B P:B -");
	made(defines, "C(x, x); C((1, x), 2) C(\",\", x + 1)", "- S:C - S:C");
	made(defines, "A(f(1), 2, g[x]); A\n(f(x)) /* ( */ + D(x)", "- S:A -");
	made("#define A(a) \\\n\t#a\nint x;", "A(x)\n", "S:A");
	made("#define A\n#define B(a) a ## 1 /* #a */ \"#a\"\n", "A(x) B(x)", "- P:B");
}

static void test_by_macros_in_it(void **state)
{
	static const char defines[] = "#define A(a) #a\n#define B(a, b) A(b)\n"
				      "#define R(a) R(a)\n#define V(a, ...) A(__VA_ARGS__) #a\n"
				      "#define W(...) #__VA_ARGS__\n";

	(void)state;
	made(defines, "B(x, x)", "- S:B");
	made(defines, "R(x)", "-");
	made(defines, "V(1, 2, x); W(x); W(1, x)", "S:V S:W S:W");
}

/* Of each `x`: whether something with a name has it in its brackets. */
static void named(const char *text, const char *want)
{
	struct lexer l = lex_from(language_of("c"), str_of(text), 0);
	struct brackets b = { 0 };
	struct buf got = BUF_INIT;

	for (struct token t; (t = lex_next_code(&l)).kind != TOKEN_END;) {
		if (token_is(l.text, t, "x"))
			buf_adds(&got, brackets_named(&b) ? "1" : "0");
		brackets_step(&b, l.text, t);
	}
	assert_text(buf_str(&got), str_of(want));
	buf_release(&got);
}

static void test_brackets_with_a_name(void **state)
{
	(void)state;
	named("x; f(x); x; (x); a[x]; f((x)); x", "0100010");
	named("f(1, (x), \")\", x) x; for (;;) x", "1100");
	named("((((((((((((((((((((x", "0");
	named("f(((((((((((((((((((((x", "1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_its_own_macro),
		cmocka_unit_test(test_by_macros_in_it),
		cmocka_unit_test(test_brackets_with_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
