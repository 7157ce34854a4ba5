// links: full
/* What real programs printed (tests/cases/output/PARSER-WHAT.txt), and what the parsers make of it
 * (PARSER-WHAT.rows); and parsers that are wrong themselves. With OXIDE_ROWS=1 the rows are written
 * anew, to be read before they are kept. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/path.h"
#include "core/parser.h"
#include "read_all.h"

#define CASES "tests/cases/output/*.txt"

static const struct parser_bounds bounds = { 100, 4096, 1000000 };

static struct parser *feed(const char *name, struct str text, struct buf *shown)
{
	struct err e = ERR_INIT;
	struct parser *p = parser_new("lua/oxide", name, &bounds, &e);
	struct str line;

	if (!p)
		fail_msg("%s", e.msg);
	while (str_line(&text, &line))
		if (!parser_line(p, line, false, shown))
			buf_addf(shown, "%.*s\n", STR_ARG(line));
	parser_finish(p, shown);
	return p;
}

static void put_place(struct buf *out, const json *row)
{
	buf_addf(out, " %s", json_get_str(row, "file").n ? json_get_str(row, "file").p : "-");
	if (json_get(row, "line"))
		buf_addf(out, ":%d", (int)json_get_int(row, "line", 0));
	if (json_get(row, "column"))
		buf_addf(out, ":%d", (int)json_get_int(row, "column", 0));
	if (json_get(row, "end_line"))
		buf_addf(out, "-%d:%d", (int)json_get_int(row, "end_line", 0),
			 (int)json_get_int(row, "end_column", 0));
	if (json_get(row, "columns"))
		buf_addf(out, " (%s)", json_get_str(row, "columns").p);
	if (json_get_bool(row, "ending", false))
		buf_adds(out, " (ending)");
}

static void put_text(struct buf *out, struct str text)
{
	struct str line;

	while (str_line(&text, &line))
		buf_addf(out, "    |%.*s\n", STR_ARG(line));
}

static void put_fix(struct buf *out, const json *fix)
{
	buf_addf(out, "  fix%s: %s\n", json_get_bool(fix, "preferred", false) ? "!" : "",
		 json_get_str(fix, "title").p);
	json_each(edit, json_get(fix, "edits")) {
		buf_adds(out, "   ");
		put_place(out, edit);
		buf_addf(out, " \"%s\"\n", json_get_str(edit, "text").p);
	}
}

static void put_rows(struct buf *out, const struct parser *p)
{
	struct parser_found f = parser_found(p);

	json_each(row, f.diagnostics) {
		buf_add(out, json_get_str(row, "severity"));
		put_place(out, row);
		buf_addf(out, " [%s]\n", json_get_str(row, "code").p);
		put_text(out, json_get_str(row, "message"));
		json_each(fix, json_get(row, "fixes"))
			put_fix(out, fix);
	}
	json_each(row, f.failures) {
		buf_addf(out, "failed %s", json_get_str(row, "name").p);
		put_place(out, row);
		buf_addf(out, ": %s\n", json_get_str(row, "message").p);
		put_text(out, json_get_str(row, "output"));
		if (json_get_str(row, "id").n)
			buf_addf(out, "    run as %s\n", json_get_str(row, "id").p);
	}
	json_each(dir, f.directories)
		buf_addf(out, "directory %s\n", json_text(dir).p);
	buf_addf(out, "%zu errors; %zu passed, %zu failed, %zu ignored\n", f.errors, f.passed,
		 f.failed, f.ignored);
}

static char *parser_of(const char *path)
{
	struct str base = path_base(str_of(path));
	const char *dash = memchr(base.p, '-', base.n);

	return strndup(base.p, (size_t)(dash - base.p));
}

static void compare(const char *path, const struct buf *rows)
{
	struct buf want_path = BUF_INIT, want;

	buf_addf(&want_path, "%.*s.rows", (int)(strlen(path) - 4), path);
	if (getenv("OXIDE_ROWS")) {
		FILE *f = fopen(want_path.p, "wb");

		fwrite(rows->p, 1, rows->n, f);
		fclose(f);
	}
	want = read_all(want_path.p);
	if (!str_eq(buf_str(&want), buf_str(rows)))
		fail_msg("%s: the rows are\n%s", path, rows->p);
	buf_release(&want);
	buf_release(&want_path);
}

static void each_case(void (*fn)(const char *path, const char *parser, struct str text))
{
	glob_t all;

	assert_int_equal(glob(CASES, 0, NULL, &all), 0);
	for (size_t i = 0; i < all.gl_pathc; i++) {
		struct buf text = read_all(all.gl_pathv[i]);
		char *parser = parser_of(all.gl_pathv[i]);

		fn(all.gl_pathv[i], parser, buf_str(&text));
		free(parser);
		buf_release(&text);
	}
	globfree(&all);
}

static void reads(const char *path, const char *parser, struct str text)
{
	struct buf shown = BUF_INIT, rows = BUF_INIT;
	struct parser *p = feed(parser, text, &shown);

	if (parser_broken(p))
		fail_msg("%s: %s", path, parser_broken(p));
	put_rows(&rows, p);
	compare(path, &rows);
	parser_free(p);
	buf_release(&rows);
	buf_release(&shown);
}

static void what_real_programs_print_is_understood(void **state)
{
	(void)state;
	each_case(reads);
}

/* A program that is killed stops anywhere. */
static void reads_beginnings(const char *path, const char *parser, struct str text)
{
	for (size_t n = 0; n < text.n; n += 1 + text.n / 40) {
		struct buf shown = BUF_INIT;
		struct parser *p = feed(parser, str_sub(text, 0, n), &shown);

		if (parser_broken(p))
			fail_msg("%s up to %zu: %s", path, n, parser_broken(p));
		parser_free(p);
		buf_release(&shown);
	}
}

