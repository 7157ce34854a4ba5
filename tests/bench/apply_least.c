/*
 * The least that applies a patch so that it may be relied upon:
 *
 *     apply_least STATE < PATCH
 *
 * in the folder that the patch is for. It reads the patch and the files, proves each hunk where it
 * is written, and looks at each file again before and behind the swap; puts all new texts, with
 * their hashes, into one journal and syncs that; fills temporaries that are there already, and
 * swaps them with the files; keeps what takes it back, answers with the diff, syncs the files,
 * empties the temporaries and retires the journal. All of that on as many threads as there are
 * processors, and what waits for the disk on more.
 *
 * It has no options, no project, no second form of patch, no hunk that has moved, no way back from
 * a failure (it ends), no look for links, locks and editors, no line ends but LF, and never frees
 * anything: what does all it should takes longer.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <base/buf.h>
#include <base/hash.h>
#include <base/json.h>
#include <base/mem.h>

#define THREADS 32
#define BLOCK	(512u << 10) /* of the journal, handed to the disk as it is filled */

struct file {
	struct str part; /* of the patch */
	char *path, *temp;
	struct stat seen;
	uint64_t was, now; /* hashes */
	off_t at;	   /* in the journal */
	struct buf back;   /* what takes it back */
	struct buf old, text;
};

static const char *state;
static struct file *file;
static size_t files, cap, threads;
static int journal;
static atomic_long journal_end = 1 << 16; /* behind the head and its table */
static struct str patch;

static void must(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		_exit(1);
	}
}

static char *in_state(const char *name, size_t n)
{
	struct buf path = BUF_INIT;

	buf_addf(&path, "%s/%s%zu", state, name, n);
	return buf_detach(&path);
}

static int must_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);

	must(fd >= 0, path);
	return fd;
}

static void slurp(int fd, size_t size, struct buf *out)
{
	ssize_t n;

	while ((n = read(fd, buf_room(out, size + 1), size + 1)) > 0)
		out->n += (size_t)n;
	must(!n, "read");
}

static void put(int fd, struct str s, off_t at)
{
	while (s.n) {
		ssize_t n = pwrite(fd, s.p, s.n, at);

		must(n > 0, "pwrite");
		s = str_sub(s, (size_t)n, s.n);
		at += n;
	}
}

/* Each of `n`, on so many threads. */
typedef void job(size_t i, struct buf *old, struct buf *text);

struct jobs {
	job *run;
	size_t n;
	atomic_size_t next;
};

static void *work(void *arg)
{
	struct jobs *jobs = arg;
	struct buf old = BUF_INIT, text = BUF_INIT;

	for (size_t i; (i = atomic_fetch_add(&jobs->next, 1)) < jobs->n;)
		jobs->run(i, &old, &text);
	return NULL;
}

static void each(job *run, size_t n, size_t most)
{
	struct jobs jobs = { run, n, 0 };
	pthread_t thread[THREADS];
	size_t others = (n < most ? n : most) - 1;

	for (size_t i = 0; i < others; i++)
		must(!pthread_create(&thread[i], NULL, work, &jobs), "pthread_create");
	work(&jobs);
	for (size_t i = 0; i < others; i++)
		pthread_join(thread[i], NULL);
}

/* Lines with their LF; of what is sought there always is one. */
static struct str take_line(struct str *rest)
{
	const char *lf = rest->n ? memchr(rest->p, '\n', rest->n) : NULL;
	struct str line;

	must(lf != NULL, "a line is missing");
	line = str_sub(*rest, 0, (size_t)(lf - rest->p) + 1);
	*rest = str_sub(*rest, line.n, rest->n);
	return line;
}

static size_t number(const char *p)
{
	size_t n = 0;

	for (; *p >= '0' && *p <= '9'; p++)
		n = n * 10 + (size_t)(*p - '0');
	return n;
}

/* The new text of an old one. */
static void prove(struct file *f, struct str old, struct buf *text)
{
	struct str part = f->part, rest = old;
	const char *kept = old.p; /* up to here the new text has it */
	size_t line = 1;

	for (int head = 0; head < 3; head++)
		take_line(&part);
	buf_room(text, old.n + f->part.n);
	while (part.n) {
		struct str hunk = take_line(&part);

		must(str_starts(hunk, STR("@@ -")), "not a hunk");
		for (size_t at = number(hunk.p + 4); line < at; line++)
			take_line(&rest);
		while (part.n && part.p[0] != '@') {
			struct str has = take_line(&part), want = str_sub(has, 1, has.n);

			if (has.p[0] != '+') {
				must(str_starts(rest, want), "a hunk does not match");
				line++;
			}
			if (has.p[0] != ' ') {
				buf_add(text, (struct str){ kept, (size_t)(rest.p - kept) });
				if (has.p[0] == '+') {
					buf_add(text, want);
				} else {
					buf_add(&f->back,
						(struct str){ (char *)&text->n, sizeof(text->n) });
					buf_add(&f->back, want);
				}
				kept = rest.p + (has.p[0] == '-' ? want.n : 0);
			}
			rest = has.p[0] == '+' ? rest : str_sub(rest, want.n, rest.n);
		}
	}
	buf_add(text, (struct str){ kept, (size_t)(old.p + old.n - kept) });
}

