// links: full
/* What becomes of the arguments of a test runner when tests are chosen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "tool/test_choice.h"

#define STEPS(...)                                                                                 \
	(const char *const *const[])                                                               \
	{                                                                                          \
		(const char *const[]){ __VA_ARGS__, NULL }, NULL                                   \
	}

/* `names`: a list in JSON; NULL: none are given. */
static void becomes(const struct task *t, const char *names, struct test_choice c, const char *want)
{
	struct err e = ERR_INIT;
	struct arena texts = { 0 };
	struct buf got = BUF_INIT;
	json *list = names ? json_parse(str_of(names), &e) : NULL;

	assert_false(e.code);
	c.names = list;
	for (const char *const *v = test_choice_fill(&c, t, &texts)[0]; *v; v++)
		buf_addf(&got, "%s%s", got.n ? " | " : "", *v);
	assert_string_equal(got.p, want);
	buf_release(&got);
	arena_release(&texts);
	json_free(list);
}

static void each_form_takes_its_part_of_a_name(void **state)
{
	static const struct {
		const char *mark, *name, *want;
	} rows[] = {
		{ "{test}", "[\"a.py::A::b\"]", "a.py::A::b" },
		{ "{dotted}", "[\"a.py::A::b\"]", "A.b" },
		{ "{dotted}", "[\"A.b\"]", "A.b" },
		{ "{spaced}", "[\"a › b › c\"]", "a b c" },
		{ "{title}", "[\"a › b › c\"]", "c" },
		{ "{title}", "[\"a › b › …\"]", "b" },
		{ "{title}", "[\"…\"]", "…" },
		{ "-k={title},{title}", "[\"a › b\"]", "-k=b,b" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct task t = { .exact = STEPS(rows[i].mark) };

		becomes(&t, rows[i].name, (struct test_choice){ 0 }, rows[i].want);
	}
}

static void a_pattern_matches_the_name_alone(void **state)
{
	struct task t = { .exact = STEPS("^{spaced}$"), .quote = "\\" };
	struct task lua = { .exact = STEPS("^{test}$"), .quote = "%" };

	(void)state;
	becomes(&t, "[\"a › b (c) … \\\\ größe\"]", (struct test_choice){ 0 },
		"^a b \\(c\\) .* \\\\ größe$");
	becomes(&lua, "[\"a-b {c} …\"]", (struct test_choice){ 0 }, "^a%-b {c} .*$");
}

static void several_are_one_pattern_or_an_argument_each(void **state)
{
	struct task joined = { .within = STEPS("-t", "^{test}$", "{file}"), .between = "|" };
	struct task each = { .exact = STEPS("run", "--", "{test}", "--exact") };
	struct task option = { .exact = STEPS("-v", "-k", "{test}", "-k={test}") };

	(void)state;
	becomes(&joined, "[\"a\", \"b\"]", (struct test_choice){ .file = STR("f") },
		"-t | ^a$|^b$ | f");
	becomes(&each, "[\"a\", \"b\"]", (struct test_choice){ 0 }, "run | -- | a | b | --exact");
	becomes(&option, "[\"a\", \"b\"]", (struct test_choice){ 0 },
		"-v | -k | a | -k | b | -k=a | -k=b");
}

static void what_is_no_exact_name_stays_as_it_is(void **state)
{
	struct task t = { .one = STEPS("-t", "^{test}$"),
			  .file = STEPS("{file}", "./{dir}", "{x}"),
			  .quote = "\\" };

	(void)state;
	becomes(&t, NULL, (struct test_choice){ .test = STR("a.*") }, "-t | ^a.*$");
	becomes(&t, NULL, (struct test_choice){ .file = STR("d/f") }, "d/f | ./d | {x}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_form_takes_its_part_of_a_name),
		cmocka_unit_test(a_pattern_matches_the_name_alone),
		cmocka_unit_test(several_are_one_pattern_or_an_argument_each),
		cmocka_unit_test(what_is_no_exact_name_stays_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
