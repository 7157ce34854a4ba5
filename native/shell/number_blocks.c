#include "number_blocks.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/retry.h"
#include "../io/disk.h"
#include "../io/spare_memory.h"
#include "../text/line_ends.h"
#include "../text/line_numbers.h"

#define BLOCK ((size_t)256 << 10) /* with what is made of it, it stays in a processor's cache */
#define LEAST ((size_t)8)	  /* blocks: below that a second thread is not worth its start */
#define PAGE  ((size_t)4 << 10)
#define STEPS 16 /* pages that are read to find the end of a block's last line */
#define ROOM  (BLOCK + (STEPS + 3) * PAGE) /* of what is read for one */
#define TURNS 20000 /* of waiting, some us, before a thread sleeps, which takes longer */

/* Each thread takes the next block that nobody has, reads it, lists its lines, waits until those
 * before it are counted, numbers them, waits until those before it are written, and writes them. So
 * each waits only for threads that have earlier blocks, and hardly ever for long. */

/* A thread's memory, with the block that it has: the lines that begin in it. */
struct work {
	struct buf text, out;
	struct str lines;
	uint32_t *end; /* of each line, in `lines` */
	size_t end_cap, n;
	off_t behind; /* the lines, in the file */
};

struct blocks {
	int in;
	off_t from; /* where the first one begins */
	struct work work[FS_WORKERS];
	/* The block whose turn it is, to be counted and to be written. They change with the lock,
	 * but who waits looks at them without it before it sleeps. */
	atomic_size_t counted, written;
	atomic_bool ended; /* nothing more is written */
	pthread_mutex_t lock;
	pthread_cond_t moved;
	/* Of who has the turn: the number of the first line that is not counted; of the first one
	 * that is not written, where it begins, and errno of writing. */
	size_t uncounted, line;
	off_t end;
	int failed;
};

/* Up to n bytes. False: there is nothing more, or it cannot be read. */
static bool read_more(const struct blocks *b, struct buf *text, size_t n, off_t at)
{
	size_t had = text->n;
	ssize_t got = 1;

	for (size_t left = n; left && got; left -= (size_t)got) {
		RETRY(got, pread(b->in, buf_room(text, left), left, at));
		if (got < 0)
			return false;
		text->n += (size_t)got;
		at += got;
	}
	return text->n > had;
}

/* Behind the first line end from `from` on, which may have to be read; 0: it is too far away. */
static size_t block_line_start(const struct blocks *b, struct buf *text, size_t from, off_t at)
{
	for (int i = 0; i <= STEPS; i++) {
		const char *lf = memchr(text->p + from, '\n', text->n - from);

		if (lf)
			return (size_t)(lf - text->p) + 1;
		from = text->n;
		if (!read_more(b, text, PAGE, at + (off_t)from))
			return 0;
	}
	return 0;
}

/* The kernel copies a quarter faster to a place in a page that is the same as in the file. */
static void block_skip(struct buf *text, off_t at)
{
	buf_clear(text);
	buf_room(text, ROOM);
	text->n = (size_t)((uintptr_t)at - (uintptr_t)text->p) % PAGE;
}

/* Reads the block, finds its lines and where they end. False: it is left to who reads on. */
static bool block_read(const struct blocks *b, struct work *w, size_t i)
{
	size_t before = i > 0, from, to; /* a byte: whether a line begins with the block */
	off_t start = b->from + (off_t)(i * BLOCK) - (off_t)before;

	block_skip(&w->text, start);
	from = w->text.n;
	start -= (off_t)from;
	to = from + before + BLOCK - 1;
	if (!read_more(b, &w->text, before + BLOCK + PAGE, start + (off_t)from) || w->text.n <= to)
		return false;
	if ((before && !(from = block_line_start(b, &w->text, from, start))) ||
	    !(to = block_line_start(b, &w->text, to, start)))
		return false;
	w->lines = str_sub(buf_str(&w->text), from, to);
	w->behind = start + (off_t)to;
	w->end = mem_grow(w->end, &w->end_cap, LINE_ENDS_ROOM(w->lines.n), sizeof(*w->end));
	w->n = line_ends_list(w->lines, w->end);
	return true;
}

