#include "number_blocks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../base/retry.h"
#include "../io/disk.h"
#include "../text/line_ends.h"
#include "../text/line_numbers.h"

#define BLOCK ((size_t)256 << 10) /* with what is made of it, it stays in a processor's cache */
#define LEAST ((size_t)8)	  /* blocks: below that a second thread is not worth its start */
#define PAGE  ((size_t)4 << 10)
#define STEPS 16   /* pages that are read to find the end of a block's last line */
#define AHEAD 2	   /* blocks that a helper has numbered and nobody has written */
#define TURNS 2000 /* of waiting, before a helper sleeps */

/* One of the threads writes, in order; the others number blocks ahead of it. Each takes the next
 * block that nobody has. Whoever writes does a block again that is not there in time: its thread
 * may have lost its processor to somebody else. So it never waits for longer than the work takes,
 * and the others only ever wait for it. */

/* A block has the lines that begin in it. */
struct work {
	size_t i;
	struct buf text, out;
	struct str lines;
	uint32_t *end; /* of each line, in `lines` */
	size_t end_cap, n;
	off_t behind;	  /* the lines, in the file */
	atomic_bool busy; /* of a helper's: it is not written yet */
};

struct block {
	atomic_size_t counted;	       /* how many lines, and one; 0: not known */
	_Atomic(struct work *) result; /* of a helper; or `mine` */
};

struct blocks {
	int in;
	off_t from; /* where the first one begins */
	struct block *block;
	size_t n, first_line;
	atomic_size_t next; /* that nobody has taken */
	struct work helper[FS_WORKERS - 1][AHEAD];
	atomic_bool stop;
	/* Of the writer: what it works at, the block it is to write, its first line, where what is
	 * written ends in the file, the least time that reading a block took, errno of writing. */
	struct work own, again;
	size_t at, line;
	off_t end;
	int64_t least_ns;
	int failed;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	atomic_uint asleep;
};

static struct work mine; /* the writer does it */

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool read_more(const struct blocks *b, struct buf *text, size_t n, off_t at)
{
	for (size_t left = n; left;) {
		ssize_t got;

		RETRY(got, pread(b->in, buf_room(text, left), left, at));
		if (got <= 0)
			return false;
		text->n += (size_t)got;
		at += got;
		left -= (size_t)got;
	}
	return true;
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
	buf_room(text, PAGE + BLOCK + (STEPS + 1) * PAGE);
	text->n = (size_t)((uintptr_t)at - (uintptr_t)text->p) % PAGE;
}

/* Reads the block, finds its lines and where they end. False: it is left to who reads on. */
static bool block_read(const struct blocks *b, struct work *w, size_t i)
{
	size_t before = i > 0, from, to; /* a byte: whether a line begins with the block */
	off_t start = b->from + (off_t)(i * BLOCK) - (off_t)before;

	w->i = i;
	block_skip(&w->text, start);
	from = w->text.n;
	start -= (off_t)from;
	if (!read_more(b, &w->text, before + BLOCK, start + (off_t)from))
		return false;
	to = from + before + BLOCK - 1;
	if ((before && !(from = block_line_start(b, &w->text, from, start))) ||
	    !(to = block_line_start(b, &w->text, to, start)))
		return false;
	w->lines = str_sub(buf_str(&w->text), from, to);
	w->behind = start + (off_t)to;
	w->end = mem_grow(w->end, &w->end_cap, LINE_ENDS_ROOM(w->lines.n), sizeof(*w->end));
	w->n = line_ends_list(w->lines, w->end);
	return true;
}

static void work_number(struct work *w, size_t line)
{
	buf_clear(&w->out);
	number_listed(&w->out, w->lines, w->end, w->n, line);
}

static void work_release(struct work *w)
{
	buf_release(&w->text);
	buf_release(&w->out);
	free(w->end);
}

static void blocks_wake(struct blocks *b)
{
	if (!atomic_load(&b->asleep))
		return;
	pthread_mutex_lock(&b->lock);
	pthread_cond_broadcast(&b->moved);
	pthread_mutex_unlock(&b->lock);
}

static void block_counted(struct blocks *b, const struct work *w)
{
	atomic_store(&b->block[w->i].counted, w->n + 1);
	blocks_wake(b);
}

typedef bool waits_for(struct blocks *b, void *arg);

/* A helper waits; false: it has stopped. */
static bool helper_wait(struct blocks *b, waits_for *there, void *arg)
{
	for (int i = 0; i < TURNS; i++)
		if (there(b, arg) || atomic_load(&b->stop))
			return !atomic_load(&b->stop);
	pthread_mutex_lock(&b->lock);
	atomic_fetch_add(&b->asleep, 1);
	while (!there(b, arg) && !atomic_load(&b->stop))
		pthread_cond_wait(&b->moved, &b->lock);
	atomic_fetch_sub(&b->asleep, 1);
	pthread_mutex_unlock(&b->lock);
	return !atomic_load(&b->stop);
}

static bool work_is_free(struct blocks *b, void *arg)
{
	struct work *w = arg;

	(void)b;
	return !atomic_load(&w->busy);
}

