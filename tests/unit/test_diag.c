#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cut.h"
#include "gen.h"
#include "lsp/diag.h"

#define R(line, col)                                                                               \
	"{\"start\":{\"line\":" #line ",\"character\":" #col "},\"end\":{\"line\":" #line          \
	",\"character\":99}}"
#define D(message, severity, line, col)                                                            \
	"{\"message\":\"" message "\",\"severity\":" #severity ",\"range\":" R(line, col) "}"

static void publish(struct diag_store *s, const char *server, const char *path, const char *list)
{
	struct err e = ERR_INIT;

	if (!diag_publish(s, server, path, POS_UTF16, -1, str_of(list), &e))
		fail_msg("%s", e.msg);
}

/* "path:line:col severity message [source code]", a line each. */
static void show(const struct diag_store *s, const char *path, enum diag_severity worst,
		 const char *want)
{
	const struct diag **v;
	struct buf out = BUF_INIT;
	size_t n = diag_list(s, path, worst, &v);

	for (size_t i = 0; i < n; i++) {
		buf_addf(&out, "%s:%u:%u %s %.*s", v[i]->path, v[i]->range.from.line,
			 v[i]->range.from.col, diag_severity_name(v[i]->severity),
			 STR_ARG(v[i]->message));
		if (v[i]->source.n || v[i]->code.n)
			buf_addf(&out, " [%.*s %.*s]", STR_ARG(v[i]->source), STR_ARG(v[i]->code));
		buf_addc(&out, '\n');
	}
	assert_text(buf_str(&out), str_of(want));
	buf_release(&out);
	free(v);
}

static void test_order(void **state)
{
	struct diag_store *s = diag_new();

	(void)state;
	publish(s, "b", "/w/b.c", "[" D("one", 2, 5, 0) "," D("two", 1, 9, 0) "]");
	publish(s, "a", "/w/b.c",
		"[" D("same", 2, 5, 0) "," D("early", 2, 4, 7) "," D("left", 2, 4, 1) "]");
	publish(s, "a", "/w/a.c", "[" D("hint", 4, 0, 0) "," D("info", 3, 8, 0) "]");
	show(s, NULL, DIAG_HINT,
	     "/w/a.c:8:0 info info\n/w/a.c:0:0 hint hint\n"
	     "/w/b.c:9:0 error two\n/w/b.c:4:1 warning left\n/w/b.c:4:7 warning early\n"
	     "/w/b.c:5:0 warning one\n/w/b.c:5:0 warning same\n");
	show(s, NULL, DIAG_ERROR, "/w/b.c:9:0 error two\n");
	show(s, "/w/a.c", DIAG_INFO, "/w/a.c:8:0 info info\n");
	show(s, "/w/none.c", DIAG_HINT, "");
	diag_free(s);
}

static void test_replace_and_forget(void **state)
{
	struct diag_store *s = diag_new();
	struct err e = ERR_INIT;
	int64_t version;

	(void)state;
	assert_int_equal(diag_seen(s, "a", "/w/a.c", &version), 0);
	assert_int_equal(version, -1);
	publish(s, "a", "/w/a.c", "[" D("old", 1, 0, 0) "]");
	publish(s, "b", "/w/a.c", "[" D("other", 1, 1, 0) "]");
	assert_true(
		diag_publish(s, "a", "/w/a.c", POS_UTF16, 7, STR("[" D("new", 1, 0, 0) "]"), &e));
	show(s, NULL, DIAG_HINT, "/w/a.c:0:0 error new\n/w/a.c:1:0 error other\n");
	assert_int_equal(diag_seen(s, "a", "/w/a.c", &version), 2);
	assert_int_equal(version, 7);
	/* a malformed list changes nothing */
	assert_false(
		diag_publish(s, "a", "/w/a.c", POS_UTF16, 8, STR("[{\"message\":\"x\"}]"), &e));
	assert_string_equal(e.msg, "/w/a.c: diagnostics from a: a diagnostic has no range");
	assert_int_equal(diag_seen(s, "a", "/w/a.c", &version), 2);
	assert_int_equal(version, 7);
	show(s, NULL, DIAG_HINT, "/w/a.c:0:0 error new\n/w/a.c:1:0 error other\n");
	diag_forget(s, "a");
	show(s, NULL, DIAG_HINT, "/w/a.c:1:0 error other\n");
	assert_int_equal(diag_seen(s, "a", "/w/a.c", &version), 2);
	assert_int_equal(version, -1);
	publish(s, "b", "/w/a.c", "[]");
	show(s, NULL, DIAG_HINT, "");
	diag_free(s);
}