static void read_file(struct file *f, struct buf *old)
{
	int fd = must_open(f->path, O_RDONLY);

	must(!fstat(fd, &f->seen) && S_ISREG(f->seen.st_mode), f->path);
	must(!faccessat(AT_FDCWD, f->path, W_OK, AT_EACCESS), f->path);
	slurp(fd, (size_t)f->seen.st_size, old);
	close(fd);
}

/* Each full block is handed to the disk. */
static void put_journal(struct file *f, struct str text)
{
	off_t at = f->at = atomic_fetch_add(&journal_end, (long)text.n);

	while (text.n) {
		size_t n = BLOCK - (size_t)at % BLOCK;

		n = n < text.n ? n : text.n;
		put(journal, str_sub(text, 0, n), at);
		text = str_sub(text, n, text.n);
		at += (off_t)n;
		if (at % BLOCK == 0)
			sync_file_range(journal, at - BLOCK, BLOCK, SYNC_FILE_RANGE_WRITE);
	}
}

static void put_temp(struct file *f, struct str text)
{
	int fd = must_open(f->temp, O_WRONLY);

	must(flistxattr(fd, NULL, 0) >= 0 && !fchmod(fd, f->seen.st_mode & 07777), f->temp);
	put(fd, text, 0);
	must(!ftruncate(fd, (off_t)text.n), "ftruncate");
	close(fd);
}

/* What is written here counts for nothing until the journal has its head. */
static void change(size_t i, struct buf *old, struct buf *text)
{
	struct file *f = &file[i];

	if (!i && f->old.n) { /* was read ahead */
		*old = f->old;
	} else {
		buf_clear(old);
		read_file(f, old);
	}
	buf_clear(text);
	prove(f, buf_str(old), text);
	f->was = hash_of(buf_str(old));
	f->now = hash_of(buf_str(text));
	if (files > 1) {
		put_journal(f, buf_str(text));
		put_temp(f, buf_str(text));
	} else {
		f->text = *text;
	}
}

/* One file is written twice by two threads. */
static void put_twice(size_t i, struct buf *old, struct buf *text)
{
	(void)old;
	(void)text;
	(i ? put_temp : put_journal)(&file[0], buf_str(&file[0].text));
}

static void look(const char *path, const struct stat *seen)
{
	struct stat st;

	must(!lstat(path, &st) && st.st_ino == seen->st_ino && st.st_size == seen->st_size &&
		     st.st_mtim.tv_sec == seen->st_mtim.tv_sec &&
		     st.st_mtim.tv_nsec == seen->st_mtim.tv_nsec,
	     path);
}

static void swap(size_t i, struct buf *old, struct buf *text)
{
	struct file *f = &file[i];

	(void)old;
	(void)text;
	look(f->path, &f->seen);
	must(!renameat2(AT_FDCWD, f->temp, AT_FDCWD, f->path, RENAME_EXCHANGE), f->path);
	look(f->temp, &f->seen);
}

static void sync_name(const char *path)
{
	int fd = must_open(path, O_RDONLY);

	must(!fsync(fd), path);
	close(fd);
}

/* Handed to the disk all at once, many are written in the time that a few rounds of syncs take. */
static void begin(size_t i, struct buf *old, struct buf *text)
{
	int fd = must_open(file[i].path, O_RDONLY);

	(void)old;
	(void)text;
	sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
	close(fd);
}

static void sync_file(size_t i, struct buf *old, struct buf *text)
{
	(void)old;
	(void)text;
	sync_name(file[i].path);
}

/* A small one keeps its blocks, as those of Oxide do. */
static void empty(size_t i, struct buf *old, struct buf *text)
{
	int fd = must_open(file[i].temp, O_WRONLY);
	off_t blocks = (file[i].seen.st_size + 4095) / 4096 * 4096;

	(void)old;
	(void)text;
	must(!fchmod(fd, 0600), "fchmod");
	must(!(blocks > 1 << 20
		       ? ftruncate(fd, 0)
		       : fallocate(fd, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, 0, blocks)),
	     "emptying");
	must(!fsync(fd), "fsync");
	close(fd);
}

