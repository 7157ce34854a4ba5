#include "server_impl.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../io/loop.h"
#include "client.h"
#include "diag_cache.h"

#define OPTIONS_MOST   32 /* that can be refused one by one */
#define SPARE_AGAIN_MS 1000
#define ERROUT_KEPT    2000 /* bytes of standard error kept for the message about its end */

static const struct job_events job_events;

struct server *server_new(struct pool *p, const struct server_spec *spec, const char *root,
			  struct client *client)
{
	struct server *s = mem_new(sizeof(*s));
	struct buf key = BUF_INIT;

	s->pool = p;
	s->ox = p->ox;
	s->spec = spec;
	s->root = mem_dup(root, strlen(root));
	requests_init(&s->requests, &server_requests, s);
	s->client = client;
	buf_addf(&key, "%s@%s", spec->name, root);
	if (client)
		buf_addf(&key, " of client %lld", (long long)client->id);
	s->key = buf_detach(&key);
	mem_add(p->v, p->n, p->cap, s);
	return s;
}

struct server *server_new_aside(struct pool *p, const struct server_spec *spec, const char *root)
{
	struct server *s = server_new(p, spec, root, NULL);

	s->aside = diag_new();
	return s;
}

struct diag_store *server_store(const struct server *s)
{
	return s->aside ? s->aside : s->ox->diags;
}

static void spare_over(void *arg)
{
	struct server *s = arg;

	if (server_in_use(s))
		timer_set(s->spare, loop_now(s->ox->loop) + SPARE_AGAIN_MS);
	else if (server_ready(s))
		server_stop(s);
}

void server_spare(struct server *s)
{
	if (!s->aside || s->state == SERVER_ENDED || s->pool->stopping)
		return;
	if (!s->spare)
		s->spare = timer_new(s->ox->loop, spare_over, s);
	timer_set(s->spare,
		  loop_now(s->ox->loop) + (uint64_t)config_get(&s->ox->config, CFG_LSP_BESIDE));
}

bool server_blind(const struct server *s)
{
	const char *needs = s->spec->sees_unsaved;

	if (!needs || s->client)
		return s->client && client_is_blind(s);
	for (size_t i = 0; i < OPTIONS_MOST && s->spec->options[i]; i++)
		if (!strcmp(s->spec->options[i], needs))
			return s->refused & 1u << i;
	return false;
}

void server_free(struct server *s)
{
	if (!s)
		return;
	server_hide_all(s);
	session_free(s->session);
	requests_release(&s->requests);
	peer_io_free(s->link);
	timer_free(s->pause);
	timer_free(s->hung_for);
	timer_free(s->spare);
	timer_free(s->listing);
	free(s->to_list);
	timer_free(s->rest);
	diag_free(s->aside);
	buf_release(&s->errout);
	server_forget_read(s);
	map_release(&s->libraries);
	client_free(s->client);
	free(s->root);
	free(s->key);
	free(s);
}

void server_tell(struct server *s, const char *state, const char *reason)
{
	/* that it died, or hangs, has to be found afterwards by whoever did not see it */
	log_line(*reason && s->state != SERVER_UP ? LOG_WARN : LOG_INFO, "server %s: %s%s%s",
		 s->key, state, *reason ? ": " : "", reason);
	if (s->ox->editor.server && !s->aside)
		s->ox->editor.server(s->ox->editor.self, s->spec->name, s->root, state, reason);
}

static void server_turn(void *self, uint64_t now)
{
	struct server *s = self;

	if (!s->session)
		return;
	peer_tick(session_peer(s->session), now);
	server_note_told(s);
	session_flush(s->session);
	requests_tick(&s->requests, now);
	if (s->session && session_left(s->session) && s->job)
		job_leave(s->job);
}

static uint64_t deadline(void *self)
{
	struct server *s = self;

	return s->session ? session_deadline(s->session) : UINT64_MAX;
}

/* It broke the protocol: that costs it its life, and nothing else. */
static void link_ended(void *self, const struct err *e)
{
	struct server *s = self;

	s->why = *e;
	log_line(LOG_ERROR, "server %s violated the protocol: %s", s->key, e->msg);
	server_kill(s);
}

static const char **whole_argv(const struct server *s)
{
	const char **v = NULL;
	size_t n = 0, cap = 0;

	for (const char *const *a = s->spec->argv; *a; a++) {
		mem_add(v, n, cap, *a);
	}
	for (size_t i = 0; s->spec->options[i]; i++) {
		v = mem_grow(v, &cap, n + 1, sizeof(*v));
		if (i >= OPTIONS_MOST || !(s->refused & 1u << i))
			v[n++] = s->spec->options[i];
	}
	v = mem_grow(v, &cap, n + 1, sizeof(*v));
	v[n] = NULL;
	return v;
}

