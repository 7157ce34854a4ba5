#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/utf.h"
#include "sync_rig.h"

static void test_life(void **state)
{
	struct rig r = { 0 };
	struct doc *d = doc_new("/w/a.c", STR("int a;\n")), *other = doc_new("/w/b.c", STR(""));
	json *names = rig_parse("{\"cpp.x\":\"no\",\"cx\":\"c\"}");

	(void)state;
	r.spec.language_ids = names;
	rig_start(&r, INCREMENTAL);
	assert_false(sync_has(session_sync(r.s), d));
	assert_int_equal(sync_version(session_sync(r.s), "/w/a.c"), -1);
	session_open(r.s, d, "cx");
	session_open(r.s, d, "cx"); /* once is enough */
	session_flush(r.s);
	rig_tick(&r);
	RIG_SAW(&r, OPEN(1, "int a;\\n"));
	assert_true(sync_has(session_sync(r.s), d));
	assert_int_equal(sync_version(session_sync(r.s), "/w/a.c"), 1);
	doc_splice(d, (struct span){ 4, 5 }, STR("bc"));
	doc_splice(d, (struct span){ 7, 7 }, STR(" // \"q\"\t\x01"));
	rig_tick(&r);
	RIG_SAW(&r, ""); /* nobody asked yet */
	assert_int_equal(sync_version(session_sync(r.s), "/w/a.c"), 2);
	rig_ask(&r, "h", LSP_HOVER, 0);
	RIG_SAW(&r, CHANGE(2, AT(0, 4, 0, 5, "bc") "," AT(0, 7, 0, 7, " // \\\"q\\\"\\t\\u0001"))
			    HOVER);
	session_flush(r.s);
	session_saved(r.s, d);
	session_saved(r.s, other);
	rig_tick(&r);
	RIG_SAW(&r,
		NOTIFY("textDocument/didSave", "{\"textDocument\":{\"uri\":\"file:///w/a.c\"}}"));
	doc_splice(d, (struct span){ 0, 3 }, STR("long"));
	session_saved(r.s, d);
	rig_tick(&r);
	RIG_SAW(&r, CHANGE(3, AT(0, 0, 0, 3, "long"))
			    NOTIFY("textDocument/didSave",
				   "{\"textDocument\":{\"uri\":\"file:///w/a.c\"}}"));
	doc_splice(d, (struct span){ 0, 4 }, STR(""));
	session_close(r.s, d);
	session_close(r.s, d);
	rig_tick(&r);
	RIG_SAW(&r,
		NOTIFY("textDocument/didClose", "{\"textDocument\":{\"uri\":\"file:///w/a.c\"}}"));
	assert_false(sync_has(session_sync(r.s), d));
	assert_int_equal(sync_version(session_sync(r.s), "/w/a.c"), -1);
	/* counting goes on, so that what is still said of the first life is told apart */
	doc_set(d, STR("x"));
	rig_open(&r, d, "c");
	rig_tick(&r);
	RIG_SAW(&r, OPEN(4, "x"));
	rig_ask(&r, "h2", LSP_HOVER, 0);
	session_died(r.s, NULL);
	doc_set(d, STR("y")); /* a dead server's documents may go on changing */
	session_close(r.s, d);
	buf_clear(&r.trace);
	rig_release(&r);
	json_free(names);
	doc_free(d);
	doc_free(other);
}

/* Before the server is ready nothing is sent; then the text as it is by then. */
static void test_early(void **state)
{
	struct rig r = { 0 };
	struct doc *d = doc_new("/w/a.c", STR("\xef\xbb\xbfone"));

	(void)state;
	rig_init(&r);
	session_open(r.s, d, "c");
	session_start(r.s, 1, r.now, 0);
	doc_splice(d, (struct span){ 3, 6 }, STR("two"));
	session_flush(r.s);
	session_saved(r.s, d);
	rig_tick(&r);
	buf_clear(&r.trace);
	assert_int_equal(sync_version(session_sync(r.s), "/w/a.c"), -1);
	rig_say(&r, INCREMENTAL);
	RIG_SAW(&r, "ready\n" NOTIFY("initialized", "{}") OPEN(1, "two"));
	rig_release(&r);
	doc_free(d);
}

