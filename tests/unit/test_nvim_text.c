// links: full
/* Neovim's lines and our bytes, held against a buffer of lines that is edited as Neovim does it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "gen.h"
#include "nvim/nvim_text.h"

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

/* A set of edits, as Neovim is asked to carry it out. */
static void set_all(struct lines *l, const struct nvim_text *t, const struct edits *set)
{
	struct nvim_edit ne = { .with = BUF_INIT };
	struct buf now = BUF_INIT;
	struct nvim_edits it = { .text = t, .set = set };

	edits_apply(set, doc_text(t->doc), &now);
	it.now = buf_str(&now);
	while (nvim_edits_next(&it, &ne))
		set_text(l, &ne);
	buf_release(&now);
	buf_release(&ne.with);
}

static void check_edit(const char *text, struct span s, const char *with, const char *want)
{
	struct lines l = { 0 };
	struct edits set = EDITS_INIT;
	size_t n = strlen(text);
	struct nvim_text t = { doc_new("/x", str_of(text)), 1, !n || text[n - 1] == '\n' };
	struct edit_clash why;
	struct buf got = BUF_INIT;

	edits_add(&set, s, str_of(with), 0);
	assert_true(edits_check(&set, n, &why));
	lines_of(&l, str_of(text), t.eol);
	set_all(&l, &t, &set);
	lines_text(&l, &got);
	assert_string_equal(got.p ? got.p : "", want);
	buf_release(&got);
	edits_release(&set);
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

/* Edits that change something: what the plan makes of any others. */
static void random_edits(struct gen *g, struct edits *set, struct str text)
{
	static const char *const words[] = { "a", "\n", "b\n", "\xc3\xa9", "cd\n", "" };
	struct edit_clash why;

	for (size_t at = 0; at <= text.n; at += gen_below(g, 4)) {
		size_t most = text.n - at;
		size_t len = gen_below(g, (most < 5 ? most : 5) + 1);
		struct buf with = BUF_INIT;

		GEN_TEXT(g, &with, words, gen_below(g, 3));
		edits_add(set, (struct span){ at, at + len }, buf_str(&with), 0);
		buf_release(&with);
		at += len;
		if (at == text.n && gen_below(g, 2))
			break;
	}
	assert_true(edits_check(set, text.n, &why));
	if (gen_below(g, 2)) {
		edits_reduce(set, text);
	} else { /* whole replacements, but nothing that is none */
		size_t kept = 0;

		for (size_t i = 0; i < set->n; i++)
			if (set->v[i].span.at < set->v[i].span.end || set->v[i].with.n)
				set->v[kept++] = set->v[i];
		set->n = kept;
	}
}

/* Edits that touch each other and the end of the text, in one change. */
static void edits_in_order(void **state)
{
	static const char *const pieces[] = { "a", "\n", "bc\n", "\xc3\xa9", "d", "ef\n" };
	struct gen g = { 20261122 };

	(void)state;
	for (int round = 0; round < 20000; round++) {
		bool eol = gen_below(&g, 2);
		struct lines l = { 0 };
		struct buf text = BUF_INIT, got = BUF_INIT;
		struct edits set = EDITS_INIT;
		struct nvim_text t = { NULL, 1, eol };

		GEN_TEXT(&g, &text, pieces, gen_below(&g, 9));
		if (eol && text.n && text.p[text.n - 1] != '\n')
			buf_addc(&text, '\n');
		t.doc = doc_new("/x", buf_str(&text));
		lines_of(&l, buf_str(&text), eol);
		if (!eol && text.n && text.p[text.n - 1] == '\n')
			buf_clear(&l.v[l.n++]);
		random_edits(&g, &set, buf_str(&text));
		set_all(&l, &t, &set);
		doc_edit(t.doc, &set);
		nvim_text_settle(&t);
		lines_text(&l, &got);
		if (!got.n && doc_text(t.doc).n) /* one empty line, which has its end or has none */
			buf_adds(&got, "\n");
		assert_text(buf_str(&got), doc_text(t.doc));
		assert_int_equal(t.lines, l.n);
		buf_release(&text);
		buf_release(&got);
		edits_release(&set);
		lines_clear(&l);
		doc_free(t.doc);
	}
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
		cmocka_unit_test(edits_in_order),
		cmocka_unit_test(events_against_lines),
		cmocka_unit_test(an_event_out_of_step_is_an_error),
		cmocka_unit_test(the_last_line_end_follows_the_option),
	};

	return cmocka_run_group_tests_name("nvim_text", tests, NULL, NULL);
}
