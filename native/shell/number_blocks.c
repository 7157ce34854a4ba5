#include "number_blocks.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/retry.h"
#include "../io/disk.h"
#include "../text/line_numbers.h"

#define BLOCK ((size_t)128 << 10) /* with what is made of it, it stays in a processor's cache */
#define LEAST ((size_t)16)	  /* blocks: below that a second thread is not worth its start */
#define STEP  ((size_t)4 << 10)	  /* of looking for the end of a block's last line, */
#define STEPS 16		  /* so often */

/* A block has the lines that begin in it. The one before is done with the counting before this one
 * is, and with the writing likewise; blocks are begun in order, so none waits for one that is not.
 */
struct blocks {
	int in;
	off_t from; /* where the first one begins */
	struct buf text[FS_WORKERS], out[FS_WORKERS];
	pthread_mutex_t lock;
	pthread_cond_t moved;
	size_t counted, written; /* blocks */
	size_t line;		 /* of the first one that is not counted */
	size_t stop;		 /* the first block that is left for who reads on */
	size_t next_line;	 /* behind what is written, */
	off_t end;		 /* which ends here */
	int failed;		 /* errno of writing; 0: none */
};

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
static size_t block_line_start(const struct blocks *b, struct buf *text, size_t from, off_t start)
{
	for (int i = 0; i <= STEPS; i++) {
		const char *lf = memchr(text->p + from, '\n', text->n - from);

		if (lf)
			return (size_t)(lf - text->p) + 1;
		from = text->n;
		if (!read_more(b, text, STEP, start + (off_t)from))
			return 0;
	}
	return 0;
}

/* The lines that begin in the block; *end: behind them, in the file. */
static bool block_lines(const struct blocks *b, struct buf *text, size_t i, struct str *lines,
			off_t *end)
{
	size_t before = i > 0, from = 0, to; /* a byte: whether a line begins with the block */
	off_t start = b->from + (off_t)(i * BLOCK) - (off_t)before;

	buf_clear(text);
	if (!read_more(b, text, before + BLOCK, start) ||
	    (before && !(from = block_line_start(b, text, 0, start))) ||
	    !(to = block_line_start(b, text, before + BLOCK - 1, start)))
		return false;
	*lines = str_sub(buf_str(text), from, to);
	*end = start + (off_t)to;
	return true;
}

/* Waits until it is the block's turn; with the lock. False: it is left. */
static bool blocks_turn(struct blocks *b, const size_t *done, size_t i)
{
	while (*done < i && i < b->stop)
		pthread_cond_wait(&b->moved, &b->lock);
	return i < b->stop;
}

static void blocks_stop(struct blocks *b, size_t i)
{
	pthread_mutex_lock(&b->lock);
	b->stop = i < b->stop ? i : b->stop;
	pthread_cond_broadcast(&b->moved);
	pthread_mutex_unlock(&b->lock);
}

static bool blocks_count(struct blocks *b, size_t i, size_t lines, size_t *line)
{
	bool turn;

	pthread_mutex_lock(&b->lock);
	turn = blocks_turn(b, &b->counted, i);
	if (turn) {
		*line = b->line;
		b->line += lines;
		b->counted++;
		pthread_cond_broadcast(&b->moved);
	}
	pthread_mutex_unlock(&b->lock);
	return turn;
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

/* Nobody else writes until this one has. */
static void blocks_write(struct blocks *b, size_t i, struct str out, size_t next_line, off_t end)
{
	bool turn;

	pthread_mutex_lock(&b->lock);
	turn = blocks_turn(b, &b->written, i);
	pthread_mutex_unlock(&b->lock);
	if (!turn)
		return;
	if (!write_out(out)) {
		b->failed = errno;
		blocks_stop(b, i);
		return;
	}
	pthread_mutex_lock(&b->lock);
	b->written++;
	b->next_line = next_line;
	b->end = end;
	pthread_cond_broadcast(&b->moved);
	pthread_mutex_unlock(&b->lock);
}

static bool blocks_stopped(struct blocks *b, size_t i)
{
	bool stopped;

	pthread_mutex_lock(&b->lock);
	stopped = i >= b->stop;
	pthread_mutex_unlock(&b->lock);
	return stopped;
}

/* Never a failure: with that blocks might be passed over that others wait for. */
static bool number_block(void *arg, unsigned worker, size_t i, struct err *e)
{
	struct blocks *b = arg;
	struct buf *text = &b->text[worker], *out = &b->out[worker];
	size_t n, line;
	struct str lines;
	off_t end;

	(void)e;
	if (blocks_stopped(b, i))
		return true;
	if (!block_lines(b, text, i, &lines, &end)) {
		blocks_stop(b, i);
		return true;
	}
	n = str_count(lines, '\n');
	if (!blocks_count(b, i, n, &line))
		return true;
	buf_clear(out);
	number_lines(out, lines, line);
	blocks_write(b, i, buf_str(out), line + n, end);
	return true;
}

bool number_blocks(int in, size_t *line)
{
	const struct fs *fs = disk_fs();
	struct blocks b = { .in = in, .line = *line, .next_line = *line, .stop = SIZE_MAX };
	struct stat st;

	b.end = b.from = lseek(in, 0, SEEK_CUR);
	if (b.from < 0 || fstat(in, &st) || !S_ISREG(st.st_mode) || st.st_size < b.from ||
	    (size_t)(st.st_size - b.from) / BLOCK < LEAST)
		return true;
	pthread_mutex_init(&b.lock, NULL);
	pthread_cond_init(&b.moved, NULL);
	fs->each(fs->self, (size_t)(st.st_size - b.from) / BLOCK, number_block, &b, ERR_IGNORED);
	pthread_cond_destroy(&b.moved);
	pthread_mutex_destroy(&b.lock);
	for (size_t i = 0; i < FS_WORKERS; i++) {
		buf_release(&b.text[i]);
		buf_release(&b.out[i]);
	}
	*line = b.next_line;
	errno = b.failed;
	return !b.failed && lseek(in, b.end, SEEK_SET) >= 0;
}
