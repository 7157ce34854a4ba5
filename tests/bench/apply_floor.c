/*
 * What the durable change of many files costs at least:
 *
 *     apply_floor JOURNAL DIR AFTER < PATCH
 *
 * reads the patch and every file of DIR, takes the new texts as they lie in AFTER, writes them to
 * one journal, syncs that, and then writes them in place. Nothing is parsed, sought, checked,
 * answered or remembered.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <base/buf.h>
#include <base/mem.h>

struct file {
	char *path;
	struct buf was, now;
};

static struct file *file;
static size_t files, cap;

static void must(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(1);
	}
}

static struct buf slurp(const char *path)
{
	int fd = path ? open(path, O_RDONLY) : 0;
	struct buf text = BUF_INIT;
	struct stat st;
	ssize_t n;

	must(fd >= 0 && !fstat(fd, &st), path);
	while ((n = read(fd, buf_room(&text, (size_t)st.st_size + 1), (size_t)st.st_size + 1)) > 0)
		text.n += (size_t)n;
	must(!n, path);
	close(fd);
	return text;
}

static void put(int fd, struct buf text)
{
	for (size_t at = 0; at < text.n;) {
		ssize_t n = write(fd, text.p + at, text.n - at);

		must(n > 0, "write");
		at += (size_t)n;
	}
}

static char *in(const char *dir, const char *name)
{
	struct buf path = BUF_INIT;

	buf_addf(&path, "%s/%s", dir, name);
	return buf_detach(&path);
}

static void read_below(const char *dir, const char *after)
{
	DIR *d = opendir(dir);
	struct dirent *entry;

	must(d != NULL, dir);
	while ((entry = readdir(d))) {
		char *from = in(dir, entry->d_name), *to = in(after, entry->d_name);

		if (entry->d_name[0] == '.')
			continue;
		if (entry->d_type == DT_DIR) {
			read_below(from, to);
			continue;
		}
		file = mem_grow(file, &cap, files + 1, sizeof(*file));
		file[files++] = (struct file){ from, slurp(from), slurp(to) };
	}
	closedir(d);
}

int main(int argc, char **argv)
{
	struct buf patch;
	int journal;

	must(argc == 4, "arguments");
	patch = slurp(NULL);
	read_below(argv[2], argv[3]);
	journal = open(argv[1], O_WRONLY | O_CREAT, 0600);
	must(journal >= 0 && patch.n, argv[1]);
	for (size_t i = 0; i < files; i++)
		put(journal, file[i].now);
	must(!fdatasync(journal), argv[1]);
	for (size_t i = 0; i < files; i++) {
		int fd = open(file[i].path, O_WRONLY);

		must(fd >= 0, file[i].path);
		put(fd, file[i].now);
		must(!ftruncate(fd, (off_t)file[i].now.n) && !close(fd), file[i].path);
	}
	return 0;
}
