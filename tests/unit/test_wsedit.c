#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hash.h"
#include "cut.h"
#include "gen.h"
#include "lsp/wsedit.h"
#include "memfs.c" /* a unit test is built from one file */
#include "memfs_source.h"

#define R(a, b, c, d)                                                                              \
	"{\"start\":{\"line\":" #a ",\"character\":" #b "},\"end\":{\"line\":" #c                  \
	",\"character\":" #d "}}"
#define EDIT(r, t) "{\"range\":" r ",\"newText\":\"" t "\"}"
#define DOC(path, version, edits)                                                                  \
	"{\"textDocument\":{\"uri\":\"file:///r/" path "\",\"version\":" version                   \
	"},\"edits\":[" edits "]}"
#define CHANGES(items) "{\"documentChanges\":[" items "]}"
#define CREATE(path, options)                                                                      \
	"{\"kind\":\"create\",\"uri\":\"file:///r/" path "\",\"options\":" options "}"
#define RENAME(from, to, options)                                                                  \
	"{\"kind\":\"rename\",\"oldUri\":\"file:///r/" from "\",\"newUri\":\"file:///r/" to        \
	"\",\"options\":" options "}"
#define REMOVE(path, options)                                                                      \
	"{\"kind\":\"delete\",\"uri\":\"file:///r/" path "\",\"options\":" options "}"

static struct memfs m;
static struct plan_source src;
static struct plan *p;
static struct wsedit_context ctx;
static struct wsedit_notes notes;
static struct err e;

static int64_t version_of(void *self, const char *path)
{
	(void)self;
	return !strcmp(path, "/r/open") ? 5 : -1;
}

static int start(void **state)
{
	(void)state;
	memfs_init(&m);
	memfs_put_dir(&m, "/r");
	memfs_put_dir(&m, "/r/d");
	memfs_put(&m, "/r/a", "one\ntwo\n", 0644);
	memfs_put(&m, "/r/b", "B\n", 0644);
	memfs_put(&m, "/r/open", "open\n", 0644);
	memfs_put(&m, "/r/a b#", "x\n", 0644);
	memfs_put(&m, "/r/wide", "\xc3\xa9\xf0\x9f\x98\x80 foo\rlone\r\n", 0644);
	memfs_put(&m, "/r/d/f", "f\n", 0644);
	memfs_put(&m, "/r/l1", "a \xe9\n  \xe8 b\n", 0644);
	src = memfs_source(&m);
	ctx = (struct wsedit_context){ POS_UTF16, "/r", NULL, version_of };
	p = plan_new(&src);
	notes = (struct wsedit_notes){ 0 };
	e = (struct err)ERR_INIT;
	return 0;
}

static int end(void **state)
{
	(void)state;
	plan_free(p);
	memfs_release(&m);
	wsedit_notes_release(&notes);
	return 0;
}

static int again(void)
{
	end(NULL);
	return start(NULL);
}

/* What each path comes to, whichever operations lead there. */
static void put_states(struct plan *plan, struct buf *out)
{
	size_t n;
	const struct txn_file *v = plan_states(plan, &n);

	for (size_t i = 0; i < n; i++)
		buf_addf(out, "%s %d %llx|", v[i].path, v[i].exists,
			 (unsigned long long)(v[i].edits ? v[i].now_hash : hash_of(v[i].now)));
}

/* The plan told as a WorkspaceEdit leads to the same. */
static void goes_back(void)
{
	struct wsedit_context plain = { .enc = POS_UTF16, .root = "/r" };
	struct wsedit_notes none = { 0 };
	struct buf raw = BUF_INIT, got = BUF_INIT, want = BUF_INIT;
	struct plan *other = plan_new(&src);
	json *edit = wsedit_of(p, &e);

	if (!edit)
		fail_msg("%s", e.msg);
	json_print(&raw, edit);
	if (!wsedit_add(other, buf_str(&raw), &plain, &none, &e) || !plan_finish(other, &e))
		fail_msg("%s: %s", raw.p, e.msg);
	put_states(other, &got);
	put_states(p, &want);
	assert_text(buf_str(&got), buf_str(&want));
	plan_free(other);
	json_free(edit);
	buf_release(&raw);
	buf_release(&got);
	buf_release(&want);
}

