// links: full
/* Which commands of a shell do no more than read, as far as that is sure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "gen.h"
#include "hook/command_reads.h"

static void add_path(void *arg, struct str path)
{
	buf_addf(arg, "[%.*s]", STR_ARG(path));
}

/* `want`: the paths; NULL: it is not sure. */
static void assert_reads(const char *command, const char *want)
{
	struct buf paths = BUF_INIT;
	bool reads = command_reads(str_of(command), add_path, &paths);

	if (reads != (want != NULL))
		fail_msg("`%s` %s", command, reads ? "reads" : "does not read");
	if (want)
		assert_string_equal(buf_str(&paths).p, want);
	buf_release(&paths);
}

static void what_reads_is_known(void **state)
{
	(void)state;
	assert_reads("cat notes.txt", "[notes.txt]");
	assert_reads("  ls -la src/ ", "[src/]");
	assert_reads("pwd", "");
	assert_reads("rg -n 'a \"b\" $c' src | head -20", "[a \"b\" $c][src]");
	assert_reads("sed -n '1,80p' a.c && sed -n 5p /etc/passwd",
		     "[1,80p][a.c][5p][/etc/passwd]");
	assert_reads("sed -n '5,$p' a.c", "[5,$p][a.c]");
	assert_reads("git status --short; git diff HEAD a.c", "[status][diff][HEAD][a.c]");
	assert_reads("find . -name \"*.c\"", "[.][*.c]");
	assert_reads("cat \"a b\"'c'", "[a bc]");
	assert_reads("grep -rn x ./*.c src/*.h || true", "[x][./*.c][src/*.h]");
}

static void what_may_do_more_is_not(void **state)
{
	static const char *const more[] = {
		"",
		"   ",
		"make",
		"cat a > b",
		"cat a >> b",
		"cat $(rm x)",
		"cat `rm x`",
		"cat $HOME/x",
		"cat ~/x",
		"cat a & rm b",
		"cat a\nrm b",
		"(cat a)",
		"cat a; rm b",
		"cat a |",
		"| cat a",
		"cat a && ",
		"sed -i s/a/b/ c",
		"sed s/a/b/ c",
		"sed -n 'w x' a",
		"sed -n '1e rm' a",
		"sed -n 1p -i a",
		"sed -n 1p -Ei a",
		"sed -n '1p;w x' a",
		"find . -delete",
		"find . -exec rm {} +",
		"find . -fprint x",
		"rg --pre ./run x",
		"rg x *", /* of which one may be --pre=./run */
		"rg x *.c",
		"find ?*",
		"find -d*",
		"find \"\"*",
		"find '-'*",
		"rg --pre=./run x",
		"git push",
		"git diff --output=x",
		"git diff --outpu=x",
		"git -c core.pager=x log",
		"git log --ext-diff",
		"git branch x",
		"sort -o a b",
		"uniq a b",
		"tee a",
		"X=1 cat a",
		"./cat a",
		"/bin/cat a",
		"'cat' a",
		"cat 'a",
		"cat \"a$b\"",
		"cat a\\ b",
		"grep --file=/etc/x a",
		"cat a # b",
		"env cat a",
		"xargs cat",
		"cat {a,b}",
		"! cat a",
		"diff --output=x a b",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
		assert_reads(more[i], NULL);
}

/* Nothing that a shell might do something with gets through. */
static void any_text_ends(void **state)
{
	static const char *const parts[] = { "cat",  " ",   "a",   "|",	  "&&", ";",   ">",
					     "<",    "$",   "`",   "'",	  "\"", "(",   "\\",
					     "rm x", "sed", "-n",  "1p",  "\n", "&",   "{",
					     "#",    "~",   "git", "log", "-o", "find" };
	struct gen g = { 3 };

	(void)state;
	for (int round = 0; round < 50000; round++) {
		struct buf text = BUF_INIT;

		for (size_t n = gen_below(&g, 12); n; n--)
			buf_adds(&text, parts[gen_below(&g, sizeof(parts) / sizeof(*parts))]);
		buf_addc(&text, 'x'); /* no white space at its end */
		if (text.p[0] != '\n' && command_reads(buf_str(&text), NULL, NULL) &&
		    strpbrk(text.p, "`<>\n(\\{") && !strpbrk(text.p, "'\""))
			fail_msg("`%s` reads", text.p);
		buf_release(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_reads_is_known),
		cmocka_unit_test(what_may_do_more_is_not),
		cmocka_unit_test(any_text_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
