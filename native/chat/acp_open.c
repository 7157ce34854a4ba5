
#include "../base/log.h"
#include "../io/job.h"
#include "../record/record.h"
#include "acp_impl.h"

/*
 * From the start of an agent's program to a session with it; all of these are acp_open_...:
 *
 *     later -> on_initialized -> (on_loaded) -> on_session -> (on_mode) -> ready
 *
 * or, where it is to tell its sessions first, -> on_initialized -> on_listed; the next one that
 * opens it goes on from there.
 */
static void acp_open_failed(struct acp_program *p, const struct err *e)
{
	struct err why = *e;

	if (!p->job)
		return; /* acp_program_on_done() tells */
	p->state = ACP_GONE;
	err_in(&why, "%s", p->name);
	acp_replay_end(p, false);
	if (e->code != ERR_DENIED) { /* one that wants a key goes on when it has it */
		p->why = why;
		job_end(p->job);
	}
	acp_program_opened(p, &why);
}

static void acp_open_ready(struct acp_program *p)
{
	struct err ok = ERR_INIT;

	p->state = ACP_READY;
	p->replays = false;
	buf_clear(&p->session);
	buf_add(&p->session, acp_session(p->acp));
	if (acp_options(p->acp))
		acp_program_tell(p, "options", acp_options(p->acp));
	acp_program_opened(p, &ok);
}

static void acp_open_on_mode(void *arg, const json *result, const struct err *e)
{
	struct acp_program *p = arg;
	struct err why = *e;

	(void)result;
	if (e->code) {
		err_in(&why, "the mode %s", p->mode);
		acp_open_failed(p, &why);
	} else {
		acp_open_ready(p);
	}
}

static bool has_mode(const struct acp_program *p, struct str mode)
{
	json_each(o, acp_options(p->acp)) {
		if (!str_eq(json_get_str(o, "category"), STR("mode")))
			continue;
		json_each(v, json_get(o, "values"))
			if (str_eq(json_get_str(v, "value"), mode))
				return !str_eq(json_get_str(o, "value"), mode);
	}
	return false;
}

/* The mode that its preset asks for: some begin in one that asks nobody. */
static void acp_open_on_session(void *arg, const json *result, const struct err *e)
{
	struct acp_program *p = arg;
	struct err why = ERR_INIT;

	(void)result;
	if (e->code)
		acp_open_failed(p, e);
	else if (!p->mode || !has_mode(p, str_of(p->mode)))
		acp_open_ready(p);
	else if (acp_set_option(p->acp, STR("mode"), str_of(p->mode), acp_open_on_mode, p, &why))
		acp_program_wake(p);
	else
		acp_open_failed(p, &why);
}

/* Oxide's own tools, by this very program. */
static json *mcp_servers(const struct acp_program *p)
{
	char *self SCOPED(mem_release) = oxide_program();
	json *args = json_list(json_strz("--root"), json_strz(p->cwd), json_strz("mcp"));

	if (!self) {
		json_free(args);
		return json_array();
	}
	return json_list(json_of({ "name", json_strz("oxide") }, { "command", json_strz(self) },
				 { "args", args }, { "env", json_array() }));
}

static void begin_session(struct acp_program *p)
{
	acp_new_session(p->acp, str_of(p->cwd), mcp_servers(p), acp_open_on_session, p);
	acp_program_wake(p);
}

/* One that cannot be gone on with is begun anew. */
static void acp_open_on_loaded(void *arg, const json *result, const struct err *e)
{
	struct acp_program *p = arg;
	bool asked_for = p->replay;

	acp_replay_end(p, !e->code);
	if (e->code && e->code != ERR_DENIED && p->job && !asked_for) {
		log_line(LOG_INFO, "agent %s: session %s: %s", p->name, p->session.p, e->msg);
		p->mended = true;
		begin_session(p);
	} else {
		acp_open_on_session(p, result, e);
	}
}

static void ask_for_sessions(struct acp_program *p, struct str cursor);

static void keep_session(struct acp_program *p, const json *row)
{
	struct str id = json_get_str(row, "sessionId"), title = json_get_str(row, "title");
	const json *updated = json_get(row, "updatedAt");
	bool is_text = json_text(updated).n, is_number = json_is_int(updated);

	if (id.n)
		json_push(p->sessions,
			  json_of({ "session", json_str(id) },
				  { "title", title.n ? json_str(title) : NULL },
				  { "updated", is_text	   ? json_copy(updated)
					       : is_number ? record_time(json_number(updated))
							   : NULL }));
}

/* It waits for the one that is to be gone on with. */
static void acp_open_on_listed(void *arg, const json *result, const struct err *e)
{
	struct acp_program *p = arg;
	size_t most = (size_t)config_get(&p->ox->config, CFG_ACP_SESSIONS);
	struct str next = json_get_str(result, "nextCursor");
	struct err ok = ERR_INIT;

	if (e->code) {
		acp_open_failed(p, e);
		return;
	}
	json_each(row, json_get(result, "sessions"))
		if (json_len(p->sessions) < most)
			keep_session(p, row);
	if (next.n && json_len(json_get(result, "sessions")) && json_len(p->sessions) < most) {
		ask_for_sessions(p, next);
		return;
	}
	p->state = ACP_GONE;
	p->lists = false;
	acp_program_opened(p, &ok);
}