static void test_members(void **state)
{
	struct diag_store *s = diag_new();
	const struct diag **v;

	(void)state;
	publish(s, "a", "/w/a.c",
		"[{\"code\":42,\"range\":" R(
			0,
			0) ",\"message\":\"no severity\",\"data\":{\"x\":[1]}},"
			   " {\"code\":\"E\\u0031\",\"source\":\"c\",\"severity\":null,\"range\":" R(
				   1,
				   0) ","
				      "\"message\":\"two\\nlines\"} ,"
				      "{\"range\":" R(
					      2,
					      -1) ",\"severity\":9,\"message\":{\"kind\":\"markdown\","
						  "\"value\":\"*m*\"},\"code\":null,\"source\":null}]");
	show(s, NULL, DIAG_HINT,
	     "/w/a.c:0:0 error no severity [ 42]\n/w/a.c:1:0 error two\nlines [c E1]\n"
	     "/w/a.c:2:0 hint *m*\n");
	assert_int_equal(diag_list(s, NULL, DIAG_ERROR, &v), 2);
	assert_text(v[0]->raw, STR("{\"code\":42,\"range\":" R(0, 0) ",\"message\":\"no severity\","
								     "\"data\":{\"x\":[1]}}"));
	assert_string_equal(v[0]->server, "a");
	assert_int_equal(v[0]->enc, POS_UTF16);
	free(v);
	diag_free(s);
}

static void pull(struct diag_store *s, const char *report, const char *result_id)
{
	struct buf id = BUF_INIT;
	struct err e = ERR_INIT;

	buf_adds(&id, "older");
	if (!diag_pulled(s, "a", "/w/a.c", POS_UTF8, str_of(report), &id, &e))
		fail_msg("%s", e.msg);
	assert_text(buf_str(&id), str_of(result_id));
	buf_release(&id);
}

static void test_pulled(void **state)
{
	struct diag_store *s = diag_new();
	int64_t version;

	(void)state;
	pull(s, "{\"items\":[" D("one", 1, 0, 0) "],\"resultId\":\"r\\u0031\",\"kind\":\"full\"}",
	     "r1");
	show(s, NULL, DIAG_HINT, "/w/a.c:0:0 error one\n");
	/* what the same server publishes besides does not take it away */
	publish(s, "a", "/w/a.c", "[" D("pushed", 1, 1, 0) "]");
	pull(s, "{\"kind\":\"unchanged\",\"resultId\":\"r2\"}", "r2");
	show(s, NULL, DIAG_HINT, "/w/a.c:0:0 error one\n/w/a.c:1:0 error pushed\n");
	assert_int_equal(diag_seen(s, "a", "/w/a.c", &version), 3);
	pull(s,
	     "{\"kind\":\"full\",\"items\":[],\"relatedDocuments\":{\"file:///w/%62.c\":{\"items\":[" D(
		     "near", 2, 3,
		     0) "],\"kind\":\"full\"},\"jdt://x\":{\"kind\":\"full\",\"items\":[]},"
			"\"file:///w/a.c\":{\"kind\":\"unchanged\",\"resultId\":\"z\"}}}",
	     "");
	show(s, NULL, DIAG_HINT, "/w/a.c:1:0 error pushed\n/w/b.c:3:0 warning near\n");
	publish(s, "a", "/w/a.c", "[]");
	pull(s, "null", "");
	show(s, NULL, DIAG_HINT, "/w/b.c:3:0 warning near\n");
	diag_forget(s, "a");
	show(s, NULL, DIAG_HINT, "");
	diag_free(s);
}

static void note_path(void *arg, const char *path)
{
	buf_addf(arg, "%s ", path);
}

