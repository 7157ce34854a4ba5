#include "proto.h"
#include "session_impl.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"

struct session *session_new(const struct server_spec *spec, const char *root,
			    const struct codec *codec, size_t limit, struct requests *requests,
			    const struct session_events *ev, void *self)
{
	static const struct peer_handler handler = { served_request, served_notify, served_stray,
						     served_odd, NULL };
	struct session *s = mem_new(sizeof(*s));

	s->spec = spec;
	s->root = mem_dup(root, strlen(root));
	s->ev = *ev;
	s->self = self;
	s->caps.enc = POS_UTF16;
	s->peer = peer_new(codec, limit, PEER_CANCEL_LSP, &handler, s);
	peer_set_name(s->peer, spec->name);
	sync_init(&s->sync, s->peer, &s->caps);
	s->sync.names_trials = spec->names_trials;
	s->sync.news = requests->answers.news + 1; /* no answer of the session before is true */
	s->requests = requests;
	requests->session = s;
	return s;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	session_died(s, NULL);
	peer_free(s->peer);
	requests_detach(s->requests);
	sync_release(&s->sync);
	progress_release(&s->progress);
	buf_release(&s->health_error);
	buf_release(&s->health_warning);
	caps_release(&s->caps);
	free(s->root);
	free(s);
}

struct peer *session_peer(struct session *s)
{
	return s->peer;
}

const struct sync *session_sync(const struct session *s)
{
	return &s->sync;
}

bool session_over(const struct session *s, struct err *e)
{
	if (s->state == SESSION_DEAD)
		err_set(e, ERR_NO_SERVER, "%s is not running: %s", s->spec->name, s->why.msg);
	else if (s->state == SESSION_LEAVING)
		err_set(e, ERR_NO_SERVER, "%s is shutting down", s->spec->name);
	else
		return false;
	return true;
}

uint64_t session_deadline(const struct session *s)
{
	uint64_t peer = peer_deadline(s->peer), own = requests_deadline(s->requests);

	return own < peer ? own : peer;
}

json *session_folders(const struct session *s)
{
	return json_list(json_of({ "uri", proto_uri(s->root) },
				 { "name", json_str(path_base(str_of(s->root))) }));
}

static json *greeting(const struct session *s, int64_t pid)
{
	const json *options = s->spec->init_options;

	return json_of({ "processId", json_int(pid) },
		       { "clientInfo", json_of({ "name", json_strz("oxide") }) },
		       { "rootPath", json_strz(s->root) }, { "rootUri", proto_uri(s->root) },
		       { "workspaceFolders", session_folders(s) },
		       { "capabilities", caps_client() },
		       { "initializationOptions", options ? json_copy(options) : NULL });
}

static void session_fail(struct session *s, const struct err *why)
{
	session_died(s, why);
	if (s->ev.failed)
		s->ev.failed(s->self, s, why);
}

void session_configure(struct session *s, json *settings)
{
	s->sync.news++;
	peer_notify(s->peer, "workspace/didChangeConfiguration", json_of({ "settings", settings }));
}

static void become_ready(struct session *s)
{
	s->state = SESSION_READY;
	s->checking = s->spec->check;
	peer_notify(s->peer, "initialized", json_object());
	if (s->spec->settings)
		session_configure(s, json_copy(s->spec->settings));
	sync_flush(&s->sync);
	if (s->ev.ready)
		s->ev.ready(s->self, s);
}

static void on_greeted(void *arg, struct msg *m, const struct err *e)
{
	struct session *s = arg;
	struct err why = *e;
	const json *result = NULL;

	if (s->state != SESSION_GREETING)
		return; /* it was stopped or died meanwhile */
	if (!why.code)
		result = msg_body(m, &why);
	if (result && caps_read(&s->caps, result, &why)) {
		become_ready(s);
		return;
	}
	err_in(&why, "%s could not be initialized", s->spec->name);
	session_fail(s, &why);
}

void session_start(struct session *s, int64_t pid, uint64_t now, uint64_t timeout_ms)
{
	if (s->state != SESSION_COLD)
		BUG("%s is started in state %d", s->spec->name, (int)s->state);
	s->state = SESSION_GREETING;
	peer_call(s->peer, "initialize", greeting(s, pid), now, timeout_ms, on_greeted, s);
}

