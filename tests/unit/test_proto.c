#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cut.h"
#include "gen.h"
#include "lsp/proto.h"

#define R(a, b, c, d)                                                                              \
	"{\"start\":{\"line\":" #a ",\"character\":" #b "},\"end\":{\"line\":" #c                  \
	",\"character\":" #d "}}"

static void assert_json(json *v, const char *want)
{
	struct buf out = BUF_INIT;

	json_print(&out, v);
	assert_text(buf_str(&out), str_of(want));
	buf_release(&out);
	json_free(v);
}

static void test_params(void **state)
{
	struct doc *d = doc_new("/w/a b.c", STR("x\n\xf0\x9f\x98\x80"
						"y\n"));
	struct format_style style = {
		.tab_size = 4, .trim = -1, .final_newline = 1, .trim_newlines = 0
	};
	struct span range = { 0, 6 };

	(void)state;
	assert_json(proto_doc("/w/\xc3\xa9#.c"),
		    "{\"textDocument\":{\"uri\":\"file:///w/%C3%A9%23.c\"}}");
	assert_json(proto_at(d, 6, POS_UTF16), "{\"textDocument\":{\"uri\":\"file:///w/a%20b.c\"},"
					       "\"position\":{\"line\":1,\"character\":2}}");
	assert_json(
		proto_references(d, 6, POS_UTF32, true),
		"{\"textDocument\":{\"uri\":\"file:///w/a%20b.c\"},"
		"\"position\":{\"line\":1,\"character\":1},\"context\":{\"includeDeclaration\":true}}");
	assert_json(proto_rename(d, 6, POS_UTF8, STR("n\"")),
		    "{\"textDocument\":{\"uri\":\"file:///w/a%20b.c\"},"
		    "\"position\":{\"line\":1,\"character\":4},\"newName\":\"n\\\"\"}");
	assert_json(
		proto_format(d, NULL, POS_UTF8, &style),
		"{\"textDocument\":{\"uri\":\"file:///w/a%20b.c\"},\"options\":{\"tabSize\":4,"
		"\"insertSpaces\":false,\"insertFinalNewline\":true,\"trimFinalNewlines\":false}}");
	assert_json(
		proto_format(d, &range, POS_UTF16, &style),
		"{\"textDocument\":{\"uri\":\"file:///w/a%20b.c\"},\"range\":" R(
			0, 0, 1,
			2) ","
			   "\"options\":{\"tabSize\":4,\"insertSpaces\":false,\"insertFinalNewline\":true,"
			   "\"trimFinalNewlines\":false}}");
	doc_free(d);
}

/* "path line:col-line:col", a line each, and how many were foreign. */
static void show_locations(const char *raw, const char *want)
{
	struct locations l;
	struct err e = ERR_INIT;
	struct buf out = BUF_INIT;
	size_t foreign;

	if (!proto_locations(str_of(raw), &l, &foreign, &e))
		fail_msg("%s: %s", raw, e.msg);
	for (size_t i = 0; i < l.n; i++)
		buf_addf(&out, "%s %u:%u-%u:%u\n", l.v[i].path.p, l.v[i].range.from.line,
			 l.v[i].range.from.col, l.v[i].range.to.line, l.v[i].range.to.col);
	buf_addf(&out, "%zu foreign\n", foreign);
	assert_text(buf_str(&out), str_of(want));
	buf_release(&out);
	locations_release(&l);
}

#define LINK                                                                                       \
	"{\"targetSelectionRange\":" R(5, 6, 7, 8) ",\"originSelectionRange\":" R(                 \
		9, 9, 9, 9) ",\"targetUri\":\"file:///w/b.c\",\"targetRange\":" R(1, 2, 30, 4) "}"

static void test_locations(void **state)
{
	(void)state;
	show_locations("null", "0 foreign\n");
	show_locations("", "0 foreign\n");
	show_locations("[]", "0 foreign\n");
	show_locations("{\"uri\":\"file:///w/a%20b.c\",\"range\":" R(1, 2, 3, 4) "}",
		       "/w/a b.c 1:2-3:4\n0 foreign\n");
	show_locations(
		" [ " LINK " ,{\"range\":" R(
			1, 2, 3,
			4) ",\"extra\":{\"uri\":[1,\"]\"]},"
			   "\"uri\":\"file:///w/./x/../a.c\"},{\"uri\":\"jdt://x/A.class\",\"range\":" R(
				   0, 0, 0,
				   0) "},{\"uri\":\"file:\\/\\/\\/w\\/\\u00e9\",\"range\":" R(0, 0,
											      0,
											      2147483647) "}]",
		"/w/b.c 5:6-7:8\n/w/a.c 1:2-3:4\n/w/\xc3\xa9 0:0-0:2147483647\n1 foreign\n");
}

