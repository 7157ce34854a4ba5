#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gen.h"
#include "lsp/diag_compare.h"
#include "lsp/symbols_touched.h"

#define D(message, severity, code, line, col)                                                      \
	"{\"message\":\"" message "\",\"severity\":" #severity ",\"code\":\"" code                 \
	"\",\"range\":{\"start\":{\"line\":" #line ",\"character\":" #col                          \
	"},\"end\":{\"line\":" #line ",\"character\":99}}}"

/* What is new after the change, as "line:message" in the order of the list, with blanks between. */
static void fresh(const char *was, const char *before, const char *now, const char *after,
		  const char *want)
{
	struct diag_store *s = diag_new();
	struct doc *old_doc = doc_new("/w/a.c", str_of(was)),
		   *new_doc = doc_new("/w/a.c", str_of(now));
	const struct diag **old_list, **new_list;
	struct diff moved = { 0 };
	struct buf out = BUF_INIT;
	struct err e = ERR_INIT;
	bool is_new[32];
	size_t n, m;

	if (!diag_publish(s, "a", "/w/a.c", POS_UTF16, 1, str_of(before), &e) ||
	    !diag_publish(s, "b", "/w/b.c", POS_UTF16, 2, str_of(after), &e))
		fail_msg("%s", e.msg);
	n = diag_list(s, "/w/a.c", DIAG_HINT, &old_list);
	m = diag_list(s, "/w/b.c", DIAG_HINT, &new_list);
	diff_lines(&moved, str_of(was), str_of(now));
	diag_compare(&(struct diag_side){ old_list, n, old_doc },
		     &(struct diag_side){ new_list, m, new_doc }, &moved, is_new);
	for (size_t i = 0; i < m; i++)
		if (is_new[i])
			buf_addf(&out, "%s%u:%.*s", out.n ? " " : "", new_list[i]->range.from.line,
				 STR_ARG(new_list[i]->message));
	assert_text(buf_str(&out), str_of(want));
	buf_release(&out);
	diff_release(&moved);
	free(old_list);
	free(new_list);
	doc_free(old_doc);
	doc_free(new_doc);
	diag_free(s);
}

static void test_same_text(void **state)
{
	static const char text[] = "a\nb\nc\n";

	(void)state;
	fresh(text, "[]", text, "[]", "");
	fresh(text, "[]", text, "[" D("m", 1, "x", 1, 0) "]", "1:m");
	fresh(text, "[" D("m", 1, "x", 1, 0) "]", text, "[]", "");
	/* the column does not matter; code, message, severity and line do */
	fresh(text, "[" D("m", 1, "x", 1, 0) "]", text, "[" D("m", 1, "x", 1, 1) "]", "");
	fresh(text, "[" D("m", 1, "x", 1, 0) "]", text, "[" D("m", 1, "y", 1, 0) "]", "1:m");
	fresh(text, "[" D("m", 1, "x", 1, 0) "]", text, "[" D("n", 1, "x", 1, 0) "]", "1:n");
	fresh(text, "[" D("m", 2, "x", 1, 0) "]", text, "[" D("m", 1, "x", 1, 0) "]", "1:m");
	fresh(text, "[" D("m", 1, "x", 1, 0) "]", text, "[" D("m", 1, "x", 2, 0) "]", "2:m");
}

static void test_moved_lines(void **state)
{
	(void)state;
	/* pushed down, and drawn up */
	fresh("a\nb\nc\n", "[" D("m", 1, "", 2, 0) "]", "new\na\nb\nc\n",
	      "[" D("m", 1, "", 3, 0) "]", "");
	fresh("a\nb\nc\n", "[" D("m", 1, "", 2, 0) "]", "new\na\nb\nc\n",
	      "[" D("m", 1, "", 2, 0) "]", "2:m");
	fresh("a\nb\nc\n", "[" D("m", 1, "", 2, 0) "]", "c\n", "[" D("m", 1, "", 0, 0) "]", "");
	/* before and after a change in the middle */
	fresh("a\nb\nc\n", "[" D("m", 1, "", 0, 0) "," D("m", 1, "", 2, 0) "]", "a\nx\ny\nc\n",
	      "[" D("m", 1, "", 0, 0) "," D("m", 1, "", 3, 0) "]", "");
}

static void test_replaced_lines(void **state)
{
	static const char was[] = "a\nb\nc\nd\ne\n", now[] = "a\nB\nBB\nc\nD\ne\n";

	(void)state;
	/* anywhere in what stands in their place, but not in another place that was changed */
	fresh(was, "[" D("m", 1, "", 1, 0) "]", now, "[" D("m", 1, "", 2, 0) "]", "");
	fresh(was, "[" D("m", 1, "", 1, 0) "]", now, "[" D("m", 1, "", 4, 0) "]", "4:m");
	fresh(was, "[" D("m", 1, "", 3, 0) "]", now, "[" D("m", 1, "", 4, 0) "]", "");
	/* lines that are gone take theirs with them */
	fresh("a\nb\nc\n", "[" D("m", 1, "", 1, 0) "]", "a\nc\n", "[" D("m", 1, "", 1, 0) "]",
	      "1:m");
}

