#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cut.h"
#include "gen.h"
#include "lsp/symbol.h"

#define R(line, col)                                                                               \
	"{\"start\":{\"line\":" #line ",\"character\":" #col "},\"end\":{\"line\":" #line          \
	",\"character\":99}}"
#define SYM(name, kind, line)                                                                      \
	"\"name\":\"" name "\",\"kind\":" #kind                                                    \
	",\"range\":" R(line, 0) ",\"selectionRange\":" R(line, 4)

/* Children stand before the name of their parent once, and behind it once. */
static const char nested[] = "[{\"children\":[{" SYM("run", 6, 2) "},{" SYM(
	"size", 8,
	3) ",\"children\":[]},"
	   "{\"children\":[{" SYM("run", 6, 5) "}]," SYM("Inner", 5, 4) "}]," SYM(
		   "Outer", 5,
		   1) "},"
		      "{" SYM("run", 12,
			      8) ",\"detail\":\"void ()\",\"tags\":[1],\"children\":null},"
				 "{" SYM("main", 12, 9) ",\"detail\":null}]";

static const char flat[] = "[{\"location\":{\"range\":" R(
	3, 7) ",\"uri\":\"file:///w/a.c\"},\"name\":\"f\",\"kind\":12,"
	      "\"containerName\":\"ns\"},"
	      "{\"name\":\"g\",\"kind\":13,\"location\":{\"uri\":\"jdt://x\",\"range\":" R(4,
											   0) "}}]";

static void show(const struct symbols *s, const char *want)
{
	struct buf out = BUF_INIT;

	for (size_t i = 0; i < s->n; i++)
		buf_addf(&out, "%u %.*s|%.*s|%.*s %s %s %u:%u name %u:%u\n", s->v[i].depth,
			 STR_ARG(s->v[i].container), STR_ARG(s->v[i].name), STR_ARG(s->v[i].detail),
			 symbol_kind_name(s->v[i].kind), s->v[i].path.p, s->v[i].range.from.line,
			 s->v[i].range.from.col, s->v[i].name_range.from.line,
			 s->v[i].name_range.from.col);
	assert_text(buf_str(&out), str_of(want));
	buf_release(&out);
}

static void test_nested(void **state)
{
	struct symbols s;
	struct err e = ERR_INIT;

	(void)state;
	assert_true(symbols_of_document(str_of(nested), "/w/a.c", &s, &e));
	show(&s, "0 |Outer| class /w/a.c 1:0 name 1:4\n"
		 "1 Outer|run| method /w/a.c 2:0 name 2:4\n"
		 "1 Outer|size| field /w/a.c 3:0 name 3:4\n"
		 "1 Outer|Inner| class /w/a.c 4:0 name 4:4\n"
		 "2 Outer/Inner|run| method /w/a.c 5:0 name 5:4\n"
		 "0 |run|void () function /w/a.c 8:0 name 8:4\n"
		 "0 |main| function /w/a.c 9:0 name 9:4\n");
	symbols_release(&s);
}

static void test_flat(void **state)
{
	struct symbols s;
	struct err e = ERR_INIT;

	(void)state;
	assert_true(symbols_of_document(str_of(flat), "/w/b.c", &s, &e));
	show(&s, "0 ns|f| function /w/a.c 3:7 name 3:7\n"
		 "0 |g| variable /w/b.c 4:0 name 4:0\n");
	symbols_release(&s);
	/* of a workspace, what is in no file is left out, and a range may be missing */
	assert_true(symbols_of_workspace(str_of(flat), &s, &e));
	show(&s, "0 ns|f| function /w/a.c 3:7 name 3:7\n");
	symbols_release(&s);
	assert_true(symbols_of_workspace(
		STR("[{\"name\":\"x\",\"kind\":99,\"location\":{\"uri\":\"file:///w/x\"}}]"), &s,
		&e));
	show(&s, "0 |x| symbol /w/x 0:0 name 0:0\n");
	symbols_release(&s);
	assert_true(symbols_of_workspace(STR("null"), &s, &e));
	assert_int_equal(s.n, 0);
	symbols_release(&s);
}

static bool decode_document(struct str raw, struct err *e)
{
	struct symbols s;
	bool ok = symbols_of_document(raw, "/w/a.c", &s, e);

	symbols_release(&s);
	return ok;
}

static bool decode_workspace(struct str raw, struct err *e)
{
	struct symbols s;
	bool ok = symbols_of_workspace(raw, &s, e);

	symbols_release(&s);
	return ok;
}

static void refuse(const char *raw, enum err_code code, const char *what)
{
	struct err e = ERR_INIT;

	assert_false(decode_document(str_of(raw), &e));
	assert_int_equal(e.code, code);
	if (!strstr(e.msg, what))
		fail_msg("\"%s\" does not say \"%s\"", e.msg, what);
}

