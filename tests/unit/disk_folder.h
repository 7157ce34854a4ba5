#ifndef OX_TEST_DISK_FOLDER_H
#define OX_TEST_DISK_FOLDER_H

/* The real disk in a scratch folder, made anew for each test. Include cmocka's headers first. */

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <io/disk.h>

static char root[] = "/tmp/oxide-disk-XXXXXX";
static char home[] = "/tmp/oxide-disk-XXXXXX.home";
static const struct fs *fs;

/* A path below the root; a few at a time. */
static const char *at(const char *rel)
{
	static char v[8][4096];
	static unsigned i;
	char *p = v[i++ % 8];

	snprintf(p, sizeof(v[0]), "%s%s%s", root, *rel ? "/" : "", rel);
	return p;
}

static void put(const char *rel, const char *text, unsigned mode)
{
	struct err e;

	if (!fs->create(NULL, at(rel), str_of(text), 0600, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(chmod(at(rel), mode), 0);
}

__attribute__((unused)) static void is(const char *rel, const char *text)
{
	struct buf b = BUF_INIT;
	struct err e;

	if (!fs->read(NULL, at(rel), &b, NULL, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(b.p, text);
	buf_release(&b);
}

__attribute__((unused)) static struct fs_stat look(const char *rel)
{
	struct fs_stat st;
	struct err e;

	if (!fs->stat(NULL, at(rel), &st, &e))
		fail_msg("%s", e.msg);
	return st;
}

__attribute__((unused)) static void names(const char *rel, const char *want)
{
	struct buf b = BUF_INIT;
	struct err e;

	assert_true(fs->list(NULL, at(rel), &b, &e));
	for (size_t i = 0; i < b.n; i++)
		if (!b.p[i])
			b.p[i] = ' ';
	assert_string_equal(b.n ? b.p : "", want);
	buf_release(&b);
}

static int start(void **state)
{
	(void)state;
	fs = disk_fs();
	strcpy(root + strlen(root) - 6, "XXXXXX");
	umask(022);
	if (!mkdtemp(root))
		return 1;
	snprintf(home, sizeof(home), "%s.home", root);
	return 0;
}

static int end(void **state)
{
	char *cmd = NULL;
	int bad;

	(void)state;
	if (asprintf(&cmd, "rm -rf %s %s", root, home) < 0)
		return 1;
	bad = system(cmd);
	free(cmd);
	return bad;
}

#define T(f) cmocka_unit_test_setup_teardown(f, start, end)

#endif