static void test_counted(void **state)
{
	static const char text[] = "a\nb\n";

	(void)state;
	fresh(text, "[" D("m", 1, "", 0, 0) "]", text,
	      "[" D("m", 1, "", 0, 0) "," D("m", 1, "", 0, 5) "]", "0:m");
	fresh(text, "[" D("m", 1, "", 0, 0) "," D("m", 1, "", 0, 5) "]", text,
	      "[" D("m", 1, "", 0, 0) "," D("n", 1, "", 0, 5) "]", "0:n");
	fresh(text, "[" D("b", 1, "", 0, 0) "," D("d", 1, "", 0, 0) "]", text,
	      "[" D("a", 1, "", 0, 0) "," D("b", 1, "", 0, 0) "," D("c", 1, "", 0, 0) "," D(
		      "d", 1, "", 0, 0) "," D("e", 1, "", 0, 0) "]",
	      "0:a 0:c 0:e");
}

/* LSP's lines also end at a lone CR, those of a change do not; columns are past wide characters. */
static void test_lines_of_lsp(void **state)
{
	(void)state;
	fresh("a\rb\nc\n", "[" D("m", 1, "", 2, 0) "]", "x\na\rb\nc\n", "[" D("m", 1, "", 3, 0) "]",
	      "");
}

/* The names of the symbols that replacing `from` by "" touches. */
static void touched(const char *text, const char *symbols, const char *from, size_t nth,
		    const char *want)
{
	struct doc *d = doc_new("/w/a.c", str_of(text));
	struct symbols all = { 0 };
	struct edits set = EDITS_INIT;
	struct edit_clash why;
	struct err e = ERR_INIT;
	struct buf out = BUF_INIT;
	const struct symbol *v[32];
	size_t n, begin = 0;

	if (!symbols_of_document(str_of(symbols), "/w/a.c", &all, &e))
		fail_msg("%s", e.msg);
	for (size_t i = 0; i <= nth; i++)
		begin +=
			(size_t)str_find(str_sub(str_of(text), begin, strlen(text)), str_of(from)) +
			(i < nth);
	edits_add(&set, (struct span){ begin, begin + strlen(from) }, STR(""), 0);
	assert_true(edits_check(&set, strlen(text), &why));
	n = symbols_touched(&all, d, POS_UTF16, &set, v);
	for (size_t i = 0; i < n; i++)
		buf_addf(&out, "%s%.1s", out.n ? " " : "",
			 text + symbol_name_at(v[i], d, POS_UTF16));
	assert_text(buf_str(&out), str_of(want));
	buf_release(&out);
	edits_release(&set);
	symbols_release(&all);
	doc_free(d);
}

#define AT(a, b, c, d)                                                                             \
	"{\"start\":{\"line\":" #a ",\"character\":" #b "},\"end\":{\"line\":" #c                  \
	",\"character\":" #d "}}"
#define SYMBOL(name, kind, range, selection, children)                                             \
	"{\"name\":\"" name "\",\"kind\":" #kind ",\"range\":" range                               \
	",\"selectionRange\":" selection ",\"children\":[" children "]}"

/* Where the name of the only symbol stands, all of the text being its range and its name's. */
static size_t name_at(const char *name, const char *text)
{
	struct doc *d = doc_new("/w/a.ts", str_of(text));
	struct range all = { doc_pos(d, 0, POS_UTF16), doc_pos(d, strlen(text), POS_UTF16) };
	struct symbol s = { .name = str_of(name), .range = all, .name_range = all };
	size_t at = symbol_name_at(&s, d, POS_UTF16);

	doc_free(d);
	return at;
}

static void test_name_at(void **state)
{
	(void)state;
	assert_int_equal(name_at("area", "area(): void;"), 0);
	assert_int_equal(name_at("port", "export function port(): void;"), 16);
	assert_int_equal(name_at("operator==", "bool operator==(C);"), 5);
	assert_int_equal(name_at("(*C).f", "func (c *C) f() {}"), 12);
	assert_int_equal(name_at("impl", "fn f() {}"), 0); /* it stands nowhere so */
}

static void test_touched(void **state)
{
	static const char text[] = "class C\n f(x)\n  y = 1\n g()\n  2\nint v\n";
	static const char symbols[] =
		"[" SYMBOL("C", 5, AT(0, 0, 4, 3), AT(0, 6, 0, 7),
			   SYMBOL("f", 6, AT(1, 1, 2, 7), AT(1, 1, 1, 2),
				  SYMBOL("y", 13, AT(2, 2, 2, 7), AT(2, 2, 2, 3),
					 "")) "," SYMBOL("g", 6, AT(3, 1, 4, 3), AT(3, 1, 3, 2),
							 "")) "," SYMBOL("v", 13, AT(5, 0, 5, 5),
									 AT(5, 4, 5, 5), "") "]";

	(void)state;
	touched(text, symbols, "x", 0, "f");	 /* the method, not its class */
	touched(text, symbols, "y = 1", 0, "f"); /* what is local is the method's affair */
	touched(text, symbols, "class ", 0, "C");
	touched(text, symbols, "1\n g", 0, "C f g"); /* none of the inner ones is around it */
	touched(text, symbols, "f(x)\n  y = 1\n", 0, "C f");
	touched(text, symbols, "int", 0, "v");
	touched(text, symbols, "\nint v", 0, "v");
	touched(text, "[]", "x", 0, "");
}

static void test_touched_flat(void **state)
{
	static const char symbols[] =
		"[{\"name\":\"f\",\"kind\":12,\"location\":{\"uri\":\"file:///w/a.c\",\"range\":" AT(
			0, 0, 0, 10) "}}]";

	(void)state;
	touched("int f() {}\n", symbols, "{", 0, "f");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_text),      cmocka_unit_test(test_moved_lines),
		cmocka_unit_test(test_replaced_lines), cmocka_unit_test(test_counted),
		cmocka_unit_test(test_lines_of_lsp),   cmocka_unit_test(test_name_at),
		cmocka_unit_test(test_touched),	       cmocka_unit_test(test_touched_flat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