static bool decode_locations(struct str raw, struct err *e)
{
	struct locations l;
	size_t foreign;
	bool ok = proto_locations(raw, &l, &foreign, e);

	locations_release(&l);
	return ok;
}

static void refuse(decoder *fn, const char *raw, enum err_code code, const char *what)
{
	struct err e = ERR_INIT;

	if (fn(str_of(raw), &e))
		fail_msg("taken: %s", raw);
	assert_int_equal(e.code, code);
	if (!strstr(e.msg, what))
		fail_msg("\"%s\" does not say \"%s\"", e.msg, what);
}

static void test_locations_refused(void **state)
{
	(void)state;
	refuse(decode_locations, "[{\"range\":" R(1, 2, 3, 4) "}]", ERR_PROTOCOL, "URI");
	refuse(decode_locations, "[{\"uri\":\"file:///a\"}]", ERR_PROTOCOL, "range");
	refuse(decode_locations,
	       "[{\"uri\":\"file:///a\",\"range\":{\"start\":{\"line\":1,"
	       "\"character\":1}}}]",
	       ERR_PROTOCOL, "end");
	refuse(decode_locations, "[{\"uri\":\"file:///a\",\"range\":" R(-1, 2, 3, 4) "}]",
	       ERR_PROTOCOL, "negative number");
	refuse(decode_locations, "7", ERR_PROTOCOL, "array");
	refuse(decode_locations, "[] []", ERR_PROTOCOL, "follows");
}

static void test_locations_cut(void **state)
{
	static const char good[] =
		"[" LINK ",{\"uri\":\"file:///w/\\u00e9\",\"range\":" R(1, 2, 3, 4) "}]";

	(void)state;
	assert_cut(good, decode_locations);
	assert_garbled(good, decode_locations);
}

static void test_many_locations(void **state)
{
	struct buf raw = BUF_INIT;
	struct locations l;
	struct err e = ERR_INIT;
	size_t foreign;

	(void)state;
	buf_addc(&raw, '[');
	for (int i = 0; i < 10000; i++)
		buf_addf(&raw,
			 "%s{\"uri\":\"file:///w/%d.c\",\"range\":{\"start\":{\"line\":%d,"
			 "\"character\":1},\"end\":{\"line\":%d,\"character\":9}}}",
			 i ? "," : "", i / 10, i, i);
	buf_addc(&raw, ']');
	assert_true(proto_locations(buf_str(&raw), &l, &foreign, &e));
	assert_int_equal(l.n, 10000);
	assert_string_equal(l.v[9999].path.p, "/w/999.c");
	assert_int_equal(l.v[9999].range.from.line, 9999);
	assert_ptr_equal(l.v[9990].path.p, l.v[9999].path.p); /* named once */
	locations_release(&l);
	buf_release(&raw);
}

static void show_hover(const char *raw, const char *want)
{
	struct err e = ERR_INIT;
	struct buf out = BUF_INIT;

	if (!proto_hover(str_of(raw), &out, &e))
		fail_msg("%s: %s", raw, e.msg);
	assert_text(buf_str(&out), str_of(want));
	buf_release(&out);
}

static bool decode_hover(struct str raw, struct err *e)
{
	struct buf out = BUF_INIT;
	bool ok = proto_hover(raw, &out, e);

	buf_release(&out);
	return ok;
}

static void test_hover(void **state)
{
	(void)state;
	show_hover("null", "");
	show_hover("{\"contents\":{\"kind\":\"markdown\",\"value\":\"a\\n**b**\"},\"range\":" R(
			   0, 0, 0, 1) "}",
		   "a\n**b**");
	show_hover("{\"contents\":\"plain\"}", "plain");
	show_hover("{\"contents\":{\"value\":\"int x\",\"language\":\"c\"}}", "```c\nint x\n```");
	show_hover("{\"contents\":[{\"language\":\"c\",\"value\":\"int x\"},\"\",\"about x\"]}",
		   "```c\nint x\n```\n\nabout x");
	show_hover("{\"contents\":[]}", "");
	refuse(decode_hover, "{\"contents\":7}", ERR_PROTOCOL, "string");
	assert_cut("{\"contents\":[{\"language\":\"c\",\"value\":\"int x\"},\"about\"]}",
		   decode_hover);
	assert_garbled("{\"contents\":[{\"language\":\"c\",\"value\":\"int x\"},\"about\"]}",
		       decode_hover);
}