static void output_may_end_anywhere(void **state)
{
	(void)state;
	each_case(reads_beginnings);
}

/* Every line of one program is read by the parsers of all others, spoilt. */
static void reads_anything(const char *path, const char *parser, struct str text)
{
	struct buf bad = BUF_INIT, shown = BUF_INIT;
	struct parser *p;

	(void)text;
	buf_adds(&bad, "\xff\xfe: error: \xc3\n{\"reason\":\"\n{}\n[]\n[1]\n{\"Action\":\n");
	buf_add(&bad, (struct str){ "a\0b:1:2: error: \0\n", 18 });
	buf_adds(&bad, "a.c:99999999999999999999:1: error: far\n: 1:1: error:\n::::\n\n \n");
	buf_adds(&bad, "test  ... \n---- ---- stdout ----\nnot ok\nok\n  ---\n{\"a\":[[[[\n");
	buf_adds(&bad, "{\"reason\":\"compiler-message\"}\n{\"Action\":\"fail\"}\n"
		       "{\"Action\":\"output\",\"Output\":\"x\"}\n[[]]\n[{}]\n{\"x\":\n}\n"
		       "{\"testResults\":[{}]}\n{\"generalDiagnostics\":[{}]}\n");
	for (int i = 0; i < 200000; i++)
		buf_adds(&bad, ":1");
	buf_addc(&bad, '\n');
	p = feed(parser, buf_str(&bad), &shown);
	if (parser_broken(p))
		fail_msg("%s: %s", path, parser_broken(p));
	parser_free(p);
	buf_release(&bad);
	buf_release(&shown);
}

static void output_may_be_anything(void **state)
{
	(void)state;
	each_case(reads_anything);
}

static void assert_counts(const struct parser *p, size_t errors, size_t rows, size_t passed)
{
	struct parser_found f = parser_found(p);

	if (parser_broken(p))
		fail_msg("%s", parser_broken(p));
	assert_int_equal(f.errors, errors);
	assert_int_equal(json_len(f.diagnostics), rows);
	assert_int_equal(f.passed, passed);
}

#define JEST                                                                                       \
	"{\"testResults\":[{\"assertionResults\":[{\"fullName\":\"a\",\"status\":\"passed\"}]}]}"

