/* A long patch that is read in parts is the same patch, or fails with the same words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <base/buf.h>
#include <text/patch.h>

#include "gen.h"

static size_t parts; /* that were read */

/* The last one first: they do not depend on each other. */
static bool each(void *self, size_t n, fs_each *one, void *arg, struct err *e)
{
	bool ok = true;

	(void)self;
	parts = n;
	for (size_t i = n; i--;)
		ok = one(arg, 0, i, e) && ok;
	return ok;
}

static const struct fs fs = { .each = each };

static const char *const good[] = {
	"diff --git a/x.c b/x.c\n--- a/x.c\n+++ b/x.c\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n",
	("diff --git a/y b/y\nindex 1..2 100644\n--- a/y\n+++ b/y\n@@ -1 +1,2 @@\n-a\n+b\n+c\n"
	 "@@ -9,2 +10,1 @@ f()\n diff --git a/no b/no\n-x\n"),
	"diff --git a/z b/z\r\n--- a/z\r\n+++ b/z\r\n@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+c\r\n",
	"diff --git a/e b/e\n--- a/e\n+++ b/e\n@@ -4 +4 @@\n-a\n\\ No newline at end of file\n+b\n",
	"diff --git \"a/t\\tb\" \"b/t\\tb\"\n--- \"a/t\\tb\"\n+++ \"b/t\\tb\"\n@@ -1 +1 @@\n-a\n+b\n",
	"diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n",
	"diff --git a/run b/run\nold mode 100644\nnew mode 100755\n",
	"diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+n\n",
	"diff --git a/d b/d\ndeleted file mode 100644\n--- a/d\n+++ /dev/null\n@@ -1 +0,0 @@\n-d\n",
	"Index: t\n--- a/t\t2020-01-01\n+++ b/t\t2020-01-02\n@@ -1,2 +1,2 @@\n-a\n+b\n \n",
	"Some words about it.\n\n",
	"-- \n2.39.2\n\n",
	"diff --git a/nothing b/nothing\n",
};

static const char *const bad[] = {
	"diff --git a/c b/c\n--- a/c\n+++ b/c\n@@ -1,9 +1,9 @@\n a\n-b\n+c\n",
	"diff --git a/c b/c\n--- a/c\n+++ b/c\n@@ -1 +1 @@\n-b\n+c\n+d\n",
	"diff --git a/c b/c\n--- a/c\n",
	"diff --git a/c b/d\n--- a/c\n+++ b/d\n@@ -1 +1 @@\n-b\n+c\n",
	"diff --git a/c b/c\nGIT binary patch\nliteral 9\n",
	"@@ -1 +1 @@\n-a\n+b\n",
};

static void same_str(struct str a, struct str b)
{
	assert_int_equal(a.n, b.n);
	assert_true(!a.n || !memcmp(a.p, b.p, a.n));
}

static void same_hunk(const struct patch_hunk *a, const struct patch_hunk *b)
{
	assert_int_equal(a->at, b->at);
	assert_int_equal(a->old_line, b->old_line);
	assert_int_equal(a->old_count, b->old_count);
	assert_int_equal(a->new_line, b->new_line);
	assert_int_equal(a->new_count, b->new_count);
	assert_int_equal(a->lines, b->lines);
	for (size_t i = 0; i < a->lines; i++) {
		assert_ptr_equal(a->line[i].p, b->line[i].p);
		assert_int_equal(a->line[i].n, b->line[i].n);
		assert_int_equal(a->line[i].mark, b->line[i].mark);
		assert_int_equal(a->line[i].cr, b->line[i].cr);
		assert_int_equal(a->line[i].no_newline, b->line[i].no_newline);
	}
}

static void same_file(const struct patch_file *a, const struct patch_file *b)
{
	assert_int_equal(a->kind, b->kind);
	same_str(a->path, b->path);
	same_str(a->new_path, b->new_path);
	same_str(a->old_id, b->old_id);
	assert_int_equal(a->copy, b->copy);
	assert_int_equal(a->may_create, b->may_create);
	assert_int_equal(a->old_mode, b->old_mode);
	assert_int_equal(a->mode, b->mode);
	assert_int_equal(a->at, b->at);
	assert_int_equal(a->hunks, b->hunks);
	for (size_t i = 0; i < a->hunks; i++)
		same_hunk(&a->hunk[i], &b->hunk[i]);
}

