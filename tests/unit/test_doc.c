#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gen.h"
#include "text/doc.h"

/* A language server: it knows the text only by what the listener sends it, as positions, and
 * carries each change out before it looks at the next. */
struct mirror {
	struct buf text;
	int told;
	int64_t version;
	enum pos_enc enc;
};

static void follow(void *arg, struct doc *d, const struct doc_change *c)
{
	struct mirror *m = arg;
	struct pos from = doc_pos(d, c->was.at, m->enc), to = doc_pos(d, c->was.end, m->enc);
	struct line_table t;
	struct buf next = BUF_INIT;

	lines_init(&t, buf_str(&m->text), LINES_LSP);
	buf_add(&next,
		str_sub(buf_str(&m->text), 0, pos_to_byte(&t, buf_str(&m->text), from, m->enc)));
	buf_add(&next, c->with);
	buf_add(&next, str_sub(buf_str(&m->text), pos_to_byte(&t, buf_str(&m->text), to, m->enc),
			       m->text.n));
	lines_release(&t);
	buf_release(&m->text);
	m->text = next;
	m->told++;
	m->version = doc_version(d);
}

static void mirror_init(struct mirror *m, struct doc *d, enum pos_enc enc)
{
	*m = (struct mirror){ .enc = enc };
	buf_add(&m->text, doc_text(d));
	doc_listen(d, follow, m);
}

static void splices_are_told(void **state)
{
	struct doc *d = doc_new("/x", STR("one\ntwo\n"));
	struct mirror m;

	(void)state;
	mirror_init(&m, d, POS_UTF16);
	assert_int_equal(doc_version(d), 1);
	doc_splice(d, (struct span){ 4, 7 }, STR("2"));
	assert_text(doc_text(d), STR("one\n2\n"));
	assert_text(buf_str(&m.text), doc_text(d));
	assert_int_equal(doc_version(d), 2);
	assert_int_equal(m.version, 2);
	doc_splice(d, (struct span){ 0, 6 }, STR("a longer text\nthan before\n"));
	assert_text(buf_str(&m.text), doc_text(d));
	doc_splice(d, (struct span){ 0, 26 }, STR(""));
	assert_text(doc_text(d), STR(""));
	assert_int_equal(m.told, 3);
	doc_unlisten(d, follow, &m);
	doc_splice(d, (struct span){ 0, 0 }, STR("x"));
	assert_int_equal(m.told, 3);
	assert_int_equal(doc_version(d), 5);
	buf_release(&m.text);
	doc_free(d);
}

static void what_changes_nothing_is_no_change(void **state)
{
	struct doc *d = doc_new("/x", STR("one\ntwo\n"));
	struct edits set = EDITS_INIT;
	struct edit_clash why;
	struct mirror m;

	(void)state;
	mirror_init(&m, d, POS_UTF16);
	doc_splice(d, (struct span){ 4, 7 }, STR("two"));
	doc_splice(d, (struct span){ 4, 4 }, STR(""));
	doc_set(d, STR("one\ntwo\n"));
	edits_add(&set, (struct span){ 0, 3 }, STR("one"), 0);
	assert_true(edits_check(&set, 8, &why));
	doc_edit(d, &set);
	assert_int_equal(doc_version(d), 1);
	assert_int_equal(m.told, 0);
	edits_add(&set, (struct span){ 4, 4 }, STR("1"), 0);
	edits_add(&set, (struct span){ 4, 4 }, STR("2"), 0);
	assert_true(edits_check(&set, 8, &why));
	doc_edit(d, &set);
	assert_int_equal(doc_version(d), 2);
	assert_int_equal(m.told, 2);
	assert_text(doc_text(d), STR("one\n12two\n"));
	assert_text(buf_str(&m.text), doc_text(d));
	edits_release(&set);
	buf_release(&m.text);
	doc_free(d);
}

