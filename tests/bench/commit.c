/*
 * The durable commit of many files against "temporary file, sync, rename" for each of them:
 *
 *     commit DIR FILES ROUNDS
 *
 * prints a line for each round: milliseconds of Oxide's commit (from the check of the old texts to
 * the moment when all see the new ones, and no crash can undo that), of taking it back, and of the
 * other way. Files have 10 to 45 KB. What either side leaves to the background is done, and the
 * disk is quiet, before the next clock starts.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <base/hash.h>
#include <base/mem.h>
#include <base/path.h>
#include <edit/txn.h>
#include <io/disk.h>

#include "clock.h"

static char *root, *home;
static struct txn_file *file;
static struct buf *text[2];
static size_t files;

static void die(const char *what)
{
	fprintf(stderr, "commit: %s\n", what);
	exit(1);
}

static void must(bool ok, const struct err *e)
{
	if (!ok)
		die(e->msg);
}

static void make_files(void)
{
	file = mem_new(files * sizeof(*file));
	text[0] = mem_new(files * sizeof(struct buf));
	text[1] = mem_new(files * sizeof(struct buf));
	for (size_t i = 0; i < files; i++) {
		struct buf name = BUF_INIT;
		size_t lines = (10240 + i * 7919 % 35840) / 32;
		struct err e;

		for (size_t k = 0; k < lines; k++) {
			buf_addf(&text[0][i], "static int line_%09zu(int x);\n", i * 4096 + k);
			buf_addf(&text[1][i],
				 k % 100 ? "static int line_%09zu(int x);\n"
					 : "extern long line_%09zu(void);\n",
				 i * 4096 + k);
		}
		buf_addf(&name, "%s/dir%zu", root, i / 100);
		mkdir(name.p, 0755);
		buf_addf(&name, "/file%zu.c", i);
		must(disk_fs()->create(NULL, name.p, buf_str(&text[0][i]), 0644, &e), &e);
		file[i] = (struct txn_file){ buf_detach(&name), true, true, .now = STR("") };
	}
}

static struct txn *change(int from)
{
	static struct wal_desk desk;
	struct txn *t;

	for (size_t i = 0; i < files; i++) {
		file[i].was_hash = hash_of(buf_str(&text[from][i]));
		file[i].now = buf_str(&text[!from][i]);
	}
	t = txn_new(disk_fs(), home, root, file, files, NULL, 0);
	txn_use(t, &desk);
	return t;
}

static double commit(int from)
{
	struct txn *t = change(from);
	struct err e;
	double begun = now(), took;

	must(txn_prepare(t, &e) && txn_commit(t, &e), &e);
	took = now() - begun;
	must(txn_seal(t, &e), &e);
	txn_free(t);
	return took;
}

static double take_back(int from)
{
	struct txn *t = change(from);
	struct err e;
	double begun;

	must(txn_prepare(t, &e) && txn_commit(t, &e), &e);
	begun = now();
	must(txn_take_back(t, &e), &e);
	begun = now() - begun;
	must(txn_abort(t, &e), &e);
	txn_free(t);
	return begun;
}

static double one_by_one(int from)
{
	double begun = now();

	for (size_t i = 0; i < files; i++) {
		struct str s = buf_str(&text[!from][i]);
		char temp[4096];
		int fd;

		snprintf(temp, sizeof(temp), "%s.tmp", file[i].path);
		fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		if (fd < 0 || write(fd, s.p, s.n) != (ssize_t)s.n || fsync(fd) || close(fd) ||
		    rename(temp, file[i].path))
			die("temporary file, sync, rename");
	}
	return now() - begun;
}

int main(int argc, char **argv)
{
	long rounds;

	if (argc != 4)
		die("DIR FILES ROUNDS");
	root = path_join(argv[1], "tree");
	home = path_join(argv[1], "state/journal");
	if (mkdir(argv[1], 0700) || mkdir(root, 0755))
		die("the folder already exists");
	files = strtoul(argv[2], NULL, 10);
	rounds = strtol(argv[3], NULL, 10);
	make_files();
	commit(0); /* leaves the temporaries that the next one finds */
	commit(1);
	for (long i = 0; i < rounds; i++) {
		double ours, back, theirs;

		sync();
		ours = commit(0);
		sync();
		back = take_back(1);
		sync();
		theirs = one_by_one(1);
		printf("%.3f %.3f %.3f\n", ours, back, theirs);
	}
	return 0;
}
