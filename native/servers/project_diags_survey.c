#include <stdlib.h>

#include "../base/mem.h"
#include "../io/loop.h"
#include "pool.h"
#include "project_diags_impl.h"

struct project_diags_server *project_diags_server(struct project_diags *w, struct server *s)
{
	struct project_diags_server *made;

	for (size_t i = 0; i < w->servers; i++)
		if (w->server[i]->server == s)
			return w->server[i];
	made = mem_new(sizeof(*made));
	made->of = w;
	made->server = s;
	return mem_add(w->server, w->servers, w->server_cap, made);
}

static void set_patience(struct project_diags_server *s)
{
	struct oxide *ox = s->of->ox;

	timer_set(s->patience,
		  loop_now(ox->loop) + (uint64_t)config_get(&ox->config, CFG_DIAGNOSTIC_SURVEY));
}

/* Diagnostics have come, of whatever file: somebody is at work. */
static void on_survey_news(void *arg, const char *path)
{
	(void)path;
	set_patience(arg);
}

/* Who is at work may be silent; but it may also have stopped in the middle. */
static void patience_over(void *arg)
{
	struct project_diags_server *s = arg;

	if (server_busy(s->server) && server_lives(s->server)) {
		set_patience(s);
		return;
	}
	s->late = true;
	server_cancel(s->server, s->asked);
}

static void stop_waiting(struct project_diags_server *s)
{
	s->asked = 0;
	pool_unwatch(s->of->ox->pool, on_survey_news, s);
	timer_free(s->patience);
	s->patience = NULL;
}

/* Its files are looked at again: for another survey, or to be shown, one by one. */
static void again(struct project_diags_server *s)
{
	struct project_diags *w = s->of;

	for (size_t i = 0; i < w->n; i++)
		if (w->v[i]->server == s && !w->v[i]->buffer && w->v[i]->state == SWEEP_DONE) {
			w->v[i]->state = SWEEP_TODO;
			w->done -= !w->v[i]->beside;
		}
	w->at = 0;
	s->surveyed = false;
}

static void on_surveyed(void *arg, struct msg *m, const struct err *why)
{
	struct project_diags_server *s = arg;
	struct project_diags *w = s->of;
	bool died = !server_can(s->server, LSP_SURVEY);
	struct err e = *why;

	stop_waiting(s);
	if (!e.code && server_surveyed(s->server, m->raw, &e)) {
		s->told = true;
		project_diags_go_on(w);
		return;
	}
	/* It may hold its answer back until something is different from what it said before. */
	if (w->cancelled || (s->late && s->told_before)) {
		w->complete = false;
	} else {
		s->no_survey = !died || s->surveys > 1;
		again(s);
	}
	project_diags_go_on(w);
}

void project_diags_survey(struct project_diags_server *s)
{
	struct oxide *ox = s->of->ox;
	json *known;

	if (s->surveyed)
		return;
	s->surveyed = true;
	known = diag_result_ids(ox->diags, server_key(s->server));
	s->surveys++;
	s->told_before = json_first(known);
	s->late = false;
	s->patience = timer_new(ox->loop, patience_over, s);
	set_patience(s);
	pool_watch(ox->pool, on_survey_news, s);
	s->asked =
		server_ask(s->server, LSP_SURVEY, proto_survey(known), UINT64_MAX, on_surveyed, s);
}

void project_diags_survey_cancel(struct project_diags_server *s)
{
	if (s->asked)
		server_cancel(s->server, s->asked);
}

void project_diags_server_free(struct project_diags_server *s)
{
	timer_free(s->patience);
	free(s);
}
