#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../core/projects.h"
#include "../io/loop.h"
#include "../record/record.h"
#include "../watch/watch.h"
#include "nvim_impl.h"

/*
 * What agents in terminals write to a project past Oxide. Many do not say when they begin to work
 * and when they are done: a turn is all that such a one does from its start to its end, or until
 * the user asks for what it has changed: then the next one begins. One whose hooks tell of its
 * turns (nvim_agent_watch_turn()) need not run under `oxide run`. Nor need one that is connected
 * as to an IDE (nvim_agent_watch_prompt()): its turn lasts until the next prompt, unless another of
 * these ways tells more of it.
 */
#define IDE_ID "ide " /* and its pid: what an agent is called of which we hear so alone */

struct watched_agent {
	LIST_ENTRY(watched_agent) all;
	struct nvim *nvim;
	struct watch *watch;
	const struct project *project;
	char *id, *name, *title;
	int64_t began_ms; /* its turn, since 1970 */
	long pid; /* of one that no `oxide run` tells of, negative: no real one; 0: one does */
	bool ended;
	bool cutting;		 /* its turn ends, and another one begins */
	bool leaving;		 /* its last turn ends */
	void (*told)(void *arg); /* who waits for a turn to begin, or end; NULL: nobody does */
	void *told_arg;
	struct turns_end *cut; /* that waits for the end of its turn; NULL: none does */
};

/* A request that waits for the ends of turns. */
struct turns_end {
	struct nvim *nvim;
	int64_t id;
	size_t left;
	json *turns;
};

static void turns_end_one_less(struct turns_end *t)
{
	if (--t->left)
		return;
	nvim_agent_answer(t->nvim, t->id, json_of({ "turns", t->turns }), &(struct err)ERR_INIT);
	free(t);
}

static void turns_one_less(struct watched_agent *a)
{
	if (a->cut)
		turns_end_one_less(a->cut);
	a->cut = NULL;
}

static struct watched_agent *watched_agent_of(const struct nvim *n, struct str id)
{
	struct watched_agent *a;

	LIST_FOREACH(a, &n->watched, all)
		if (!a->ended && !a->leaving && str_eq(str_of(a->id), id))
			return a;
	return NULL;
}

static void agent_say_told(struct watched_agent *a)
{
	void (*told)(void *arg) = a->told;

	a->told = NULL;
	if (told)
		told(a->told_arg);
}

static void watched_agent_free(struct watched_agent *a)
{
	LIST_REMOVE(a, all);
	watch_stop(a->watch);
	turns_one_less(a);
	agent_say_told(a);
	free(a->id);
	free(a->name);
	free(a->title);
	free(a);
}

static void agent_tell_turn(const struct watched_agent *a, const char *state, json *report)
{
	if (report)
		json_drop(report, "diff"); /* the tool `turn` shows it */
	nvim_event(a->nvim, "agent_turn",
		   json_of({ "id", json_strz(a->id) }, { "name", json_strz(a->name) },
			   { "state", json_strz(state) }, { "report", report }));
}

static void on_agent_begun(void *arg)
{
	struct watched_agent *a = arg;

	a->began_ms = loop_wall_ms();
	agent_tell_turn(a, "began", NULL);
	if (!a->leaving)
		agent_say_told(a);
}

/* In the record that `oxide run` keeps of it, if that goes on or not. */
static void agent_record(const struct watched_agent *a, const json *report)
{
	struct record_change change = { .root = watch_root(a->watch),
					.report = report,
					.since_ms = a->began_ms };
	struct record *r = report ? record_join(a->nvim->ox, a->id) : NULL;

	if (r)
		record_change_past(r, &change);
	record_free(r);
}

static void agent_turn_over(const struct watched_agent *a, const json *report)
{
	agent_record(a, report);
	agent_tell_turn(a, "ended", report ? json_copy(report) : NULL);
}

static void agent_watch_rest(void *arg)
{
	struct nvim *n = arg;
	struct watched_agent *a, *next;

	for (a = LIST_FIRST(&n->watched); a; a = next) {
		next = LIST_NEXT(a, all);
		if (a->ended)
			watched_agent_free(a);
	}
}

static void on_agent_over(void *arg, const struct watch_outcome *o)
{
	struct watched_agent *a = arg;

	agent_turn_over(a, o->report);
	if (o->turn && a->cut)
		json_push(a->cut->turns, json_strz(o->turn));
	a->ended = true;
	agent_say_told(a);
	oxide_soon(a->nvim->ox, agent_watch_rest, a->nvim);
}

static char *agent_turn_title(const json *info)
{
	struct buf title = BUF_INIT;

	buf_add(&title, json_get_str(info, "title"));
	json_each(word, json_get(info, "command"))
		buf_addf(&title, "%s%s", title.n ? " " : "", json_text(word).p);
	return buf_detach(&title);
}

static struct watched_agent *agent_watch_start(struct nvim *n, const json *info)
{
	const struct project *project = projects_of(n->ox->projects, json_get_str(info, "cwd").p);
	struct watched_agent *a;
	struct err e = ERR_INIT;

	if (!project || !config_get(&n->ox->config, CFG_AGENT_WATCH))
		return NULL;
	a = mem_new(sizeof(*a));
	a->watch = watch_start(n->ox, project->root, json_get_str(info, "name").p, &e);
	if (!a->watch) {
		log_line(LOG_WARN, "changes of an agent are not caught: %s", e.msg);
		free(a);
		return NULL;
	}
	a->nvim = n;
	a->project = project;
	a->id = mem_dup(json_get_str(info, "id").p, json_get_str(info, "id").n);
	a->name = mem_dup(json_get_str(info, "name").p, json_get_str(info, "name").n);
	a->title = agent_turn_title(info);
	LIST_INSERT_HEAD(&n->watched, a, all);
	watch_turn_begin(a->watch, NULL, a->title, on_agent_begun, a);
	return a;
}

