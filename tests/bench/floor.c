/*
 * The least that puts a new name into many files so that a crash cannot lose it, without any check
 * of what is done:
 *
 *     floor DIR STATE OLD NEW
 *
 * reads each file of DIR, puts NEW for OLD, writes all new texts into one journal and syncs that,
 * fills temporaries that are there already, and swaps them with the files. Prints the milliseconds
 * that took. The temporaries in STATE are made, and made empty again, outside of that time.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <base/buf.h>
#include <base/mem.h>

struct file {
	char *path, *temp;
	struct str now; /* in the journal's bytes */
};

static struct file *file;
static size_t files;
static struct buf journal; /* never grows while it is filled */

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int must_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0644);

	if (fd < 0)
		die(path);
	return fd;
}

static char *in(const char *dir, const char *name)
{
	struct buf path = BUF_INIT;

	buf_addf(&path, "%s/%s", dir, name);
	return buf_detach(&path);
}

static void list(const char *dir, const char *state)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	size_t cap = 0;

	if (!d)
		die(dir);
	while ((entry = readdir(d))) {
		struct file *f;
		struct stat st;

		if (entry->d_name[0] == '.')
			continue;
		file = mem_grow(file, &cap, files + 1, sizeof(*file));
		f = &file[files++];
		f->path = in(dir, entry->d_name);
		f->temp = in(state, entry->d_name);
		if (stat(f->path, &st))
			die(f->path);
		close(must_open(f->temp, O_WRONLY | O_CREAT | O_TRUNC));
		buf_room(&journal, journal.n += 2 * (size_t)st.st_size + 64);
	}
	closedir(d);
	buf_clear(&journal);
}

static void change(struct file *f, struct str old, struct str with)
{
	static char text[1 << 20];
	int fd = must_open(f->path, O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text));
	struct str rest = { text, n > 0 ? (size_t)n : 0 };
	size_t start = journal.n;
	ptrdiff_t at;

	close(fd);
	while ((at = str_find(rest, old)) >= 0) {
		buf_add(&journal, str_sub(rest, 0, (size_t)at));
		buf_add(&journal, with);
		rest = str_sub(rest, (size_t)at + old.n, rest.n);
	}
	buf_add(&journal, rest);
	f->now = str_sub(buf_str(&journal), start, journal.n);
}

static void put(int fd, struct str s, const char *what)
{
	if (write(fd, s.p, s.n) != (ssize_t)s.n)
		die(what);
}

static void commit(int log)
{
	put(log, buf_str(&journal), "the journal");
	if (fdatasync(log))
		die("the journal");
	for (size_t i = 0; i < files; i++) {
		int fd = must_open(file[i].temp, O_WRONLY);

		put(fd, file[i].now, file[i].temp);
		close(fd);
	}
	for (size_t i = 0; i < files; i++)
		if (renameat2(AT_FDCWD, file[i].temp, AT_FDCWD, file[i].path, RENAME_EXCHANGE))
			die(file[i].path);
}

int main(int argc, char **argv)
{
	double begun;
	int log;

	if (argc != 5) {
		fprintf(stderr, "floor DIR STATE OLD NEW\n");
		return 2;
	}
	mkdir(argv[2], 0700);
	list(argv[1], argv[2]);
	log = must_open(in(argv[2], "journal"), O_WRONLY | O_CREAT);
	sync();
	begun = now_ms();
	for (size_t i = 0; i < files; i++)
		change(&file[i], str_of(argv[3]), str_of(argv[4]));
	commit(log);
	printf("%.3f\n", now_ms() - begun);
	for (size_t i = 0; i < files; i++)
		close(must_open(file[i].temp, O_WRONLY | O_TRUNC));
	return 0;
}