static void test_kinds(void **state)
{
	static const struct {
		const char *greeted, *want;
		int64_t version;
	} kinds[] = {
		{ RIG_GREETED("{\"textDocumentSync\":1}"),
		  OPEN(1, "ab")
			  NOTIFY("textDocument/didChange",
				 "{\"textDocument\":{\"uri\":\"file:///w/a.c\",\"version\":2},"
				 "\"contentChanges\":[{\"text\":\"c\\n\xc3\xa9\"}]}")
				  NOTIFY("textDocument/didSave",
					 "{\"textDocument\":{\"uri\":\"file:///w/a.c\"}}"),
		  2 },
		{ RIG_GREETED("{\"textDocumentSync\":{\"openClose\":true,\"save\":"
			      "{\"includeText\":true}}}"),
		  OPEN(1, "ab") NOTIFY("textDocument/didSave",
				       "{\"textDocument\":{\"uri\":\"file:///w/a.c\"},"
				       "\"text\":\"c\\n\xc3\xa9\"}"),
		  1 },
		{ RIG_GREETED("{\"textDocumentSync\":{\"change\":2,\"save\":true}}"), "", -1 },
		{ RIG_GREETED("{}"), "", -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct rig r = { 0 };
		struct doc *d = doc_new("/w/a.c", STR("ab"));

		rig_start(&r, kinds[i].greeted);
		rig_open(&r, d, "c");
		doc_splice(d, (struct span){ 0, 1 }, STR("c\n"));
		doc_splice(d, (struct span){ 2, 3 }, STR("\xc3\xa9"));
		session_saved(r.s, d);
		rig_tick(&r);
		RIG_SAW(&r, kinds[i].want);
		assert_true(sync_has(session_sync(r.s), d));
		assert_int_equal(sync_version(session_sync(r.s), "/w/a.c"), kinds[i].version);
		session_close(r.s, d);
		rig_release(&r);
		doc_free(d);
	}
}

/* A server may ask for documents after it is ready. */
static void test_registered_late(void **state)
{
	struct rig r = { 0 };
	struct doc *d = doc_new("/w/a.c", STR("ab"));

	(void)state;
	rig_start(&r, RIG_GREETED("{}"));
	rig_open(&r, d, "c");
	session_watched(r.s, "/w/none", 1);
	rig_say(&r, REQ(1, "client/registerCapability",
			"{\"registrations\":[{\"id\":\"1\",\"method\":\"textDocument/didOpen\"},"
			"{\"id\":\"2\",\"method\":\"textDocument/didChange\",\"registerOptions\":"
			"{\"syncKind\":2}},{\"id\":\"3\",\"method\":"
			"\"workspace/didChangeWatchedFiles\"}]}"));
	doc_splice(d, (struct span){ 2, 2 }, STR("c"));
	session_watched(r.s, "/w/x y", 2);
	session_watched(r.s, "/w/z", 3);
	session_flush(r.s);
	session_flush(r.s);
	rig_tick(&r);
	RIG_SAW(&r, "> {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}\n" OPEN(1, "ab")
			    CHANGE(2, AT(0, 2, 0, 2, "c"))
				    NOTIFY("workspace/didChangeWatchedFiles",
					   "{\"changes\":[{\"uri\":\"file:///w/x%20y\",\"type\":2},"
					   "{\"uri\":\"file:///w/z\",\"type\":3}]}"));
	rig_release(&r);
	doc_free(d);
}

/* --- An independent server: it keeps its text by what it is told --- */

/* The byte of a position, counted one character at a time in well-formed text. */
static size_t place(struct str text, const json *pos, enum pos_enc enc)
{
	int64_t line = json_get_int(pos, "line", -1), col = json_get_int(pos, "character", -1);
	size_t at = 0;

	assert_true(line >= 0 && col >= 0);
	while (line) {
		assert_true(at < text.n); /* no line past the last */
		if (text.p[at] == '\n' ||
		    (text.p[at] == '\r' && (at + 1 == text.n || text.p[at + 1] != '\n')))
			line--;
		at++;
	}
	while (col > 0) {
		struct utf u;

		assert_true(at < text.n && text.p[at] != '\n' && text.p[at] != '\r');
		u = utf_at(text, at);
		assert_true(u.ok);
		col -= enc == POS_UTF8 ? u.n : enc == POS_UTF16 ? 1 + (u.code > 0xffff) : 1;
		at += u.n;
	}
	assert_int_equal(col, 0); /* never into a character */
	return at;
}

struct mirror {
	struct buf text;
	int64_t version;
};

static void mirror_set(struct mirror *m, struct str text)
{
	buf_clear(&m->text);
	buf_add(&m->text, text);
}

static void mirror_change(struct mirror *m, const json *change, enum pos_enc enc)
{
	const json *range = json_get(change, "range");
	struct buf next = BUF_INIT;
	struct str now = buf_str(&m->text);
	size_t at, end;

	assert_true(json_is(json_get(change, "text"), JSON_STRING));
	if (!range) {
		mirror_set(m, json_get_str(change, "text"));
		return;
	}
	at = place(now, json_get(range, "start"), enc);
	end = place(now, json_get(range, "end"), enc);
	assert_true(at <= end);
	buf_add(&next, str_sub(now, 0, at));
	buf_add(&next, json_get_str(change, "text"));
	buf_add(&next, str_sub(now, end, now.n));
	buf_release(&m->text);
	m->text = next;
}

/* Reads all that was put out since the last time. */
static void mirror_hear(struct mirror *m, struct rig *r, enum pos_enc enc)
{
	struct str rest, line;

	rig_drain(r);
	for (rest = buf_str(&r->trace); str_line(&rest, &line);) {
		struct err e = ERR_INIT;
		json *msg = str_skip(&line, STR("> ")) ? json_parse(line, &e) : NULL;

		if (!msg)
			fail_msg("%.*s: %s", STR_ARG(line), e.msg);
		assert_true(json_get_int(msg, "params.textDocument.version", -1) > m->version);
		m->version = json_get_int(msg, "params.textDocument.version", -1);
		if (json_get(msg, "params.textDocument.text"))
			mirror_set(m, json_get_str(msg, "params.textDocument.text"));
		json_each(change, json_get(msg, "params.contentChanges"))
			mirror_change(m, change, enc);
		json_free(msg);
	}
	buf_clear(&r->trace);
}

/* What a server can know of a text: no byte order mark, and U+FFFD for what is no character. */
static void clean(struct str text, struct buf *out)
{
	str_skip(&text, STR("\xef\xbb\xbf"));
	for (size_t at = 0; at < text.n;) {
		struct utf u = utf_at(text, at);

		buf_add(out, u.ok ? str_sub(text, at, at + u.n) : STR(UTF_BAD));
		at += u.n;
	}
}

static void assert_in_step(struct mirror *m, struct rig *r, struct doc *d, enum pos_enc enc)
{
	struct buf want = BUF_INIT;

	session_flush(r->s);
	mirror_hear(m, r, enc);
	clean(doc_text(d), &want);
	assert_text(buf_str(&m->text), buf_str(&want));
	buf_release(&want);
}

static const char *greeting(enum pos_enc enc)
{
	static const char *const texts[] = {
		RIG_GREETED("{\"textDocumentSync\":2,\"positionEncoding\":\"utf-8\"}"),
		RIG_GREETED("{\"textDocumentSync\":2}"),
		RIG_GREETED("{\"textDocumentSync\":2,\"positionEncoding\":\"utf-32\"}"),
	};

	return texts[enc];
}

/* Well-formed up to BAD. */
static const char *const pieces[] = {
	"a",	    "b c",	    "\n",
	"\r\n",	    "\r",	    "\t",
	"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
	"\\",	    "\"",	    "\xef\xbb\xbf",
	"\xc3",	    "\xa9",	    "\x9f\x98",
	"\xff",
};
#define BAD 11

/* In most texts nothing is wrong, so that most changes can be told in positions. */
static void fill(struct gen *g, struct buf *out, bool bad, size_t n)
{
	gen_text(g, out, pieces, bad ? sizeof(pieces) / sizeof(*pieces) : BAD, n);
}

/* Any bytes, anywhere: halves of characters, of CRLFs, of byte order marks. */
static void splices(enum pos_enc enc, uint64_t seed)
{
	struct gen g = { seed };
	bool bad = gen_below(&g, 3) == 0;
	struct rig r = { 0 };
	struct mirror m = { 0 };
	struct buf text = BUF_INIT;
	struct doc *d;

	fill(&g, &text, bad, 1 + gen_below(&g, 12));
	d = doc_new("/w/a.c", buf_str(&text));
	rig_start(&r, greeting(enc));
	rig_open(&r, d, "c");
	for (int round = 0; round < 40; round++) {
		size_t n = doc_text(d).n, at = gen_below(&g, n + 1);
		size_t end = at + gen_below(&g, (n - at < 6 ? n - at : 6) + 1);

		buf_clear(&text);
		fill(&g, &text, bad, gen_below(&g, 4));
		doc_splice(d, (struct span){ at, end }, buf_str(&text));
		if (gen_below(&g, 3) == 0)
			assert_in_step(&m, &r, d, enc);
	}
	assert_in_step(&m, &r, d, enc);
	session_close(r.s, d);
	rig_release(&r);
	buf_release(&m.text);
	buf_release(&text);
	doc_free(d);
}

static void test_splices(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++)
		for (int enc = POS_UTF8; enc <= POS_UTF32; enc++)
			splices((enum pos_enc)enc, seed * 7919);
}

