#include <stdlib.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../io/job.h"
#include "../io/loop.h"
#include "../io/peer_io.h"
#include "acp_impl.h"

#define ERRORS_KEPT 2000 /* bytes of standard error */

static void acp_program_free(struct acp_program *p)
{
	map_release_values(&p->allowed);
	acp_seen_forget(p);
	agent_command_release(&p->command);
	buf_release(&p->session);
	buf_release(&p->errors);
	json_free(p->methods);
	json_free(p->commands);
	json_free(p->sessions);
	free(p->name);
	free(p->cwd);
	free(p->mode);
	free(p);
}

struct turn *acp_program_turn(const struct acp_program *p)
{
	struct turn *t = p->talk ? p->talk->going : NULL;

	return t && t->acp && t->acp->prompted && !t->acp->answered ? t : NULL;
}

void acp_program_tell(struct acp_program *p, const char *kind, const json *value)
{
	if (p->talk && p->events)
		p->events->told(p->self, kind, value);
}

void acp_program_wake(struct acp_program *p)
{
	size_t most = (size_t)config_get(&p->ox->config, CFG_ACP_QUEUE);
	struct err e = ERR_INIT;

	if (!p->link)
		return;
	peer_io_wake(p->link);
	if (peer_io_unwritten(p->link) <= most)
		return;
	err_set(&e, ERR_LIMIT,
		"%s was killed because it does not read its input: %zu bytes are waiting", p->name,
		peer_io_unwritten(p->link));
	acp_program_kill(p, &e);
}

/* Whoever waits for it to be open is told; it may be closed by that. */
void acp_program_opened(struct acp_program *p, const struct err *e)
{
	acp_opened *fn = p->opened;
	void *arg = p->arg;

	p->opened = NULL;
	if (fn)
		fn(arg, e);
}

void acp_program_give_up(struct acp_program *p)
{
	p->opened = NULL;
}

void acp_program_kill(struct acp_program *p, const struct err *why)
{
	if (!p->job)
		return;
	if (!p->why.code)
		p->why = *why;
	job_kill(p->job);
}

/* The agent's process */

static void acp_program_on_link_turn(void *self, uint64_t now)
{
	struct acp_program *p = self;

	acp_tick(p->acp, now);
}

static bool acp_program_on_link_feed(void *self, struct str bytes, uint64_t now, struct err *e)
{
	struct acp_program *p = self;

	return acp_feed(p->acp, bytes, now, e);
}

static void acp_program_on_link_ended(void *self, const struct err *e)
{
	struct acp_program *p = self;
	struct err why = *e;

	err_in(&why, "%s does not speak %s", p->name,
	       p->command.app_server ? "the protocol of its app server" : "ACP");
	acp_program_kill(p, &why);
}

static void acp_program_on_out(void *self, struct str bytes)
{
	struct acp_program *p = self;

	peer_io_read(p->link, bytes);
}

static void acp_program_on_errout(void *self, struct str bytes)
{
	struct acp_program *p = self;

	buf_add(&p->errors, bytes);
	if (p->errors.n > ERRORS_KEPT)
		buf_drop(&p->errors, p->errors.n - ERRORS_KEPT);
}

/* The last line that it has printed on standard error, which may say why it has ended. */
static struct str acp_program_last_words(const struct acp_program *p)
{
	struct str rest = buf_str(&p->errors), line, last = STR("");

	while (str_line(&rest, &line))
		if (str_trim(line).n)
			last = str_trim(line);
	return last;
}

static void acp_program_say_end(const struct acp_program *p, int status, int signal, struct err *e)
{
	struct str said = acp_program_last_words(p);

	*e = p->why;
	if (e->code)
		return;
	if (signal)
		err_set(e, ERR_PEER, "%s was ended by signal %d", p->name, signal);
	else
		err_set(e, ERR_PEER, "%s has ended (exit status %d)", p->name, status);
	if (said.n) {
		struct err why = *e;

		err_set(e, ERR_PEER, "%s: %.*s", why.msg, (int)(said.n < 300 ? said.n : 300),
			said.p);
	}
}

/* Once the process has ended and all that it asked for is answered. */
static void acp_program_on_over(void *arg)
{
	struct acp_program *p = arg;

	p->over_soon = false;
	if (p->job || (p->acp && acp_waiting(p->acp)))
		return;
	acp_free(p->acp);
	p->acp = NULL;
	if (!p->talk)
		acp_program_free(p);
	else if (p->reopen)
		acp_program_reopen(p);
}

