#include "core_file.h"

#include <fcntl.h>
#include <glob.h>
#include <string.h>
#include <unistd.h>

#include "../base/buf.h"
#include "../base/mem.h"
#include "../base/retry.h"

#define NAME_MOST 15 /* bytes of a program's name that the kernel keeps */

void core_file_expand(struct buf *out, const char *pattern, pid_t pid, const char *program,
		      int signal)
{
	const char *slash = strrchr(program, '/');

	for (const char *p = pattern; *p; p++) {
		if (*p != '%' || !p[1]) {
			buf_addc(out, *p);
			continue;
		}
		switch (*++p) {
		case '%':
			buf_addc(out, '%');
			break;
		case 'p':
		case 'P':
			buf_addf(out, "%ld", (long)pid);
			break;
		case 'e':
			buf_addf(out, "%.*s", NAME_MOST, slash ? slash + 1 : program);
			break;
		case 's':
			buf_addf(out, "%d", signal);
			break;
		case 'u':
			buf_addf(out, "%ld", (long)getuid());
			break;
		case 'g':
			buf_addf(out, "%ld", (long)getgid());
			break;
		default: /* the time, the host's name, ... */
			buf_addc(out, '*');
		}
	}
}

static struct str core_file_setting(const char *path, char *text, size_t room)
{
	ssize_t n = -1;
	int fd;

	RETRY(fd, open(path, O_RDONLY | O_CLOEXEC));
	if (fd >= 0) {
		RETRY(n, read(fd, text, room - 1));
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	return str_trim(str_of(text));
}

/* The newest name that matches: times in names sort. */
static char *core_file_newest(const char *pattern)
{
	char *path = NULL;
	glob_t found;

	if (!glob(pattern, 0, NULL, &found) && found.gl_pathc)
		path = mem_dup(found.gl_pathv[found.gl_pathc - 1],
			       strlen(found.gl_pathv[found.gl_pathc - 1]));
	globfree(&found);
	return path;
}

char *core_file_find(pid_t pid, const char *program, const char *cwd, int signal)
{
	char text[512], flag[16];
	struct buf pattern = BUF_INIT, name = BUF_INIT;
	char *path;

#ifdef __linux__
	buf_add(&pattern, core_file_setting("/proc/sys/kernel/core_pattern", text, sizeof(text)));
	if (!strstr(buf_str(&pattern).p, "%p") &&
	    str_eq(core_file_setting("/proc/sys/kernel/core_uses_pid", flag, sizeof(flag)),
		   STR("1")))
		buf_adds(&pattern, ".%p");
#else
	(void)text;
	(void)flag;
	buf_adds(&pattern, "/cores/core.%p");
#endif
	if (!pattern.n || *pattern.p == '|')
		return pattern.n ? buf_detach(&pattern) : NULL;
	if (*pattern.p != '/' && cwd)
		buf_addf(&name, "%s/", cwd);
	core_file_expand(&name, pattern.p, pid, program, signal);
	path = core_file_newest(name.p);
	buf_release(&pattern);
	buf_release(&name);
	return path;
}
