#include "log.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "mem.h"
#include "plain.h"
#include "retry.h"

static struct {
	FILE *file;
	char *path;
	enum log_level most;
	bool wire;
	unsigned users;
} out;

static void rotate(const char *path, long max_bytes)
{
	struct stat st;
	char *old SCOPED(mem_release) = NULL;

	if (stat(path, &st) || st.st_size <= max_bytes)
		return;
	old = mem_new(strlen(path) + 3);
	sprintf(old, "%s.1", path);
	rename(path, old);
}

bool log_open(const char *path, enum log_level most, long max_bytes)
{
	int fd;

	if (out.file) {
		out.users++;
		return true;
	}
	rotate(path, max_bytes);
	RETRY(fd, open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
	if (fd < 0)
		return false;
	out.file = fdopen(fd, "a");
	if (!out.file) {
		close(fd);
		return false;
	}
	setvbuf(out.file, NULL, _IOLBF, 0);
	out.path = mem_dup(path, strlen(path));
	out.most = most;
	out.users = 1;
	return true;
}

static void write_line(const char *level, const char *fmt, va_list ap)
{
	struct timespec now;
	struct tm tm;
	char when[32];
	struct buf text SCOPED(buf_release) = BUF_INIT, plain SCOPED(buf_release) = BUF_INIT;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
	fprintf(out.file, "%s.%03ld %ld %s ", when, now.tv_nsec / 1000000, (long)getpid(), level);
	buf_addv(&text, fmt, ap);
	plain_add(&plain, buf_str(&text));
	fprintf(out.file, "%s\n", buf_str(&plain).p);
}

void log_line(enum log_level level, const char *fmt, ...)
{
	static const char *const names[] = { "error", "warn", "info", "debug" };
	va_list ap;

	if (!out.file || level > out.most)
		return;
	va_start(ap, fmt);
	write_line(names[level], fmt, ap);
	va_end(ap);
}

void log_set_level(enum log_level most)
{
	out.most = most;
}

void log_set_wire(bool on)
{
	out.wire = on;
}

bool log_has_wire(void)
{
	return out.file && out.wire;
}

void log_wire(const char *fmt, ...)
{
	va_list ap;

	if (!log_has_wire())
		return;
	va_start(ap, fmt);
	write_line("wire", fmt, ap);
	va_end(ap);
}

const char *log_path(void)
{
	return out.path ? out.path : "";
}

void log_close(void)
{
	if (!out.users || --out.users)
		return;
	fclose(out.file);
	free(out.path);
	out.file = NULL;
	out.path = NULL;
}
