#include "key_command.h"

#include <stdlib.h>

#include "../base/arena.h"
#include "../base/mem.h"
#include "../core/lua_data.h"
#include "../io/job.h"

#define KEY_MOST    8192 /* bytes; more is none */
#define ERROR_MOST  200	 /* of what it says on standard error */
#define KEY_STOP_MS 500

struct key_command {
	struct oxide *ox;
	const struct model *model;
	struct job *job;
	struct timer *limit;
	struct buf out, errout;
	bool cancelled, late;
	key_command_done *fn;
	void *arg;
};

static void on_key_out(void *self, struct str bytes)
{
	struct key_command *k = self;

	if (k->out.n + bytes.n < KEY_MOST) /* it never grows, which would leave a copy behind */
		buf_add(&k->out, bytes);
}

static void on_key_errout(void *self, struct str bytes)
{
	struct key_command *k = self;

	if (k->errout.n + bytes.n <= KEY_MOST)
		buf_add(&k->errout, bytes);
}

static struct str first_line(const struct buf *text)
{
	struct str rest = buf_str(text), line = STR("");

	str_line(&rest, &line);
	return str_trim(line);
}

static void key_failed(const struct key_command *k, int status, int signal, struct err *e)
{
	struct str why = first_line(&k->errout);
	const char *name = k->model->name;

	why.n = why.n > ERROR_MOST ? ERROR_MOST : why.n;
	if (k->cancelled)
		err_set(e, ERR_CANCELLED, "cancelled");
	else if (k->late)
		err_set(e, ERR_TIMEOUT,
			"no key for %s: key_command did not end in time (chat.key_ms)", name);
	else if (signal)
		err_set(e, ERR_DENIED, "no key for %s: key_command was ended by signal %d", name,
			signal);
	else if (status)
		err_set(e, ERR_DENIED, "no key for %s: key_command ended with status %d%s%.*s",
			name, status, why.n ? ": " : "", STR_ARG(why));
	else if (!first_line(&k->out).n)
		err_set(e, ERR_DENIED, "no key for %s: key_command printed nothing", name);
}

static void on_key_done(void *self, int status, int signal)
{
	struct key_command *k = self;
	key_command_done *fn = k->fn;
	void *arg = k->arg;
	struct err e = ERR_INIT;

	key_failed(k, status, signal, &e);
	if (!e.code)
		model_set_key(k->model, first_line(&k->out));
	buf_wipe(&k->out);
	buf_release(&k->errout);
	timer_free(k->limit);
	free(k);
	fn(arg, &e);
}

static void key_is_late(void *arg)
{
	struct key_command *k = arg;

	k->late = true;
	job_end(k->job);
}

struct key_command *key_command_start(struct oxide *ox, const struct model *m, key_command_done *fn,
				      void *arg, struct err *e)
{
	static const struct job_events events = { on_key_out, on_key_errout, on_key_done };
	struct key_command *k = mem_new(sizeof(*k));
	struct job_spec spec = { .cwd = ox->root, .grace_ms = KEY_STOP_MS };
	struct arena texts SCOPED(arena_release) = { 0 };
	uint64_t most = (uint64_t)config_get(&ox->config, CFG_CHAT_KEY);

	*k = (struct key_command){ .ox = ox, .model = m, .fn = fn, .arg = arg };
	buf_room(&k->out, KEY_MOST);
	if (lua_data_strings(&texts, m->key_command, "key_command", &spec.argv, e))
		k->job = job_start(ox->loop, &spec, &events, k, e);
	if (!k->job) {
		buf_release(&k->out);
		free(k);
		err_in(e, "no key for %s: key_command", m->name);
		return NULL;
	}
	job_eof(k->job);
	k->limit = timer_new(ox->loop, key_is_late, k);
	timer_set(k->limit, loop_now(ox->loop) + most);
	return k;
}

void key_command_cancel(struct key_command *k)
{
	k->cancelled = true;
	job_end(k->job);
}