/* Whole sets of edits, told from the last to the first against the text before them. */
static void sets(enum pos_enc enc, uint64_t seed)
{
	struct gen g = { seed };
	bool bad = gen_below(&g, 2) == 0;
	struct rig r = { 0 };
	struct mirror m = { 0 };
	struct buf text = BUF_INIT;
	struct doc *d;

	fill(&g, &text, false, 5 + gen_below(&g, 30));
	d = doc_new("/w/a.c", buf_str(&text));
	rig_start(&r, greeting(enc));
	rig_open(&r, d, "c");
	for (int round = 0; round < 8; round++) {
		struct edits set = EDITS_INIT;
		struct edit_clash clash;

		for (size_t at = 0; at <= doc_text(d).n;) {
			size_t end = at + gen_below(&g, 3);

			if (end > doc_text(d).n)
				break;
			buf_clear(&text);
			fill(&g, &text, bad, gen_below(&g, 3));
			edits_add(&set, (struct span){ at, end }, buf_str(&text), 0);
			at = end + gen_below(&g, 5);
			at += at == end && end == doc_text(d).n;
		}
		assert_true(edits_check(&set, doc_text(d).n, &clash));
		doc_edit(d, &set);
		edits_release(&set);
		if (round % 2)
			assert_in_step(&m, &r, d, enc);
	}
	session_close(r.s, d);
	rig_release(&r);
	buf_release(&m.text);
	buf_release(&text);
	doc_free(d);
}