/* "name: text" of each file that changes, "name -> new: text" of a renamed one, "name: gone". */
static void becomes(const char *raw, const char *want)
{
	struct buf out = BUF_INIT;

	if (!wsedit_add(p, str_of(raw), &ctx, &notes, &e) || !plan_finish(p, &e))
		fail_msg("%s: %s", raw, e.msg);
	for (size_t i = 0; i < plan_files(p); i++) {
		const struct plan_file *f = plan_file(p, i);

		buf_adds(&out, f->path + strlen("/r/"));
		if (f->new_path)
			buf_addf(&out, " -> %s", f->new_path + strlen("/r/"));
		if (f->exists)
			buf_addf(&out, ": %.*s", STR_ARG(f->now));
		else
			buf_adds(&out, ": gone");
		buf_addc(&out, '|');
	}
	assert_text(buf_str(&out), str_of(want));
	buf_release(&out);
	goes_back();
}

static void refused(const char *raw, enum err_code code, const char *message)
{
	if (wsedit_add(p, str_of(raw), &ctx, &notes, &e))
		fail_msg("taken: %s", raw);
	assert_string_equal(e.msg, message);
	assert_int_equal(e.code, code);
	again();
}

static void test_nothing(void **state)
{
	(void)state;
	becomes("null", "");
	again();
	becomes("", "");
	again();
	becomes("{}", "");
	again();
	becomes("{\"changes\":null,\"documentChanges\":null,\"changeAnnotations\":null}", "");
	again();
	becomes(CHANGES(DOC("a", "null", "")), "");
}

static void test_changes(void **state)
{
	(void)state;
	becomes("{\"changes\":{\"file:///r/a\":[" EDIT(R(0, 0, 0, 3), "1") "," EDIT(
			R(1, 0, 1, 3),
			"2") "],\"file:///r/a%20b%23\":[" EDIT(R(0, 0, 0, 1),
							       "y") "],"
								    "\"file:\\/\\/\\/r\\/d\\/..\\/b\":[" EDIT(
									    R(0, 1, 0, 1),
									    "!") "]}}",
		"a: 1\n2\n|a b#: y\n|b: B!\n|");
}

static void test_document_changes_win(void **state)
{
	(void)state;
	becomes("{\"documentChanges\":[" DOC("a", "null",
					     EDIT(R(0, 0, 0, 3),
						  "1")) "],"
							"\"changes\":{\"file:///r/a\":[" EDIT(
								R(0, 0, 0, 3), "WRONG") "]}}",
		"a: 1\ntwo\n|");
	again();
	becomes("{\"changes\":{\"file:///r/a\":[" EDIT(R(0, 0, 0, 3),
						       "1") "]},"
							    "\"documentChanges\":null}",
		"a: 1\ntwo\n|");
}

/* Members in another order than servers send them. */
static void test_order_of_members(void **state)
{
	(void)state;
	becomes("{\"documentChanges\":[{\"edits\":[{\"newText\":\"1\",\"range\":{\"end\":"
		"{\"character\":3,\"line\":0},\"start\":{\"character\":0,\"line\":0}}}],"
		"\"extra\":[{}],\"textDocument\":{\"version\":null,\"uri\":\"file:///r/a\"}},"
		"{\"options\":{\"overwrite\":true},\"newUri\":\"file:///r/b\",\"oldUri\":"
		"\"file:///r/a\",\"kind\":\"rename\"}]}",
		"a -> b: 1\ntwo\n|b: gone|");
}

static void test_encodings(void **state)
{
	static const char *const raw[] = {
		CHANGES(DOC("wide", "null",
			    EDIT(R(0, 7, 0, 10), "bar") "," EDIT(R(1, 0, 1, 4), "L"))),
		CHANGES(DOC("wide", "null",
			    EDIT(R(0, 4, 0, 7), "bar") "," EDIT(R(1, 0, 1, 4), "L"))),
		CHANGES(DOC("wide", "null",
			    EDIT(R(0, 3, 0, 6), "bar") "," EDIT(R(1, 0, 1, 4), "L"))),
	};

	(void)state;
	for (int enc = POS_UTF8; enc <= POS_UTF32; enc++) {
		again();
		ctx.enc = (enum pos_enc)enc;
		becomes(raw[enc], "wide: \xc3\xa9\xf0\x9f\x98\x80 bar\rL\r\n|");
	}
}

static void refused_at_the_end(const char *raw)
{
	if (wsedit_add(p, str_of(raw), &ctx, &notes, &e) && plan_finish(p, &e))
		fail_msg("taken: %s", raw);
	assert_int_equal(e.code, ERR_CONFLICT);
	again();
}

