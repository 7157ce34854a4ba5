#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "case_file.h"
#include "text/find.h"

/* Runs tests/cases/find; the README in tests/cases says how they are written. */

static void check_nears(const struct case_one *c, const struct candidates *near)
{
	struct buf got = BUF_INIT;

	for (size_t i = 0; i < near->n; i++) {
		candidate_describe(&near->v[i], &got);
		buf_addc(&got, '\n');
	}
	assert_text(buf_str(&got), case_str(c, "near"));
	buf_release(&got);
}

static void check_after(const struct case_one *c, struct span at)
{
	struct str text = case_str(c, "text");
	struct buf got = BUF_INIT;

	buf_add(&got, str_sub(text, 0, at.at));
	buf_add(&got, case_str(c, "with"));
	buf_add(&got, str_sub(text, at.end, text.n));
	assert_text(buf_str(&got), case_str(c, "after"));
	buf_release(&got);
}

static void check_all(const struct case_one *c)
{
	struct span *v;
	size_t n = find_all(case_str(c, "text"), case_str(c, "needle"), &v);
	struct buf got = BUF_INIT;

	for (size_t i = 0; i < n; i++)
		buf_addf(&got, "%s%zu-%zu", i ? " " : "", v[i].at, v[i].end);
	assert_text(buf_str(&got), case_str(c, "all"));
	buf_release(&got);
	free(v);
}

static void run_case(void **state)
{
	const struct case_one *c = *state;
	struct str text = case_str(c, "text"), needle = case_str(c, "needle");
	bool lines = case_has(c, "line");
	size_t at = strtoul(case_str(c, "line").p, NULL, 10) - 1;
	struct found f = lines ? find_lines(text, at, needle) : find_text(text, needle);
	struct candidates near = { 0 };

	assert_string_equal(match_name(f.how), case_str(c, "found").p);
	if (case_has(c, "times"))
		assert_int_equal(f.times, strtoul(case_str(c, "times").p, NULL, 10));
	if (case_has(c, "at"))
		assert_int_equal(f.line + 1, strtoul(case_str(c, "at").p, NULL, 10));
	assert_int_equal(f.open_end, case_has(c, "open"));
	if (case_has(c, "after"))
		check_after(c, f.span);
	if (case_has(c, "all"))
		check_all(c);
	if (lines)
		find_lines_candidates(text, at, needle, &near);
	else
		find_candidates(text, needle, &near);
	if (case_has(c, "near"))
		check_nears(c, &near);
	else
		assert_true(f.how != MATCH_NONE);
	candidates_release(&near);
}

int main(int argc, char **argv)
{
	return case_run(argc, argv, "tests/cases/find/*.case", run_case);
}
