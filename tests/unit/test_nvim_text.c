// links: full
/* Neovim's lines and our bytes, held against a buffer of lines that is edited as Neovim does it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "front/nvim_text.h"
#include "gen.h"

/* A buffer as Neovim has it: lines without ends, at least one. */
struct lines {
	struct buf v[64];
	size_t n;
	bool eol;
};

static void lines_clear(struct lines *l)
{
	for (size_t i = 0; i < l->n; i++)
		buf_release(&l->v[i]);
	l->n = 0;
}

static void lines_of(struct lines *l, struct str text, bool eol)
{
	struct str line;

	lines_clear(l);
	l->eol = eol;
	while (str_line(&text, &line))
		buf_add(&l->v[l->n++], line);
	if (!l->n)
		buf_adds(&l->v[l->n++], "");
}

/* What Neovim would write. */
static void lines_text(const struct lines *l, struct buf *out)
{
	buf_clear(out);
	for (size_t i = 0; i < l->n; i++) {
		if (i)
			buf_addc(out, '\n');
		buf_add(out, buf_str(&l->v[i]));
	}
	if (l->eol && (l->n > 1 || l->v[0].n))
		buf_addc(out, '\n');
}

/* nvim_buf_set_text(), by the manual: replaces the range by lines. */
static void set_text(struct lines *l, const struct nvim_edit *ed)
{
	struct buf whole = BUF_INIT;

	assert_true(ed->end_row < l->n);
	assert_true(ed->col <= l->v[ed->row].n && ed->end_col <= l->v[ed->end_row].n);
	for (size_t i = 0; i < ed->row; i++) {
		buf_add(&whole, buf_str(&l->v[i]));
		buf_addc(&whole, '\n');
	}
	buf_add(&whole, str_sub(buf_str(&l->v[ed->row]), 0, ed->col));
	buf_add(&whole, buf_str(&ed->with));
	buf_add(&whole, str_sub(buf_str(&l->v[ed->end_row]), ed->end_col, l->v[ed->end_row].n));
	for (size_t i = ed->end_row + 1; i < l->n; i++) {
		buf_addc(&whole, '\n');
		buf_add(&whole, buf_str(&l->v[i]));
	}
	buf_addc(&whole, '\n'); /* so that an empty last line counts */
	lines_of(l, buf_str(&whole), l->eol);
	buf_release(&whole);
}

static void check_edit(const char *text, struct span s, const char *with, const char *want)
{
	struct lines l = { 0 };
	struct nvim_edit ne = { .with = BUF_INIT };
	struct edit ed = { .span = s, .with = str_of(with) };
	size_t n = strlen(text);
	struct nvim_text t = { doc_new("/x", str_of(text)), 1, !n || text[n - 1] == '\n' };
	struct buf got = BUF_INIT;

	lines_of(&l, str_of(text), t.eol);
	nvim_edit_of(&t, &ed, &ne);
	set_text(&l, &ne);
	lines_text(&l, &got);
	assert_string_equal(got.p ? got.p : "", want);
	buf_release(&got);
	buf_release(&ne.with);
	lines_clear(&l);
	doc_free(t.doc);
}

static void edits_inside_and_at_the_end(void **state)
{
	(void)state;
	check_edit("ab\ncd\n", (struct span){ 1, 4 }, "X\nY", "aX\nYd\n");
	check_edit("ab\ncd\n", (struct span){ 6, 6 }, "ef\n", "ab\ncd\nef\n");
	check_edit("ab\ncd\n", (struct span){ 6, 6 }, "ef", "ab\ncd\nef\n");
	check_edit("ab\ncd\n", (struct span){ 3, 6 }, "", "ab\n");
	check_edit("ab\ncd\n", (struct span){ 3, 6 }, "ef\ngh\n", "ab\nef\ngh\n");
	check_edit("ab\ncd\n", (struct span){ 4, 6 }, "", "ab\nc\n");
	check_edit("ab\ncd\n", (struct span){ 0, 6 }, "", "");
	check_edit("ab\ncd\n", (struct span){ 0, 6 }, "x\n", "x\n");
	check_edit("ab\ncd\n", (struct span){ 2, 6 }, "\n", "ab\n");
	check_edit("", (struct span){ 0, 0 }, "x", "x\n");
	check_edit("", (struct span){ 0, 0 }, "x\ny\n", "x\ny\n");
	check_edit("ab\ncd", (struct span){ 5, 5 }, "\nef", "ab\ncd\nef");
	check_edit("ab\ncd", (struct span){ 2, 5 }, "", "ab");
	check_edit("\n", (struct span){ 0, 1 }, "x\n", "x\n");
}

