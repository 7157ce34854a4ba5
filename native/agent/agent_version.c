#include <stdlib.h>
#include <string.h>

#include "../base/mem.h"
#include "../io/job.h"
#include "agent_preset.h"

#define VERSION_MOST 8192 /* bytes of what it prints */
#define VERSION_STOP 500  /* ms */

struct agent_version {
	struct oxide *ox;
	char *title, *path, *minimum, *install;
	struct job *job;
	struct timer *limit;
	struct buf out;
	bool late;
	agent_version_done *fn; /* NULL: it was cancelled */
	void *arg;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The first that looks like one: "1.2" of "codex-cli 1.2 (x)". Empty: there is none. */
static struct str find_version(struct str s)
{
	for (size_t at = 0; at < s.n; at++) {
		size_t end = at;

		if (!is_digit(s.p[at]) || (at && (is_digit(s.p[at - 1]) || s.p[at - 1] == '.')))
			continue;
		while (end < s.n && (is_digit(s.p[end]) ||
				     (s.p[end] == '.' && end + 1 < s.n && is_digit(s.p[end + 1]))))
			end++;
		if (memchr(s.p + at, '.', end - at))
			return str_sub(s, at, end);
	}
	return STR("");
}

static unsigned long version_part(struct str *v)
{
	unsigned long n = 0;

	while (v->n && is_digit(*v->p)) {
		n = n * 10 + (unsigned long)(*v->p - '0');
		*v = str_sub(*v, 1, v->n);
	}
	if (v->n)
		*v = str_sub(*v, 1, v->n);
	return n;
}

static bool is_older(struct str v, struct str than)
{
	while (v.n || than.n) {
		unsigned long a = version_part(&v), b = version_part(&than);

		if (a != b)
			return a < b;
	}
	return false;
}

static void version_free(struct agent_version *v)
{
	timer_free(v->limit);
	buf_release(&v->out);
	free(v->title);
	free(v->path);
	free(v->minimum);
	free(v->install);
	free(v);
}

static char *judge_version(struct agent_version *v, int status, int signal, struct err *e)
{
	struct str found = find_version(buf_str(&v->out)), line = STR(""), rest = buf_str(&v->out);
	const char *advice = v->install ? v->install : "";

	str_line(&rest, &line);
	if (v->late)
		err_set(e, ERR_TIMEOUT, "%s did not report its version (%s; agent.version_ms)",
			v->title, v->path);
	else if (!found.n && signal)
		err_set(e, ERR_PEER, "%s was ended by signal %d when it was asked for its version",
			v->path, signal);
	else if (!found.n)
		err_set(e, ERR_PEER, "%s did not report its version: status %d%s%.*s", v->path,
			status, line.n ? ", " : "", line.n > 200 ? 200 : (int)line.n, line.p);
	else if (v->minimum && is_older(found, str_of(v->minimum)))
		err_set(e, ERR_UNSUPPORTED, "%s %.*s is too old; %s or later is needed%s%s",
			v->title, STR_ARG(found), v->minimum, *advice ? ": " : "", advice);
	return found.n && !v->late ? mem_dup(found.p, found.n) : NULL;
}

static void on_version_out(void *self, struct str bytes)
{
	struct agent_version *v = self;

	if (v->out.n + bytes.n <= VERSION_MOST)
		buf_add(&v->out, bytes);
}

static void on_version_done(void *self, int status, int signal)
{
	struct agent_version *v = self;
	agent_version_done *fn = v->fn;
	void *arg = v->arg;
	struct err e = ERR_INIT;
	char *version SCOPED(mem_release) = judge_version(v, status, signal, &e);

	version_free(v);
	fn(arg, version, &e);
}

static void version_is_late(void *arg)
{
	struct agent_version *v = arg;

	v->late = true;
	job_end(v->job);
}

static bool start_version(struct agent_version *v, const json *args, struct err *e)
{
	static const struct job_events events = { on_version_out, on_version_out, on_version_done };
	struct agent_command c SCOPED(agent_command_release) = { 0 };
	struct job_spec spec = { .cwd = v->ox->root, .grace_ms = VERSION_STOP };

	agent_command_add(&c, str_of(v->path));
	json_each(word, args)
		agent_command_add(&c, json_text(word));
	spec.argv = (const char *const *)c.argv;
	v->job = job_start(v->ox->loop, &spec, &events, v, e);
	return v->job;
}

struct agent_version *agent_version_ask(struct oxide *ox, const struct agent_preset *p,
					agent_version_done *fn, void *arg, struct err *e)
{
	struct agent_version *v = mem_new(sizeof(*v));
	uint64_t most = (uint64_t)config_get(&ox->config, CFG_AGENT_VERSION);
	struct buf path = BUF_INIT;
	bool found = agent_program(p, &path, e);

	*v = (struct agent_version){ .ox = ox, .fn = fn, .arg = arg };
	v->title = mem_dup(agent_preset_title(p), strlen(agent_preset_title(p)));
	v->path = buf_detach(&path);
	v->minimum = json_dup(p->data, "version.minimum");
	v->install = json_dup(p->data, "install");
	if (!found || !start_version(v, json_get(p->data, "version.args"), e)) {
		version_free(v);
		return NULL;
	}
	job_eof(v->job);
	v->limit = timer_new(ox->loop, version_is_late, v);
	timer_set(v->limit, loop_now(ox->loop) + most);
	return v;
}
