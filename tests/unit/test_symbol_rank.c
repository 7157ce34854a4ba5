#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lsp/hover.h"
#include "lsp/symbol_rank.h"

static const char *match_name(enum symbol_match m)
{
	static const char *const names[] = { "other", "part", "prefix", "case", "exact" };

	return names[m];
}

static void match(const char *container, const char *name, const char *want, enum symbol_match is)
{
	struct symbol s = { .container = str_of(container), .name = str_of(name) };

	assert_string_equal(match_name(symbol_alike(&s, str_of(want))), match_name(is));
}

static void test_alike(void **state)
{
	(void)state;
	match("", "Station", "station", SYMBOL_CASE);
	match("", "Station", "stat", SYMBOL_PREFIX);
	match("", "Station", "ATIO", SYMBOL_PART);
	match("", "Station", "stations", SYMBOL_OTHER);
	match("", "Station", "", SYMBOL_OTHER);
	match("Station", "highest", "station::HIGHEST", SYMBOL_CASE);
	match("", "(*Station).Highest", "station.highest", SYMBOL_CASE);
	match("impl Peak for Station", "highest", "station/highest", SYMBOL_CASE);
	match("Station", "highest", "tation::highest", SYMBOL_OTHER);
	match("Station", "highest", "stat", SYMBOL_OTHER); /* the name counts, not what it is in */
	match("Station", "highest", "high", SYMBOL_PREFIX);
}

static void hinted(const char *path, const char *hint, enum path_hint is)
{
	assert_int_equal(path_hinted(str_of(path), str_of(hint)), is);
}

static void test_hint(void **state)
{
	(void)state;
	hinted("src/models.rs", "src/models.rs", HINT_WHOLE);
	hinted("src/models.rs", "./src/models.rs", HINT_WHOLE);
	hinted("/src/models.rs", "/src/models.rs", HINT_WHOLE);
	hinted("lib/src/models.rs", "src/models.rs", HINT_END);
	hinted("lib/src/models.rs", "Models.rs", HINT_END);
	hinted("src/.profile", ".profile", HINT_END);
	hinted("lib/src/models.rs", "models", HINT_STEM);
	hinted("lib/src/models.rs", "src/models", HINT_STEM);
	hinted("lib/src/models/mod.rs", "src/models", HINT_FOLDER);
	hinted("lib/src/models.rs", "src", HINT_FOLDER);
	hinted("lib/src/models.rs", "lib/src/", HINT_FOLDER);
	hinted("lib/src/models_2/mod.rs", "src/models", HINT_PART);
	hinted("lib/my_models.rs", "models", HINT_PART);
	hinted("src/models.rs", "views", HINT_OTHER);
	hinted("src/models.rs", "", HINT_OTHER);
	hinted("src/models.rs", "/", HINT_OTHER);
}

enum { FIELD = 8, CONSTRUCTOR = 9, FUNCTION = 12, VARIABLE = 13, STRUCT = 23 };

/* Each is better than all that come behind it. */
static void test_order(void **state)
{
	static const struct symbol_rank order[] = {
		{ SYMBOL_EXACT, 3, true, FUNCTION }, { SYMBOL_EXACT, 3, true, CONSTRUCTOR },
		{ SYMBOL_EXACT, 3, true, FIELD },    { SYMBOL_EXACT, 2, false, STRUCT },
		{ SYMBOL_EXACT, 0, true, STRUCT },   { SYMBOL_EXACT, 0, true, VARIABLE },
		{ SYMBOL_EXACT, 0, false, STRUCT },  { SYMBOL_EXACT, 0, false, VARIABLE },
		{ SYMBOL_CASE, 4, true, FUNCTION },  { SYMBOL_PREFIX, 4, true, FUNCTION },
		{ SYMBOL_PART, 4, true, FUNCTION },
	};
	size_t n = sizeof(order) / sizeof(*order);

	(void)state;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++) {
			int c = symbol_rank_cmp(&order[i], &order[k]);

			assert_int_equal((c > 0) - (c < 0), (i > k) - (i < k));
		}
}

static void test_equal(void **state)
{
	struct symbol_rank a = { SYMBOL_EXACT, 1, true, FUNCTION }, b = a;

	(void)state;
	b.kind = STRUCT;
	assert_int_equal(symbol_rank_cmp(&a, &b), 0);
	a.kind = FIELD;
	b.kind = VARIABLE;
	assert_int_equal(symbol_rank_cmp(&a, &b), 0);
}

static void documents(const char *hover, const char *is)
{
	struct str doc = hover_documentation(str_of(hover));

	assert_int_equal(doc.n, strlen(is));
	assert_memory_equal(doc.p, is, doc.n);
}

static void test_hover(void **state)
{
	(void)state;
	documents("\n```rust\na::b\n```\n\n```rust\nfn f()\n```\n\n---\n\nIt is.\n\n```\nf()\n```",
		  "It is.\n\n```\nf()\n```");
	documents("```python\ndef f()\n```\n---\nIt is.", "It is.");
	documents("\n```typescript\nf(): void\n```\nIt is.\n", "It is.");
	documents("### function `f`  \n\n---\nIt is.  \n\n---\n```cpp\nint f()\n```",
		  "### function `f`  \n\n---\nIt is.");
	documents("It is.\n\n```\nf()\n```", "It is.\n\n```\nf()\n```");
	documents("```c\nint f()\n```", "");
	documents("```c\nint f()", "");
	documents("It is.", "It is.");
	documents("```", "");
	documents("", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alike), cmocka_unit_test(test_hint),
		cmocka_unit_test(test_order), cmocka_unit_test(test_equal),
		cmocka_unit_test(test_hover),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