/* Whether it is one. */
static bool same(struct str text)
{
	struct patch whole, shared;
	struct err e = ERR_INIT, its = ERR_INIT;
	bool ok = patch_parse(&whole, text, &e);

	parts = 0;
	assert_int_equal(patch_parse_shared(&shared, text, &fs, &its), ok);
	assert_int_equal(e.code, its.code);
	assert_string_equal(e.msg, its.msg);
	if (!ok)
		return false;
	assert_int_equal(whole.form, shared.form);
	assert_int_equal(whole.files, shared.files);
	for (size_t i = 0; i < whole.files; i++)
		same_file(&whole.file[i], &shared.file[i]);
	patch_release(&whole);
	patch_release(&shared);
	return true;
}

#define LONG (1100 << 10)

static void is_the_same_patch(void **state)
{
	struct gen g = { 20261127 };
	size_t shared = 0, refused = 0;

	(void)state;
	for (int round = 0; round < 24; round++) {
		struct buf text = BUF_INIT;
		size_t wrong = round % 3 ? SIZE_MAX : gen_below(&g, LONG);

		if (round % 5 == 4)
			buf_adds(&text, "\xef\xbb\xbf");
		while (text.n < LONG - (size_t)round % 2 * (LONG / 2)) {
			if (text.n >= wrong)
				GEN_TEXT(&g, &text, bad, 1);
			wrong = text.n >= wrong ? SIZE_MAX : wrong;
			GEN_TEXT(&g, &text, good, 1 + gen_below(&g, 3));
		}
		refused += !same(buf_str(&text));
		shared += parts > 1;
		buf_release(&text);
	}
	assert_true(shared == 24 && refused > 3 && refused < 9);
}

/* With one file there is nowhere to cut, and V4A has other heads. */
static void is_left_whole_where_it_cannot_be_cut(void **state)
{
	struct buf one = BUF_INIT, v4a = BUF_INIT;

	(void)state;
	buf_adds(&one, "diff --git a/x b/x\n--- a/x\n+++ b/x\n");
	for (size_t i = 1; one.n < LONG; i += 10)
		buf_addf(&one, "@@ -%zu,2 +%zu,2 @@\n diff --git a/y b/y\n-b\n+c\n", i, i);
	assert_true(same(buf_str(&one)));
	assert_int_equal(parts, 0);
	buf_adds(&v4a, "*** Begin Patch\n*** Add File: x\n");
	while (v4a.n < LONG)
		buf_adds(&v4a, "+diff --git a/y b/y\n");
	buf_adds(&v4a, "*** End Patch\n");
	assert_true(same(buf_str(&v4a)));
	assert_int_equal(parts, 0);
	assert_true(same(str_of(good[0])));
	assert_int_equal(parts, 0);
	buf_release(&one);
	buf_release(&v4a);
}

static bool reads_with(size_t anchors)
{
	struct buf text = BUF_INIT;
	struct err e = ERR_INIT;
	struct patch p;
	bool ok;

	buf_adds(&text, "*** Begin Patch\n*** Update File: x\n");
	for (size_t i = 0; i < anchors; i++)
		buf_adds(&text, "@@ f()\n");
	buf_adds(&text, "-a\n+b\n*** End Patch\n");
	ok = patch_parse(&p, buf_str(&text), &e);
	if (ok)
		patch_release(&p);
	else
		assert_non_null(strstr(e.msg, "line 103 of the patch: more than 100 @@ lines"));
	buf_release(&text);
	return ok;
}

static void has_no_more_anchors_than_can_be_sought(void **state)
{
	(void)state;
	assert_true(reads_with(PATCH_ANCHORS));
	assert_false(reads_with(PATCH_ANCHORS + 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_the_same_patch),
		cmocka_unit_test(is_left_whole_where_it_cannot_be_cut),
		cmocka_unit_test(has_no_more_anchors_than_can_be_sought),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