/* The arguments of an nvim_buf_lines_event, as Neovim packs them. */
static void pack_event(struct buf *out, size_t first, size_t last, struct str *line, size_t n)
{
	buf_clear(out);
	buf_add(out, (struct str){ "\x96\x01\x05", 3 }); /* [1, 5, ... */
	buf_addc(out, (char)first);
	buf_addc(out, (char)last);
	buf_addc(out, (char)(0x90 | n));
	for (size_t i = 0; i < n; i++) {
		buf_addc(out, (char)(0xa0 | line[i].n));
		buf_add(out, line[i]);
	}
	buf_addc(out, '\xc2'); /* no more */
}

static void one_event(struct gen *g, struct nvim_text *t, struct lines *l)
{
	static const char *const words[] = { "", "a", "bc", "\xc3\xa9", "x y" };
	struct str line[3];
	struct buf raw = BUF_INIT, whole = BUF_INIT, want = BUF_INIT;
	size_t first = gen_below(g, l->n + 1), last = first + gen_below(g, l->n - first + 1);
	size_t n = gen_below(g, 4);
	struct lines_event ev;
	struct err e = ERR_INIT;

	for (size_t i = 0; i < n; i++)
		line[i] = str_of(words[gen_below(g, 5)]);
	pack_event(&raw, first, last, line, n);
	assert_true(lines_event_read(&ev, buf_str(&raw), &e));
	assert_true(nvim_text_event(t, &ev, &e));
	for (size_t i = 0; i < l->n; i++) {
		for (size_t j = 0; i == first && j < n; j++)
			buf_addf(&whole, "%.*s\n", STR_ARG(line[j]));
		if (i < first || i >= last)
			buf_addf(&whole, "%.*s\n", STR_ARG(buf_str(&l->v[i])));
	}
	for (size_t j = 0; first == l->n && j < n; j++)
		buf_addf(&whole, "%.*s\n", STR_ARG(line[j]));
	lines_of(l, buf_str(&whole), l->eol);
	lines_text(l, &want);
	assert_text(doc_text(t->doc), buf_str(&want));
	assert_int_equal(t->lines, l->n);
	buf_release(&raw);
	buf_release(&whole);
	buf_release(&want);
}

static void events_against_lines(void **state)
{
	struct gen g = { 20261121 };

	(void)state;
	for (int round = 0; round < 400; round++) {
		bool eol = gen_below(&g, 2);
		struct lines l = { 0 };
		struct nvim_text t = { doc_new("/x", STR("")), 1, eol };

		lines_of(&l, STR("one\ntwo\nthree\n"), eol);
		nvim_text_set(&t, STR("one\ntwo\nthree"), 3);
		for (int i = 0; i < 30 && l.n < 50; i++)
			one_event(&g, &t, &l);
		lines_clear(&l);
		doc_free(t.doc);
	}
}

static void an_event_out_of_step_is_an_error(void **state)
{
	struct nvim_text t = { doc_new("/x", STR("one\n")), 1, true };
	struct buf raw = BUF_INIT;
	struct lines_event ev;
	struct err e = ERR_INIT;

	(void)state;
	pack_event(&raw, 5, 6, NULL, 0);
	assert_true(lines_event_read(&ev, buf_str(&raw), &e));
	assert_false(nvim_text_event(&t, &ev, &e));
	assert_int_equal(e.code, ERR_PROTOCOL);
	assert_text(doc_text(t.doc), STR("one\n"));
	buf_release(&raw);
	doc_free(t.doc);
}

static void the_last_line_end_follows_the_option(void **state)
{
	struct nvim_text t = { doc_new("/x", STR("")), 1, false };

	(void)state;
	nvim_text_set(&t, STR("one\ntwo"), 2);
	assert_text(doc_text(t.doc), STR("one\ntwo"));
	nvim_text_eol(&t, true);
	assert_text(doc_text(t.doc), STR("one\ntwo\n"));
	nvim_text_eol(&t, false);
	assert_text(doc_text(t.doc), STR("one\ntwo"));
	assert_int_equal(t.lines, 2);
	doc_free(t.doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edits_inside_and_at_the_end),
		cmocka_unit_test(events_against_lines),
		cmocka_unit_test(an_event_out_of_step_is_an_error),
		cmocka_unit_test(the_last_line_end_follows_the_option),
	};

	return cmocka_run_group_tests_name("nvim_text", tests, NULL, NULL);
}