static void leave(struct session *s)
{
	peer_notify(s->peer, "exit", NULL);
	s->left = true;
}

static void on_shut_down(void *arg, struct msg *m, const struct err *e)
{
	(void)m, (void)e; /* whether it answered, refused or kept silent: it is told to go */
	leave(arg);
}

void session_stop(struct session *s, uint64_t now, uint64_t timeout_ms)
{
	enum session_state was = s->state;

	if (was == SESSION_LEAVING || was == SESSION_DEAD)
		return;
	s->state = SESSION_LEAVING;
	if (was == SESSION_READY)
		peer_call(s->peer, "shutdown", NULL, now, timeout_ms, on_shut_down, s);
	else if (was == SESSION_GREETING)
		leave(s); /* the one message that may come before initialize is answered */
	else
		s->left = true;
}

bool session_left(const struct session *s)
{
	return s->left;
}

void session_died(struct session *s, const struct err *why)
{
	if (s->state != SESSION_DEAD) {
		s->state = SESSION_DEAD;
		if (why)
			s->why = *why;
		else
			err_set(&s->why, ERR_IO, "it has ended");
	}
	progress_release(&s->progress);
	peer_close(s->peer, &s->why);
}

enum session_state session_state(const struct session *s)
{
	return s->state;
}

bool session_can(const struct session *s, enum lsp_feature f)
{
	return s->state == SESSION_READY && s->caps.can[f];
}

bool session_executes(const struct session *s, struct str command)
{
	return s->state == SESSION_READY && caps_executes(&s->caps, command);
}

enum pos_enc session_encoding(const struct session *s)
{
	return s->caps.enc;
}

bool session_works_for_nobody(const struct session *s)
{
	return s->spec->ready_on_refresh && session_can(s, LSP_PULL_DIAGNOSTICS);
}

const char *session_busy(const struct session *s)
{
	return session_works_for_nobody(s) ? NULL : progress_busy(&s->progress);
}

const char *session_health_error(const struct session *s)
{
	return s->health_error.n ? s->health_error.p : NULL;
}

const char *session_health_warning(const struct session *s)
{
	return s->health_warning.n ? s->health_warning.p : NULL;
}

bool session_settled(const struct session *s)
{
	return s->spec->ready_on_status ? s->settled : !session_busy(s);
}

bool session_checking(const struct session *s)
{
	return s->checking;
}

void session_tolerate(struct session *s, size_t most)
{
	s->odd_most = most;
}

void session_applied(struct session *s, const json *id, bool applied, const char *why)
{
	peer_answer(s->peer, id,
		    json_of({ "applied", json_bool(applied) },
			    { "failureReason", !applied && why ? json_strz(why) : NULL }));
}

static struct str session_language_of(const struct session *s, const char *filetype)
{
	json_each(entry, s->spec->language_ids)
		if (!strcmp(json_key(entry), filetype) && json_is(entry, JSON_STRING))
			return json_text(entry);
	return str_of(filetype);
}

void session_open(struct session *s, struct doc *d, const char *filetype)
{
	sync_open(&s->sync, d, session_language_of(s, filetype));
}

void session_saved(struct session *s, struct doc *d)
{
	if (s->state != SESSION_READY)
		return;
	sync_flush(&s->sync);
	sync_saved(&s->sync, d);
	s->checking = s->spec->check;
}

void session_close(struct session *s, struct doc *d)
{
	sync_close(&s->sync, d, s->state == SESSION_READY);
}

void session_watched(struct session *s, const char *path, int type)
{
	if (s->state == SESSION_READY)
		sync_watched(&s->sync, path, type);
}

void session_flush(struct session *s)
{
	if (s->state == SESSION_READY)
		sync_flush(&s->sync);
}

bool session_try(struct session *s, struct doc *d, struct str text, const struct edits *edits,
		 bool among)
{
	return s->state == SESSION_READY && sync_try(&s->sync, d, text, edits, among);
}

bool session_untry(struct session *s, struct doc *d)
{
	return sync_untry(&s->sync, d);
}