struct peer_io_spec server_open(struct server *s, const struct codec *codec)
{
	s->session = session_new(s->spec, s->root, codec,
				 (size_t)config_get(&s->ox->config, CFG_LSP_MESSAGE), &s->requests,
				 &server_events, s);
	/* What the editor's own client tells and hears beside this is not known here. */
	if (!s->client) {
		s->requests.answers.most = (size_t)config_get(&s->ox->config, CFG_LSP_KEPT);
		s->requests.answers.most_bytes =
			(size_t)config_get(&s->ox->config, CFG_LSP_KEPT_BYTES);
	}
	session_tolerate(s->session, (size_t)config_get(&s->ox->config, CFG_LSP_ODD));
	s->state = SERVER_UP;
	s->started = loop_now(s->ox->loop);
	s->has_worked = false;
	server_forget_refresh(s);
	s->ending = false;
	s->heard_at = 0;
	s->why = (struct err)ERR_INIT;
	return (struct peer_io_spec){ .peer = session_peer(s->session),
				      .self = s,
				      .turn = server_turn,
				      .deadline = deadline,
				      .ended = link_ended };
}

void server_greet(struct server *s)
{
	session_start(s->session, getpid(), loop_now(s->ox->loop),
		      (uint64_t)config_get(&s->ox->config, CFG_LSP_START));
	server_open_docs(s);
	server_wake(s);
	server_tell(s, "starting", "");
}

bool server_start(struct server *s, struct err *e)
{
	const struct config *c = &s->ox->config;
	struct job_spec js = { NULL, s->root, (uint64_t)config_get(c, CFG_LSP_STOP),
			       NULL, false,   NULL };
	struct peer_io_spec ls;
	const char **argv;

	if (s->spec->runs && !config_get(c, CFG_LSP_PROJECT)) {
		if (!s->spec->kept_from_it[0])
			return err_set(e, ERR_DENIED,
				       "%s is not started: it runs the project's own programs "
				       "(%s), which lsp.project_programs = 0 forbids",
				       s->spec->name, s->spec->runs);
		js.env = s->spec->kept_from_it;
	}
	js.argv = argv = whole_argv(s);
	s->job = job_start(s->ox->loop, &js, &job_events, s, e);
	free(argv);
	if (!s->job)
		return err_in(e, "cannot start %s", s->spec->name);
	ls = server_open(s, &codec_headers);
	s->link = peer_io_job(s->ox->loop, &ls, s->job);
	buf_clear(&s->errout);
	server_greet(s);
	return true;
}

void server_stop(struct server *s)
{
	s->ending = true;
	server_revived(s); /* nothing is asked of it any more */
	if (s->client) {
		client_end(s);
		return;
	}
	if (s->state != SERVER_UP) {
		s->state = SERVER_ENDED;
		if (s->pause)
			timer_set(s->pause, UINT64_MAX);
		return;
	}
	session_stop(s->session, loop_now(s->ox->loop),
		     (uint64_t)config_get(&s->ox->config, CFG_LSP_STOP));
	server_wake(s);
}

bool server_ready(const struct server *s)
{
	return s->state == SERVER_UP && session_state(s->session) == SESSION_READY;
}

void server_wake(struct server *s)
{
	if (s->link)
		peer_io_wake(s->link);
}

static void pause_over(void *arg)
{
	struct server *s = arg;
	struct err e = ERR_INIT;

	if (s->state != SERVER_WAITING)
		return;
	if (!server_start(s, &e)) {
		s->state = SERVER_GIVEN_UP;
		s->why = e;
		server_tell(s, "dead", e.msg);
	}
	pool_stir(s->pool, NULL);
}

/* Another life after a pause that grows, unless it died too often. */
static void plan_restart(struct server *s)
{
	const struct config *c = &s->ox->config;
	uint64_t now = loop_now(s->ox->loop), pause = (uint64_t)config_get(c, CFG_LSP_RESTART_WAIT);

	if (s->deaths && now - s->first_death > (uint64_t)config_get(c, CFG_LSP_WITHIN))
		s->deaths = 0;
	if (!s->deaths++)
		s->first_death = now;
	if (s->deaths > config_get(c, CFG_LSP_RESTARTS)) {
		s->state = SERVER_GIVEN_UP;
		server_tell(s, "dead", s->why.msg);
		return;
	}
	for (int i = 1; i < s->deaths; i++)
		pause *= 4;
	s->state = SERVER_WAITING;
	if (!s->pause)
		s->pause = timer_new(s->ox->loop, pause_over, s);
	timer_set(s->pause, now + pause);
	server_tell(s, "restarting", s->why.msg);
}