static void persons_count_from_one(void **state)
{
	struct doc *d = doc_new("/x", STR("\xef\xbb\xbf"
					  "a\xc3\xa9z\r\nlone\rcr\n"));
	size_t line, column;

	(void)state;
	assert_int_equal(doc_at(d, 1, 1), 3);
	assert_int_equal(doc_at(d, 0, 0), 3);
	assert_int_equal(doc_at(d, 1, 2), 4);
	assert_int_equal(doc_at(d, 1, 3), 4); /* inside a character */
	assert_int_equal(doc_at(d, 1, 4), 6);
	assert_int_equal(doc_at(d, 1, 5), 7);
	assert_int_equal(doc_at(d, 1, 99), 7);
	assert_int_equal(doc_at(d, 2, SIZE_MAX), 16);
	assert_int_equal(doc_at(d, 3, 7), 17);
	assert_int_equal(doc_at(d, 4, 1), 17);
	doc_where(d, 0, &line, &column);
	assert_int_equal(line * 100 + column, 101);
	doc_where(d, 6, &line, &column);
	assert_int_equal(line * 100 + column, 104);
	doc_where(d, 8, &line, &column); /* inside the CRLF */
	assert_int_equal(line * 100 + column, 105);
	doc_where(d, 14, &line, &column);
	assert_int_equal(line * 100 + column, 206);
	assert_text(doc_line(d, 1), STR("a\xc3\xa9z"));
	assert_text(doc_line(d, 2), STR("lone\rcr"));
	assert_text(doc_line(d, 3), STR(""));
	assert_text(doc_line(d, 0), STR(""));
	assert_text(doc_line(d, 4), STR(""));
	assert_int_equal(doc_lines(d, LINES_VIM)->n, 3);
	assert_int_equal(doc_lines(d, LINES_LSP)->n, 4);
	doc_free(d);
}

static void hash_follows_the_text(void **state)
{
	struct doc *d = doc_new("/x", STR("a")), *e = doc_new("/y", STR("b"));

	(void)state;
	assert_string_equal(doc_path(e), "/y");
	assert_true(doc_hash(d) != doc_hash(e));
	doc_set(d, STR("b"));
	assert_true(doc_hash(d) == doc_hash(e));
	doc_free(d);
	doc_free(e);
	doc_free(NULL);
}

static void count_release(void *thing)
{
	++*(int *)thing;
}

static void other_release(void *thing)
{
	(void)thing;
}

static void what_is_kept_of_a_text_goes_with_it(void **state)
{
	struct doc *d = doc_new("/x", STR("one"));
	struct edits set = EDITS_INIT;
	int released = 0;

	(void)state;
	doc_keep(d, &released, count_release);
	assert_ptr_equal(doc_kept(d, count_release), &released);
	assert_null(doc_kept(d, other_release));
	doc_set(d, STR("one"));
	assert_ptr_equal(doc_kept(d, count_release), &released);
	doc_set(d, STR("two"));
	assert_null(doc_kept(d, count_release));
	assert_int_equal(released, 1);
	doc_keep(d, &released, count_release);
	doc_splice(d, (struct span){ 0, 1 }, STR("T"));
	assert_int_equal(released, 2);
	doc_keep(d, &released, count_release);
	edits_add(&set, (struct span){ 0, 3 }, STR("six"), 0);
	doc_edit_to(d, &set, STR("six"));
	assert_int_equal(released, 3);
	doc_keep(d, &released, count_release);
	doc_keep(d, &released, count_release);
	assert_int_equal(released, 4);
	doc_free(d);
	assert_int_equal(released, 5);
	edits_release(&set);
}

/* A text that was lent is its owner's, whatever becomes of the document. */
static void a_lent_text_stays_as_it_is(void **state)
{
	struct edits set = EDITS_INIT;
	struct edit_clash why;
	char text[] = "one two", made[] = "1 two";

	(void)state;
	edits_add(&set, (struct span){ 0, 3 }, STR("1"), 0);
	assert_true(edits_check(&set, strlen(text), &why));
	for (int i = 0; i < 5; i++) {
		struct doc *d = doc_lent("/x", str_of(text));

		assert_ptr_equal(doc_text(d).p, text);
		if (i == 0)
			doc_splice(d, (struct span){ 0, 3 }, STR("1"));
		else if (i == 1)
			doc_edit(d, &set);
		else if (i == 2)
			doc_edit_to(d, &set, str_of(made));
		else if (i == 3)
			doc_own(d);
		assert_true((doc_text(d).p == made) == (i == 2));
		assert_true((doc_text(d).p == text) == (i == 4));
		assert_text(doc_text(d), i < 3 ? STR("1 two") : STR("one two"));
		assert_int_equal(doc_version(d), i < 3 ? 2 : 1);
		assert_string_equal(text, "one two");
		doc_free(d);
	}
	edits_release(&set);
}

