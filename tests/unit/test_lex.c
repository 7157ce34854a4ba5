#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "code/lex.h"
#include "gen.h"

/* Each token as a letter and its text; blanks and line ends are left out. */
static void lexed(const char *filetype, const char *text, const char *want)
{
	static const char letter[] = {
		[TOKEN_COMMENT] = 'c',	 [TOKEN_STRING] = 's', [TOKEN_WORD] = 'w',
		[TOKEN_OPEN] = '(',	 [TOKEN_CLOSE] = ')',  [TOKEN_ATTRIBUTE] = 'a',
		[TOKEN_DIRECTIVE] = 'd', [TOKEN_SIGN] = '.'
	};
	struct lexer l = lex_from(language_of(filetype), str_of(text), 0);
	struct buf got = BUF_INIT;
	struct token t;

	while ((t = lex_next(&l)).kind != TOKEN_END)
		if (t.kind != TOKEN_SPACE && t.kind != TOKEN_LINE_END)
			buf_addf(&got, "%s%c<%.*s>", got.n ? " " : "", letter[t.kind],
				 STR_ARG(str_sub(l.text, t.span.at, t.span.end)));
	assert_text(buf_str(&got), str_of(want));
	buf_release(&got);
}

static void test_c(void **state)
{
	(void)state;
	lexed("c", "a /* } */ // {\nb", "w<a> c</* } */> c<// {> w<b>");
	lexed("c", "'{' \"}\\\"\" \"open\nx", "s<'{'> s<\"}\\\"\"> s<\"open> w<x>");
	lexed("c", "#define A { \\\n  }\nx # y", "d<#define A { \\\n  }> w<x> .<#> w<y>");
	lexed("c", "a->b == c", "w<a> .<->> w<b> .<==> w<c>");
	lexed("c", "/* never ends", "c</* never ends>");
}

static void test_cpp(void **state)
{
	(void)state;
	lexed("cpp", "R\"(\")\" LR\"x()\")x\" R", "s<R\"(\")\"> s<LR\"x()\")x\"> w<R>");
	lexed("cpp", "1'000 'x'", "w<1'000> s<'x'>");
	lexed("cpp", "[[a(b)]] template <class T = s<int>> T a[[]]",
	      "a<[[a(b)]]> a<template <class T = s<int>>> w<T> w<a> (<[> (<[> )<]> )<]>");
	lexed("cpp", "__attribute__ ((x)) alignas(8) x",
	      "a<__attribute__ ((x))> a<alignas(8)> w<x>");
	lexed("cpp", "template struct s;", "w<template> w<struct> w<s> .<;>");
}

static void test_python(void **state)
{
	(void)state;
	lexed("python", "\"\"\"a\"\nb\"\"\" f'''x''' # c",
	      "s<\"\"\"a\"\nb\"\"\"> w<f> s<'''x'''> c<# c>");
	lexed("python", "@a.b(1,\n 2) # c\nx @ y", "a<@a.b(1,\n 2)> c<# c> w<x> .<@> w<y>");
}

static void test_javascript(void **state)
{
	(void)state;
	lexed("javascript", "`a${`${'}'}` + {}}b`", "s<`a${`${'}'}` + {}}b`>");
	lexed("javascript", "a / b / c; x = /[/]\\//g; return /}/",
	      "w<a> .</> w<b> .</> w<c> .<;> w<x> .<=> s</[/]\\//> w<g> .<;> w<return> s</}/>");
	lexed("typescript", "@a.b(c) @d x", "a<@a.b(c)> a<@d> w<x>");
}

static void test_rust(void **state)
{
	(void)state;
	lexed("rust", "'a 'b' '\\'' r#\"\"}\"# r#fn b\"x\"",
	      ".<'> w<a> s<'b'> s<'\\''> s<r#\"\"}\"#> w<r> .<#> w<fn> w<b> s<\"x\">");
	lexed("rust", "/* /* */ */ #[a(b)] #![c] # x",
	      "c</* /* */ */> a<#[a(b)]> a<#![c]> .<#> w<x>");
}

static void test_go(void **state)
{
	(void)state;
	lexed("go", "`\\` '`' \"`\" x := 1", "s<`\\`> s<'`'> s<\"`\"> w<x> .<:=> w<1>");
}

static void test_lua(void **state)
{
	(void)state;
	lexed("lua", "--[==[ ]] ]==] [[ ' ]] x -- [[",
	      "c<--[==[ ]] ]==]> s<[[ ' ]]> w<x> c<-- [[>");
	lexed("lua", "function f() if x then end end a[b[1]]",
	      "(<function> w<f> (<(> )<)> (<if> w<x> w<then> )<end> )<end> "
	      "w<a> (<[> w<b> (<[> w<1> )<]> )<]>");
}

