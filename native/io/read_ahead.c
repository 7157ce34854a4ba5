#include "read_ahead.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "disk_impl.h"

#define SLOTS 16	  /* texts */
#define KEPT  (512 << 10) /* bytes of them; a larger text is left to whoever wants it */
#define WORTH 4		  /* files, to begin a thread for */

struct ahead_text {
	bool reading; /* by somebody, without the lock */
	bool ok;
	struct buf text;
	struct fs_stat seen;
};

/* Files below `next` were begun, by a thread or by who asks, who reads as well while it would wait;
 * those of them from `asked` on are in slots. */
struct read_ahead {
	const char *const *path;
	size_t n, next, asked;
	uint64_t most; /* bytes of a text */
	size_t kept;   /* bytes in slots */
	struct ahead_text slot[SLOTS];
	bool end;
	pthread_t thread[FS_WORKERS - 1];
	unsigned threads;
	pthread_mutex_t lock;
	pthread_cond_t read, room;
};

static bool has_room(const struct read_ahead *r)
{
	return r->next - r->asked < SLOTS && r->kept < KEPT;
}

/* What is no regular file is not even opened: that may be an event for who is at its other end. */
static int ahead_open(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISREG(st.st_mode)
		       ? disk_open_no_symlinks(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0)
		       : -1;
}

static void ahead_read(const char *path, uint64_t most, struct ahead_text *t)
{
	int fd = ahead_open(path);

	buf_clear(&t->text);
	t->ok = fd >= 0 && disk_read_open(fd, path, most, &t->text, &t->seen, ERR_IGNORED);
	if (fd >= 0)
		close(fd);
	if (t->ok)
		t->seen.hash = hash_of(buf_str(&t->text));
}

/* The next one, if there is one and room for it. */
static bool ahead_go_on(struct read_ahead *r)
{
	size_t i = r->next;
	struct ahead_text *t = &r->slot[i % SLOTS];

	if (i == r->n || !has_room(r))
		return false;
	t->reading = true;
	r->next++;
	pthread_mutex_unlock(&r->lock);
	ahead_read(r->path[i], r->most, t);
	pthread_mutex_lock(&r->lock);
	t->reading = false;
	r->kept += t->text.n;
	pthread_cond_signal(&r->read);
	return true;
}

static void *ahead_run(void *arg)
{
	struct read_ahead *r = arg;

	pthread_mutex_lock(&r->lock);
	while (!r->end && r->next < r->n)
		if (!ahead_go_on(r))
			pthread_cond_wait(&r->room, &r->lock);
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

static void ahead_free(struct read_ahead *r)
{
	pthread_mutex_destroy(&r->lock);
	pthread_cond_destroy(&r->read);
	pthread_cond_destroy(&r->room);
	for (size_t i = 0; i < SLOTS; i++)
		buf_release(&r->slot[i].text);
	free(r);
}

struct read_ahead *read_ahead_new(const char *const *path, size_t n, uint64_t most)
{
	unsigned wanted = disk_processors();
	struct read_ahead *r;

	if (n < WORTH || wanted < 2)
		return NULL;
	wanted = wanted < FS_WORKERS ? wanted : FS_WORKERS;
	r = mem_new(sizeof(*r));
	r->path = path;
	r->n = n;
	r->most = most < KEPT ? most : KEPT;
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->read, NULL);
	pthread_cond_init(&r->room, NULL);
	while (r->threads + 1 < wanted && (r->threads + 1) * WORTH <= n &&
	       !pthread_create(&r->thread[r->threads], NULL, ahead_run, r))
		r->threads++;
	if (r->threads)
		return r;
	ahead_free(r);
	return NULL;
}

/* Files up to this one are not asked for any more. */
static void ahead_pass(struct read_ahead *r, size_t to)
{
	for (; r->asked < to && r->asked < r->next; r->asked++)
		r->kept -= r->slot[r->asked % SLOTS].text.n;
	if (r->asked < to)
		r->asked = r->next = to;
	/* Half of the room at once: each wakening takes as long as a file. */
	if (r->next - r->asked <= SLOTS / 2 && r->kept <= KEPT / 2)
		pthread_cond_broadcast(&r->room);
}

/* Files up to this one are being read. */
static bool ahead_is_at(const struct read_ahead *r, size_t i)
{
	for (size_t k = r->asked; k < r->next && k <= i; k++)
		if (r->slot[k % SLOTS].reading)
			return true;
	return false;
}

static size_t ahead_find(const struct read_ahead *r, const char *path)
{
	size_t i = r->asked;

	while (i < r->n && strcmp(r->path[i], path) != 0)
		i++;
	return i;
}

bool read_ahead_take(struct read_ahead *r, const char *path, struct buf *text, struct fs_stat *seen)
{
	bool ok;
	size_t i;

	if (!r || (i = ahead_find(r, path)) == r->n)
		return false;
	pthread_mutex_lock(&r->lock);
	while (ahead_is_at(r, i))
		if (!ahead_go_on(r))
			pthread_cond_wait(&r->read, &r->lock);
	ok = i < r->next && r->slot[i % SLOTS].ok;
	if (ok) {
		struct ahead_text *t = &r->slot[i % SLOTS];
		struct buf room = *text;

		r->kept -= t->text.n;
		*text = t->text;
		*seen = t->seen;
		t->text = room;
		buf_clear(&t->text);
	}
	ahead_pass(r, i + 1);
	pthread_mutex_unlock(&r->lock);
	return ok;
}

void read_ahead_free(struct read_ahead *r)
{
	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	r->end = true;
	pthread_cond_broadcast(&r->room);
	pthread_mutex_unlock(&r->lock);
	while (r->threads)
		pthread_join(r->thread[--r->threads], NULL);
	ahead_free(r);
}