static void say_why(struct server *s, int status, int signal)
{
	struct str last = str_trim(buf_str(&s->errout)), line = STR("");
	const char *name = s->spec->name, *colon;
	int n;

	while (last.n)
		str_line(&last, &line);
	n = line.n > 200 ? 200 : (int)line.n;
	colon = n ? ": " : "";
	if (s->why.code)
		err_in(&s->why, "%s was terminated", name);
	else if (signal)
		err_set(&s->why, ERR_NO_SERVER, "%s was killed by signal %d (%s)%s%.*s", name,
			signal, strsignal(signal), colon, n, line.p);
	else
		err_set(&s->why, ERR_NO_SERVER, "%s exited with status %d%s%.*s", name, status,
			colon, n, line.p);
	s->why.code = ERR_NO_SERVER;
}

/* A program that does not know an argument says so and ends, before it says hello. Those that it
 * names are left out from now on; where it names none, all. */
static bool refuses_options(struct server *s)
{
	unsigned named = 0, all = 0;

	for (size_t i = 0; i < OPTIONS_MOST && s->spec->options[i]; i++) {
		all |= 1u << i;
		if (str_find(buf_str(&s->errout), str_of(s->spec->options[i])) >= 0)
			named |= 1u << i;
	}
	named = (named ? named : all) & ~s->refused;
	s->refused |= named;
	return named;
}

void server_lost(struct server *s)
{
	struct session *was = s->session;

	peer_io_free(s->link);
	s->link = NULL;
	s->state = SERVER_DOWN;
	server_revived(s);
	session_died(was, &s->why);
	requests_tick(&s->requests, loop_now(s->ox->loop));
	s->session = NULL;
	session_free(was);
	s->trial = NULL;
	server_forget_read(s);
	diag_forget(server_store(s), s->key);
	diag_cache_lost(s->ox->findings, s->key);
}

static void end_client(void *arg)
{
	client_end(arg);
}

void server_kill(struct server *s)
{
	if (s->job)
		job_kill(s->job);
	else if (s->client)
		loop_soon(s->ox->loop, end_client, s);
}

static void job_done(void *self, int status, int signal)
{
	struct server *s = self;
	bool refused = status && !signal && session_state(s->session) == SESSION_GREETING &&
		       refuses_options(s);

	s->job = NULL;
	if (s->ending)
		err_set(&s->why, ERR_NO_SERVER, "%s was stopped", s->spec->name);
	else
		say_why(s, status, signal);
	server_lost(s);
	if (s->ending) {
		s->state = SERVER_ENDED;
		server_tell(s, "stopped", "");
	} else if (!refused) { /* else it is not running yet: whoever waits starts it again */
		plan_restart(s);
	}
	pool_stir(s->pool, NULL);
}

static void restart_now(void *arg)
{
	struct server *s = arg;

	s->deaths = 0;
	s->state = SERVER_WAITING;
	pause_over(s);
}

void server_again(struct server *s)
{
	s->deaths = 0;
	if (s->state == SERVER_UP) {
		server_revived(s); /* what it still says in this life is no news of the next */
		err_set(&s->why, ERR_NO_SERVER, "restarted manually");
		session_stop(s->session, loop_now(s->ox->loop),
			     (uint64_t)config_get(&s->ox->config, CFG_LSP_STOP));
		server_wake(s);
	} else {
		loop_soon(s->ox->loop, restart_now, s);
	}
}

static void job_out(void *self, struct str bytes)
{
	struct server *s = self;

	server_heard(s);
	if (s->link)
		peer_io_read(s->link, bytes);
}

static void job_errout(void *self, struct str bytes)
{
	struct server *s = self;

	buf_add(&s->errout, bytes);
	if (s->errout.n > 2 * ERROUT_KEPT)
		buf_drop(&s->errout, s->errout.n - ERROUT_KEPT);
	log_line(LOG_DEBUG, "server %s wrote %zu bytes to standard error", s->key, bytes.n);
}

static const struct job_events job_events = { job_out, job_errout, job_done };