static void test_refused(void **state)
{
	struct buf deep = BUF_INIT;

	(void)state;
	refuse("[{\"kind\":1,\"range\":" R(0, 0) "}]", ERR_PROTOCOL, "name");
	refuse("[{\"kind\":1,\"name\":\"x\"}]", ERR_PROTOCOL, "range");
	refuse("[{\"name\":\"x\",\"location\":{\"range\":" R(0, 0) "}}]", ERR_PROTOCOL, "URI");
	refuse("{}", ERR_PROTOCOL, "array");
	for (int i = 0; i < 100000; i++)
		buf_adds(&deep, "[{\"children\":");
	refuse(deep.p, ERR_LIMIT, "nested");
	buf_release(&deep);
	assert_cut(nested, decode_document);
	assert_cut(flat, decode_workspace);
	assert_garbled(nested, decode_document);
	assert_garbled(flat, decode_workspace);
}

static void found(const struct symbols *s, const char *path, unsigned line)
{
	struct err e = ERR_INIT;
	const struct symbol *hit = symbols_find(s, str_of(path), &e);

	if (!hit)
		fail_msg("%s: %s", path, e.msg);
	assert_int_equal(hit->range.from.line, line);
}

static void not_found(const struct symbols *s, const char *path, enum err_code code,
		      const char *want)
{
	struct err e = ERR_INIT;

	assert_null(symbols_find(s, str_of(path), &e));
	assert_int_equal(e.code, code);
	assert_string_equal(e.msg, want);
}

static void test_find(void **state)
{
	struct symbols s;
	struct err e = ERR_INIT;

	(void)state;
	assert_true(symbols_of_document(str_of(nested), "/w/a.c", &s, &e));
	found(&s, "main", 9);
	found(&s, "Inner", 4);
	found(&s, "Inner/run", 5);
	found(&s, "Outer/run", 2);
	found(&s, "Outer/Inner/run", 5);
	found(&s, "/run", 8); /* of the top alone */
	found(&s, "run[0]", 2);
	found(&s, "run[1]", 5);
	found(&s, "run[2]", 8);
	found(&s, "main[0]", 9);
	not_found(&s, "run[3]", ERR_NOT_FOUND, "run[3] not found: the last is run[2]");
	not_found(&s, "run", ERR_AMBIGUOUS,
		  "3 symbols are named run: Outer/run (line 3) is [0], Outer/Inner/run (line 6) is "
		  "[1], run (line 9) is [2]; name the parent or the index");
	not_found(&s, "mian", ERR_NOT_FOUND,
		  "symbol mian not found; the nearest is main at line 10");
	not_found(&s, "Outer/sice", ERR_NOT_FOUND,
		  "symbol Outer/sice not found; the nearest is Outer/size at line 4");
	not_found(&s, "nner", ERR_NOT_FOUND,
		  "symbol nner not found; the nearest is Outer/Inner at line 5");
	not_found(&s, "somethingelse", ERR_NOT_FOUND,
		  "symbol somethingelse not found among the 7 in the document");
	not_found(&s, "", ERR_NOT_FOUND, "symbol  not found among the 7 in the document");
	symbols_release(&s);
}

/* Names may hold what a path is made of. */
static void test_find_odd_names(void **state)
{
	struct symbols s;
	struct err e = ERR_INIT;

	(void)state;
	assert_true(symbols_of_document(STR("[{" SYM("operator[]", 6, 1) "},{" SYM(
						"a[1]", 6, 2) "},{" SYM("x/y", 6, 3) "}]"),
					"/w/a.c", &s, &e));
	found(&s, "operator[]", 1);
	found(&s, "operator[][0]", 1);
	found(&s, "a[1]", 2);
	found(&s, "x/y", 3);
	found(&s, "y", 3);
	symbols_release(&s);
}

/* What one server nests another puts into the name. */
static void test_find_joined_names(void **state)
{
	struct symbols s;
	struct err e = ERR_INIT;

	(void)state;
	assert_true(symbols_of_document(
		STR("[{" SYM("Shape::area", 6, 1) "},{" SYM("(*Server).Handle", 6, 2) "},{" SYM("M.twice", 12, 3) "},{" SYM(
			"M:thrice", 12,
			4) "},"
			   "{" SYM("impl<T: Into<U>> From<T> for Square<T>", 5, 5) ",\"children\":[{" SYM(
				   "from", 6,
				   6) "}]},{" SYM("impl Square", 5,
						  7) ",\"children\":[{" SYM("size", 6,
									    8) "}]},{" SYM("operator()",
											   6,
											   9) "},{" SYM("a::~a",
													9,
													10) "}]"),
		"/w/a.c", &s, &e));
	found(&s, "Shape/area", 1);
	found(&s, "Shape::area", 1);
	found(&s, "area", 1);
	found(&s, "Server/Handle", 2);
	found(&s, "Server.Handle", 2);
	found(&s, "M/twice", 3);
	found(&s, "M.twice", 3);
	found(&s, "thrice", 4);
	found(&s, "Square/from", 6);
	found(&s, "Square/size", 8);
	found(&s, "Square[1]", 7);
	found(&s, "impl Square", 7);
	found(&s, "operator()", 9);
	found(&s, "a/~a", 10);
	symbols_release(&s);
	assert_true(
		symbols_of_document(STR("[{" SYM("impl Area for Shape", 19, 1) "},{" SYM(
					    "Shape", 23, 2) "},{" SYM("impl Shape", 19, 3) "}]"),
				    "/w/a.rs", &s, &e));
	found(&s, "Shape", 2);
	found(&s, "impl Shape", 3);
	symbols_release(&s);
}

