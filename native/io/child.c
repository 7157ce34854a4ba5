#include "child.h"

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "orphan_killer.h"

/* The groups of the session other than its leader's: those of a shell's jobs. A session keeps its
 * number while it has a member. */
static void child_signal_jobs(pid_t session, int number)
{
	DIR *all = opendir("/proc"); /* elsewhere: no others are known */
	struct dirent *entry;

	while (all && (entry = readdir(all))) {
		pid_t pid = (pid_t)atoi(entry->d_name);

		if (isdigit((unsigned char)*entry->d_name) && getsid(pid) == session &&
		    getpgid(pid) != session)
			kill(pid, number);
	}
	if (all)
		closedir(all);
}

/* The leader has not been waited for, so the group is its own, or empty. */
static void child_signal_group(struct child *c, int number)
{
	if (kill(-c->pid, number) && !c->exited)
		kill(c->pid, number);
	if (c->session && c->stop > LEAVING)
		child_signal_jobs(c->pid, number);
}

static void child_set_timer(struct child *c, uint64_t ms)
{
	timer_set(c->timer, loop_now(c->loop) + ms);
}

static void child_look_for_end(uv_signal_t *s, int number)
{
	struct child *c = s->data;

	(void)number;
	if (!c->pid || c->exited || !spawn_ended(c->pid, &c->end))
		return;
	c->exited = true;
	uv_signal_stop(s);
	if (c->stop == TERMINATED)
		child_signal_group(c, SIGKILL); /* what it has left behind */
	child_set_timer(c, c->linger_ms);
	c->ops->exited(c->self);
}

/* It has ended and its output goes on: a grandchild holds the other end, or this machine is slow.
 * What was left behind is killed, which ends the output; only when nothing more has been read
 * between two looks does somebody else hold it. One that was told to end is not waited for as long
 * as somebody else prints. */
static void child_outlast(struct child *c)
{
	if (c->listening == QUIET || (c->listening == HEARD && c->stop >= TERMINATED)) {
		c->ops->stop_listening(c->self);
		return;
	}
	if (c->listening == NOT_LOOKED)
		child_signal_group(c, SIGKILL);
	c->listening = QUIET;
	child_set_timer(c, c->linger_ms);
}

static void child_next_step(void *arg)
{
	struct child *c = arg;

	if (c->exited) {
		child_outlast(c);
		return;
	}
	if (c->stop == LEAVING) {
		child_stop(c);
		return;
	}
	c->stop = c->stop < TERMINATED ? TERMINATED : KILLED;
	child_signal_group(c, c->stop == TERMINATED ? SIGTERM : SIGKILL);
	if (c->stop == TERMINATED)
		child_signal_group(c, SIGCONT); /* one that is suspended could not heed it */
	child_set_timer(c, c->grace_ms);
}

void child_init(struct child *c)
{
	c->timer = timer_new(c->loop, child_next_step, c);
	uv_signal_init(loop_uv(c->loop), &c->ended);
	c->ended.data = c;
	uv_signal_start(&c->ended, child_look_for_end,
			SIGCHLD); /* before there is a child to miss */
}

bool child_start(struct child *c, const struct spawn_spec *spec, struct err *e)
{
	pid_t pid;

	if (!spawn_start(spec, &pid, e))
		return false;
	c->pid = pid;
	orphan_killer_watch(pid);
	return true;
}

void child_heard(struct child *c)
{
	if (c->listening == QUIET)
		c->listening = HEARD;
}

void child_stop(struct child *c)
{
	if (c->stop > LEAVING)
		return;
	c->stop = INPUT_CLOSED;
	c->ops->end_input(c->self);
	if (!c->exited)
		child_set_timer(c, c->grace_ms);
}

void child_leave(struct child *c)
{
	if (c->stop != NOT_STOPPING || c->exited)
		return;
	c->stop = LEAVING;
	child_set_timer(c, c->grace_ms);
}

void child_end(struct child *c)
{
	if (c->stop >= TERMINATED)
		return;
	c->stop = INPUT_CLOSED;
	c->ops->end_input(c->self);
	if (!c->exited) {
		child_next_step(c);
		return;
	}
	c->stop = KILLED;
	child_signal_group(c, SIGKILL);
	c->ops->stop_listening(c->self);
}

void child_kill(struct child *c)
{
	if (c->exited)
		return;
	c->stop = KILLED;
	child_signal_group(c, SIGKILL);
}

void child_close(struct child *c, uv_close_cb closed)
{
	if (uv_is_closing((uv_handle_t *)&c->ended))
		return;
	c->ended.data = c->self;
	uv_close((uv_handle_t *)&c->ended, closed);
}

void child_release(struct child *c)
{
	timer_free(c->timer);
	if (!c->pid)
		return;
	orphan_killer_forget(c->pid);
	spawn_reap(c->pid);
}