static void test_shell(void **state)
{
	(void)state;
	lexed("sh", "f() { a; } # }", "w<f> .<(> .<)> (<{> w<a> .<;> )<}> c<# }>");
	lexed("bash", "\"$(echo \"}\")\" ${x#\\}} $# $'\\'' '\\'",
	      "s<\"$(echo \"}\")\"> s<${x#\\}}> w<$> .<#> s<$'\\''> s<'\\'>");
	lexed("bash", "a <<'E' {\n}\nE\n}", "w<a> .<<> .<<> s<'E'> (<{> s<}\nE> )<}>");
	lexed("bash", "x << y )\n{ a; }", "w<x> .<<> .<<> w<y> .<)> (<{> w<a> .<;> )<}>");
	lexed("bash", "a <<<b\nc", "w<a> .<<> .<<> .<<> w<b> w<c>");
}

static void test_csharp(void **state)
{
	(void)state;
	lexed("cs", "@\"a\\\" b @\"{\n\"\"}\" @c \xe2\x82",
	      "s<@\"a\\\"> w<b> s<@\"{\n\"\"}\"> .<@> w<c> w<\xe2\x82>");
	/* A byte order mark is no part of the first word. */
	lexed("cs",
	      "\xef\xbb\xbf"
	      "a",
	      "w<a>");
}

/* What does not end is looked for so often, and what ends is seen all the same. */
static void test_vain(void **state)
{
	struct buf text = BUF_INIT, want = BUF_INIT;

	(void)state;
	for (int i = 0; i < 50; i++) {
		buf_adds(&text, "template struct s; x = 1 << 2\n");
		buf_adds(&want, "w<template> w<struct> w<s> .<;> w<x> .<=> w<1> .<<> .<<> w<2> ");
	}
	buf_adds(&text, "template <class T> [[a]]");
	buf_adds(&want, "a<template <class T>> a<[[a]]>");
	lexed("cpp", text.p, want.p);
	buf_clear(&text);
	buf_clear(&want);
	for (int i = 0; i < 50; i++) {
		buf_adds(&text, "$((1 << 2)) << 3\n");
		buf_adds(&want, "w<$> .<(> .<(> w<1> .<<> .<<> w<2> .<)> .<)> .<<> .<<> w<3> ");
	}
	buf_adds(&text, "a <<E\n}\nE");
	buf_adds(&want, "w<a> .<<> .<<> w<E> s<}\nE>");
	lexed("sh", text.p, want.p);
	buf_release(&text);
	buf_release(&want);
}

/* The lines that end here-documents are not looked for over and over, also inside of strings. */
static void test_here_in_vain(void **state)
{
	static const char *const forms[] = { "cat <<W%d\n", "\"$(cat <<W%d)\"\n" };

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		struct buf text = BUF_INIT;
		struct lexer l;

		for (int i = 0; i < 20000; i++)
			buf_addf(&text, k ? forms[1] : forms[0], i);
		l = lex_from(language_of("sh"), buf_str(&text), 0);
		while (lex_next(&l).kind != TOKEN_END)
			;
		assert_true(l.sought > 0);
		assert_true(l.sought <= 16 * text.n + (1 << 20));
		buf_release(&text);
	}
	lexed("sh", "a <<A <<B\n}\nA\n}\nB\n<<1\n1",
	      "w<a> .<<> .<<> w<A> .<<> .<<> w<B> s<}\nA\n}\nB> .<<> .<<> w<1> w<1>");
}

static void test_deep(void **state)
{
	struct buf text = BUF_INIT;
	struct lexer l;

	(void)state;
	for (int i = 0; i < 100000; i++)
		buf_adds(&text, "`${");
	l = lex_from(language_of("javascript"), buf_str(&text), 0);
	while (lex_next(&l).kind != TOKEN_END)
		;
	assert_int_equal(l.at, text.n);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c),      cmocka_unit_test(test_cpp),
		cmocka_unit_test(test_python), cmocka_unit_test(test_javascript),
		cmocka_unit_test(test_rust),   cmocka_unit_test(test_go),
		cmocka_unit_test(test_lua),    cmocka_unit_test(test_shell),
		cmocka_unit_test(test_csharp), cmocka_unit_test(test_vain),
		cmocka_unit_test(test_deep),   cmocka_unit_test(test_here_in_vain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