/* jest reports to a person on its standard error, and tests print what they like. */
static void json_is_found_between_other_lines(void **state)
{
	struct err e = ERR_INIT;
	struct buf shown = BUF_INIT;
	struct parser *p = parser_new("lua/oxide", "jest", &bounds, &e);

	(void)state;
	assert_false(parser_line(p, STR("{"), true, &shown));
	assert_true(parser_line(p, STR("[info] half"), false, &shown));
	assert_false(parser_line(p, STR("    [ 1 ]"), true, &shown));
	assert_true(parser_line(p, STR("[1]"), false, &shown));
	assert_true(parser_line(p, STR("{\"other\": [{}]}"), false, &shown));
	assert_true(parser_line(p, STR("{\"testResults\": \"half"), false, &shown));
	assert_true(parser_line(p, STR(JEST), false, &shown));
	assert_false(parser_line(p, STR("[done]"), false, &shown));
	assert_false(parser_line(p, STR(JEST), false, &shown));
	parser_finish(p, &shown);
	assert_counts(p, 0, 0, 1);
	assert_string_equal(shown.p, "[info] half\n[1]\n{\"other\": [{}]}\n"
				     "{\"testResults\": \"half\n");
	parser_free(p);
	buf_release(&shown);
}

/* As ruff 0.1, 0.5 and 0.14 name it. */
static void ruff_names_errors_of_syntax_in_three_ways(void **state)
{
	struct buf shown = BUF_INIT;
	struct parser *p = feed(
		"ruff",
		STR("[\n  {\"filename\":\"a.py\",\"message\":\"x\",\"code\":\"E999\"},\n"
		    "  {\"filename\":\"b.py\",\"message\":\"x\",\"code\":null},\n"
		    "  {\"filename\":\"c.py\",\"message\":\"x\",\"code\":\"invalid-syntax\"},\n"
		    "  {\"filename\":\"d.py\",\"message\":\"x\",\"code\":\"F401\"}\n]\n"),
		&shown);

	(void)state;
	assert_counts(p, 3, 4, 0);
	parser_free(p);
	buf_release(&shown);
}

/* What a parser that is this text comes to, with one line to read. */
static struct parser *parser_of_text(const char *lua, struct err *e)
{
	char path[] = "/tmp/oxide-parser-XXXXXX";
	int fd = mkstemp(path);
	struct parser *p;

	assert_int_equal(write(fd, lua, strlen(lua)), (ssize_t)strlen(lua));
	close(fd);
	p = parser_new("lua/oxide", path, &bounds, e);
	unlink(path);
	return p;
}

static void assert_broken(const char *lua, const char *why)
{
	struct err e = ERR_INIT;
	struct buf shown = BUF_INIT;
	struct parser *p = parser_of_text(lua, &e);

	if (p) {
		assert_null(parser_broken(p));
		assert_false(parser_line(p, STR("line"), false, &shown));
		parser_finish(p, &shown);
		assert_non_null(parser_broken(p));
		assert_false(parser_line(p, STR("line"), false, &shown));
	}
	if (!strstr(p ? parser_broken(p) : e.msg, why))
		fail_msg("%s is not in: %s", why, p ? parser_broken(p) : e.msg);
	parser_free(p);
	buf_release(&shown);
}

#define LINE(body) "return function(report) return function(line) " body " end end"

static void a_parser_that_is_wrong_is_named(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	assert_null(parser_new("lua/oxide", "no_such_parser", &bounds, &e));
	assert_non_null(strstr(e.msg, "no_such_parser"));
	assert_broken("return 1 +", "unexpected symbol");
	assert_broken("return {}", "call a table");
	assert_broken("return function() end", "does not return a function");
	assert_broken("return function() while true do end end", "too long");
	assert_broken(LINE("local x = nil; return x.y"), ":1: attempt to index");
	assert_broken(LINE("while true do end"), "too long");
	assert_broken(LINE("error({})"), "without a message");
	assert_broken(LINE("report.diagnostic('x')"), "expects a table");
	assert_broken(LINE("report.diagnostic { message = 1, severity = 'error' }"),
		      "message must be a string");
	assert_broken(LINE("report.diagnostic { message = 'x', severity = 'bad' }"),
		      "severity is \"bad\"");
	assert_broken(LINE("report.test { name = 'x' }"), "outcome is \"\"");
	assert_broken(LINE("local t = { name = 'x', outcome = 'failed' }; t.t = t; report.test(t)"),
		      "nested deeper");
	assert_broken(LINE("report.diagnostic { message = 'x', severity = 'error', f = print }"),
		      "a function is not data");
	assert_broken("return function() return function() end, function() error('end') end end",
		      "end");
}

