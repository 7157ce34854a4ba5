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

#define DIR_PATH "/state/oxide/history"
#define NOON	 1795262400000 /* ms; what day it is there depends on the zone, and does not matter */

static struct memfs m;
static struct history *h;
static struct err e;
static struct buf before;	    /* the tree at first */
static struct buf found, its_title; /* by undo() */

static bool allowed(void *self, const char *path, bool itself, struct err *why)
{
	(void)self, (void)path, (void)itself, (void)why;
	return true;
}

static struct plan_source src;

static int start(void **state)
{
	(void)state;
	memfs_init(&m);
	memfs_put_dir(&m, "/state");
	memfs_put_dir(&m, "/r");
	memfs_put_dir(&m, "/r/d");
	memfs_put(&m, "/r/a", "one\r\ntwo\nthree\r\n", 0644);
	memfs_put(&m, "/r/b", "B\n", 0644);
	memfs_put(&m, "/r/c", "C\n", 0644);
	memfs_put(&m, "/r/d/f", "gone\0\xff\n", 0644);
	src = (struct plan_source){ &m,	       "/r",	m.fs.stat,    m.fs.read,
				    m.fs.list, allowed, m.fs.readlink };
	h = history_new(&m.fs, DIR_PATH, 5, 100000);
	return 0;
}

static int end(void **state)
{
	(void)state;
	history_free(h);
	memfs_release(&m);
	buf_release(&before);
	buf_release(&found);
	buf_release(&its_title);
	return 0;
}

static void ok(bool done)
{
	if (!done)
		fail_msg("%s", e.msg);
}

static void spans(struct plan *p, const char *path, size_t at, size_t to, const char *with)
{
	struct edits set = EDITS_INIT;

	edits_add(&set, (struct span){ at, to }, str_of(with), 0);
	ok(plan_add(p, &(struct op){ .kind = OP_SPANS, .path = path, .spans = &set }, &e));
}

static void moved(struct plan *p, const char *from, const char *to)
{
	ok(plan_add(p, &(struct op){ .kind = OP_RENAME, .path = from, .new_path = to }, &e));
}

static void apply(struct plan *p)
{
	size_t n, n_dirs;
	const struct txn_file *v;
	const char *const *dirs;
	struct txn *t;

	ok(plan_finish(p, &e));
	v = plan_states(p, &n);
	n_dirs = plan_empty_dirs(p, &dirs);
	t = txn_new(&m.fs, MEMFS_HOME, "/r", v, n, dirs, n_dirs);
	ok(txn_prepare(t, &e) && txn_commit(t, &e) && txn_seal(t, &e));
	txn_free(t);
}

static bool add(const struct plan *p, const char *origin, const char *title, struct buf *id)
{
	struct buf record = BUF_INIT;
	bool done;

	history_record(&record, p, "/r", origin, title, NOON);
	done = history_add(h, buf_str(&record), "/r", NOON, id, &e);
	buf_release(&record);
	return done;
}

/* Applies and records; the id is appended. */
static void record(struct plan *p, const char *title, struct buf *id)
{
	apply(p);
	ok(add(p, "nvim", title, id));
	plan_free(p);
}

static void small(const char *title, struct buf *id)
{
	struct plan *p = plan_new(&src);

	spans(p, "/r/b", 0, 0, "x");
	record(p, title, id);
}

/* One of everything. */
static void large(struct buf *id)
{
	struct plan *p = plan_new(&src);

	spans(p, "/r/a", 5, 8, "2");
	spans(p, "/r/a", 0, 3, "un\n");
	moved(p, "/r/b", "/r/t");
	moved(p, "/r/c", "/r/b");
	moved(p, "/r/t", "/r/c");
	spans(p, "/r/c", 1, 1, "b");
	ok(plan_add(p, &(struct op){ .kind = OP_REMOVE, .path = "/r/d", .recursive = true }, &e));
	ok(plan_add(p, &(struct op){ .kind = OP_CREATE, .path = "/r/new" }, &e));
	spans(p, "/r/new", 0, 0, "made\n");
	record(p, "of everything", id);
}

static size_t listed(const struct history_entry **v)
{
	size_t n;

	ok(history_list(h, "/r", v, &n, &e));
	return n;
}

static void dump(struct buf *out)
{
	buf_clear(out);
	for (size_t i = m.n; i--;)
		if (strstr(m.name[i].path, DIR_PATH "/"))
			memfs_take(&m, m.name[i].path);
	memfs_dump(&m, out);
}