/* Edits to one document belong together, also as several items and with others between them;
 * after a file operation they address what that left. */
static void test_groups(void **state)
{
	(void)state;
	becomes(CHANGES(DOC("a", "null", EDIT(R(0, 0, 0, 3), "first\\nline")) "," DOC(
			"b", "null", EDIT(R(0, 0, 0, 1), "b")) "," DOC("a", "null",
								       EDIT(R(1, 0, 1, 3), "2"))),
		"a: first\nline\n2\n|b: b\n|");
	again();
	becomes(CHANGES(DOC("a", "null", EDIT(R(0, 0, 1, 0), "")) "," CREATE("n", "null") "," DOC(
			"a", "null", EDIT(R(0, 0, 0, 3), "was two"))),
		"a: was two\n|n: |");
}

/* One edit said twice is one; insertions are not, nor edits that differ. */
static void test_doubles(void **state)
{
	(void)state;
	becomes(CHANGES(DOC("a", "null",
			    EDIT(R(0, 0, 0, 3), "1") "," EDIT(R(0, 3, 0, 3), "!") "," EDIT(
				    R(0, 0, 0, 3), "1") "," EDIT(R(0, 3, 0, 3), "!"))),
		"a: 1!!\ntwo\n|");
	again();
	refused_at_the_end(
		CHANGES(DOC("a", "null", EDIT(R(0, 0, 0, 3), "1") "," EDIT(R(0, 0, 0, 3), "2"))));
}

static void test_operations(void **state)
{
	(void)state;
	becomes(CHANGES(CREATE("n/x", "{}") "," DOC("n/x", "null", EDIT(R(0, 0, 0, 0), "new\\n"))),
		"n/x: new\n|");
	again();
	becomes(CHANGES(DOC("a", "null", EDIT(R(0, 0, 0, 3), "1")) "," RENAME(
			"a", "c", "null") "," DOC("c", "null", EDIT(R(1, 0, 1, 3), "2"))),
		"a -> c: 1\n2\n|");
	again();
	becomes(CHANGES(RENAME("a", "t", "{}") "," RENAME("b", "a", "{}") "," RENAME("t", "b",
										     "{}")),
		"a -> b: one\ntwo\n|b -> a: B\n|");
	again();
	becomes(CHANGES(REMOVE("a", "{}") "," REMOVE(
			"none", "{\"ignoreIfNotExists\":true}") "," REMOVE("d",
									   "{\"recursive\":true}")),
		"a: gone|d/f: gone|");
	again();
	becomes(CHANGES(CREATE("a", "{\"ignoreIfExists\":true}")), "");
	again();
	becomes(CHANGES(CREATE("a", "{\"overwrite\":true,\"ignoreIfExists\":true}")), "a: |");
	again();
	becomes(CHANGES(RENAME("a", "b", "{\"ignoreIfExists\":true}")), "");
	again();
	becomes(CHANGES(REMOVE("a", "null") "," CREATE("a", "null")), "a: |");
}

static void test_operations_refused(void **state)
{
	(void)state;
	refused(CHANGES(CREATE("a", "{\"overwrite\":false,\"ignoreIfExists\":null}")), ERR_CONFLICT,
		"a: already exists");
	refused(CHANGES(RENAME("none", "c", "null")), ERR_NOT_FOUND,
		"none: no such file or directory");
	refused(CHANGES(DOC("none", "null", EDIT(R(0, 0, 0, 0), "x"))), ERR_NOT_FOUND,
		"none: no such file");
	refused(CHANGES("{\"kind\":\"copy\",\"uri\":\"file:///r/a\"}"), ERR_UNSUPPORTED,
		"unknown file operation \"copy\"");
	refused(CHANGES("{\"kind\":\"create\",\"uri\":\"untitled:x\"}"), ERR_UNSUPPORTED,
		"untitled:x is not a file URI on this machine");
	refused(CHANGES("{\"kind\":\"rename\",\"oldUri\":\"file:///r/a\",\"newUri\":\"jdt://x\"}"),
		ERR_UNSUPPORTED, "jdt://x is not a file URI on this machine");
	refused("{\"changes\":{\"http://h/a\":[]}}", ERR_UNSUPPORTED,
		"http://h/a is not a file URI on this machine");
	refused(CHANGES("{\"kind\":\"create\"}"), ERR_PROTOCOL,
		"a document change does not name a document");
	refused(CHANGES("{\"textDocument\":{\"uri\":\"file:///r/a\"}}"), ERR_PROTOCOL,
		"a document change has neither edits nor a kind");
}

