#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../io/job.h"
#include "../io/loop.h"
#include "acp_impl.h"

/*
 * The commands that an agent runs: each a process in a group of its own, on pipes, whose output is
 * kept at its end. One that is released goes on being known until it has ended.
 */
struct acp_terminal {
	LIST_ENTRY(acp_terminal) all;
	struct acp_program *of; /* NULL: released */
	char id[32];
	struct job *job; /* NULL: it has ended */
	struct buf command, out;
	size_t most;
	bool truncated;
	int status, signal;
	int64_t began_ms;
	LIST_HEAD(, acp_task) waiting;
};

static void terminal_free(struct acp_terminal *m)
{
	buf_release(&m->command);
	buf_release(&m->out);
	free(m);
}

static struct acp_terminal *terminal_named(const struct acp_program *p, struct str id)
{
	struct acp_terminal *m;

	LIST_FOREACH(m, &p->terminals, all)
		if (str_eq(id, str_of(m->id)))
			return m;
	return NULL;
}

static struct acp_terminal *terminal_of(struct acp_task *t)
{
	struct acp_terminal *m = terminal_named(t->of, json_get_str(t->r->params, "terminalId"));

	if (!m)
		acp_task_fail(t, ACP_INVALID_PARAMS, "terminal not found");
	return m;
}

/* What goes at the front goes with whole characters. */
static void terminal_on_output(void *self, struct str bytes)
{
	struct acp_terminal *m = self;
	size_t over;

	buf_add(&m->out, bytes);
	if (m->out.n <= m->most)
		return;
	m->truncated = true;
	for (over = m->out.n - m->most; over < m->out.n && str_inside(m->out.p[over]); over++)
		;
	buf_drop(&m->out, over);
}

static json *terminal_exit_status(const struct acp_terminal *m)
{
	return json_of({ "exitCode", m->signal ? json_null() : json_int(m->status) },
		       { "signal", m->signal ? json_strz(strsignal(m->signal)) : json_null() });
}

static void terminal_on_ended(void *self, int status, int signal)
{
	struct acp_terminal *m = self;
	struct acp_task *t;

	m->job = NULL;
	m->status = status;
	m->signal = signal;
	while ((t = LIST_FIRST(&m->waiting))) {
		LIST_REMOVE(t, waiting);
		t->waits = false;
		acp_task_done(t, terminal_exit_status(m));
	}
	if (!m->of)
		terminal_free(m);
}

static void terminal_put_word(struct buf *out, struct str word)
{
	bool plain = word.n;

	for (size_t i = 0; i < word.n; i++)
		plain = plain && !strchr(" \t\n'\"\\$`|&;<>()*?[]{}~#!", word.p[i]);
	if (out->n)
		buf_addc(out, ' ');
	if (plain)
		buf_add(out, word);
	else
		json_quote(out, word);
}

/* As it would be typed. Without arguments it may be a line for a shell. */
static void terminal_put_command(const json *params, struct buf *out)
{
	const json *args = json_get(params, "args");

	if (!json_len(args)) {
		buf_add(out, json_get_str(params, "command"));
		return;
	}
	terminal_put_word(out, json_get_str(params, "command"));
	json_each(arg, args)
		terminal_put_word(out, json_text(arg));
}

static bool wants_shell(const json *params)
{
	struct str command = json_get_str(params, "command");

	if (json_len(json_get(params, "args")))
		return false;
	for (size_t i = 0; i < command.n; i++)
		if (strchr(" \t\n'\"\\$`|&;<>()*?[]{}~#!=", command.p[i]))
			return true;
	return false;
}

static char **terminal_words_of(const json *params)
{
	const json *args = json_get(params, "args");
	struct str command = json_get_str(params, "command");
	char **argv = mem_new((json_len(args) + 4) * sizeof(char *));
	size_t n = 0;

	if (wants_shell(params)) {
		argv[n++] = mem_dup("/bin/sh", 7);
		argv[n++] = mem_dup("-c", 2);
	}
	argv[n++] = mem_dup(command.p, command.n);
	json_each(arg, args)
		argv[n++] = mem_dup(json_text(arg).p, json_text(arg).n);
	return argv;
}

static char **variables_of(const json *params)
{
	const json *env = json_get(params, "env");
	char **list = mem_new((json_len(env) + 1) * sizeof(char *));
	size_t n = 0;

	json_each(v, env) {
		struct buf pair = BUF_INIT;
		struct str name = json_get_str(v, "name");

		if (!name.n || memchr(name.p, '=', name.n))
			continue;
		buf_addf(&pair, "%.*s=%.*s", STR_ARG(name), STR_ARG(json_get_str(v, "value")));
		list[n++] = buf_detach(&pair);
	}
	return list;
}

static void free_words(char **v)
{
	for (char **at = v; *at; at++)
		free(*at);
	free(v);
}