static void ask_for_sessions(struct acp_program *p, struct str cursor)
{
	acp_list_sessions(p->acp, str_of(p->cwd), cursor, acp_open_on_listed, p);
	acp_program_wake(p);
}

static void list_sessions(struct acp_program *p)
{
	const struct acp_agent *g = acp_agent(p->acp);
	struct err e = ERR_INIT;

	if (!g->lists || (!g->loads && !g->resumes)) {
		err_set(&e, ERR_UNSUPPORTED,
			"it cannot list its sessions; :Oxide chat resume lists the "
			"conversations held here");
		acp_open_failed(p, &e);
		return;
	}
	json_free(p->sessions);
	p->sessions = json_array();
	ask_for_sessions(p, STR(""));
}

static void acp_open_go_on(struct acp_program *p)
{
	const struct acp_agent *g = acp_agent(p->acp);

	p->mended = p->session.n && !g->loads && !g->resumes;
	if (p->lists) {
		list_sessions(p);
		return;
	}
	if (!p->session.n || p->mended) {
		begin_session(p);
		return;
	}
	if (p->replays)
		acp_replay_begin(p);
	acp_load_session(p->acp, buf_str(&p->session), p->replays, str_of(p->cwd), mcp_servers(p),
			 acp_open_on_loaded, p);
	acp_program_wake(p);
}

static void acp_open_on_initialized(void *arg, const json *result, const struct err *e)
{
	struct acp_program *p = arg;

	(void)result;
	if (e->code) {
		acp_open_failed(p, e);
		return;
	}
	json_free(p->methods);
	p->methods = acp_agent(p->acp)->auth ? json_copy(acp_agent(p->acp)->auth) : NULL;
	acp_open_go_on(p);
}

static void acp_open_later(void *arg)
{
	struct acp_program *p = arg;
	struct err e = ERR_INIT;
	static const struct acp_client client = { .name = "oxide.nvim",
						  .title = "Oxide",
						  .version = OXIDE_VERSION,
						  .files = true,
						  .terminals = true };

	if (!p->talk)
		return; /* closed meanwhile: acp_program_close() has seen to it */
	if (p->state == ACP_READY) {
		acp_program_opened(p, &e);
	} else if (p->job && p->acp && acp_agent(p->acp)->version && !p->why.code) {
		p->state = ACP_STARTING; /* it wanted to be authenticated */
		acp_open_go_on(p);
	} else if (p->job || p->acp) {
		p->reopen = true; /* the one before is still ending */
	} else if (!acp_program_start(p, &e)) {
		acp_program_opened(p, &e);
	} else {
		p->state = ACP_STARTING;
		acp_initialize(p->acp, &client, (uint64_t)config_get(&p->ox->config, CFG_ACP_START),
			       acp_open_on_initialized, p);
		acp_program_wake(p);
	}
}

void acp_program_reopen(struct acp_program *p)
{
	p->reopen = false;
	acp_open_later(p);
}

void acp_program_open(struct acp_program *p, acp_opened *fn, void *arg)
{
	struct err e = ERR_INIT;

	if (p->opened)
		acp_program_opened(p, (err_set(&e, ERR_CANCELLED, "cancelled"), &e));
	p->opened = fn;
	p->arg = arg;
	if (p->state != ACP_STARTING)
		oxide_soon(p->ox, acp_open_later, p);
}

const json *acp_program_methods(const struct acp_program *p)
{
	return p->methods;
}

static void acp_open_on_authenticated(void *arg, const json *result, const struct err *e)
{
	struct acp_program *p = arg;

	(void)result;
	if (e->code)
		acp_open_failed(p, e);
	else
		acp_open_go_on(p);
}

void acp_program_authenticate(struct acp_program *p, struct str method, acp_opened *fn, void *arg)
{
	struct err e = ERR_INIT;

	p->opened = fn;
	p->arg = arg;
	if (!p->job || !p->acp || !acp_agent(p->acp)->version) {
		acp_program_opened(p,
				   (err_set(&e, ERR_NOT_FOUND, "%s is not running", p->name), &e));
		return;
	}
	p->state = ACP_STARTING;
	acp_authenticate(p->acp, method, acp_open_on_authenticated, p);
	acp_program_wake(p);
}

static void acp_open_on_option(void *arg, const json *result, const struct err *e)
{
	struct acp_program *p = arg;

	(void)result;
	if (!e->code)
		acp_program_tell(p, "options", acp_options(p->acp));
	acp_program_opened(p, e);
}

void acp_program_set(struct acp_program *p, struct str option, struct str value, acp_opened *fn,
		     void *arg)
{
	struct err e = ERR_INIT;

	p->opened = fn;
	p->arg = arg;
	if (p->state != ACP_READY)
		err_set(&e, ERR_NOT_FOUND, "%s has no session yet", p->name);
	else if (acp_set_option(p->acp, option, value, acp_open_on_option, p, &e))
		acp_program_wake(p);
	if (e.code)
		acp_program_opened(p, &e);
}

void acp_program_take(struct acp_program *p, struct str session, acp_opened *fn, void *arg)
{
	buf_clear(&p->session);
	buf_add(&p->session, session);
	p->replays = true;
	acp_program_open(p, fn, arg);
}
