#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "code/embedded.h"
#include "gen.h"

/* The parts of a text, with a bar between them. */
static void parts(enum embedded_form form, const char *text, const char *want)
{
	struct embedded p = embedded_of(form, str_of(text));
	struct buf got = BUF_INIT;
	struct span s;

	while (embedded_next(&p, &s)) {
		assert_true(s.at <= s.end && s.end <= p.text.n);
		buf_add(&got, str_sub(p.text, s.at, s.end));
		buf_adds(&got, "|");
	}
	assert_text(buf_str(&got), str_of(want));
	buf_release(&got);
}

static void test_all(void **state)
{
	(void)state;
	parts(EMBEDDED_ALL, "", "");
	parts(EMBEDDED_ALL, "a {{ b }}\n", "a {{ b }}\n|");
}

static void test_components(void **state)
{
	(void)state;
	parts(EMBEDDED_VUE,
	      "<!-- {{ no }} --><template><A :x=\"a > b\" y=\"no\" @z='c()' v-if=\"d\" {no}>no {no} "
	      "{{ e }}</A></template>\n<script setup lang=\"ts\">f<g</script>\n<style>{{no}}</style>",
	      "a > b|c()|d| e |f<g|");
	parts(EMBEDDED_SVELTE, "<script>a</script>\n<p on:x={b({c})} t=\"no\">no {d}</p>{#if e}{f",
	      "a|b({c})|d|#if e|f|");
	parts(EMBEDDED_ASTRO, "---\na\n---\n<p>{b}</p>---\nno\n---\n", "a|b|");
	parts(EMBEDDED_MDX,
	      "import a from 'b'\n\nno import `{no}`\n```js\nimport no\n{no}\n```\n<A b={c} />\n"
	      "export const d =\n  1\n\nno {e} ` {f}\n",
	      "import a from 'b'|c|export const d =\n  1|e|f|");
}

static void test_notebooks(void **state)
{
	(void)state;
	parts(EMBEDDED_NOTEBOOK,
	      "{\"cells\": [{\"cell_type\": \"markdown\", \"source\": [\"no\"]},\n"
	      "{\"cell_type\": \"code\", \"metadata\": {\"x\": \"no\"},\n"
	      "\"outputs\": [{\"text\": [\"no\"]}], \"source\": [\"a(\\\"b\\\")\\n\", \"c\"]},\n"
	      "{\"cell_type\": \"code\", \"source\": \"d\"}]}",
	      "a(\\\"b\\\")|c|d|");
}

static void test_what_does_not_end(void **state)
{
	static const char *const texts[] = {
		"<script", "<script>", "<",    "<a b=\"",	  "{{",	 "{", "```",
		"`",	   "---\n",    "<!--", "\"source\": [\"", "\"\\"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		for (int form = EMBEDDED_ALL; form <= EMBEDDED_NOTEBOOK; form++) {
			struct embedded p = embedded_of((enum embedded_form)form, str_of(texts[i]));
			size_t before = 0;
			struct span s;

			for (; embedded_next(&p, &s); before = s.end)
				assert_true(before <= s.at && s.at <= s.end && s.end <= p.text.n);
		}
	}
}

/* What is quadratic in the bytes takes minutes here. */
static void test_long(void **state)
{
	static const char *const pieces[] = { "{",	  "`",	    "``` ", "<a b=\"",
					      "<script>", "\"k\" ", "{{" };

	(void)state;
	for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		struct buf text = BUF_INIT;

		for (int n = 0; n < 50000; n++)
			buf_adds(&text, pieces[i]);
		for (int form = EMBEDDED_ALL; form <= EMBEDDED_NOTEBOOK; form++) {
			struct embedded p = embedded_of((enum embedded_form)form, buf_str(&text));
			size_t parts = 0;
			struct span s;

			while (embedded_next(&p, &s))
				parts++;
			assert_true(parts <= text.n);
		}
		buf_release(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),	  cmocka_unit_test(test_components),
		cmocka_unit_test(test_notebooks), cmocka_unit_test(test_what_does_not_end),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
