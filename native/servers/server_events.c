#include "../base/log.h"
#include "../base/path.h"
#include "../core/apply.h"
#include "../core/projects.h"
#include "../core/protect.h"
#include "../core/workspace.h"
#include "../io/loop.h"
#include "diag_cache.h"
#include "server_impl.h"

static void on_ready(void *self, struct session *session)
{
	struct server *s = self;

	(void)session;
	s->ready_at = loop_now(s->ox->loop);
	server_tell(s, "ready", "");
	pool_stir(s->pool, NULL);
}

/* What is said of a text on trial is nobody's but the trial's, also when it comes late: NULL. So is
 * what is said meanwhile of an older text: gopls does so when it has read half of the change, and
 * that is neither about what there was before nor about what comes. What comes unasked from a
 * server that is asked is about the disk: rust-analyzer puts the newest number on what a compiler
 * found.
 */
static struct diag_store *store_for(struct server *s, struct session *session, const char *path,
				    int64_t version)
{
	if (s->trial && server_can(s, LSP_PULL_DIAGNOSTICS))
		return server_store(s);
	if (!s->trial)
		return sync_tried(session_sync(session), path, version) ? NULL : server_store(s);
	return version >= 0 && version < sync_version(session_sync(session), path) ? NULL
										   : s->trial;
}

/* Of a document that is closed a server says that nothing is wrong any more, and puts no number on
 * that. It may come when the document is open again, and is not about that text. */
static bool is_farewell(const struct server *s, const struct session *session, const char *path,
			int64_t version, struct str list)
{
	return version < 0 && !s->unversioned && str_eq(list, STR("[]")) &&
	       sync_reopened(session_sync(session), path);
}

static void on_diagnostics(void *self, struct session *session, struct str uri, int64_t version,
			   struct str list)
{
	struct server *s = self;
	struct diag_store *store;
	struct buf path SCOPED(buf_release) = BUF_INIT;
	struct err e = ERR_INIT;
	int64_t answered;

	if (!uri_to_path(&path, uri, &e)) {
		log_line(LOG_WARN, "server %s: diagnostics: %s", s->key, e.msg);
		return;
	}
	if (is_farewell(s, session, path.p, version, list))
		return;
	s->published = true;
	s->quiet_at = loop_now(s->ox->loop);
	/* Without a version they can only be taken to speak of what was sent last; but what it has
	 * answered about a text on trial counts for more. That a closed document has none says
	 * nothing about the server. */
	if (sync_version(session_sync(session), path.p) >= 0)
		s->unversioned = version < 0;
	store = store_for(s, session, path.p, version);
	if (store && store == s->trial && version < 0 && server_answers(s)) {
		diag_seen(store, s->key, path.p, &answered);
		store = answered < 0 ? store : NULL;
	} else if (version < 0)
		version = sync_version(session_sync(session), path.p);
	if (store &&
	    !diag_publish(store, s->key, path.p, session_encoding(session), version, list, &e)) {
		log_line(LOG_WARN, "server %s: diagnostics: %s", s->key, e.msg);
	} else if (store) {
		if (store == s->ox->diags && s->ox->editor.diagnostics)
			s->ox->editor.diagnostics(s->ox->editor.self, path.p);
		pool_stir(s->pool, path.p);
	}
}

static void on_apply_edit(void *self, struct session *session, const json *id, struct str edit)
{
	struct server *s = self;

	server_apply_edit(s, session, id, edit);
}

static void on_show(void *self, struct session *session, int type, struct str text)
{
	static const char *const levels[] = { "info", "error", "warn", "info", "info" };
	struct server *s = self;
	struct buf line SCOPED(buf_release) = BUF_INIT;

	(void)session;
	buf_addf(&line, "%s: %.*s", s->spec->name, STR_ARG(text));
	if (s->ox->editor.message)
		s->ox->editor.message(s->ox->editor.self, levels[type >= 1 && type <= 4 ? type : 0],
				      buf_str(&line));
}