/* What was kept apart takes the place of what the same server said before. */
static void test_adopt(void **state)
{
	struct diag_store *to = diag_new(), *from = diag_new();
	struct buf heard = BUF_INIT;
	const struct diag **v;
	int64_t version;

	(void)state;
	publish(to, "a", "/w/a.c", "[" D("old", 1, 0, 0) "]");
	publish(to, "b", "/w/a.c", "[" D("other", 1, 1, 0) "]");
	publish(to, "a", "/w/z.c", "[" D("stays", 1, 1, 0) "]");
	publish(from, "a", "/w/a.c", "[" D("new", 1, 2, 0) "]");
	publish(from, "a", "/w/b.c", "[" D("more", 2, 0, 0) "]");
	publish(from, "b", "/w/a.c", "[]");
	diag_adopt(to, from, "a", note_path, &heard);
	assert_string_equal(heard.p, "/w/a.c /w/b.c ");
	show(from, NULL, DIAG_HINT, "");
	diag_free(from);
	show(to, NULL, DIAG_HINT,
	     "/w/a.c:1:0 error other\n/w/a.c:2:0 error new\n/w/b.c:0:0 warning more\n"
	     "/w/z.c:1:0 error stays\n");
	assert_int_equal(diag_list(to, "/w/b.c", DIAG_HINT, &v), 1);
	assert_string_equal(v[0]->server, "a");
	assert_int_equal(diag_seen(to, "a", "/w/a.c", &version), 2);
	free(v);
	buf_release(&heard);
	diag_free(to);
}

static bool not_open(void *arg, const char *path)
{
	note_path(arg, path);
	return strcmp(path, "/w/open.c") != 0;
}

static void survey(struct diag_store *s, const char *report, const char *heard)
{
	struct buf paths = BUF_INIT;
	struct err e = ERR_INIT;

	if (!diag_surveyed(s, "a", POS_UTF8, str_of(report), not_open, &paths, &e))
		fail_msg("%s", e.msg);
	assert_text(buf_str(&paths), str_of(heard));
	buf_release(&paths);
}

static void result_ids(struct diag_store *s, const char *want)
{
	json *ids = diag_result_ids(s, "a");
	struct buf out = BUF_INIT;

	json_print(&out, ids);
	assert_string_equal(out.p, want);
	buf_release(&out);
	json_free(ids);
}

#define FULL(name, id, list)                                                                       \
	"{\"uri\":\"file:///w/" name "\",\"kind\":\"full\",\"version\":null,\"resultId\":" id      \
	",\"items\":[" list "]}"

static void test_surveyed(void **state)
{
	struct diag_store *s = diag_new();

	(void)state;
	result_ids(s, "[]");
	survey(s,
	       "{\"items\":[" FULL("a.c", "\"1\"", D("one", 1, 0, 0)) "," FULL(
		       "open.c", "\"2\"", D("two", 1, 0, 0)) "," FULL("b%20b.c", "null",
								      D("three", 2, 0, 0)) "]}",
	       "/w/a.c /w/open.c /w/b b.c ");
	show(s, NULL, DIAG_HINT, "/w/a.c:0:0 error one\n/w/b b.c:0:0 warning three\n");
	result_ids(s, "[{\"uri\":\"file:///w/a.c\",\"value\":\"1\"}]");
	survey(s,
	       "{\"items\":[{\"kind\":\"unchanged\",\"resultId\":\"3\",\"uri\":\"file:///w/a.c\"},"
	       "{\"kind\":\"full\",\"uri\":\"jdt://x\",\"items\":[]}]}",
	       "/w/a.c ");
	survey(s, "null", "");
	show(s, "/w/a.c", DIAG_HINT, "/w/a.c:0:0 error one\n");
	result_ids(s, "[{\"uri\":\"file:///w/a.c\",\"value\":\"3\"}]");
	/* asked about by itself, the file has another name for what was said */
	pull(s, "{\"kind\":\"full\",\"resultId\":\"x\",\"items\":[]}", "x");
	result_ids(s, "[]");
	diag_free(s);
}

static void test_take(void **state)
{
	struct diag_store *s = diag_new(), *kept = diag_new();
	int64_t version;

	(void)state;
	publish(kept, "a", "/w/a.c", "[" D("old", 1, 0, 0) "]");
	publish(kept, "b", "/w/a.c", "[" D("other", 1, 2, 0) "]");
	publish(s, "a", "/w/a.c", "[" D("one", 1, 0, 0) "]");
	publish(s, "b", "/w/a.c", "[" D("two", 1, 1, 0) "]");
	diag_take(kept, s, "a", "/w/a.c");
	diag_take(kept, s, "a", "/w/none.c");
	show(s, NULL, DIAG_HINT, "/w/a.c:1:0 error two\n");
	assert_int_equal(diag_seen(s, "a", "/w/a.c", &version), 1);
	assert_int_equal(version, -1);
	diag_free(s);
	show(kept, NULL, DIAG_HINT, "/w/a.c:0:0 error one\n/w/a.c:2:0 error other\n");
	diag_free(kept);
}