static bool turn_has_come(struct blocks *b, atomic_size_t *turn, size_t i)
{
	return atomic_load(turn) == i || atomic_load(&b->ended);
}

/* Until it is block i's turn. False: there is none any more. */
static bool turn_wait(struct blocks *b, atomic_size_t *turn, size_t i)
{
	for (size_t turns = 0; !turn_has_come(b, turn, i); turns++) {
		if (turns < TURNS)
			continue;
		pthread_mutex_lock(&b->lock);
		while (!turn_has_come(b, turn, i))
			pthread_cond_wait(&b->moved, &b->lock);
		pthread_mutex_unlock(&b->lock);
	}
	return !atomic_load(&b->ended);
}

/* With the lock, so that nobody begins to sleep who has just not seen it. */
static void turn_pass(struct blocks *b, atomic_size_t *turn)
{
	pthread_mutex_lock(&b->lock);
	atomic_fetch_add(turn, 1);
	pthread_cond_broadcast(&b->moved);
	pthread_mutex_unlock(&b->lock);
}

static bool block_write(struct blocks *b, const struct work *w)
{
	if (!disk_write_all(STDOUT_FILENO, buf_str(&w->out))) {
		b->failed = errno;
		return false;
	}
	b->line += w->n;
	b->end = w->behind;
	return true;
}

/* One that cannot be read keeps its turn until all before it are written, and ends it then. */
static bool blocks_one(void *arg, unsigned worker, size_t i, struct err *e)
{
	struct blocks *b = arg;
	struct work *w = &b->work[worker];
	bool ok = block_read(b, w, i);

	(void)e;
	if (!turn_wait(b, &b->counted, i))
		return false;
	if (ok) {
		size_t line = b->uncounted;

		b->uncounted += w->n;
		turn_pass(b, &b->counted);
		buf_clear(&w->out);
		number_listed(&w->out, w->lines, w->end, w->n, line);
	}
	if (!turn_wait(b, &b->written, i))
		return false;
	ok = ok && block_write(b, w);
	if (!ok)
		atomic_store(&b->ended, true); /* before the next one sees that it has the turn */
	turn_pass(b, &b->written);
	return ok;
}

/* Before there are threads: they would wait for each other to have it mapped. */
static void blocks_reserve(struct blocks *b)
{
	spare_memory_keep();
	for (size_t i = 0; i < FS_WORKERS; i++) {
		struct work *w = &b->work[i];

		buf_room(&w->text, ROOM);
		buf_room(&w->out, BLOCK + BLOCK / 2);
		w->end = mem_grow(w->end, &w->end_cap, LINE_ENDS_ROOM(ROOM), sizeof(*w->end));
	}
}

static void blocks_release(struct blocks *b)
{
	for (size_t i = 0; i < FS_WORKERS; i++) {
		buf_release(&b->work[i].text);
		buf_release(&b->work[i].out);
		free(b->work[i].end);
	}
	pthread_cond_destroy(&b->moved);
	pthread_mutex_destroy(&b->lock);
}

bool number_blocks(int in, size_t *line)
{
	const struct fs *fs = disk_fs();
	struct blocks b = { .in = in, .uncounted = *line, .line = *line };
	struct stat st;
	size_t n;

	b.end = b.from = lseek(in, 0, SEEK_CUR);
	if (b.from < 0 || fstat(in, &st) || !S_ISREG(st.st_mode) || st.st_size < b.from ||
	    (n = (size_t)(st.st_size - b.from) / BLOCK) < LEAST)
		return true;
	pthread_mutex_init(&b.lock, NULL);
	pthread_cond_init(&b.moved, NULL);
	blocks_reserve(&b);
	fs->each(fs->self, n, blocks_one, &b, ERR_IGNORED);
	blocks_release(&b);
	*line = b.line;
	errno = b.failed;
	return !b.failed && lseek(in, b.end, SEEK_SET) >= 0;
}
