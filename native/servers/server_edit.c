#include <stdio.h>
#include <stdlib.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../core/apply.h"
#include "../core/projects.h"
#include "../core/swap_scan.h"
#include "../core/workspace.h"
#include "../lsp/wsedit.h"
#include "server_impl.h"

/*
 * workspace/applyEdit: server_edit -> on_server_edit_verdict -> on_server_edit_applied. The server
 * may die meanwhile; then there is nobody left to answer, and the change goes its way all the same.
 * While a command is executed for a change that is being worked out (action_plan.h), it becomes
 * part of that one.
 */
struct server_edit {
	struct server *server;
	struct session *session; /* to be compared with the server's, never followed */
	json *id;
	struct plan *plan;
	struct wsedit_notes notes;
	char title[128];
	int64_t question;
};

static void server_edit_answer(struct server_edit *se, bool applied, const char *why)
{
	se->server->edits--;
	if (se->server->session == se->session) {
		session_applied(se->session, se->id, applied, why);
		server_wake(se->server);
	}
	plan_free(se->plan);
	wsedit_notes_release(&se->notes);
	json_free(se->id);
	free(se);
}

/* Who was asked waits for it. */
static void server_edit_settled(const struct server_edit *se, const struct err *e)
{
	const struct editor *ed = &se->server->ox->editor;

	if (ed->settled)
		ed->settled(ed->self, se->question, e);
}

static void on_server_edit_applied(void *arg, const struct apply_result *r, const struct err *e)
{
	server_edit_settled(arg, e);
	server_edit_answer(arg, r, e->msg);
}

static void on_server_edit_verdict(void *arg, const struct verdict *v)
{
	struct server_edit *se = arg;
	struct apply_spec spec = { .plan = se->plan, .title = se->title };
	struct err e = ERR_INIT;

	if (!v->yes || !verdict_take(v, se->plan, &e)) {
		if (v->yes)
			server_edit_settled(se, &e);
		server_edit_answer(se, false, e.code ? e.msg : "it was not confirmed");
		return;
	}
	se->plan = NULL;
	apply_start(se->server->ox, &spec, on_server_edit_applied, se);
}

static bool server_edit_revise(void *arg, size_t i, struct str text, struct err *e);

static void server_edit_put_question(struct server_edit *se, struct question *q, struct buf *open)
{
	struct oxide *ox = se->server->ox;
	const char *root = projects_home(ox->projects, se->server->root)->root;

	swap_scan_report(ox, se->plan, root, open);
	*q = (struct question){ .plan = se->plan,
				.title = se->title,
				.tool = "workspace/applyEdit",
				.server = se->server->spec->name,
				.labels = buf_str(&se->notes.labels).p,
				.annotated = se->notes.confirm,
				.must = true,
				.notes = buf_str(open).p,
				.revise = server_edit_revise };
}

static bool server_edit_revise(void *arg, size_t i, struct str text, struct err *e)
{
	struct server_edit *se = arg;
	struct editor *ed = &se->server->ox->editor;
	struct buf open SCOPED(buf_release) = BUF_INIT;
	struct question q;

	if (!plan_revise(se->plan, i, text, e))
		return false;
	server_edit_put_question(se, &q, &open);
	ed->renew(ed->self, se->question, &q);
	return true;
}

void server_capture(struct server *s, struct capture c)
{
	s->capture = c;
}

void server_apply_edit(struct server *s, struct session *session, const json *id, struct str edit)
{
	struct oxide *ox = s->ox;
	const char *root = projects_home(ox->projects, s->root)->root;
	struct wsedit_context ctx = { session_encoding(session), root, s, server_shown_version };
	struct server_edit *se = mem_new(sizeof(*se));
	struct question q;
	struct buf open SCOPED(buf_release) = BUF_INIT;
	struct err e = ERR_INIT;

	se->server = s;
	se->session = session;
	se->id = json_copy(id);
	if (s->edits++ >= config_get(&ox->config, CFG_LSP_EDITS)) {
		log_line(LOG_WARN, "server %s: workspace/applyEdit refused: %lld are pending",
			 s->key, (long long)s->edits - 1);
		server_edit_answer(se, false, "too many changes are pending");
		return;
	}
	if (s->capture.fn) {
		bool taken = s->capture.fn(s->capture.arg, edit, &e);

		server_edit_answer(se, taken, e.msg);
		return;
	}
	se->plan = plan_new(workspace_source(ox->workspace, root));
	snprintf(se->title, sizeof(se->title), "change requested by %s", s->spec->name);
	if (!wsedit_add(se->plan, edit, &ctx, &se->notes, &e) || !plan_finish(se->plan, &e)) {
		log_line(LOG_WARN, "server %s: workspace/applyEdit refused: %s", s->key, e.msg);
		server_edit_answer(se, false, e.msg);
		return;
	}
	if (!plan_files(se->plan)) {
		server_edit_answer(se, true, NULL);
		return;
	}
	if (!ox->editor.confirm) {
		server_edit_answer(se, false, "needs confirmation, but nobody can be asked");
		return;
	}
	server_edit_put_question(se, &q, &open);
	se->question = ox->editor.confirm(ox->editor.self, &q, on_server_edit_verdict, se);
}
