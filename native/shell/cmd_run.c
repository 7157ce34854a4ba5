#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../base/mem.h"
#include "../core/oxide.h"
#include "../io/loop.h"
#include "command.h"
#include "shell_run.h"

#define UNSHOWN_MOST                                                                               \
	(256u << 10)		/* bytes that the terminal has not taken; then the program waits */
#define UNREAD_MOST (64u << 10) /* bytes that the program has not read; then no more are taken */

/* As env(1), timeout(1) and shells say it. */
enum { EXIT_TIMEOUT = 124, EXIT_OURS = 125, EXIT_DENIED = 126, EXIT_NOT_FOUND = 127 };

/* After the last bytes are shown and the core has been told. */
static void run_close(void *arg)
{
	struct run *r = arg;

	run_relay_end(r);
	run_record_stop(r);
	timer_free(r->timeout);
	console_close(r->console);
}

static void run_told(void *arg)
{
	struct run *r = arg;

	loop_soon(r->ox->loop, run_close, r); /* what is told goes out in this turn */
}

static void run_maybe_over(struct run *r)
{
	if (!r->over || r->closing || console_unwritten(r->console))
		return;
	r->closing = true;
	run_relay_tell(r);
	loop_soon(r->ox->loop, run_told, r);
}

static void run_on_output(void *self, struct str bytes)
{
	struct run *r = self;
	bool terminal = console_has_terminal(r->console);

	vt_feed(&r->vt, bytes, terminal ? NULL : &r->answers);
	if (r->answers.n) {
		pty_write(r->pty, buf_str(&r->answers));
		buf_clear(&r->answers);
	}
	console_write(r->console, bytes); /* first: somebody looks at it */
	run_record_output(r, bytes);
	run_relay_output(r);
	if (console_unwritten(r->console) > UNSHOWN_MOST)
		pty_pause(r->pty, true);
}

static void run_on_taken(void *self)
{
	struct run *r = self;

	if (!r->input_ended)
		console_read(r->console, true);
}

static json *run_exit_row(const struct pty_end *end)
{
	return json_of({ "code", end->signal ? json_null() : json_int(end->status) },
		       { "signal", end->signal ? json_int(end->signal) : json_null() },
		       { "core_dump", end->core ? json_strz(end->core) : json_null() });
}

static void run_on_done(void *self, const struct pty_end *end)
{
	struct run *r = self;
	struct buf reset SCOPED(buf_release) = BUF_INIT;

	r->pty = NULL;
	r->over = true;
	r->status = end->status;
	r->signal = end->signal;
	r->exit = run_exit_row(end);
	console_read(r->console, false);
	if (end->signal && console_has_terminal(r->console))
		vt_reset(&reset, &r->vt); /* it had no time to */
	console_write(r->console, buf_str(&reset));
	run_maybe_over(r);
}

static const struct pty_events pty_events = { run_on_output, run_on_taken, run_on_done };

static void run_on_resized(void *self)
{
	struct run *r = self;
	unsigned rows, columns;

	if (!r->pty || !console_has_terminal(r->console))
		return;
	console_size(r->console, &rows, &columns);
	pty_resize(r->pty, rows, columns);
}

static void run_on_input(void *self, struct str bytes)
{
	struct run *r = self;

	if (!r->pty)
		return;
	run_on_resized(r); /* a size that these keys come after, and its signal does not yet */
	pty_write(r->pty, bytes);
	r->last_input = bytes.p[bytes.n - 1];
	if (pty_unwritten(r->pty) > UNREAD_MOST)
		console_read(r->console, false);
}

static void run_stop(void *arg)
{
	struct run *r = arg;

	if (r->pty)
		pty_stop(r->pty);
}

/* The program's input ends with ours, where it reads lines: the first Ctrl-D behind an unfinished
 * line only passes that on. Where there was none at all it waits for orders of the core. */
static void run_on_input_end(void *self)
{
	struct run *r = self;
	bool unfinished = r->last_input != '\n';

	r->input_ended = true;
	if (console_has_terminal(r->console))
		run_stop(r); /* it was hung up */
	else if (r->last_input && r->pty && pty_is_canonical(r->pty))
		pty_write(r->pty, unfinished ? STR("\4\4") : STR("\4"));
}

