// links: full
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#ifdef __linux__
#include <sys/inotify.h>
#endif

#include <base/hash.h>
#include <io/read_ahead.h>

#include "disk_folder.h"

static char list[8][256];

/* As item i of a list: what at() gives does not last. */
static const char *nth(int i, const char *rel)
{
	snprintf(list[i], sizeof(list[i]), "%s", at(rel));
	return list[i];
}

static size_t threads(void)
{
	DIR *d = opendir("/proc/self/task");
	size_t n = 0;

	for (struct dirent *task; d && (task = readdir(d));)
		n += task->d_name[0] != '.';
	if (d)
		closedir(d);
	return n;
}

static void *nothing(void *arg)
{
	return arg;
}

/* With the first thread a sanitizer may begin one of its own. */
static int begin_a_thread(void **state)
{
	pthread_t thread;

	(void)state;
	return pthread_create(&thread, NULL, nothing, NULL) || pthread_join(thread, NULL);
}

/* The thread ends when the last of few files is read. */
static struct read_ahead *all_read_of(const char *const *path, size_t n, uint64_t most)
{
	size_t before = threads();
	struct read_ahead *r = read_ahead_new(path, n, most);

	if (!r || !before) {
		read_ahead_free(r);
		skip(); /* one processor, or nothing tells of threads */
	}
	while (threads() > before)
		sched_yield();
	return r;
}

static struct read_ahead *all_read(const char *const *path, size_t n)
{
	return all_read_of(path, n, UINT64_MAX);
}

static void took(struct read_ahead *r, const char *rel, const char *text)
{
	struct buf b = BUF_INIT;
	struct fs_stat seen, now = look(rel);

	assert_true(read_ahead_take(r, at(rel), &b, &seen));
	assert_string_equal(b.p, text);
	assert_true(fs_untouched(&seen, &now));
	assert_int_equal(seen.hash, hash_of(str_of(text)));
	buf_release(&b);
}

static void took_nothing(struct read_ahead *r, const char *rel)
{
	struct buf b = BUF_INIT;
	struct fs_stat seen;

	assert_false(read_ahead_take(r, at(rel), &b, &seen));
	assert_int_equal(b.n, 0);
	buf_release(&b);
}

static void gives_each_text_once_and_in_order(void **state)
{
	const char *path[] = { nth(0, "a"), nth(1, "b"), nth(2, "c"), nth(3, "d"), nth(4, "e") };
	struct read_ahead *r;

	(void)state;
	put("a", "A", 0644);
	put("b", "B", 0644);
	put("c", "C", 0644);
	put("d", "", 0644);
	put("e", "E", 0644);
	r = all_read(path, 5);
	took_nothing(r, "x");
	took(r, "a", "A");
	took_nothing(r, "a");
	took(r, "c", "C");
	took_nothing(r, "b");
	took(r, "d", "");
	took(r, "e", "E");
	took_nothing(r, "e");
	read_ahead_free(r);
	took_nothing(NULL, "a");
}

static void leaves_to_others_what_is_not_a_file_of_usual_size(void **state)
{
	const char *path[] = { nth(0, "link"), nth(1, "dir/b"), nth(2, "none"), nth(3, "large"),
			       nth(4, "fifo"), nth(5, "dir"),	nth(6, "a") };
	struct read_ahead *r;

	(void)state;
	put("a", "A", 0644);
	put("large", "", 0644);
	assert_int_equal(truncate(at("large"), 64 << 20), 0);
	assert_int_equal(mkdir(at("real"), 0700), 0);
	put("real/b", "B", 0644);
	assert_int_equal(symlink("a", at("link")), 0);
	assert_int_equal(symlink("real", at("dir")), 0);
	assert_int_equal(mkfifo(at("fifo"), 0600), 0);
	r = all_read(path, 7);
	took_nothing(r, "link");
	took_nothing(r, "dir/b");
	took_nothing(r, "none");
	took_nothing(r, "large");
	took_nothing(r, "fifo");
	took_nothing(r, "dir");
	took(r, "a", "A");
	read_ahead_free(r);
}

static void leaves_to_others_what_is_larger_than_they_may_read(void **state)
{
	const char *path[] = { nth(0, "a"), nth(1, "b"), nth(2, "c"), nth(3, "d") };
	struct read_ahead *r;

	(void)state;
	put("a", "1234", 0644);
	put("b", "12345", 0644);
	put("c", "", 0644);
	put("d", "123456", 0644);
	r = all_read_of(path, 4, 4);
	took(r, "a", "1234");
	took_nothing(r, "b");
	took(r, "c", "");
	took_nothing(r, "d");
	read_ahead_free(r);
}

