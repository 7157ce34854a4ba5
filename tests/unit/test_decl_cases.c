#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "case_file.h"
#include "code/decl_edit.h"

/* Runs tests/cases/decl; the README in tests/cases says how they are written. */

/* Takes « and » out of the text; what stood between them is *range. */
static void unmark(struct str marked, struct buf *text, struct span *range)
{
	ptrdiff_t open = str_find(marked, STR("«")), close = str_find(marked, STR("»"));
	size_t mark = strlen("«");

	assert_true(open >= 0 && close > open);
	buf_add(text, str_sub(marked, 0, (size_t)open));
	range->at = text->n;
	buf_add(text, str_sub(marked, (size_t)open + mark, (size_t)close));
	range->end = text->n;
	buf_add(text, str_sub(marked, (size_t)close + mark, marked.n));
}

static enum decl_action action_of(const char *name)
{
	static const char *const names[] = { [DECL_REPLACE] = "replace",
					     [DECL_REPLACE_BODY] = "replace_body",
					     [DECL_INSERT_BEFORE] = "insert_before",
					     [DECL_INSERT_AFTER] = "insert_after",
					     [DECL_DELETE] = "delete" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], name))
			return (enum decl_action)i;
	fail_msg("no action is called %s", name);
	return DECL_DELETE;
}

static void check_refusal(const struct case_one *c, const struct err *e)
{
	struct buf got = BUF_INIT;

	buf_addf(&got, "%s: %s", err_name(e->code), e->msg);
	if (!case_has(c, "error") || str_find(buf_str(&got), case_str(c, "error")) < 0)
		assert_string_equal(got.p, case_str(c, "error").p);
	buf_release(&got);
}

static void check_done(const struct case_one *c, const struct decl *d, const struct decl_splice *s)
{
	struct buf got = BUF_INIT;

	if (case_has(c, "error"))
		fail_msg("it is not refused");
	buf_add(&got, str_sub(d->text, 0, s->span.at));
	buf_add(&got, buf_str(&s->with));
	buf_add(&got, str_sub(d->text, s->span.end, d->text.n));
	assert_text(buf_str(&got), case_str(c, "after"));
	assert_int_equal(!str_eq(s->from, buf_str(&s->to)), case_has(c, "shifted"));
	buf_release(&got);
}

static void assert_same(const struct decl *d, const struct decl *as)
{
	assert_int_equal(d->lead, as->lead);
	assert_int_equal(d->lead_comment, as->lead_comment);
	assert_int_equal(d->lead_attribute, as->lead_attribute);
	assert_int_equal(d->whole.at, as->whole.at);
	assert_int_equal(d->end, as->end);
	assert_int_equal(d->body.at, as->body.at);
	assert_int_equal(d->body.end, as->body.end);
	assert_int_equal(d->alone_before, as->alone_before);
}

/* In a document that is asked several times nothing is different. */
static void check_again(const struct language *lang, struct doc *d, struct span range)
{
	struct span none = { 0, 0 };
	struct decl as = decl_at(lang, doc_text(d), range, none),
		    got = decl_in(d, lang, range, none);

	assert_same(&got, &as);
}

/* The case many times over, so that reading goes on from a mark; then in another text. */
static void check_in_document(const struct language *lang, struct str text, struct span range)
{
	struct str before = STR("/* above */\n{\n");
	struct buf all = BUF_INIT;
	size_t most = 12000 / text.n, step = 1 + most / 8;
	struct doc *d;

	for (size_t i = 0; i <= most; i++) {
		buf_add(&all, text);
		buf_addc(&all, '\n');
	}
	d = doc_new("/x", buf_str(&all));
	for (size_t i = most; i >= step; i -= step)
		check_again(lang, d,
			    (struct span){ range.at + i * (text.n + 1),
					   range.end + i * (text.n + 1) });
	doc_splice(d, (struct span){ 0, 0 }, before);
	for (size_t i = 0; i <= most; i += step)
		check_again(lang, d,
			    (struct span){ before.n + range.at + i * (text.n + 1),
					   before.n + range.end + i * (text.n + 1) });
	doc_free(d);
	buf_release(&all);
}

static void run_case(void **state)
{
	const struct case_one *c = *state;
	struct decl_edit edit = { .content = case_str(c, "content"),
				  .step = case_has(c, "step") ? case_str(c, "step") : STR("\t"),
				  .any_signature = case_has(c, "allow") };
	struct span range, none = { 0, 0 };
	struct decl_splice s = { 0 };
	struct buf text = BUF_INIT;
	struct err e = ERR_INIT;
	struct decl d;

	edit.action = action_of(case_str(c, "action").p);
	unmark(case_str(c, "before"), &text, &range);
	d = decl_at(language_of(case_str(c, "language").p), buf_str(&text), range, none);
	check_in_document(language_of(case_str(c, "language").p), buf_str(&text), range);
	if (decl_splice(&d, &edit, &s, &e))
		check_done(c, &d, &s);
	else
		check_refusal(c, &e);
	decl_splice_release(&s);
	buf_release(&text);
}

int main(int argc, char **argv)
{
	return case_run(argc, argv, "tests/cases/decl/*.case", run_case);
}