static void a_lent_text_has_the_lines_of_its_document(void **state)
{
	struct doc *d = doc_new("/x", STR("a\nb\r\nc")), *lent;
	struct edits set = EDITS_INIT;
	char made[] = "1\n2\na\nb\r\nc";

	(void)state;
	assert_int_equal(doc_lines(d, LINES_LSP)->n, 3);
	lent = doc_lent_of(d);
	assert_ptr_equal(doc_text(lent).p, doc_text(d).p);
	assert_int_equal(doc_pos(lent, 5, POS_UTF16).line, 2);
	assert_text(doc_line(lent, 3), STR("c"));
	edits_add(&set, (struct span){ 0, 0 }, STR("1\n2\n"), 0);
	doc_edit_to(lent, &set, str_of(made));
	assert_int_equal(doc_pos(lent, 9, POS_UTF16).line, 4);
	assert_text(doc_line(lent, 5), STR("c"));
	assert_int_equal(doc_pos(d, 5, POS_UTF16).line, 2);
	edits_release(&set);
	doc_free(lent);
	doc_free(d);
}

static const char *const pieces[] = {
	"a", "bc", "\n", "\r\n", "\xc3\xa9", "\xe6\xb1\x89", "\xf0\x9f\x98\x80", "\xff", "x\n"
};

/* Back to where an LSP position can be. */
static size_t snap(struct doc *d, size_t at)
{
	return doc_byte(d, doc_pos(d, at, POS_UTF32), POS_UTF32);
}

static void random_splice(struct gen *g, struct doc *d, struct str with)
{
	size_t a = snap(d, gen_below(g, doc_text(d).n + 1));
	size_t b = snap(d, gen_below(g, doc_text(d).n + 1));

	doc_splice(d, (struct span){ a < b ? a : b, a < b ? b : a }, with);
}

static void random_edit(struct gen *g, struct doc *d, struct str with)
{
	struct edits set = EDITS_INIT;
	struct edit_clash why;
	struct buf want = BUF_INIT;

	for (size_t at = 0; at < doc_text(d).n; at += 1 + gen_below(g, 9)) {
		size_t end = at + gen_below(g, 3);
		struct span s = { snap(d, at), snap(d, end < doc_text(d).n ? end : at) };

		if (gen_below(g, 2) && (!set.n || s.at >= set.v[set.n - 1].span.end))
			edits_add(&set, s, str_sub(with, 0, gen_below(g, 2) * with.n), 0);
	}
	assert_true(edits_check(&set, doc_text(d).n, &why));
	edits_apply(&set, doc_text(d), &want);
	doc_edit(d, &set);
	assert_text(doc_text(d), buf_str(&want));
	edits_release(&set);
	buf_release(&want);
}

/* Splices and sets that part no CRLF and no character keep every server in step. */
static void a_server_that_follows_has_the_same_text(void **state)
{
	struct gen g = { 4242 };

	(void)state;
	for (int round = 0; round < 500; round++) {
		struct doc *d = doc_new("/x", STR("start\n"));
		struct mirror m;

		mirror_init(&m, d, (enum pos_enc)(round % 3));
		for (int i = 0; i < 12; i++) {
			struct buf with = BUF_INIT;

			GEN_TEXT(&g, &with, pieces, gen_below(&g, 12));
			if (i % 3 == 0)
				random_splice(&g, d, buf_str(&with));
			else if (i % 3 == 1)
				random_edit(&g, d, buf_str(&with));
			else
				doc_set(d, buf_str(&with));
			assert_text(buf_str(&m.text), doc_text(d));
			buf_release(&with);
		}
		assert_int_equal(m.version, doc_version(d));
		buf_release(&m.text);
		doc_free(d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splices_are_told),
		cmocka_unit_test(what_changes_nothing_is_no_change),
		cmocka_unit_test(persons_count_from_one),
		cmocka_unit_test(hash_follows_the_text),
		cmocka_unit_test(what_is_kept_of_a_text_goes_with_it),
		cmocka_unit_test(a_lent_text_has_the_lines_of_its_document),
		cmocka_unit_test(a_lent_text_stays_as_it_is),
		cmocka_unit_test(a_server_that_follows_has_the_same_text),
	};

	return cmocka_run_group_tests_name("doc", tests, NULL, NULL);
}