static void run_on_drained(void *self)
{
	struct run *r = self;

	if (r->pty)
		pty_pause(r->pty, false);
	run_maybe_over(r);
}

/* As a pipe whose reader has gone ends a program. */
static void run_on_output_end(void *self)
{
	run_stop(self);
	run_on_drained(self);
}

static const struct console_events console_events = { run_on_input, run_on_input_end,
						      run_on_drained, run_on_resized,
						      run_on_output_end };

static void run_on_timeout(void *arg)
{
	struct run *r = arg;

	r->timed_out = true;
	run_stop(r);
}

/* An agent that Oxide knows by this name has its own environment, and its own command where none
 * is given. */
static bool run_find_agent(struct run *r, struct err *e)
{
	struct err unknown = ERR_INIT;
	struct agent_preset *p = agent_preset_find(r->ox, str_of(r->name), &unknown);
	bool ok = p && agent_command(p, AGENT_TERMINAL, &r->preset, &unknown);

	if (p && json_get(p->data, "log"))
		r->log = json_copy(json_get(p->data, "log"));
	agent_preset_free(p);
	if (*r->command)
		return true;
	if (ok)
		r->command = r->preset.argv;
	else
		*e = unknown;
	return ok;
}

/* What is set in its environment: `terminal`, where there is none, the session, by which hooks know
 * it, what --env says, and the preset's. */
static char **run_environment(const struct run *r)
{
	static char terminal[] = "TERM=xterm-256color";
	size_t n = 0, at = 0;
	char **v;

	while (r->preset.set && r->preset.set[n])
		n++;
	v = mem_new((n + r->own_n + 3) * sizeof(*v));
	if (!console_has_terminal(r->console))
		v[at++] = terminal;
	v[at++] = r->variable;
	for (size_t i = 0; i < r->own_n; i++)
		v[at++] = r->own[i];
	for (size_t i = 0; i < n; i++)
		v[at++] = r->preset.set[i];
	return v;
}

static void run_name_session(struct run *r)
{
	struct buf variable = BUF_INIT;

	r->session = r->session ? mem_dup(r->session, strlen(r->session)) : record_new_session();
	buf_addf(&variable, "OXIDE_RUN=%s", r->session);
	r->variable = buf_detach(&variable);
}

static bool cmd_run_start(struct run *r, struct buf *tried, struct err *e)
{
	char **set;
	struct pty_spec spec = {
		.argv = (const char *const *)r->command,
		.cwd = *r->cwd ? r->cwd : NULL,
		.grace_ms = (uint64_t)config_get(&r->ox->config, CFG_AGENT_GRACE),
		.tried = tried,
	};

	r->console = console_open(r->ox->loop, &console_events, r);
	console_size(r->console, &spec.rows, &spec.columns);
	r->vt.rows = spec.rows;
	r->vt.columns = spec.columns;
	spec.modes = console_modes(r->console);
	set = run_environment(r);
	spec.set = (const char *const *)set;
	spec.unset = (const char *const *)r->preset.unset;
	r->started_ms = loop_wall_ms();
	r->pty = pty_start(r->ox->loop, &spec, &pty_events, r, e);
	free(set);
	if (!r->pty)
		return false;
	run_record_start(r);
	run_relay_start(r);
	loop_on_signal(r->ox->loop, run_stop, r);
	r->timeout = timer_new(r->ox->loop, run_on_timeout, r);
	if (r->timeout_ms)
		timer_set(r->timeout, loop_now(r->ox->loop) + r->timeout_ms);
	console_read(r->console, true);
	return true;
}

static int run_not_started(struct run *r, const struct buf *tried, const struct err *e)
{
	console_close(r->console);
	loop_run(r->ox->loop);
	front_say("oxide: %s%s\n%s", e->code == ERR_LIMIT ? "" : "cannot start ", e->msg,
		  buf_str(tried).p);
	return e->code == ERR_NOT_FOUND ? EXIT_NOT_FOUND
	       : e->code == ERR_DENIED	? EXIT_DENIED
					: EXIT_OURS;
}