static void test_edits_refused(void **state)
{
	(void)state;
	refused(CHANGES(DOC("a", "null",
			    "{\"range\":" R(0, 0, 0, 0) ",\"snippet\":{\"kind\":\"snippet\","
							"\"value\":\"$1\"}}")),
		ERR_UNSUPPORTED, "a: the edit is a snippet, which needs a cursor to fill it in");
	refused(CHANGES(DOC("a", "null", EDIT(R(0, -4, 0, 0), "x"))), ERR_PROTOCOL,
		"a: a position has a negative number, -4");
	assert_false(
		wsedit_add(p,
			   STR(CHANGES(DOC("a", "null",
					   EDIT(R(0, 0, 0, 2), "x") "," EDIT(R(0, 1, 0, 3), "y")))),
			   &ctx, &notes, &e));
	assert_int_equal(e.code, ERR_CONFLICT);
	assert_int_equal(strncmp(e.msg, "a: ", 3), 0);
}

#define BAD "\xef\xbf\xbd"

/* A server has seen U+FFFD for each byte that is no UTF-8; written down that would be their end. */
static void test_bytes_outside_utf8(void **state)
{
	(void)state;
	/* beside them, in units of utf-16: one each */
	becomes(CHANGES(DOC("l1", "null", EDIT(R(0, 3, 0, 3), "!") "," EDIT(R(1, 4, 1, 5), "c"))),
		"l1: a \xe9!\n  \xe8 c\n|");
	again();
	/* a formatter that gives all the text */
	becomes(CHANGES(DOC("l1", "null", EDIT(R(0, 0, 2, 0), "a  " BAD "\\n" BAD " b\\n"))),
		"l1: a  \xe9\n\xe8 b\n|");
	again();
	/* of one kind, wherever they go */
	becomes(CHANGES(DOC("l1", "null", EDIT(R(0, 0, 0, 3), "(" BAD ")"))),
		"l1: (\xe9)\n  \xe8 b\n|");
	again();
	if (wsedit_add(p, STR(CHANGES(DOC("l1", "null", EDIT(R(0, 0, 2, 0), BAD " b, a " BAD)))),
		       &ctx, &notes, &e))
		fail_msg("taken");
	assert_int_equal(e.code, ERR_UNSUPPORTED);
	assert_non_null(strstr(e.msg, "l1: the file is not UTF-8"));
	again();
	/* moved from elsewhere */
	assert_false(wsedit_add(p, STR(CHANGES(DOC("l1", "null", EDIT(R(0, 0, 0, 0), BAD)))), &ctx,
				&notes, &e));
	again();
	/* its own, in a text that has none */
	becomes(CHANGES(DOC("a", "null", EDIT(R(0, 0, 0, 3), BAD))), "a: " BAD "\ntwo\n|");
}

static void test_versions(void **state)
{
	(void)state;
	becomes(CHANGES(DOC("open", "5", EDIT(R(0, 0, 0, 4), "x"))), "open: x\n|");
	again();
	becomes(CHANGES(DOC("open", "null", EDIT(R(0, 0, 0, 4), "x"))), "open: x\n|");
	again();
	becomes(CHANGES("{\"textDocument\":{\"uri\":\"file:///r/open\"},\"edits\":[" EDIT(
			R(0, 0, 0, 4), "x") "]}"),
		"open: x\n|");
	again();
	becomes(CHANGES(DOC("a", "7", EDIT(R(0, 0, 0, 3), "x"))), "a: x\ntwo\n|");
	again();
	ctx.version = NULL;
	becomes(CHANGES(DOC("open", "4", EDIT(R(0, 0, 0, 4), "x"))), "open: x\n|");
	again();
	refused(CHANGES(DOC("open", "4", EDIT(R(0, 0, 0, 4), "x"))), ERR_STALE,
		"open: the edit is for version 4, but the text is at version 5; try again");
	/* also where it changes nothing, and behind good ones: nothing of it counts */
	refused(CHANGES(DOC("a", "null", EDIT(R(0, 0, 0, 3), "x")) "," DOC("open", "6", "")),
		ERR_STALE,
		"open: the edit is for version 6, but the text is at version 5; try again");
	ctx.root = NULL;
	refused(CHANGES(DOC("open", "0", "")), ERR_STALE,
		"/r/open: the edit is for version 0, but the text is at version 5; try again");
}