static void what_it_tells_is_bounded(void **state)
{
	struct err e = ERR_INIT;
	struct buf shown = BUF_INIT;
	struct parser *p = parser_of_text(
		LINE("for i = 1, 150 do report.diagnostic { severity = 'error', message = "
		     "('\xc3\xbc'):rep(3000) } end report.test { name = 'a', outcome = 'passed', "
		     "count = 1e6 } report.output('seen ' .. line) return true"),
		&e);
	struct parser_found f;

	(void)state;
	assert_true(parser_line(p, STR("it"), false, &shown));
	assert_null(parser_broken(p));
	f = parser_found(p);
	assert_int_equal(json_len(f.diagnostics), 100);
	assert_int_equal(f.beyond, 50);
	assert_int_equal(f.errors, 150);
	assert_int_equal(f.passed, 1000000);
	assert_int_equal(json_get_str(json_first(f.diagnostics), "message").n, 4096);
	assert_string_equal(shown.p, "seen it");
	parser_free(p);
	buf_release(&shown);
}

/* A parser that asserts by itself is not broken by this line. */
static void assert_reads(const char *lua, struct str line)
{
	struct err e = ERR_INIT;
	struct buf shown = BUF_INIT;
	struct parser *p = parser_of_text(lua, &e);

	assert_non_null(p);
	parser_line(p, line, false, &shown);
	if (parser_broken(p))
		fail_msg("%s", parser_broken(p));
	parser_free(p);
	buf_release(&shown);
}

static void of_a_flood_the_first_and_the_last_is_kept(void **state)
{
	(void)state;
	assert_reads(LINE("local kept = require('oxide.parsers.test_output')() "
			  "for i = 1, 20000 do kept.add(i .. ('x'):rep(5000)) end "
			  "local all = kept.list() collectgarbage() "
			  "assert(collectgarbage('count') < 1000) "
			  "assert(all[1]:match('^1x') and all[#all]:match('^20000x')) "
			  "assert(table.concat(all, '\\n', 10, 20):match('\\n%.%.%.\\n'))"),
		     STR("it"));
}

/* What a test prints while it fails is its own, also where it is JSON of cargo. */
static void what_a_test_of_rust_prints_is_no_diagnostic(void **state)
{
	struct buf shown = BUF_INIT;
	struct parser *p =
		feed("cargo_test",
		     STR("---- a stdout ----\n{\"reason\":\"compiler-message\"}\n"
			 "{\"reason\":\"compiler-message\",\"manifest_path\":\"/a/b\","
			 "\"message\":{\"message\":\"x\",\"level\":\"error\",\"children\":"
			 "[],\"spans\":[{\"file_name\":\"c\"}]}}\n"),
		     &shown);

	(void)state;
	assert_counts(p, 0, 0, 0);
	parser_free(p);
	buf_release(&shown);
}

static void json_becomes_values_of_lua(void **state)
{
	(void)state;
	assert_reads(
		LINE("local v = report.decode(line); assert(report.decode('{') == nil) "
		     "assert(v.a[1] == 1.5 and v.a[2] == true and v.a[4] == 'x' and v.n == nil)"),
		STR("{\"a\":[1.5,true,null,\"x\"],\"n\":null}"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_real_programs_print_is_understood),
		cmocka_unit_test(output_may_end_anywhere),
		cmocka_unit_test(output_may_be_anything),
		cmocka_unit_test(json_is_found_between_other_lines),
		cmocka_unit_test(ruff_names_errors_of_syntax_in_three_ways),
		cmocka_unit_test(a_parser_that_is_wrong_is_named),
		cmocka_unit_test(what_it_tells_is_bounded),
		cmocka_unit_test(of_a_flood_the_first_and_the_last_is_kept),
		cmocka_unit_test(what_a_test_of_rust_prints_is_no_diagnostic),
		cmocka_unit_test(json_becomes_values_of_lua),
	};

	return cmocka_run_group_tests_name("parsers", tests, NULL, NULL);
}