/* Modes, links, and no folder more. */
static void tree_is_as_before(void)
{
	struct buf now = BUF_INIT;

	dump(&now);
	assert_string_equal(now.p, before.p);
	buf_release(&now);
}

static bool undo(struct str id, struct plan *p)
{
	return history_undo(h, "/r", id, p, &found, &its_title, &e);
}

static void more_files(void)
{
	memfs_put_dir(&m, "/state/oxide");
	memfs_put_dir(&m, DIR_PATH);
	memfs_put_dir(&m, "/r/e");
	memfs_put(&m, "/r/e/secret", "s\n", 0600);
	memfs_put(&m, "/r/file", "f\n", 0750);
	memfs_put_symlink(&m, "/r/to-a", "a");
	memfs_put_symlink(&m, "/r/to-e", "e");
	memfs_put_symlink(&m, "/r/gone", "nowhere");
}

static void links_modes_and_folders(struct buf *id)
{
	const struct op v[] = {
		{ .kind = OP_REMOVE, .path = "/r/d", .recursive = true },
		{ .kind = OP_LINK, .path = "/r/d", .leads_to = STR("b") },
		{ .kind = OP_REMOVE, .path = "/r/e/secret" },
		{ .kind = OP_RENAME, .path = "/r/a", .new_path = "/r/a/x/y" },
		{ .kind = OP_MODE, .path = "/r/b", .mode = MODE_EXEC },
		{ .kind = OP_LINK, .path = "/r/to-a", .leads_to = STR("b"), .overwrite = true },
		{ .kind = OP_REMOVE, .path = "/r/gone" },
		{ .kind = OP_RENAME, .path = "/r/to-e", .new_path = "/r/n/to-e" },
		{ .kind = OP_REMOVE, .path = "/r/file" },
		{ .kind = OP_LINK, .path = "/r/file", .leads_to = STR("c") },
		{ .kind = OP_CREATE, .path = "/r/n/e/w" },
	};
	struct plan *p = plan_new(&src);

	more_files();
	dump(&before);
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		ok(plan_add(p, &v[i], &e));
	record(p, "links, modes and folders", id);
}

static void undoes_links_modes_and_folders(void **state)
{
	struct buf id = BUF_INIT;
	struct plan *p = plan_new(&src);

	(void)state;
	links_modes_and_folders(&id);
	assert_string_equal(node_at(&m, "/r/d")->leads_to, "b");
	assert_int_equal(node_at(&m, "/r/b")->mode, 0755);
	assert_non_null(node_at(&m, "/r/a/x/y"));
	ok(undo(STR(""), p));
	apply(p);
	plan_free(p);
	tree_is_as_before();
	buf_release(&id);
}

static void a_link_that_leads_elsewhere_is_stale(void **state)
{
	struct buf id = BUF_INIT;
	struct plan *p = plan_new(&src);

	(void)state;
	links_modes_and_folders(&id);
	memfs_take(&m, "/r/to-a");
	memfs_put_symlink(&m, "/r/to-a", "c");
	assert_false(undo(STR(""), p));
	assert_int_equal(e.code, ERR_STALE);
	assert_non_null(strstr(e.msg, "to-a"));
	plan_free(p);
	buf_release(&id);
}

static void undoes_everything(void **state)
{
	struct buf id = BUF_INIT;
	struct plan *p = plan_new(&src);

	(void)state;
	memfs_put_dir(&m, "/state/oxide");
	memfs_put_dir(&m, DIR_PATH);
	dump(&before);
	large(&id);
	assert_null(find(&m, STR("/r/d")));
	ok(undo(STR(""), p));
	assert_string_equal(found.p, id.p);
	assert_int_equal(plan_edits(p), 6);
	apply(p);
	plan_free(p);
	ok(history_undone(h, buf_str(&id), &e));
	p = plan_new(&src);
	assert_false(undo(STR(""), p));
	assert_int_equal(e.code, ERR_NOT_FOUND);
	assert_string_equal(e.msg, "there is nothing to undo in /r");
	assert_false(undo(buf_str(&id), p));
	assert_int_equal(e.code, ERR_CONFLICT);
	plan_free(p);
	tree_is_as_before();
	buf_release(&id);
}