static void test_sets(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++)
		for (int enc = POS_UTF8; enc <= POS_UTF32; enc++)
			sets((enum pos_enc)enc, seed * 104729);
}

/* A CR that gets its LF by the later of two changes moves the place of the earlier. */
static void test_cr_meets_lf(void **state)
{
	struct rig r = { 0 };
	struct mirror m = { 0 };
	struct doc *d = doc_new("/w/a.c", STR("a\rb"));
	struct edits set = EDITS_INIT;
	struct edit_clash clash;

	(void)state;
	rig_start(&r, greeting(POS_UTF16));
	rig_open(&r, d, "c");
	edits_add(&set, (struct span){ 2, 2 }, STR("y"), 0);
	edits_add(&set, (struct span){ 2, 3 }, STR("\n"), 1);
	assert_true(edits_check(&set, 3, &clash));
	rig_drain(&r);
	doc_edit(d, &set);
	assert_in_step(&m, &r, d, POS_UTF16);
	edits_release(&set);
	session_close(r.s, d);
	rig_release(&r);
	buf_release(&m.text);
	doc_free(d);
}

/* What stays incremental, and what cannot. */
static void one(enum pos_enc enc, const char *text, size_t at, size_t end, const char *with,
		const char *want)
{
	struct rig r = { 0 };
	struct doc *d = doc_new("/w/a.c", str_of(text));

	rig_start(&r, greeting(enc));
	rig_open(&r, d, "c");
	rig_drain(&r);
	buf_clear(&r.trace);
	doc_splice(d, (struct span){ at, end }, str_of(with));
	session_flush(r.s);
	rig_drain(&r);
	RIG_SAW(&r, want);
	session_close(r.s, d);
	rig_release(&r);
	doc_free(d);
}

