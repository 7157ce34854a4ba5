#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <base/hash.h>
#include <base/path.h>
#include <edit/history.h>
#include <edit/plan.h>

#include "memfs.c" /* a unit test is built from one file */
#include "memfs_source.h"

#include "history_rig.h"

static void private_files(void **state)
{
	struct buf id = BUF_INIT;

	(void)state;
	small("x", &id);
	assert_int_equal(node_at(&m, DIR_PATH)->mode, 0700);
	for (size_t i = 0; i < m.n; i++)
		if (strstr(m.name[i].path, DIR_PATH "/"))
			assert_int_equal(m.name[i].node->mode, 0600);
	buf_release(&id);
}

static struct node *only_entry(void)
{
	for (size_t i = 0; i < m.n; i++)
		if (strstr(m.name[i].path, DIR_PATH "/"))
			return m.name[i].node;
	fail();
	return NULL;
}

/* No flipped bit and no missing byte is ever believed. */
static void damage_is_noticed(void **state)
{
	const struct history_entry *v;
	struct buf id = BUF_INIT;
	struct node *entry;

	(void)state;
	large(&id);
	entry = only_entry();
	for (size_t i = 0; i < entry->text.n; i++) {
		char was = entry->text.p[i];

		for (int bit = 0; bit < 8; bit++) {
			entry->text.p[i] = (char)(was ^ (1 << bit));
			assert_int_equal(listed(&v), 0);
			assert_int_equal(history_damaged(h), 1);
		}
		entry->text.p[i] = was;
	}
	assert_int_equal(listed(&v), 1);
	while (entry->text.n) {
		struct plan *p = plan_new(&src);

		entry->text.n--;
		assert_int_equal(listed(&v), 0);
		assert_false(undo(STR(""), p));
		plan_free(p);
	}
	buf_release(&id);
}

/* Entries whose checksum is right, made by somebody else. */
static void forged(const char *from, const char *to)
{
	struct buf id = BUF_INIT;
	struct plan *p = plan_new(&src);
	const struct history_entry *v;
	struct node *entry;
	char sum[17], *at;

	small("x", &id);
	entry = only_entry();
	at = strstr(entry->text.p, from);
	assert_non_null(at);
	memcpy(at, to, strlen(to));
	snprintf(sum, sizeof(sum), "%016llx",
		 (unsigned long long)hash_of(
			 str_sub(buf_str(&entry->text), 8 + 16, entry->text.n)));
	memcpy(entry->text.p + 8, sum, 16);
	assert_false(listed(&v) && undo(STR(""), p));
	plan_free(p);
	dump(&found);
	buf_release(&id);
}

static void forgery_is_refused(void **state)
{
	(void)state;
	forged("/r/r/b", "/r/s/b"); /* outside the root */
	forged("/r/r/b", "/r/.//"); /* not normalized */
	forged("/r/r/b", "/s/s/b"); /* another root than the name says */
	forged("\"version\":2", "\"version\":1");
	forged("\"count\":1", "\"count\":9");
	forged("\"files\":[[4", "\"files\":[[9");
	/* ...added, removed, length of the text, edits, and of each where, to where, length */
	forged(",1,1,0,1,0,1,0]", ",1,1,9,1,0,1,0]");
	forged(",1,1,0,1,0,1,0]", ",1,1,0,2,0,1,0]");
	forged(",1,1,0,1,0,1,0]", ",1,1,0,1,5,1,0]");
	forged(",1,1,0,1,0,1,0]", ",1,1,0,1,0,9,0]");
	forged(",1,1,0,1,0,1,0]", ",1,1,0,1,0,1,9]");
}

/* Each call fails once: the entry is there or it is not, and nothing half remains. */
static void failing_calls(void **state)
{
	const struct history_entry *v;
	struct plan *p = plan_new(&src);
	unsigned n = 1;

	(void)state;
	spans(p, "/r/b", 0, 0, "x");
	apply(p);
	for (;; n++) {
		struct buf id = BUF_INIT;
		bool done;

		m.calls = 0;
		m.fail_at = n;
		done = add(p, "nvim", "x", &id);
		m.fail_at = 0;
		assert_true(done || !id.n);
		listed(&v);
		assert_int_equal(history_damaged(h), 0);
		buf_release(&id);
		if (m.calls < n)
			break;
		if (n > 100)
			fail();
	}
	plan_free(p);
}

#define T(f) cmocka_unit_test_setup_teardown(f, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(private_files),
		T(damage_is_noticed),
		T(forgery_is_refused),
		T(failing_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