static void summary(const char *list, const char *want, size_t files)
{
	struct diag_store *s = diag_new();
	const struct diag **v;
	struct diag_counts c;
	struct buf out = BUF_INIT;
	size_t n;

	publish(s, "a", "/w/a.c", list);
	publish(s, "a", "/w/b.c", list);
	n = diag_list(s, NULL, DIAG_HINT, &v);
	diag_count(v, n, &c);
	diag_summary(&c, &out);
	assert_string_equal(out.p, want);
	assert_int_equal(c.files, files);
	buf_release(&out);
	free(v);
	diag_free(s);
}

static void test_summary(void **state)
{
	struct diag_counts one = { { 0, 1, 1, 1, 1 }, 1 };
	struct buf out = BUF_INIT;

	(void)state;
	summary("[]", "no problems", 0);
	summary("[" D("e", 1, 0, 0) "," D("w", 2, 0, 0) "," D("w", 2, 0, 0) "]",
		"2 errors, 4 warnings", 2);
	summary("[" D("i", 3, 0, 0) "," D("h", 4, 0, 0) "]", "2 infos, 2 hints", 2);
	diag_summary(&one, &out);
	assert_string_equal(out.p, "1 error, 1 warning, 1 info, 1 hint");
	buf_release(&out);
}

static bool decode_list(struct str raw, struct err *e)
{
	struct diag_store *s = diag_new();
	bool ok = diag_publish(s, "a", "/w/a.c", POS_UTF8, -1, raw, e);

	diag_free(s);
	return ok;
}

static bool decode_report(struct str raw, struct err *e)
{
	struct diag_store *s = diag_new();
	struct buf id = BUF_INIT;
	bool ok = diag_pulled(s, "a", "/w/a.c", POS_UTF8, raw, &id, e);

	buf_release(&id);
	diag_free(s);
	return ok;
}

static bool decode_survey(struct str raw, struct err *e)
{
	struct diag_store *s = diag_new();
	struct buf heard = BUF_INIT;
	bool ok = diag_surveyed(s, "a", POS_UTF8, raw, not_open, &heard, e);

	buf_release(&heard);
	diag_free(s);
	return ok;
}

static void test_broken(void **state)
{
	static const char survey_of_two[] =
		"{\"items\":[" FULL("a", "\"r\"", D("x", 1, 0, 0)) "," FULL("b", "null", "") "]}";
	static const char list[] = "[{\"code\":\"a\\u0031\",\"range\":" R(
		0, 0) ",\"source\":\"s\","
		      "\"severity\":1,\"message\":\"m\"},{\"range\":" R(
			      1, 0) ",\"code\":"
				    "12,\"message\":{\"value\":\"v\"}}]";
	static const char report[] = "{\"kind\":\"full\",\"resultId\":\"r\",\"items\":[" D(
		"x", 1, 0,
		0) "],"
		   "\"relatedDocuments\":{\"file:///w/b\":{\"kind\":\"full\",\"items\":[" D(
			   "y", 2, 0, 0) "]}}}";

	(void)state;
	assert_cut(list, decode_list);
	assert_garbled(list, decode_list);
	assert_cut(report, decode_report);
	assert_garbled(report, decode_report);
	assert_cut(survey_of_two, decode_survey);
	assert_garbled(survey_of_two, decode_survey);
}

static void test_many(void **state)
{
	struct diag_store *s = diag_new();
	struct buf raw = BUF_INIT;
	const struct diag **v;

	(void)state;
	buf_addc(&raw, '[');
	for (int i = 0; i < 10000; i++)
		buf_addf(&raw,
			 "%s{\"message\":\"m%d\",\"range\":{\"start\":{\"line\":%d,"
			 "\"character\":0},\"end\":{\"line\":9,\"character\":9}}}",
			 i ? "," : "", i, 9999 - i);
	buf_addc(&raw, ']');
	publish(s, "a", "/w/a.c", raw.p);
	assert_int_equal(diag_list(s, "/w/a.c", DIAG_HINT, &v), 10000);
	for (unsigned i = 0; i < 10000; i++)
		assert_int_equal(v[i]->range.from.line, i);
	assert_text(v[0]->message, STR("m9999"));
	free(v);
	buf_release(&raw);
	diag_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),	 cmocka_unit_test(test_replace_and_forget),
		cmocka_unit_test(test_members),	 cmocka_unit_test(test_pulled),
		cmocka_unit_test(test_summary),	 cmocka_unit_test(test_broken),
		cmocka_unit_test(test_many),	 cmocka_unit_test(test_adopt),
		cmocka_unit_test(test_surveyed), cmocka_unit_test(test_take),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
