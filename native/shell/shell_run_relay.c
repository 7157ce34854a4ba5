#include <stdlib.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../core/oxide.h"
#include "../io/dir_watch.h"
#include "../io/loop.h"
#include "../io/socket.h"
#include "shell_run.h"

#define LOOK_MS	    50	 /* a core that starts makes several names in a row */
#define ASK_MS	    1000 /* until one that was found, and did not answer, is asked again */
#define SUBMIT_MS   600	 /* a key that comes so soon behind a pasted text is part of it to some */
#define SUBMIT_LATE 3000 /* from when on nothing has to be seen of it */

static json *run_info(const struct run *r)
{
	json *command = json_array();

	for (char **word = r->command; *word; word++)
		json_push(command, json_strz(*word));
	return json_of({ "id", json_strz(record_session_id(r->record)) },
		       { "name", json_strz(r->name) }, { "command", command },
		       { "cwd", json_strz(r->cwd) },
		       { "pid", r->pty ? json_int(pty_pid(r->pty)) : NULL },
		       { "started_ms", json_int(r->started_ms) },
		       { "state", json_strz(r->over ? "ended" : "running") },
		       { "exit", r->over ? json_copy(r->exit) : NULL });
}

void run_relay_tell(struct run *r)
{
	if (r->relay && r->joined && !relay_gone(r->relay))
		relay_notify(r->relay, "agent", run_info(r));
}

static bool run_not_running(const struct run *r, struct err *e)
{
	return r->pty ? false : !err_set(e, ERR_NOT_FOUND, "%s has ended", r->name);
}

static bool run_put_input(struct run *r, struct buf *bytes, struct err *e)
{
	bool ok = pty_write(r->pty, buf_str(bytes)) ||
		  err_set(e, ERR_LIMIT, "%s does not read its input: %zu bytes are waiting",
			  r->name, pty_unwritten(r->pty));

	buf_release(bytes);
	return ok;
}

static void run_submit(void *arg)
{
	struct run *r = arg;

	if (r->pty && pty_unwritten(r->pty))
		timer_set(r->submit, loop_now(r->ox->loop) + SUBMIT_MS);
	else if (r->pty)
		pty_write(r->pty, STR("\r"));
}

static bool run_order_text(struct run *r, const json *order, struct err *e)
{
	struct buf bytes = BUF_INIT;

	vt_paste(&bytes, &r->vt, json_get_str(order, "text"));
	if (!run_put_input(r, &bytes, e))
		return false;
	if (json_get_bool(order, "submit", false)) {
		r->submits = true;
		timer_set(r->submit, loop_now(r->ox->loop) + SUBMIT_LATE);
	}
	return true;
}

void run_relay_output(struct run *r)
{
	if (r->submits)
		timer_set(r->submit, loop_now(r->ox->loop) + SUBMIT_MS);
	r->submits = false;
}

static bool run_order_keys(struct run *r, const json *keys, struct err *e)
{
	struct buf bytes SCOPED(buf_release) = BUF_INIT;

	json_each(key, keys)
		if (!vt_key(&bytes, &r->vt, json_text(key)))
			return err_set(e, ERR_INVALID, "there is no key %.*s",
				       STR_ARG(json_text(key)));
	return run_put_input(r, &bytes, e);
}

static bool run_take_order(void *self, const json *order, struct err *e)
{
	struct run *r = self;

	if (run_not_running(r, e))
		return false;
	if (json_get_bool(order, "stop", false))
		pty_stop(r->pty);
	else if (json_is(json_get(order, "keys"), JSON_ARRAY))
		return run_order_keys(r, json_get(order, "keys"), e);
	else if (json_is(json_get(order, "text"), JSON_STRING))
		return run_order_text(r, order, e);
	else
		return err_set(e, ERR_INVALID, "an order needs text, keys or stop");
	return true;
}

static void run_relay_leave(struct run *r)
{
	r->joined = false;
	relay_free(r->relay);
	r->relay = NULL;
}

static void run_on_found(void *self, const struct err *e)
{
	struct run *r = self;

	r->joined = !e->code;
	if (r->joined) {
		run_relay_tell(r);
		return;
	}
	run_relay_leave(r);
	if (r->looks_again)
		timer_set(r->look, loop_now(r->ox->loop));
	else if (e->code == ERR_TIMEOUT)
		timer_set(r->look, loop_now(r->ox->loop) + ASK_MS);
	r->looks_again = false;
	if (e->code != ERR_NOT_FOUND)
		log_line(LOG_WARN, "%s: %s", r->name, e->msg);
}

static void run_look_soon(void *arg, const char *path)
{
	struct run *r = arg;

	(void)path;
	timer_set(r->look, loop_now(r->ox->loop) + LOOK_MS);
}

/* The core has ended. One that has started meanwhile is found too. */
static void run_on_gone(void *self)
{
	struct run *r = self;

	run_relay_leave(r);
	run_look_soon(r, NULL);
}

static void run_look(void *arg)
{
	static const struct relay_events events = { .found = run_on_found,
						    .order = run_take_order,
						    .gone = run_on_gone };
	struct run *r = arg;

	r->looks_again = r->relay && !r->joined; /* it may be too late for what is asked by now */
	if (!r->relay && !r->over)
		r->relay = relay_open(r->ox->loop, &r->spec, &events, r);
}

void run_relay_start(struct run *r)
{
	char *dir SCOPED(mem_release) = socket_dir(ERR_IGNORED);

	buf_addf(&r->who, "oxide run %s", r->name);
	r->spec = (struct relay_spec){ .name = r->who.p, .origin = "cli", .folder = r->cwd };
	r->look = timer_new(r->ox->loop, run_look, r);
	r->submit = timer_new(r->ox->loop, run_submit, r);
	r->watch = dir_watch_new(r->ox->loop, run_look_soon, r);
	if (dir)
		dir_watch_add(r->watch, dir);
	run_look(r);
}

void run_relay_end(struct run *r)
{
	if (r->relay)
		run_relay_leave(r);
	dir_watch_free(r->watch);
	timer_free(r->look);
	timer_free(r->submit);
	buf_release(&r->who);
}
