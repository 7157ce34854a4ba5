#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "code/same_tokens.h"

static bool same(const char *filetype, const char *a, const char *b)
{
	const struct language *lang = language_of(filetype);
	bool is = same_tokens(lang, str_of(a), str_of(b));

	assert_true(same_tokens(lang, str_of(b), str_of(a)) == is);
	return is;
}

static void blanks_and_comments_do_not_count(void **state)
{
	(void)state;
	assert_true(same("c", "", "\n"));
	assert_true(same("c", "int f(int *v,int n){return v[n]*2;}",
			 "/* f */\nint f(int *v, int n)\n{\n\treturn v[n] * 2; // two\n}\n"));
	assert_true(same("c", "#define A 1\nint a=-1;", "#define A 1\n\n  int a = -1;\n"));
	assert_true(same("cpp", "[[nodiscard]]int f();", "[[nodiscard]] int f ( ) ;"));
	assert_true(same("c", "f(\"a  b\",'c');", "f( \"a  b\",\n   'c' );"));
}

static void other_tokens_do(void **state)
{
	(void)state;
	assert_false(same("c", "int a;", "int b;"));
	assert_false(same("c", "int a;", "int a"));
	assert_false(same("c", "f(\"a b\");", "f(\"a  b\");"));
	assert_false(same("c", "f(\"a\" \"b\");", "f(\"ab\");"));
	assert_false(
		same("c", "#include <b.h>\n#include <a.h>\n", "#include <a.h>\n#include <b.h>\n"));
	assert_false(same("c", "#define A(x) x\n", "#define A (x) x\n"));
	assert_false(same("c", "int a; // {", "int a; // {\n}"));
	assert_false(same("c", "// a\nint b;", "// a int b;"));
}

static void blanks_that_part_tokens_do(void **state)
{
	(void)state;
	assert_false(same("c", "a = b + +c;", "a = b ++c;"));
	assert_false(same("c", "a = b - -c;", "a = b - - c;") &&
		     same("c", "a = b - -c;", "a = b --c;"));
	assert_false(same("c", "a = b / *c;", "a = b /*c;"));
	assert_true(same("c", "a=*b, c=&d;", "a = *b, c = &d;"));
	assert_false(same("cpp", "a<b<c> > d;", "a<b<c>> d;"));
	assert_false(same("c", "a = 1e +5;", "a = 1e+5;"));
	assert_false(same("c", "a = 1 .5;", "a = 1.5;"));
	assert_false(same("c", "a = L \"x\";", "a = L\"x\";"));
	assert_false(same("cpp", "a = \"x\" _s;", "a = \"x\"_s;"));
	assert_false(same("c", "inta;", "int a;"));
}

static void where_blanks_mean_something_nothing_is_known(void **state)
{
	(void)state;
	assert_false(same("python", "a = 1\n", "a = 1\n"));
	assert_false(same("javascript", "return\na", "return a"));
	assert_false(same("go", "a := 1\n", "a := 1\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blanks_and_comments_do_not_count),
		cmocka_unit_test(other_tokens_do),
		cmocka_unit_test(blanks_that_part_tokens_do),
		cmocka_unit_test(where_blanks_mean_something_nothing_is_known),
	};

	return cmocka_run_group_tests_name("same_tokens", tests, NULL, NULL);
}