/* Ends as the program did: whoever waits for us sees the same. */
static int run_exit(const struct run *r)
{
	struct rlimit none = { 0, 0 };

	if (r->timed_out)
		return EXIT_TIMEOUT;
	if (!r->signal)
		return r->status;
	setrlimit(RLIMIT_CORE, &none); /* there is one already, if any */
	signal(r->signal, SIG_DFL);
	raise(r->signal);
	return 128 + r->signal;
}

static int run_all(struct run *r)
{
	struct buf tried = BUF_INIT;
	struct err e = ERR_INIT;
	int status = 0;

	if (!cmd_run_start(r, &tried, &e)) {
		status = run_not_started(r, &tried, &e);
		buf_release(&tried);
		return status;
	}
	buf_release(&tried);
	loop_run(r->ox->loop);
	if (r->timed_out)
		front_say("oxide: %s was stopped after %g s\n", r->name,
			  (double)r->timeout_ms / 1000);
	if (r->raw_lost.code)
		front_say("oxide: %s\n", r->raw_lost.msg);
	if (!run_record_end(r, &e)) {
		front_say("oxide: %s\n", e.msg);
		status = EXIT_OURS;
	}
	return status;
}

static bool run_read_seconds(struct run *r, const char *text, struct err *e)
{
	char *end;
	double seconds = strtod(text, &end);

	if (*end || !(seconds > 0 && seconds < 1e9))
		return err_set(e, ERR_INVALID, "--timeout must be a number of seconds, not %s",
			       text);
	r->timeout_ms = (uint64_t)(seconds * 1000);
	return true;
}

static bool run_read_variable(struct run *r, char *pair, struct err *e)
{
	size_t cap = r->own_n;

	if (*pair == '=' || !strchr(pair, '='))
		return err_set(e, ERR_INVALID, "--env must be NAME=VALUE, not %s", pair);
	mem_add(r->own, r->own_n, cap, pair);
	return true;
}

/* The command begins at the first word that is not an option of ours, or behind "--". */
static bool run_read(struct run *r, struct oxide_options *o, char **argv, struct err *e)
{
	for (; *argv && **argv == '-'; argv += 2) {
		if (!strcmp(*argv, "--")) {
			argv++;
			break;
		}
		if (!argv[1])
			return err_set(e, ERR_INVALID, "%s needs a value", *argv);
		if (!strcmp(*argv, "--name"))
			r->name = argv[1];
		else if (!strcmp(*argv, "--json"))
			r->json_path = argv[1];
		else if (!strcmp(*argv, "--session"))
			r->session = argv[1];
		else if (!strcmp(*argv, "--config"))
			o->config_path = argv[1];
		else if (strcmp(*argv, "--timeout") != 0 && strcmp(*argv, "--env") != 0)
			return err_set(e, ERR_INVALID, "unknown option %s", *argv);
		else if (!(argv[0][2] == 't' ? run_read_seconds(r, argv[1], e)
					     : run_read_variable(r, argv[1], e)))
			return false;
	}
	if (!*argv && !r->name)
		return err_set(e, ERR_INVALID,
			       "run needs a command, as in `oxide run --name claude -- claude`");
	r->command = argv;
	return true;
}

int cmd_run(const struct call_options *call, char **argv)
{
	struct oxide_options options = call->oxide;
	struct run r = { .raw = -1 };
	struct err e = ERR_INIT;
	int status = 2;

	options.origin = "cli";
	if (!run_read(&r, &options, argv, &e))
		return front_refuse("run", &e);
	r.ox = oxide_new(&options, &e);
	if (r.ox) {
		const char *slash = r.name ? NULL : strrchr(*r.command, '/');

		r.name = r.name ? r.name : slash ? slash + 1 : *r.command;
		if (!getcwd(r.cwd, sizeof(r.cwd)))
			*r.cwd = '\0';
		run_name_session(&r);
		status = EXIT_NOT_FOUND;
		if (run_find_agent(&r, &e))
			status = run_all(&r);
		oxide_free(r.ox);
	}
	if (e.code)
		front_say("oxide: %s\n", e.msg);
	agent_command_release(&r.preset);
	buf_release(&r.answers);
	json_free(r.exit);
	json_free(r.log);
	if (r.variable)
		free(r.session);
	free(r.variable);
	free(r.own);
	return status ? status : run_exit(&r);
}