static void selections(const char *raw, const char *want)
{
	struct buf got = BUF_INIT;
	struct err e = ERR_INIT;
	struct range *v;
	size_t n;

	if (!proto_selections(str_of(raw), &v, &n, &e))
		fail_msg("%s: %s", raw, e.msg);
	for (size_t i = 0; i < n; i++)
		buf_addf(&got, "%u:%u-%u:%u\n", v[i].from.line, v[i].from.col, v[i].to.line,
			 v[i].to.col);
	assert_text(buf_str(&got), str_of(want));
	buf_release(&got);
	free(v);
}

static bool decode_selections(struct str raw, struct err *e)
{
	struct range *v;
	size_t n;
	bool ok = proto_selections(raw, &v, &n, e);

	free(v);
	return ok;
}

static void test_selections(void **state)
{
	static const char nested[] =
		"[{\"parent\":{\"range\":" R(1, 0, 4, 1) ",\"parent\":{\"range\":" R(
			0, 0, 9, 0) ",\"parent\":null}},\"range\":" R(2, 1, 3,
								      2) "},{\"range\":" R(7, 7, 7,
											   7) "}]";
	struct buf deep = BUF_INIT;

	(void)state;
	selections("null", "");
	selections("[]", "");
	selections("[null]", "");
	selections(nested, "2:1-3:2\n1:0-4:1\n0:0-9:0\n");
	refuse(decode_selections, "{}", ERR_PROTOCOL, "array");
	assert_cut(nested, decode_selections);
	assert_garbled(nested, decode_selections);
	for (int i = 0; i < 100000; i++)
		buf_adds(&deep, i ? "{\"parent\":" : "[{\"parent\":");
	refuse(decode_selections, deep.p, ERR_LIMIT, "nested");
	buf_release(&deep);
}

static void prepared(const char *raw, bool refused, bool ranged, const char *placeholder)
{
	struct prepared p;
	struct err e = ERR_INIT;

	if (!proto_prepared(str_of(raw), &p, &e))
		fail_msg("%s: %s", raw, e.msg);
	assert_int_equal(p.refused, refused);
	assert_int_equal(p.ranged, ranged);
	if (ranged)
		assert_int_equal(p.range.to.col, 4);
	assert_text(buf_str(&p.placeholder), str_of(placeholder));
	buf_release(&p.placeholder);
}

static bool decode_prepared(struct str raw, struct err *e)
{
	struct prepared p;
	bool ok = proto_prepared(raw, &p, e);

	buf_release(&p.placeholder);
	return ok;
}

static void test_prepared(void **state)
{
	(void)state;
	prepared("null", true, false, "");
	prepared(R(1, 2, 1, 4), false, true, "");
	prepared("{\"placeholder\":\"n\\u00e9\",\"range\":" R(1, 2, 1, 4) "}", false, true,
		 "n\xc3\xa9");
	prepared("{\"defaultBehavior\":true}", false, false, "");
	prepared("{\"defaultBehavior\":false}", true, false, "");
	refuse(decode_prepared, "{}", ERR_PROTOCOL, "no range");
	refuse(decode_prepared, "true", ERR_PROTOCOL, "object");
	refuse(decode_prepared, "{\"start\":{\"line\":1,\"character\":2}}", ERR_PROTOCOL, "end");
	assert_cut("{\"placeholder\":\"n\",\"range\":" R(1, 2, 1, 4) "}", decode_prepared);
	assert_cut(R(1, 2, 1, 4), decode_prepared);
	assert_garbled("{\"placeholder\":\"n\",\"range\":" R(1, 2, 1, 4) "}", decode_prepared);
}

static const char before[] = "one \xf0\x9f\x98\x80 two\r\nthree\n";