void acp_program_maybe_over(struct acp_program *p)
{
	if (p->job || (p->acp && acp_waiting(p->acp)) || p->over_soon)
		return;
	p->over_soon = true;
	oxide_soon(p->ox, acp_program_on_over, p);
}

static void acp_program_on_done(void *self, int status, int signal)
{
	struct acp_program *p = self;
	struct err e = ERR_INIT;

	acp_program_say_end(p, status, signal, &e);
	log_line(LOG_INFO, "agent %s: %s", p->name, e.msg);
	peer_io_cut(p->link);
	peer_io_free(p->link);
	p->link = NULL;
	p->job = NULL;
	p->state = ACP_GONE;
	acp_terminals_end(p);
	acp_end(p->acp, &e);
	acp_program_opened(p, &e);
	acp_program_maybe_over(p);
}

bool acp_program_start(struct acp_program *p, struct err *e)
{
	static const struct job_events events = { acp_program_on_out, acp_program_on_errout,
						  acp_program_on_done };
	const struct job_spec spec = { .argv = (const char *const *)p->command.argv,
				       .cwd = p->cwd,
				       .env = (const char *const *)p->command.set,
				       .unset = (const char *const *)p->command.unset,
				       .grace_ms =
					       (uint64_t)config_get(&p->ox->config, CFG_RUN_STOP) };
	const struct peer_io_spec link = { .self = p,
					   .turn = acp_program_on_link_turn,
					   .ended = acp_program_on_link_ended,
					   .feed = acp_program_on_link_feed };
	const struct config *c = &p->ox->config;
	const struct acp_limits limits = { (size_t)config_get(c, CFG_ACP_MESSAGE),
					   (size_t)config_get(c, CFG_ACP_REQUESTS),
					   (size_t)config_get(c, CFG_ACP_CALLS),
					   (size_t)config_get(c, CFG_ACP_ODD) };
	struct peer_io_spec with = link;

	buf_clear(&p->errors);
	p->why = (struct err)ERR_INIT;
	p->job = job_start(p->ox->loop, &spec, &events, p, e);
	if (!p->job)
		return err_in(e, "%s cannot be started", p->name);
	p->acp = p->command.app_server ? acp_new_app_server(&acp_host, &limits, p)
				       : acp_new(&acp_host, &limits, p);
	acp_tick(p->acp, loop_now(p->ox->loop));
	peer_set_name(acp_peer(p->acp), p->name);
	with.peer = acp_peer(p->acp);
	p->link = peer_io_job(p->ox->loop, &with, p->job);
	return true;
}

json *acp_program_about(const struct acp_program *p)
{
	const struct acp_agent *g = p->acp ? acp_agent(p->acp) : NULL;
	const json *options = p->acp ? acp_options(p->acp) : NULL;

	return json_of({ "session", p->session.n ? json_str(buf_str(&p->session)) : NULL },
		       { "title", g && g->title.n ? json_str(g->title) : NULL },
		       { "version", g && g->release.n ? json_str(g->release) : NULL },
		       { "options", options ? json_copy(options) : NULL },
		       { "commands", p->commands ? json_copy(p->commands) : NULL },
		       { "sessions", p->lists || !p->sessions ? NULL : json_copy(p->sessions) },
		       { "history_cut", json_bool(p->history_cut) },
		       { "new_session", json_bool(p->mended) });
}

struct acp_program *acp_program_new(struct conversation *c, const struct acp_spec *spec,
				    struct err *e)
{
	struct acp_program *p = mem_new(sizeof(*p));

	*p = (struct acp_program){ .talk = c, .ox = c->ox, .cost = -1 };
	p->name = mem_dup(spec->name, strlen(spec->name));
	p->cwd = mem_dup(spec->cwd, strlen(spec->cwd));
	p->mode = json_dup(spec->preset->data, "acp.mode");
	p->empties = json_get_bool(spec->preset->data, "acp.empty_if_missing", false);
	p->writes = json_get_bool(spec->preset->data, "acp.writes_itself", false);
	p->events = spec->events;
	p->self = spec->self;
	p->lists = spec->lists;
	buf_adds(&p->session, spec->session ? spec->session : "");
	if (!agent_command(spec->preset, AGENT_ACP, &p->command, e)) {
		acp_program_free(p);
		return NULL;
	}
	c->engine = &engine_acp;
	c->program = p;
	return p;
}

void acp_program_close(struct acp_program *p)
{
	p->talk->program = NULL;
	p->talk = NULL;
	p->opened = NULL;
	watch_stop(p->watch);
	p->watch = NULL;
	if (p->acp)
		acp_end(p->acp, NULL);
	if (p->job)
		job_end(p->job);
	acp_program_maybe_over(p);
}