static void lists_newest_first(void **state)
{
	const struct history_entry *v;
	struct buf one = BUF_INIT, two = BUF_INIT;

	(void)state;
	assert_int_equal(listed(&v), 0);
	small("first \"quoted\" \xff", &one);
	large(&two);
	assert_int_equal(listed(&v), 2);
	assert_true(str_eq(v[0].id, buf_str(&two)) && str_eq(v[1].id, buf_str(&one)));
	assert_true(str_ends(v[0].id, STR("-2")) && str_ends(v[1].id, STR("-1")));
	assert_true(str_eq(v[0].title, STR("of everything")) && str_eq(v[0].origin, STR("nvim")));
	assert_true(str_eq(v[1].title, STR("first \"quoted\" \xff")));
	assert_true(v[0].time_ms == NOON && str_eq(v[0].root, STR("/r")) && !v[0].undone);
	assert_int_equal(v[0].files, 5);
	assert_true(str_eq(v[0].file[0].path, STR("/r/a")));
	assert_true(v[0].file[0].lines_added == 3 && v[0].file[0].lines_removed == 2);
	assert_true(str_eq(v[0].file[1].new_path, STR("/r/c")));
	assert_true(v[0].file[3].existed && !v[0].file[3].exists);
	assert_true(str_eq(history_last(h, "/r")->id, buf_str(&two)));
	assert_null(history_last(h, "/other"));
	ok(history_undone(h, buf_str(&two), &e));
	assert_true(str_eq(history_last(h, "/r")->id, buf_str(&one)));
	assert_true(str_eq(history_last(h, "/r")->title, v[1].title));
	assert_int_equal(listed(&v), 2);
	assert_true(v[0].undone && !v[1].undone);
	assert_int_equal(history_damaged(h), 0);
	assert_false(history_undone(h, STR("no-such"), &e));
	assert_int_equal(e.code, ERR_NOT_FOUND);
	buf_release(&one);
	buf_release(&two);
}

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

static void bounded(void **state)
{
	const struct history_entry *v;
	struct buf id = BUF_INIT;
	struct plan *p;
	char *big = mem_new(200001);

	(void)state;
	for (int i = 0; i < 12; i++)
		small("x", &id);
	assert_int_equal(listed(&v), 5);
	assert_true(str_ends(v[0].id, STR("-12")) && str_ends(v[4].id, STR("-8")));
	/* What is put in does not count for a change, what is removed does. */
	memset(big, 'x', 60000);
	for (int i = 0; i < 2; i++) {
		memfs_put(&m, "/r/big", big, 0644);
		p = plan_new(&src);
		ok(plan_add(p, &(struct op){ .kind = OP_REMOVE, .path = "/r/big" }, &e));
		record(p, "big", &id);
	}
	assert_int_equal(listed(&v), 1);
	memset(big, 'x', 200000);
	memfs_put(&m, "/r/big", big, 0644);
	p = plan_new(&src);
	ok(plan_add(p, &(struct op){ .kind = OP_REMOVE, .path = "/r/big" }, &e));
	apply(p);
	assert_false(add(p, "cli", "too big", &id));
	assert_int_equal(e.code, ERR_LIMIT);
	plan_free(p);
	assert_int_equal(listed(&v), 1);
	free(big);
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

static void names_all_that_are_stale(void **state)
{
	struct buf id = BUF_INIT, now = BUF_INIT;
	struct plan *p;

	(void)state;
	large(&id);
	memfs_put(&m, "/r/a", "changed\n", 0644);
	memfs_take(&m, "/r/new");
	memfs_put_dir(&m, "/r/d");
	memfs_put(&m, "/r/d/f", "there again\n", 0644);
	memfs_dump(&m, &before);
	p = plan_new(&src);
	assert_false(undo(buf_str(&id), p));
	assert_int_equal(e.code, ERR_STALE);
	assert_string_equal(e.msg, "3 files are no longer as the change left them, so nothing is "
				   "undone: a, d/f, new");
	memfs_dump(&m, &now);
	assert_string_equal(now.p, before.p);
	plan_free(p);
	buf_release(&id);
	buf_release(&now);
}

static void roots_are_apart(void **state)
{
	const struct history_entry *v;
	struct buf id = BUF_INIT;
	size_t n;

	(void)state;
	small("x", &id);
	ok(history_list(h, "/other", &v, &n, &e));
	assert_int_equal(n, 0);
	assert_int_equal(listed(&v), 1);
	buf_release(&id);
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
		T(undoes_everything),
		T(undoes_links_modes_and_folders),
		T(a_link_that_leads_elsewhere_is_stale),
		T(lists_newest_first),
		T(private_files),
		T(bounded),
		T(damage_is_noticed),
		T(forgery_is_refused),
		T(names_all_that_are_stale),
		T(roots_are_apart),
		T(failing_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
