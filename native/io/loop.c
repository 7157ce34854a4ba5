#include "loop.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "loop_uv.h"
#include "spare_memory.h"

struct soon {
	loop_fn *fn;
	void *arg;
};

#define ENDING_SIGNALS 3

struct loop {
	uv_loop_t uv;
	uv_idle_t idle; /* runs while the queue holds something; keeps the loop from sleeping */
	struct soon *soon;
	size_t n, cap;
	enum { THREADS_UNKNOWN, THREADS_SOME, THREADS_NONE } threads;
	uv_signal_t ending[ENDING_SIGNALS];
	loop_fn *on_signal;
	void *on_signal_arg;
	int last_signal;
	uv_idle_t naps; /* runs while many answers are to come */
	uint64_t awake_at, last_turn;
	uv_prepare_t waits; /* before each wait */
	uint64_t heard;	    /* loop_heard() */
	uv_check_t turned;  /* after each wait */
	uv_timer_t rest;
	int turns;	    /* since `rest` was set */
	char room[1 << 16]; /* what was read last */
};

static void loop_waits(uv_prepare_t *p)
{
	struct loop *l = p->loop->data;

	l->heard++;
}

struct loop *loop_new(struct err *e)
{
	struct loop *l = mem_new(sizeof(*l));
	int why = uv_loop_init(&l->uv);

	if (why) {
		free(l);
		err_set(e, ERR_LIMIT, "cannot create an event loop: %s", uv_strerror(why));
		return NULL;
	}
	l->uv.data = l;
	uv_idle_init(&l->uv, &l->idle);
	uv_idle_init(&l->uv, &l->naps);
	uv_prepare_init(&l->uv, &l->waits);
	uv_prepare_start(&l->waits, loop_waits);
	uv_unref((uv_handle_t *)&l->waits);
	l->heard = 1;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a file past the limit is an error of write() like any other */
	return l;
}

static void close_handle(uv_handle_t *h, void *arg)
{
	(void)arg;
	if (!uv_is_closing(h))
		uv_close(h, NULL);
}

void loop_free(struct loop *l)
{
	if (!l)
		return;
	uv_walk(&l->uv, close_handle, NULL);
	uv_run(&l->uv, UV_RUN_DEFAULT);
	if (uv_loop_close(&l->uv))
		BUG("the loop still holds handles");
	free(l->soon);
	free(l);
}

/* How long a loop has nothing to do before it gives memory back, but for waking up for that. A
 * clock runs for it only where there is something to give: with one each wait takes longer. */
#define REST_MS	   1000
#define REST_TURNS 2

static void loop_rested(uv_timer_t *t)
{
	struct loop *l = t->loop->data;

	if (l->turns > REST_TURNS) {
		uv_timer_start(t, loop_rested, REST_MS, 0);
	} else {
		mem_made_much = false;
		spare_memory_trim();
	}
	l->turns = 0;
}

static void loop_turned(uv_check_t *c)
{
	struct loop *l = c->loop->data;

	if (!mem_made_much)
		return;
	l->turns++;
	if (!uv_is_active((uv_handle_t *)&l->rest))
		uv_timer_start(&l->rest, loop_rested, REST_MS, 0);
}

void loop_spare_memory(struct loop *l)
{
	spare_memory_keep();
	uv_check_init(&l->uv, &l->turned);
	uv_check_start(&l->turned, loop_turned);
	uv_unref((uv_handle_t *)&l->turned);
	uv_timer_init(&l->uv, &l->rest);
	uv_unref((uv_handle_t *)&l->rest);
}

void loop_run(struct loop *l)
{
	uv_run(&l->uv, UV_RUN_DEFAULT);
}

void loop_stop(struct loop *l)
{
	uv_stop(&l->uv);
}

uint64_t loop_now(struct loop *l)
{
	uv_update_time(&l->uv);
	return uv_now(&l->uv);
}

uint64_t loop_heard(const struct loop *l)
{
	return l->heard;
}

int64_t loop_wall_ms(void)
{
	struct timeval tv;

	gettimeofday(&tv, NULL);
	return (int64_t)tv.tv_sec * 1000 + tv.tv_usec / 1000;
}

uv_loop_t *loop_uv(struct loop *l)
{
	return &l->uv;
}

bool uv_failed(struct err *e, int status, const char *what)
{
	enum err_code code = status == UV_ENOENT   ? ERR_NOT_FOUND
			     : status == UV_EACCES ? ERR_DENIED
						   : ERR_IO;

	return err_set(e, code, "%s: %s", what, uv_strerror(status));
}

void uv_free_data(uv_handle_t *h)
{
	free(h->data);
}

void uv_room(uv_handle_t *h, size_t want, uv_buf_t *b)
{
	struct loop *l = h->loop->data;

	(void)want;
	l->heard++;
	*b = uv_buf_init(l->room, sizeof(l->room));
}

/* What is put while the queue runs waits for the next turn. */
static void run_soon(uv_idle_t *idle)
{
	struct loop *l = idle->loop->data;
	struct soon *batch = l->soon;
	size_t n = l->n;

	l->soon = NULL;
	l->n = l->cap = 0;
	for (size_t i = 0; i < n; i++)
		batch[i].fn(batch[i].arg);
	free(batch);
	if (!l->n)
		uv_idle_stop(&l->idle);
}

void loop_soon(struct loop *l, loop_fn *fn, void *arg)
{
	mem_add(l->soon, l->n, l->cap, (struct soon){ fn, arg });
	uv_idle_start(&l->idle, run_soon);
}

/* Nanoseconds, and how often nothing may be heard before it waits as it always does. */
#define NAP  150000
#define NAPS 10