/* The type's own parameters, in Go, are no part of a path. */
static void test_find_receivers(void **state)
{
	struct symbols s;
	struct err e = ERR_INIT;

	(void)state;
	assert_true(symbols_of_document(STR("[{" SYM("Stack", 23, 1) "},{" SYM(
						"(*Stack[T]).Push", 6,
						2) "},{" SYM("(Stack[K, V]).Len", 6, 3) "}]"),
					"/w/a.go", &s, &e));
	found(&s, "Stack/Push", 2);
	found(&s, "Stack.Push", 2);
	found(&s, "(*Stack).Push", 2);
	found(&s, "(*Stack[T]).Push", 2);
	found(&s, "Stack/Len", 3);
	found(&s, "Stack", 1);
	symbols_release(&s);
}

/* What makes one of a type is called like it. */
static void test_find_constructors(void **state)
{
	struct symbols s;
	struct err e = ERR_INIT;

	(void)state;
	assert_true(symbols_of_document(STR("[{" SYM("Vec", 5, 1) ",\"children\":[{" SYM(
						"Vec", 9, 2) "},{" SYM("Vec", 9, 3) "}]}]"),
					"/w/a.cpp", &s, &e));
	found(&s, "Vec", 1);
	found(&s, "Vec/Vec[0]", 2);
	found(&s, "Vec::Vec[1]", 3);
	symbols_release(&s);
	assert_true(symbols_of_document(STR("[{" SYM("Vec::Vec", 9, 4) "}]"), "/w/a.cpp", &s, &e));
	found(&s, "Vec", 4);
	symbols_release(&s);
}

static void last(const char *path, const char *name)
{
	assert_text(symbol_last(str_of(path)), str_of(name));
}

static void test_last(void **state)
{
	(void)state;
	last("area", "area");
	last("Shape/area", "area");
	last("Vec/operator/", "operator/");
	last("operator/=", "operator/=");
	last("operator/add", "add");
	last("Vec/", "");
}

static void chosen(const struct symbols *s, const char *path, const char *want)
{
	struct symbol_choice v[3];
	size_t n = symbols_choices(s, str_of(path), v, 3);
	struct buf got = BUF_INIT;

	for (size_t i = 0; i < n; i++)
		buf_addf(&got, "%u %.*s[%zu]\n", v[i].symbol->range.from.line, STR_ARG(v[i].name),
			 v[i].index);
	assert_text(buf_str(&got), str_of(want));
	buf_release(&got);
}

static void test_choices(void **state)
{
	struct symbols s;
	struct err e = ERR_INIT;

	(void)state;
	assert_true(symbols_of_document(str_of(nested), "/w/a.c", &s, &e));
	chosen(&s, "run", "2 run[0]\n5 run[1]\n8 run[2]\n");
	chosen(&s, "run[9]", "2 run[0]\n5 run[1]\n8 run[2]\n");
	chosen(&s, "Outer/rum", "2 [0]\n1 [0]\n3 [0]\n");
	chosen(&s, "nothing like it", "");
	symbols_release(&s);
}

static void test_many_ambiguous(void **state)
{
	struct buf raw = BUF_INIT;
	struct symbols s;
	struct err e = ERR_INIT;

	(void)state;
	buf_adds(&raw, "[{" SYM("twice", 6, 1) "}");
	for (int i = 0; i < 500; i++)
		buf_adds(&raw, ",{" SYM("twice", 6, 1) "}");
	buf_addc(&raw, ']');
	assert_true(symbols_of_document(buf_str(&raw), "/w/a.c", &s, &e));
	assert_null(symbols_find(&s, STR("twice"), &e));
	assert_non_null(strstr(e.msg, "more; name the parent or the index"));
	symbols_release(&s);
	buf_release(&raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nested),	       cmocka_unit_test(test_flat),
		cmocka_unit_test(test_refused),	       cmocka_unit_test(test_find),
		cmocka_unit_test(test_find_odd_names), cmocka_unit_test(test_find_joined_names),
		cmocka_unit_test(test_find_receivers), cmocka_unit_test(test_find_constructors),
		cmocka_unit_test(test_last),	       cmocka_unit_test(test_choices),
		cmocka_unit_test(test_many_ambiguous),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