#define NOTED(id) "{\"annotationId\":\"" id "\",\"range\":" R(0, 0, 0, 3) ",\"newText\":\"x\"}"

static void annotated(const char *map, const char *items, bool confirm, const char *labels)
{
	struct buf raw = BUF_INIT;

	again();
	buf_addf(&raw, "{\"documentChanges\":[%s],\"changeAnnotations\":%s}", items, map);
	if (!wsedit_add(p, buf_str(&raw), &ctx, &notes, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(notes.confirm, confirm);
	assert_text(buf_str(&notes.labels), str_of(labels));
	buf_release(&raw);
}

static void test_annotations(void **state)
{
	static const char map[] =
		"{\"sure\":{\"label\":\"fine\",\"needsConfirmation\":false},"
		"\"ask\":{\"label\":\"is\\nthis right\",\"needsConfirmation\":true,\"description\":"
		"\"d\"},\"ask2\":{\"needsConfirmation\":true,\"label\":\"other\"},"
		"\"unused\":{\"label\":\"u\",\"needsConfirmation\":true},\"bare\":{\"label\":\"b\"}}";

	(void)state;
	annotated(map, DOC("a", "null", NOTED("sure") "," EDIT(R(1, 0, 1, 0), "y")), false, "");
	annotated(map, DOC("a", "null", NOTED("bare")), false, "");
	annotated(map, DOC("a", "null", NOTED("ask")) "," DOC("b", "null", NOTED("ask")), true,
		  "is this right\n");
	annotated(map,
		  DOC("a", "null", NOTED("ask2")) ",{\"kind\":\"delete\",\"annotationId\":\"ask\","
						  "\"uri\":\"file:///r/b\"}",
		  true, "other\nis this right\n");
	again();
	refused(CHANGES(DOC("a", "null", NOTED("gone"))), ERR_PROTOCOL,
		"annotation \"gone\" is not defined");
}

static bool decode(struct str raw, struct err *why)
{
	bool ok;

	again();
	ok = wsedit_add(p, raw, &ctx, &notes, why);
	return ok;
}

static void test_broken(void **state)
{
	static const char items[] = "{\"documentChanges\":[" DOC("a", "null", NOTED("n")) "," CREATE(
		"n",
		"{\"overwrite\":true}") "," RENAME("b", "c",
						   "{}") "],"
							 "\"changeAnnotations\":{\"n\":{\"label\":\"l\",\"needsConfirmation\":true}}}";
	static const char map[] =
		"{\"changes\":{\"file:///r/a\":[" EDIT(R(0, 0, 0, 3),
						       "\\u00e9\\n") "],\"file:///r/b\":[]}}";

	(void)state;
	assert_cut(items, decode);
	assert_cut(map, decode);
	assert_garbled(items, decode);
	assert_garbled(map, decode);
}

static void test_many(void **state)
{
	struct buf raw = BUF_INIT, text = BUF_INIT;

	(void)state;
	buf_adds(&raw, "{\"documentChanges\":[");
	for (int i = 0; i < 10000; i++) {
		buf_addf(&raw,
			 "%s{\"textDocument\":{\"uri\":\"file:///r/many\",\"version\":null},"
			 "\"edits\":[{\"range\":{\"start\":{\"line\":%d,\"character\":0},\"end\":"
			 "{\"line\":%d,\"character\":1}},\"newText\":\"yy\"}]}",
			 i ? "," : "", i, i);
		buf_adds(&text, "x\n");
	}
	buf_adds(&raw, "]}");
	memfs_put(&m, "/r/many", text.p, 0644);
	if (!wsedit_add(p, buf_str(&raw), &ctx, &notes, &e) || !plan_finish(p, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(plan_edits(p), 10000);
	assert_int_equal(plan_file(p, 0)->now.n, 30000);
	buf_release(&raw);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, start, end)
		T(test_nothing),
		T(test_changes),
		T(test_document_changes_win),
		T(test_order_of_members),
		T(test_encodings),
		T(test_groups),
		T(test_doubles),
		T(test_operations),
		T(test_operations_refused),
		T(test_edits_refused),
		T(test_bytes_outside_utf8),
		T(test_versions),
		T(test_annotations),
		T(test_broken),
		T(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
