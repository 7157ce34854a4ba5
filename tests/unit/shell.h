#ifndef OX_TEST_SHELL_H
#define OX_TEST_SHELL_H

/* Commands of the shell, and what a tree on the disk is. Include cmocka's headers first. */

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <base/buf.h>

/* The command's exit status, or 128 and its signal. */
static int sh(const char *fmt, ...)
{
	struct buf cmd = BUF_INIT;
	va_list ap;
	int status;

	va_start(ap, fmt);
	buf_addv(&cmd, fmt, ap);
	va_end(ap);
	status = system(cmd.p);
	buf_release(&cmd);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void digest_text(const char *path, struct buf *out)
{
	FILE *f = fopen(path, "r");
	int c;

	assert_non_null(f);
	while ((c = getc(f)) != EOF)
		if (c) /* what it comes to is compared as a string */
			buf_addc(out, (char)c);
		else
			buf_adds(out, "\\0");
	fclose(f);
}

static void digest_below(const char *path, const char *rel, bool folders, struct buf *out)
{
	struct dirent **v;
	int n = scandir(path, &v, NULL, alphasort);

	assert_true(n >= 0);
	for (int i = 0; i < n; i++) {
		const char *name = v[i]->d_name;
		char full[4096], below[4096], leads_to[4096] = "";
		struct stat st;

		snprintf(full, sizeof(full), "%s/%s", path, name);
		snprintf(below, sizeof(below), "%s/%s", rel, name);
		if (!strcmp(name, ".") || !strcmp(name, "..") || !strcmp(below, "./.git"))
			goto next;
		assert_int_equal(lstat(full, &st), 0);
		if (S_ISDIR(st.st_mode)) {
			if (folders)
				buf_addf(out, "%s/\n", below);
			digest_below(full, below, folders, out);
			goto next;
		}
		if (S_ISLNK(st.st_mode))
			assert_true(readlink(full, leads_to, sizeof(leads_to) - 1) >= 0);
		buf_addf(out, "%s %o %d %s\n", below, (unsigned)st.st_mode, (int)st.st_nlink,
			 leads_to);
		if (S_ISREG(st.st_mode))
			digest_text(full, out);
	next:
		free(v[i]);
	}
	free(v);
}

/* Names, kinds, modes, hard links, where links lead, and texts, but of .git; and the folders. No
 * command does it: the crash tests ask for it thousands of times. */
static void digest(const char *root, bool folders, struct buf *out)
{
	digest_below(root, ".", folders, out);
}

#endif
