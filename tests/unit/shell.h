#ifndef OX_TEST_SHELL_H
#define OX_TEST_SHELL_H

/* Commands of the shell, and what a tree on the disk is. Include cmocka's headers first. */

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

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

/* Names, kinds, modes, hard links, where links lead, and texts, but of .git; and the folders. */
static void digest(const char *root, bool folders, struct buf *out)
{
	struct buf cmd = BUF_INIT;
	char line[4096];
	FILE *f;

	buf_addf(
		&cmd,
		"cd %s && tell() { find . -path ./.git -prune -o \"$@\" | LC_ALL=C sort; };"
		"tell ! -type d -printf '%%p %%y %%m %%n %%l\\n'; %s tell -type f -print | xargs -r cat",
		root, folders ? "tell -type d -print;" : "");
	f = popen(cmd.p, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		buf_adds(out, line);
	assert_int_equal(pclose(f), 0);
	buf_release(&cmd);
}

#endif
