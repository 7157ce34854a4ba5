#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "case_file.h"
#include "text/patch.h"

/* Runs tests/cases/patch; the README in tests/cases says how they are written. */

static void check_files(const struct case_one *c, const struct patch *p)
{
	static const char *const kinds[] = { "modify", "create", "delete" };
	struct buf got = BUF_INIT;

	for (size_t i = 0; i < p->files; i++) {
		const struct patch_file *f = &p->file[i];

		buf_addf(&got, "%s %.*s", kinds[f->kind], STR_ARG(f->path));
		if (f->new_path.n)
			buf_addf(&got, " %s %.*s", f->copy ? "copy" : "to", STR_ARG(f->new_path));
		if (f->mode || f->old_mode)
			buf_addf(&got, " %o>%o", f->old_mode, f->mode);
		if (f->may_create)
			buf_adds(&got, " may create");
		buf_addf(&got, " %zu\n", f->hunks);
	}
	assert_text(buf_str(&got), case_str(c, "files"));
	buf_release(&got);
}

static void check_error(const struct case_one *c, const struct err *e,
			const struct candidates *near)
{
	struct buf got = BUF_INIT;

	assert_string_equal(err_name(e->code), case_str(c, "error").p);
	if (str_find(str_of(e->msg), case_str(c, "says")) < 0)
		fail_msg("it says: %s", e->msg);
	for (size_t i = 0; i < near->n; i++) {
		candidate_describe(&near->v[i], &got);
		buf_addc(&got, '\n');
	}
	if (case_has(c, "near") || near->n)
		assert_text(buf_str(&got), case_str(c, "near"));
	buf_release(&got);
}

/* Each place that an edit changes is one where the patch removes or adds a line. */
static void check_applied(const struct case_one *c, struct edits *set, struct str before)
{
	struct buf got = BUF_INIT, undone = BUF_INIT;
	struct edits back = EDITS_INIT;
	struct edit_clash clash;

	assert_true(edits_check(set, before.n, &clash));
	edits_apply(set, before, &got);
	assert_text(buf_str(&got), case_str(c, "after"));
	edits_invert(set, before, &back);
	edits_apply(&back, buf_str(&got), &undone);
	assert_text(buf_str(&undone), before);
	edits_release(&back);
	buf_release(&got);
	buf_release(&undone);
}

static void apply(const struct case_one *c, const struct patch *p, const struct patch_file *f)
{
	struct str before = case_str(c, "before");
	struct edits set = EDITS_INIT;
	struct patch_failure why = { 0 };
	struct err e = ERR_INIT;
	enum match how = MATCH_NONE;
	struct buf created = BUF_INIT;

	if (f->kind == PATCH_CREATE) {
		patch_side(f, '-', &created);
		assert_text(buf_str(&created), case_str(c, "after"));
	} else if (!patch_locate(p, f, before, &set, &how, &why, &e)) {
		if (!case_has(c, "error"))
			fail_msg("%s", e.msg);
		check_error(c, &e, &why.near);
		assert_int_equal(set.n, 0);
	} else {
		assert_false(case_has(c, "error"));
		check_applied(c, &set, before);
		assert_string_equal(match_name(how),
				    case_has(c, "proof") ? case_str(c, "proof").p : "exact");
	}
	buf_release(&created);
	candidates_release(&why.near);
	edits_release(&set);
}

static void run_case(void **state)
{
	const struct case_one *c = *state;
	struct patch p;
	struct err e = ERR_INIT;
	struct candidates none = { 0 };

	if (!(case_has(c, "hunks") ? patch_parse_of_one(&p, case_str(c, "hunks"), &e)
				   : patch_parse(&p, case_str(c, "patch"), &e))) {
		if (!case_has(c, "error"))
			fail_msg("%s", e.msg);
		check_error(c, &e, &none);
		return;
	}
	assert_true(case_has(c, "after") || case_has(c, "error") || case_has(c, "files"));
	if (case_has(c, "files"))
		check_files(c, &p);
	if (case_has(c, "after") || case_has(c, "error")) {
		assert_true(p.files > 0);
		apply(c, &p, &p.file[p.files - 1]);
	}
	patch_release(&p);
}

int main(int argc, char **argv)
{
	return case_run(argc, argv, "tests/cases/patch/*.case", run_case);
}