/* Where a turn ends already, the next one has what was done since. */
static void agent_leave(struct watched_agent *a)
{
	a->leaving = true;
	if (!a->cutting)
		watch_turn_end(a->watch, on_agent_over, a);
}

void nvim_agent_watch_changed(struct nvim *n, const json *info)
{
	struct watched_agent *a = watched_agent_of(n, json_get_str(info, "id"));

	if (str_eq(json_get_str(info, "state"), STR("running")) && !a)
		agent_watch_start(n, info);
	else if (str_eq(json_get_str(info, "state"), STR("ended")) && a)
		agent_leave(a);
}

static void on_turn_cut(void *arg, const struct watch_outcome *o)
{
	struct watched_agent *a = arg;

	a->cutting = false;
	if (o->turn && a->cut)
		json_push(a->cut->turns, json_strz(o->turn));
	agent_turn_over(a, o->report);
	turns_one_less(a);
	watch_turn_begin(a->watch, NULL, a->title, on_agent_begun, a);
	if (a->leaving)
		watch_turn_end(a->watch, on_agent_over, a);
}

static void agent_cut(struct watched_agent *a)
{
	if (a->leaving)
		return;
	if (!a->cutting)
		watch_turn_end(a->watch, on_turn_cut, a);
	a->cutting = true;
}

void nvim_agent_watch_cut(struct nvim *n, int64_t id)
{
	struct turns_end *t = mem_new(sizeof(*t));
	struct watched_agent *a;

	*t = (struct turns_end){ n, id, 1, json_array() };
	LIST_FOREACH(a, &n->watched, all)
		if (!a->cut) {
			a->cut = t;
			t->left++;
			agent_cut(a);
		}
	turns_end_one_less(t);
}

void nvim_agent_watch_end(struct nvim *n)
{
	struct watched_agent *a;

	while ((a = LIST_FIRST(&n->watched)))
		watched_agent_free(a);
}

/* Of those that no `oxide run` tells of, whose hooks had no time to say so. */
static void agent_watch_drop_dead(struct nvim *n)
{
	struct watched_agent *a;

	LIST_FOREACH(a, &n->watched, all)
		if (a->pid > 0 && !a->ended && !a->leaving && kill((pid_t)a->pid, 0) &&
		    errno == ESRCH)
			agent_leave(a);
}

static struct watched_agent *watched_agent_in(const struct nvim *n, const char *dir)
{
	const struct project *project = projects_of(n->ox->projects, dir);
	struct watched_agent *a;

	LIST_FOREACH(a, &n->watched, all)
		if (!a->ended && !a->leaving && a->project == project)
			return a;
	return NULL;
}

/* One that its IDE connection has told of, under the name that its hooks give it. */
static struct watched_agent *agent_turn_adopt(struct nvim *n, const json *what)
{
	struct watched_agent *a = watched_agent_in(n, json_get_str(what, "cwd").p);
	struct str id = json_get_str(what, "id");

	if (!a || !str_starts(str_of(a->id), STR(IDE_ID)) || str_starts(id, STR(IDE_ID)))
		return NULL;
	free(a->id);
	a->id = mem_dup(id.p, id.n);
	return a;
}

static struct watched_agent *agent_turn_begin(struct nvim *n, struct watched_agent *a,
					      const json *what)
{
	agent_watch_drop_dead(n);
	if (!a)
		a = agent_turn_adopt(n, what);
	if (a) {
		free(a->title);
		a->title = agent_turn_title(what);
		agent_cut(a);
		return a;
	}
	a = agent_watch_start(n, what);
	if (a)
		a->pid = (long)json_get_int(what, "pid", 0);
	return a;
}

void nvim_agent_watch_turn(struct nvim *n, const json *what, void (*fn)(void *arg), void *arg)
{
	struct watched_agent *a = watched_agent_of(n, json_get_str(what, "id"));
	struct str state = json_get_str(what, "state");
	bool foreign = a && a->pid;

	if (str_eq(state, STR("begins")))
		a = agent_turn_begin(n, a, what);
	else if (foreign)
		agent_leave(a);
	else if (a && !foreign && str_eq(state, STR("ends")))
		agent_cut(a);
	else
		a = NULL;
	if (!a) {
		fn(arg);
		return;
	}
	agent_say_told(a);
	a->told = fn;
	a->told_arg = arg;
}

static json *agent_ide_turn(const struct nvim *n, const struct nvim_ide_agent *agent,
			    const char *state)
{
	return json_of({ "id", json_strf(IDE_ID "%ld", agent->pid) },
		       { "name", json_strz(agent->name) }, { "cwd", json_strz(n->ox->root) },
		       { "pid", json_int(agent->pid) }, { "state", json_strz(state) },
		       { "title", json_strz(agent->title) });
}

void nvim_agent_watch_prompt(struct nvim *n, const struct nvim_ide_agent *agent, bool again,
			     void (*fn)(void *arg), void *arg)
{
	json *what SCOPED(json_release) = agent_ide_turn(n, agent, "begins");
	struct watched_agent *a = watched_agent_in(n, n->ox->root);

	if (!agent->pid || (a && (!again || strcmp(a->id, json_get_str(what, "id").p) != 0)))
		fn(arg);
	else
		nvim_agent_watch_turn(n, what, fn, arg);
}

static void agent_told_nobody(void *arg)
{
	(void)arg;
}

void nvim_agent_watch_leave(struct nvim *n, const struct nvim_ide_agent *agent)
{
	json *what SCOPED(json_release) = agent_ide_turn(n, agent, "gone");

	nvim_agent_watch_turn(n, what, agent_told_nobody, NULL);
}