#ifdef __linux__
/* Whoever waits for a reader of it would be told that there was one. */
static void opens_no_fifo(void **state)
{
	const char *path[] = { nth(0, "a"), nth(1, "fifo"), nth(2, "c"), nth(3, "d") };
	int watch = inotify_init1(IN_NONBLOCK);
	char event[512];

	(void)state;
	assert_int_equal(mkfifo(at("fifo"), 0600), 0);
	assert_true(watch >= 0 && inotify_add_watch(watch, at("fifo"), IN_OPEN) >= 0);
	read_ahead_free(all_read(path, 4));
	assert_true(read(watch, event, sizeof(event)) < 0);
	assert_int_equal(close(open(at("fifo"), O_RDONLY | O_NONBLOCK)), 0);
	assert_true(read(watch, event, sizeof(event)) > 0);
	close(watch);
}
#endif

/* Whoever compares it with what is there now sees that. */
static void tells_what_the_file_was(void **state)
{
	const char *path[] = { nth(0, "a"), nth(1, "b"), nth(2, "c"), nth(3, "d") };
	struct fs_stat seen, now;
	struct buf b = BUF_INIT;
	struct read_ahead *r;

	(void)state;
	for (int i = 0; i < 4; i++)
		put(&"a\0b\0c\0d"[2 * i], "old", 0644);
	r = all_read(path, 4);
	assert_int_equal(unlink(path[1]), 0);
	put("b", "longer", 0644);
	now = look("b");
	assert_true(read_ahead_take(r, path[1], &b, &seen));
	assert_string_equal(b.p, "old");
	assert_false(fs_untouched(&seen, &now));
	buf_release(&b);
	read_ahead_free(r);
}

/* More than there is room for, however far the thread is. */
static void goes_along_with_who_asks(void **state)
{
	static char name[300][16];
	const char *path[300];
	struct read_ahead *r;

	(void)state;
	for (int i = 0; i < 300; i++) {
		char *full = NULL;

		snprintf(name[i], sizeof(name[i]), "f%d", i);
		put(name[i], name[i], 0644);
		assert_true(asprintf(&full, "%s/%s", root, name[i]) > 0);
		path[i] = full;
	}
	for (int step = 1; step < 40; step += 6) {
		r = read_ahead_new(path, 300, UINT64_MAX);
		for (int i = 0; i < 290; i += step) {
			struct buf b = BUF_INIT;
			struct fs_stat seen;

			if (read_ahead_take(r, path[i], &b, &seen))
				assert_string_equal(b.p, name[i]);
			buf_release(&b);
		}
		read_ahead_free(r);
	}
	for (int i = 0; i < 300; i++)
		free((char *)path[i]);
}

/* A long text is read by all processors at once. */
static void reads_long_files_from_where_they_are_read_next(void **state)
{
	struct buf text = BUF_INIT, b = BUF_INIT;
	struct err e;
	char next[8];
	int fd;

	(void)state;
	for (int i = 0; text.n < 3 << 20; i++)
		buf_addf(&text, "line %d\n", i);
	put("long", text.p, 0644);
	buf_adds(&b, "kept");
	assert_true(fs->read(NULL, at("long"), &b, NULL, &e));
	assert_int_equal(b.n, 4 + text.n);
	assert_memory_equal(b.p + 4, text.p, text.n + 1);

	fd = open(at("long"), O_RDONLY);
	assert_int_equal(lseek(fd, 5, SEEK_SET), 5);
	buf_clear(&b);
	disk_read_shared(fd, text.n, &b); /* more than there is */
	assert_int_equal(b.n, 0);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 5);
	disk_read_shared(fd, text.n - 13, &b);
	if (b.n) { /* one processor has nobody to share with */
		assert_int_equal(b.n, text.n - 13);
		assert_memory_equal(b.p, text.p + 5, b.n);
		assert_int_equal(read(fd, next, sizeof(next)), 8);
		assert_memory_equal(next, text.p + text.n - 8, 8);
	}
	close(fd);
	buf_release(&text);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(gives_each_text_once_and_in_order),
		T(leaves_to_others_what_is_not_a_file_of_usual_size),
		T(leaves_to_others_what_is_larger_than_they_may_read),
#ifdef __linux__
		T(opens_no_fifo),
#endif
		T(tells_what_the_file_was),
		T(goes_along_with_who_asks),
		T(reads_long_files_from_where_they_are_read_next),
	};

	return cmocka_run_group_tests(tests, begin_a_thread, NULL);
}