static void retire(void)
{
	static const char none[4096];
	struct str dir = STR("");

	for (size_t i = 0; i < files; i++) {
		struct str path = str_of(file[i].path), its = str_sub(path, 0, 0);
		const char *slash = strrchr(path.p, '/');

		its.n = slash ? (size_t)(slash - path.p) : 0;
		if (its.n && !str_eq(its, dir))
			sync_name(mem_dup(its.p, its.n));
		dir = its;
	}
	sync_name(state);
	each(empty, files, THREADS);
	put(journal, (struct str){ none, sizeof(none) }, 0);
	must(!fdatasync(journal), "the journal");
}

static void put_out(void *arg, struct str part)
{
	(void)arg;
	must(write(1, part.p, part.n) == (ssize_t)part.n, "standard output");
}

/* The record for the history, and the answer: while the files are synced. */
static void *answer(void *arg)
{
	int fd = must_open(in_state("record", 0), O_WRONLY | O_CREAT | O_TRUNC);
	struct buf out = BUF_INIT, diff = BUF_INIT;

	(void)arg;
	for (size_t i = 0; i < files; i++)
		buf_add(&out, buf_str(&file[i].back));
	put(fd, buf_str(&out), 0);
	close(fd);
	buf_add(&diff, patch);
	json_stream(json_take(&diff), put_out, NULL);
	return NULL;
}

/* The head of the journal: with it all of it counts. */
static void put_head(void)
{
	struct buf head = BUF_INIT;

	for (size_t i = 0; i < files; i++)
		buf_addf(&head, "%s %ld %016lx %016lx\n", file[i].path, (long)file[i].at,
			 (unsigned long)file[i].was, (unsigned long)file[i].now);
	buf_addf(&head, "%016lx\n", (unsigned long)hash_of(buf_str(&head)));
	put(journal, buf_str(&head), 0);
	must(!fdatasync(journal), "the journal");
}

static void add_file(struct str part)
{
	struct str rest = part, name;
	struct file f = { .part = part };

	take_line(&rest);
	name = take_line(&rest); /* --- a/PATH */
	f.path = mem_dup(name.p + 6, name.n - 7);
	f.temp = in_state("", files);
	file = mem_grow(file, &cap, files + 1, sizeof(*file));
	file[files++] = f;
}

/* Nothing but the head of a part begins with a "d". */
static void cut(void)
{
	struct str rest = patch;

	while (rest.n) {
		const char *next =
			memmem(rest.p + 1, rest.n - 1, "\ndiff --git ", strlen("\ndiff --git "));
		size_t n = next ? (size_t)(next + 1 - rest.p) : rest.n;

		add_file(str_sub(rest, 0, n));
		rest = str_sub(rest, n, rest.n);
	}
}

static void *read_first(void *arg)
{
	struct file *f = arg;

	read_file(f, &f->old);
	return NULL;
}

int main(int argc, char **argv)
{
	struct buf text = BUF_INIT;
	struct file first;
	struct stat st;
	pthread_t ahead, other;
	ssize_t n;

	must(argc == 2 && !fstat(0, &st), "apply_least STATE < PATCH");
	state = argv[1];
	threads = (size_t)sysconf(_SC_NPROCESSORS_ONLN);
	mkdir(state, 0700);
	n = read(0, buf_room(&text, (size_t)st.st_size + 1), 4096);
	must(n > 0, "the patch");
	patch = (struct str){ text.p, text.n = (size_t)n };
	add_file(patch);
	first = file[0];
	files = 0;
	must(!pthread_create(&ahead, NULL, read_first, &first), "pthread_create");
	slurp(0, (size_t)st.st_size, &text);
	patch = buf_str(&text);
	cut();
	journal = must_open(in_state("journal", 0), O_WRONLY | O_CREAT);
	for (size_t i = 0; i < files; i++)
		if (access(file[i].temp, F_OK))
			close(must_open(file[i].temp, O_WRONLY | O_CREAT));
	pthread_join(ahead, NULL);
	file[0].old = first.old;
	file[0].seen = first.seen;
	each(change, files, threads);
	if (files == 1)
		each(put_twice, 2, threads);
	put_head();
	each(swap, files, threads);
	must(!pthread_create(&other, NULL, answer, NULL), "pthread_create");
	each(begin, files, threads);
	each(sync_file, files, THREADS);
	pthread_join(other, NULL);
	retire();
	return 0;
}