/* The line that block `i` begins with, as far as is known. */
struct count {
	size_t i, line, wanted;
};

static bool lines_are_counted(struct blocks *b, void *arg)
{
	struct count *c = arg;

	while (c->i < c->wanted) {
		size_t counted = atomic_load(&b->block[c->i].counted);

		if (!counted)
			return false;
		c->line += counted - 1;
		c->i++;
	}
	return true;
}

static void blocks_help(struct blocks *b, struct work *work)
{
	struct count count = { .line = b->first_line };

	for (size_t turn = 0;; turn++) {
		struct work *w = &work[turn % AHEAD], *none = NULL;

		if (!helper_wait(b, work_is_free, w))
			return;
		count.wanted = atomic_fetch_add(&b->next, 1);
		if (count.wanted >= b->n || !block_read(b, w, count.wanted))
			return;
		block_counted(b, w);
		if (!helper_wait(b, lines_are_counted, &count))
			return;
		work_number(w, count.line);
		atomic_store(&w->busy, true);
		if (!atomic_compare_exchange_strong(&b->block[w->i].result, &none, w))
			atomic_store(&w->busy, false);
	}
}

static bool write_out(struct str all)
{
	while (all.n) {
		ssize_t n;

		RETRY(n, write(STDOUT_FILENO, all.p, all.n));
		if (n < 0)
			return false;
		all = str_sub(all, (size_t)n, all.n);
	}
	return true;
}

static bool writer_write(struct blocks *b, const struct work *w)
{
	if (!write_out(buf_str(&w->out))) {
		b->failed = errno;
		return false;
	}
	b->line += w->n;
	b->end = w->behind;
	return true;
}

/* What a helper has made of the block; NULL: it takes longer than it should. */
static struct work *writer_wait(struct blocks *b)
{
	struct block *block = &b->block[b->at];
	int64_t end = now_ns() + 2 * b->least_ns;
	struct work *none = NULL;

	while (!atomic_load(&block->result) && now_ns() < end)
		;
	return atomic_compare_exchange_strong(&block->result, &none, &mine) ? NULL : none;
}

static bool writer_read(struct blocks *b, struct work *w, size_t i)
{
	int64_t begun = now_ns(), took;

	if (!block_read(b, w, i))
		return false;
	took = now_ns() - begun;
	b->least_ns = !b->least_ns || took < b->least_ns ? took : b->least_ns;
	block_counted(b, w);
	return true;
}

/* The next block for the writer itself. One that cannot be read ends it only when it is to be
 * written. */
static void writer_take(struct blocks *b)
{
	size_t i = atomic_fetch_add(&b->next, 1);

	b->own.i = i < b->n && writer_read(b, &b->own, i) ? i : SIZE_MAX;
}

static bool writer_block(struct blocks *b)
{
	struct work *own = b->own.i == b->at ? &b->own : NULL;
	struct work *given = own ? NULL : writer_wait(b), *w = own ? own : given;

	if (!w) {
		w = &b->again;
		if (!writer_read(b, w, b->at))
			return false;
	}
	if (!given)
		work_number(w, b->line);
	if (!writer_write(b, w))
		return false;
	if (given) {
		atomic_store(&given->busy, false);
		blocks_wake(b);
	}
	return true;
}

static void blocks_write(struct blocks *b)
{
	bool ok = true;

	b->line = b->first_line;
	for (b->at = 0; ok && b->at < b->n; b->at++) {
		if (!b->at || b->own.i < b->at)
			writer_take(b);
		ok = writer_block(b);
	}
	atomic_store(&b->stop, true);
	blocks_wake(b);
}

static bool blocks_one(void *arg, unsigned worker, size_t i, struct err *e)
{
	struct blocks *b = arg;

	(void)worker;
	(void)e;
	if (i)
		blocks_help(b, b->helper[i - 1]);
	else
		blocks_write(b);
	return true;
}

static void blocks_release(struct blocks *b)
{
	for (size_t i = 0; i < (FS_WORKERS - 1) * AHEAD; i++)
		work_release(&b->helper[i / AHEAD][i % AHEAD]);
	work_release(&b->own);
	work_release(&b->again);
	free(b->block);
	pthread_cond_destroy(&b->moved);
	pthread_mutex_destroy(&b->lock);
}

bool number_blocks(int in, size_t *line)
{
	const struct fs *fs = disk_fs();
	struct blocks b = { .in = in, .first_line = *line };
	struct stat st;

	b.end = b.from = lseek(in, 0, SEEK_CUR);
	if (b.from < 0 || fstat(in, &st) || !S_ISREG(st.st_mode) || st.st_size < b.from ||
	    (b.n = (size_t)(st.st_size - b.from) / BLOCK) < LEAST)
		return true;
	b.block = mem_new(b.n * sizeof(*b.block));
	pthread_mutex_init(&b.lock, NULL);
	pthread_cond_init(&b.moved, NULL);
	fs->each(fs->self, FS_WORKERS, blocks_one, &b, ERR_IGNORED);
	blocks_release(&b);
	*line = b.line;
	errno = b.failed;
	return !b.failed && lseek(in, b.end, SEEK_SET) >= 0;
}