/* What the edits make of `before`. */
static void apply(const char *raw, enum pos_enc enc, const char *want)
{
	struct edits set = EDITS_INIT;
	struct line_table lines;
	struct err e = ERR_INIT;
	struct edit_clash clash;
	struct buf out = BUF_INIT;

	lines_init(&lines, str_of(before), LINES_LSP);
	if (!proto_edits(str_of(raw), &lines, str_of(before), enc, &set, &e))
		fail_msg("%s: %s", raw, e.msg);
	assert_true(edits_check(&set, strlen(before), &clash));
	edits_apply(&set, str_of(before), &out);
	assert_text(buf_str(&out), str_of(want));
	buf_release(&out);
	edits_release(&set);
	lines_release(&lines);
}

#define EDIT(r, t) "{\"newText\":\"" t "\",\"range\":" r "}"

static void test_edits(void **state)
{
	(void)state;
	apply("null", POS_UTF16, before);
	apply("[]", POS_UTF16, before);
	apply("[" EDIT(R(0, 7, 0, 10), "2") "]", POS_UTF16, "one \xf0\x9f\x98\x80 2\r\nthree\n");
	apply("[" EDIT(R(0, 9, 0, 12), "2") "]", POS_UTF8, "one \xf0\x9f\x98\x80 2\r\nthree\n");
	apply("[" EDIT(R(0, 6, 0, 9), "2") "]", POS_UTF32, "one \xf0\x9f\x98\x80 2\r\nthree\n");
	/* the wrong way round, past the end of the line, past the end of the text */
	apply("[" EDIT(R(0, 3, 0, 0), "1") "]", POS_UTF16, "1 \xf0\x9f\x98\x80 two\r\nthree\n");
	apply("[" EDIT(R(0, 0, 0, 999), "x") "]", POS_UTF16, "x\r\nthree\n");
	apply("[" EDIT(R(1, 5, 9, 9), "!\\n") "]", POS_UTF16,
	      "one \xf0\x9f\x98\x80 two\r\nthree!\n");
	/* at one place they keep their order; touching is no overlap */
	apply("[" EDIT(R(1, 0, 1, 0), "a") "," EDIT(R(1, 0, 1, 0), "b") "," EDIT(
		      R(1, 0, 1, 2), "c") "," EDIT(R(1, 2, 1, 5), "d") "]",
	      POS_UTF16, "one \xf0\x9f\x98\x80 two\r\nabcd\n");
	apply("[{\"range\":" R(1, 0, 1,
			       5) ",\"annotationId\":\"x\",\"newText\":\"\\ud83d\\ude00\"}]",
	      POS_UTF16, "one \xf0\x9f\x98\x80 two\r\n\xf0\x9f\x98\x80\n");
}

static bool decode_edits(struct str raw, struct err *e)
{
	struct edits set = EDITS_INIT;
	struct line_table lines;
	bool ok;

	lines_init(&lines, str_of(before), LINES_LSP);
	ok = proto_edits(raw, &lines, str_of(before), POS_UTF16, &set, e);
	edits_release(&set);
	lines_release(&lines);
	return ok;
}

static void test_edits_refused(void **state)
{
	static const char good[] =
		"[" EDIT(R(0, 7, 0, 10), "2") "," EDIT(R(0, 7, 0, 7), "\\u00e9\\n") "]";

	(void)state;
	refuse(decode_edits, "[{\"newText\":\"x\"}]", ERR_PROTOCOL, "range");
	refuse(decode_edits, "[{\"range\":" R(0, 0, 0, 0) "}]", ERR_PROTOCOL, "newText");
	refuse(decode_edits, "[{\"newText\":\"x\",\"range\":" R(0, -1, 0, 0) "}]", ERR_PROTOCOL,
	       "negative number");
	refuse(decode_edits,
	       "[{\"snippet\":{\"kind\":\"snippet\",\"value\":\"$1\"},\"range\":" R(0, 0, 0,
										    0) "}]",
	       ERR_UNSUPPORTED, "snippet");
	assert_cut(good, decode_edits);
	assert_garbled(good, decode_edits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_params),	       cmocka_unit_test(test_locations),
		cmocka_unit_test(test_locations_cut),  cmocka_unit_test(test_locations_refused),
		cmocka_unit_test(test_many_locations), cmocka_unit_test(test_hover),
		cmocka_unit_test(test_selections),     cmocka_unit_test(test_prepared),
		cmocka_unit_test(test_edits),	       cmocka_unit_test(test_edits_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