static bool acp_terminal_start(struct acp_terminal *m, const json *params, struct err *e)
{
	static const struct job_events events = { terminal_on_output, terminal_on_output,
						  terminal_on_ended };
	struct acp_program *p = m->of;
	struct str cwd = json_get_str(params, "cwd");
	char **argv = terminal_words_of(params), **env = variables_of(params);
	struct buf dir SCOPED(buf_release) = BUF_INIT;

	path_normal(&dir, p->cwd, cwd.n ? cwd : str_of(p->cwd));
	m->job = job_start(p->ox->loop,
			   &(struct job_spec){
				   .argv = (const char *const *)argv,
				   .cwd = dir.p,
				   .env = (const char *const *)env,
				   .unset = (const char *const *)p->command.unset,
				   .grace_ms = (uint64_t)config_get(&p->ox->config, CFG_RUN_STOP) },
			   &events, m, e);
	if (m->job)
		job_eof(m->job);
	free_words(argv);
	free_words(env);
	return m->job;
}

static void terminal_begin(struct acp_task *t, const struct err *failed)
{
	struct acp_program *p = t->of;
	const struct config *c = &p->ox->config;
	int64_t most = config_get(c, CFG_ACP_OUTPUT),
		asked = json_get_int(t->r->params, "outputByteLimit", most);
	struct acp_terminal *m;
	struct err e = *failed;

	if (e.code) {
		acp_task_fail(t, ACP_INTERNAL, e.msg);
		return;
	}
	m = mem_new(sizeof(*m));
	m->of = p;
	m->most = (size_t)(asked >= 0 && asked < most ? asked : most);
	m->began_ms = loop_wall_ms();
	snprintf(m->id, sizeof(m->id), "terminal-%lld", (long long)++p->last_terminal);
	terminal_put_command(t->r->params, &m->command);
	if (!acp_terminal_start(m, t->r->params, &e)) {
		terminal_free(m);
		acp_task_fail(t, ACP_INTERNAL, e.msg);
		return;
	}
	LIST_INSERT_HEAD(&p->terminals, m, all);
	acp_task_done(t, json_of({ "terminalId", json_strz(m->id) }));
}

static size_t terminals_open(const struct acp_program *p)
{
	struct acp_terminal *m;
	size_t n = 0;

	LIST_FOREACH(m, &p->terminals, all)
		n++;
	return n;
}

/* One that the user has just allowed is not asked about again. */
void acp_terminal_create(struct acp_task *t)
{
	struct buf command SCOPED(buf_release) = BUF_INIT;
	struct err ok = ERR_INIT;
	struct str cwd = json_get_str(t->r->params, "cwd");
	bool full = terminals_open(t->of) >=
		    (size_t)config_get(&t->of->ox->config, CFG_ACP_TERMINALS),
	     allowed;

	terminal_put_command(t->r->params, &command);
	allowed = acp_take_allowed(t->of, "run", buf_str(&command));
	buf_addf(&t->title, "run %s in %.*s", command.p, STR_ARG(cwd.n ? cwd : str_of(t->of->cwd)));
	if (full)
		acp_task_fail(t, ACP_INTERNAL,
			      "too many terminals are open (acp.terminals); release some");
	else if (allowed)
		terminal_begin(t, &ok);
	else
		acp_task_permit(t, PERMISSION_COMMAND, "terminal/create", terminal_begin);
}

void acp_terminal_output(struct acp_task *t)
{
	const struct acp_terminal *m = terminal_of(t);

	if (m)
		acp_task_done(t,
			      json_of({ "output", json_str(buf_str(&m->out)) },
				      { "truncated", json_bool(m->truncated) },
				      { "exitStatus", m->job ? NULL : terminal_exit_status(m) }));
}

void acp_terminal_wait(struct acp_task *t)
{
	struct acp_terminal *m = terminal_of(t);

	if (!m)
		return;
	if (!m->job) {
		acp_task_done(t, terminal_exit_status(m));
		return;
	}
	t->waits = true;
	LIST_INSERT_HEAD(&m->waiting, t, waiting);
}

void acp_terminal_unwait(struct acp_task *t)
{
	LIST_REMOVE(t, waiting);
	t->waits = false;
	acp_task_fail(t, ACP_INTERNAL, "cancelled");
}

static void acp_terminal_release(struct acp_terminal *m)
{
	struct acp_task *t;

	LIST_REMOVE(m, all);
	while ((t = LIST_FIRST(&m->waiting)))
		acp_terminal_unwait(t);
	m->of = NULL;
	if (m->job)
		job_end(m->job);
	else
		terminal_free(m);
}

void acp_terminal_kill(struct acp_task *t, bool releases)
{
	struct acp_terminal *m = terminal_of(t);

	if (!m)
		return;
	if (releases)
		acp_terminal_release(m);
	else if (m->job)
		job_end(m->job);
	acp_task_done(t, json_object());
}

void acp_terminals_end(struct acp_program *p)
{
	while (!LIST_EMPTY(&p->terminals))
		acp_terminal_release(LIST_FIRST(&p->terminals));
}

bool acp_terminal_about(const struct acp_program *p, struct str id, struct acp_ended *out)
{
	const struct acp_terminal *m = terminal_named(p, id);

	if (!m)
		return false;
	*out = (struct acp_ended){ .ended = !m->job,
				   .status = m->status,
				   .signal = m->signal,
				   .command = buf_str(&m->command),
				   .output = buf_str(&m->out),
				   .truncated = m->truncated,
				   .began_ms = m->began_ms };
	return true;
}