static void test_wide(void **state)
{
	(void)state;
	one(POS_UTF8, "\xf0\x9f\x98\x80x\n", 4, 5, "y", CHANGE(2, AT(0, 4, 0, 5, "y")));
	one(POS_UTF16, "\xf0\x9f\x98\x80x\n", 4, 5, "y", CHANGE(2, AT(0, 2, 0, 3, "y")));
	one(POS_UTF32, "\xf0\x9f\x98\x80x\n", 4, 5, "y", CHANGE(2, AT(0, 1, 0, 2, "y")));
	one(POS_UTF16, "\xef\xbb\xbfx\n", 3, 4, "y", CHANGE(2, AT(0, 0, 0, 1, "y")));
	one(POS_UTF16, "a\r\nb", 1, 3, "", CHANGE(2, AT(0, 1, 1, 0, "")));
	one(POS_UTF16, "a\nb", 2, 3, "", CHANGE(2, AT(1, 0, 1, 1, "")));
	one(POS_UTF16, "a\nb\n", 0, 4, "", CHANGE(2, AT(0, 0, 2, 0, "")));
	/* the middle of a CRLF and of a character have no position */
	one(POS_UTF16, "a\r\nb", 1, 2, "", CHANGE(2, "{\"text\":\"a\\nb\"}"));
	one(POS_UTF16, "\xc3\xa9", 1, 2, "\xa8", CHANGE(2, "{\"text\":\"\xc3\xa8\"}"));
	one(POS_UTF16, "x", 0, 0, "\xef\xbb\xbf", CHANGE(2, "{\"text\":\"x\"}"));
}

/* Changes that outgrow the text are not kept, nor told one by one: a small file rewritten all day,
 * or formatted. */
static void test_bounded(void **state)
{
	struct rig r = { 0 };
	struct doc *d = doc_new("/w/a.c", STR("x"));

	(void)state;
	rig_start(&r, INCREMENTAL);
	rig_open(&r, d, "c");
	for (int i = 0; i < 200; i++)
		doc_set(d, i % 2 ? STR("a") : STR("b"));
	buf_clear(&r.trace);
	session_flush(r.s);
	rig_drain(&r);
	assert_non_null(strstr(r.trace.p, CHANGE(2, "{\"text\":\"a\"}")));
	assert_true(r.trace.n < 2000);
	session_close(r.s, d);
	rig_release(&r);
	doc_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_life),	    cmocka_unit_test(test_early),
		cmocka_unit_test(test_kinds),	    cmocka_unit_test(test_registered_late),
		cmocka_unit_test(test_splices),	    cmocka_unit_test(test_sets),
		cmocka_unit_test(test_cr_meets_lf), cmocka_unit_test(test_wide),
		cmocka_unit_test(test_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