static void on_log(void *self, struct session *session, int type, struct str text)
{
	struct server *s = self;

	(void)session;
	log_line(LOG_DEBUG, "server %s logged %zu bytes of type %d", s->key, text.n, type);
}

static void on_progress(void *self, struct session *session, struct str title, struct str message,
			int percent, bool done)
{
	struct server *s = self;
	struct buf whole SCOPED(buf_release) = BUF_INIT, id SCOPED(buf_release) = BUF_INIT;

	(void)session;
	buf_adds(&whole, s->spec->name);
	if (title.n)
		buf_addf(&whole, ": %.*s", STR_ARG(title));
	buf_addf(&id, "%s/%.*s", s->spec->name, STR_ARG(title));
	if (s->ox->editor.progress && !s->aside)
		s->ox->editor.progress(s->ox->editor.self, NULL, id.p, buf_str(&whole), message,
				       percent, done);
	s->has_worked |= done;
	if (done)
		pool_stir(s->pool, NULL);
}

static void on_failed(void *self, struct session *session, const struct err *why)
{
	struct server *s = self;

	(void)session;
	s->why = *why;
	s->deaths = (int)config_get(&s->ox->config, CFG_LSP_RESTARTS); /* it would fail again */
	s->first_death = loop_now(s->ox->loop);
	server_kill(s);
}

static void on_more(void *self, struct session *session)
{
	struct server *s = self;

	(void)session;
	pool_stir(s->pool, NULL);
}

static void on_worked(void *self, struct session *session, const char *path)
{
	struct server *s = self;

	(void)session;
	pool_stir(s->pool, path);
}

/* An open document is asked about by itself, in its present text. */
static bool takes_survey(void *arg, const char *path)
{
	struct server *s = arg;

	pool_stir(s->pool, path);
	return server_version(s, path) < 0;
}

bool server_surveyed(struct server *s, struct str report, struct err *e)
{
	return diag_surveyed(server_diags(s), s->key, server_encoding(s), report, takes_survey, s,
			     e);
}

static void on_surveyed(void *self, struct session *session, struct str report)
{
	struct server *s = self;
	struct err e = ERR_INIT;

	(void)session;
	if (!server_surveyed(s, report, &e))
		log_line(LOG_WARN, "server %s: %s", s->key, e.msg);
}

static void on_refresh(void *self, struct session *session)
{
	struct server *s = self;

	(void)session;
	server_note_refresh(s);
	diag_cache_forget(s->ox->findings, s->key);
	if (s->ox->editor.diagnostics)
		s->ox->editor.diagnostics(s->ox->editor.self, s->root);
}

/* A file of a project that the person has loaded, where there is somebody to look at it. */
static bool on_show_document(void *self, struct session *session, struct str uri, const json *range)
{
	static const char *const encodings[] = { "utf-8", "utf-16", "utf-32" };
	struct server *s = self;
	const struct editor *ed = &s->ox->editor;
	const struct project *p = NULL;
	struct buf path SCOPED(buf_release) = BUF_INIT;
	struct err e = ERR_INIT;
	bool shown;

	if (ed->show && uri_to_path(&path, uri, &e))
		p = projects_of(s->ox->projects, path.p);
	shown = p && protect_shows(p->root, path.p, &e) &&
		workspace_doc(s->ox->workspace, path.p, &e);
	if (shown)
		ed->show(ed->self, s->spec->name, path.p, range,
			 encodings[session_encoding(session)]);
	return shown;
}

static void on_odd(void *self, struct session *session, const struct err *why)
{
	struct server *s = self;

	(void)session;
	log_line(LOG_WARN, "server %s sent a message that was ignored: %s", s->key, why->msg);
}

const struct session_events server_events = {
	on_ready,    on_diagnostics, on_apply_edit,    on_show, on_log,
	on_progress, on_failed,	     on_more,	       on_more, on_worked,
	on_surveyed, on_refresh,     on_show_document, on_odd,
};