static void nap(uv_idle_t *idle)
{
	struct loop *l = idle->loop->data;
	const struct timespec t = { 0, NAP };
	bool heard = l->heard > l->last_turn + 1; /* more than the turn itself: there may be more */

	l->last_turn = l->heard;
	if (heard || l->n)
		return;
	if (uv_hrtime() >= l->awake_at)
		uv_idle_stop(idle);
	else
		nanosleep(&t, NULL);
}

void loop_expects_many(struct loop *l, bool many)
{
	if (!many) {
		uv_idle_stop(&l->naps);
		return;
	}
	l->awake_at = uv_hrtime() + (uint64_t)NAP * NAPS;
	uv_idle_start(&l->naps, nap);
}

bool loop_naps(const struct loop *l)
{
	return uv_is_active((const uv_handle_t *)&l->naps);
}

struct timer {
	uv_timer_t uv;
	loop_fn *fn;
	void *arg;
};

struct timer *timer_new(struct loop *l, loop_fn *fn, void *arg)
{
	struct timer *t = mem_new(sizeof(*t));

	uv_timer_init(&l->uv, &t->uv);
	t->uv.data = t;
	t->fn = fn;
	t->arg = arg;
	return t;
}

static void timer_due(uv_timer_t *uv)
{
	struct timer *t = uv->data;

	t->fn(t->arg);
}

void timer_set(struct timer *t, uint64_t when)
{
	uint64_t now;

	if (when == UINT64_MAX) {
		uv_timer_stop(&t->uv);
		return;
	}
	uv_update_time(t->uv.loop);
	now = uv_now(t->uv.loop);
	uv_timer_start(&t->uv, timer_due, when > now ? when - now : 0, 0);
}

void timer_free(struct timer *t)
{
	if (t)
		uv_close((uv_handle_t *)&t->uv, uv_free_data);
}

struct work {
	uv_work_t uv;
	loop_fn *work, *done;
	void *arg;
};

static void work_there(uv_work_t *uv)
{
	struct work *w = uv->data;

	w->work(w->arg);
}

static void work_back(uv_work_t *uv, int status)
{
	struct work *w = uv->data;

	(void)status;
	w->done(w->arg);
	free(w);
}

#define THREADS_WANTED 4 /* as many as libuv would make */
#define THREADS_NAME   "UV_THREADPOOL_SIZE"

static void *wait_for_all(void *barrier)
{
	pthread_mutex_lock(barrier);
	pthread_mutex_unlock(barrier);
	return NULL;
}

/* How many threads can be had at once, of so many. */
static int try_threads(int wanted)
{
	pthread_mutex_t barrier = PTHREAD_MUTEX_INITIALIZER;
	pthread_t thread[THREADS_WANTED];
	int n = 0;

	pthread_mutex_lock(&barrier);
	while (n < wanted && !pthread_create(&thread[n], NULL, wait_for_all, &barrier))
		n++;
	pthread_mutex_unlock(&barrier);
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	return n;
}

static void do_nothing(uv_work_t *uv)
{
	(void)uv;
}

static void work_started(uv_work_t *uv, int status)
{
	(void)status;
	free(uv);
}

/* libuv makes its threads at the first work, and ends the process when it gets one less than it
 * wants. So it is told how many there are to be had, and made to take them. */
static void start_threads(struct loop *l)
{
	const char *said = getenv(THREADS_NAME);
	char *was SCOPED(mem_release) = said ? mem_dup(said, strlen(said)) : NULL;
	int asked = said && atoi(said) > 0 ? atoi(said) : THREADS_WANTED;
	int n = try_threads(asked < THREADS_WANTED ? asked : THREADS_WANTED);
	char number[16];

	l->threads = n ? THREADS_SOME : THREADS_NONE;
	if (!n)
		log_line(LOG_WARN, "cannot start a thread; reading the disk will block");
	if (n && n != asked) {
		snprintf(number, sizeof(number), "%d", n);
		setenv(THREADS_NAME, number, 1);
	}
	if (n)
		uv_queue_work(&l->uv, mem_new(sizeof(uv_work_t)), do_nothing, work_started);
	if (n && n != asked && was)
		setenv(THREADS_NAME, was, 1); /* what we start has its own */
	else if (n && n != asked)
		unsetenv(THREADS_NAME);
}

static void work_here(void *arg)
{
	struct work *w = arg;

	w->work(w->arg);
	work_back(&w->uv, 0);
}

void loop_work(struct loop *l, loop_fn *work, loop_fn *done, void *arg)
{
	struct work *w = mem_new(sizeof(*w));

	w->uv.data = w;
	w->work = work;
	w->done = done;
	w->arg = arg;
	if (l->threads == THREADS_UNKNOWN)
		start_threads(l);
	if (l->threads == THREADS_NONE)
		loop_soon(l, work_here, w);
	else
		uv_queue_work(&l->uv, &w->uv, work_there, work_back);
}

static void signal_came(uv_signal_t *s, int number)
{
	struct loop *l = s->loop->data;

	l->last_signal = number;
	l->on_signal(l->on_signal_arg);
}

bool loop_was_interrupted(const struct loop *l)
{
	return l->last_signal == SIGINT;
}

void loop_on_signal(struct loop *l, loop_fn *fn, void *arg)
{
	static const int numbers[ENDING_SIGNALS] = { SIGTERM, SIGHUP, SIGINT };

	l->on_signal = fn;
	l->on_signal_arg = arg;
	for (int i = 0; i < ENDING_SIGNALS; i++) {
		uv_signal_init(&l->uv, &l->ending[i]);
		uv_signal_start(&l->ending[i], signal_came, numbers[i]);
		uv_unref((uv_handle_t *)&l->ending[i]);
	}
}
