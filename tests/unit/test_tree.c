// links: full
/* Files below a directory, looked at and kept aside: links, changes in the middle, a full disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>

#include "base/buf.h"
#include "base/mem.h"
#include "disk_folder.h"
#include "io/dir_watch.h"
#include "io/tree.h"

static struct tree_stat seen(const char *path)
{
	struct tree_stat st = { 0 };

	assert_true(tree_look(root, path, &st));
	return st;
}

static void found(void *arg, const char *path)
{
	buf_addf(arg, "%s ", path);
}

static void links_are_not_followed(void **state)
{
	struct buf list = BUF_INIT, text = BUF_INIT;
	struct err e = ERR_INIT;
	struct tree_stat st;

	(void)state;
	assert_true(fs->mkdir(NULL, at("a"), 0755, &e));
	assert_true(fs->mkdir(NULL, at(".git"), 0755, &e));
	put("a/one", "1", 0644);
	put(".git/HEAD", "x", 0644);
	assert_int_equal(symlink("a", at("dir")), 0);
	assert_true(tree_walk(root, 10, found, &list));
	assert_true(strstr(list.p, "a/one ") && strstr(list.p, "dir "));
	assert_int_equal(list.n, strlen("a/one dir "));
	assert_int_equal(seen("dir").mode, MODE_LINK);
	assert_true(tree_look(root, "dir/one", &st));
	assert_false(tree_look_straight(root, "dir/one", &st));
	assert_true(tree_look_straight(root, "a/one", &st));
	assert_false(tree_look(root, "a", &st));
	assert_true(tree_read(root, "dir", 100, &text, &st, &e));
	assert_string_equal(text.p, "a");
	buf_clear(&list);
	assert_false(tree_walk(root, 1, found, &list));
	buf_release(&list);
	buf_release(&text);
}

static void what_was_changed_is_not_kept(void **state)
{
	struct err e = ERR_INIT;
	struct tree_stat st;
	FILE *f;

	(void)state;
	put("a", "was\n", 0640);
	st = seen("a");
	assert_int_equal(st.mode, 0100640);
	f = fopen(at("a"), "a");
	fputs("now\n", f);
	fclose(f);
	e = (struct err)ERR_INIT;
	assert_false(tree_keep(root, "a", &st, at("kept"), &e));
	assert_int_equal(e.code, ERR_STALE);
	assert_int_equal(access(at("kept"), F_OK), -1);
	st = seen("a");
	assert_true(tree_keep(root, "a", &st, at("kept"), &e));
	is("kept", "was\nnow\n");
	assert_false(tree_keep(root, "a", &st, at("kept"), &e));
	assert_int_equal(e.code, ERR_CONFLICT);
}

static void a_full_disk_leaves_nothing(void **state)
{
	struct rlimit was, small = { 4096, 4096 };
	struct loop *l;
	struct err e = ERR_INIT;
	char *text = mem_new(10001);
	struct tree_stat st;

	(void)state;
	l = loop_new(&e); /* a file that is too large is an error, and no signal, from here on */
	memset(text, 'x', 10000);
	put("large", text, 0644);
	st = seen("large");
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	small.rlim_max = was.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_false(tree_keep(root, "large", &st, at("kept"), &e));
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	assert_int_equal(e.code, ERR_LIMIT);
	assert_int_equal(access(at("kept"), F_OK), -1);
	free(text);
	loop_free(l);
}

static void a_read_is_of_one_moment(void **state)
{
	struct buf text = BUF_INIT;
	struct err e = ERR_INIT;
	struct tree_stat st;

	(void)state;
	put("empty", "", 0644);
	put("a", "bytes\n", 0600);
	assert_true(tree_read(root, "empty", 100, &text, &st, &e));
	assert_int_equal(text.n, 0);
	assert_true(tree_read(root, "a", 6, &text, &st, &e));
	assert_string_equal(text.p, "bytes\n");
	assert_false(tree_read(root, "a", 5, &text, &st, &e));
	assert_int_equal(e.code, ERR_LIMIT);
	e = (struct err)ERR_INIT;
	assert_false(tree_read(root, "none", 5, &text, &st, &e));
	assert_int_equal(e.code, ERR_NOT_FOUND);
	e = (struct err)ERR_INIT;
	assert_int_equal(mkfifo(at("fifo"), 0600), 0);
	assert_false(tree_read(root, "fifo", 5, &text, &st, &e));
	assert_string_equal(text.p, "bytes\n");
	buf_release(&text);
}

struct hints {
	struct loop *loop;
	const char *wanted;
	bool came;
};

static void on_hint(void *arg, const char *path)
{
	struct hints *h = arg;

	if (strcmp(path, h->wanted) != 0)
		return;
	h->came = true;
	loop_stop(h->loop);
}

static void overdue(void *arg)
{
	struct hints *h = arg;

	loop_stop(h->loop);
}

static void a_write_is_told(void **state)
{
	struct err e = ERR_INIT;
	struct hints h = { .loop = loop_new(&e), .wanted = at("b") };
	struct dir_watch *w = dir_watch_new(h.loop, on_hint, &h);
	struct timer *limit = timer_new(h.loop, overdue, &h);

	(void)state;
	assert_true(dir_watch_add(w, root));
	assert_true(dir_watch_add(w, root));
	assert_false(dir_watch_add(w, at("none")));
	assert_int_equal(dir_watch_count(w), 1);
	put("a", "1", 0644);
	put("b", "2", 0644);
	timer_set(limit, loop_now(h.loop) + 60000);
	loop_run(h.loop);
	assert_true(h.came);
	dir_watch_free(w);
	timer_free(limit);
	loop_free(h.loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(links_are_not_followed),
		T(what_was_changed_is_not_kept),
		T(a_full_disk_leaves_nothing),
		T(a_read_is_of_one_moment),
		T(a_write_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
