/* What a server asks and tells by itself. Whatever may be large is scanned, not made a tree. */
#include "session_impl.h"

#include "../base/path.h"
#include "proto.h"
#include "scan.h"

#define ITEMS_MOST 1000 /* of one workspace/configuration */

typedef bool serve(struct session *s, struct msg *m, struct err *e);

/* The member of the settings that a dotted section names. The name is the server's, of any length
 * and form, so it is not a path for json_get(). */
static const json *section_of(const json *settings, struct str section)
{
	while (section.n && settings) {
		const char *dot = memchr(section.p, '.', section.n);
		size_t n = dot ? (size_t)(dot - section.p) : section.n;
		const json *hit = NULL;

		json_each(member, json_is(settings, JSON_OBJECT) ? settings : NULL)
			if (!hit && str_eq(str_of(json_key(member)), str_sub(section, 0, n)))
				hit = member;
		settings = hit;
		section = str_sub(section, n + (dot ? 1 : 0), section.n);
	}
	return settings;
}

static bool serve_configuration(struct session *s, struct msg *m, struct err *e)
{
	const json *items = json_get(msg_body(m, e), "items");
	json *values;

	if (!json_is(items, JSON_ARRAY))
		return err_set(e, ERR_INVALID, "member \"items\" is missing");
	if (json_len(items) > ITEMS_MOST)
		return err_set(e, ERR_LIMIT, "more than %d items", ITEMS_MOST);
	values = json_array();
	json_each(item, items) {
		const json *v = section_of(s->spec->settings, json_get_str(item, "section"));

		json_push(values, v ? json_copy(v) : json_null());
	}
	peer_answer(s->peer, m->id, values);
	return true;
}

static bool serve_register(struct session *s, struct msg *m, struct err *e)
{
	const json *params = msg_body(m, e);

	if (!params)
		return false;
	caps_register(&s->caps, params);
	peer_answer(s->peer, m->id, NULL);
	session_flush(s); /* documents may have to be shown from now on */
	if (s->ev.registered)
		s->ev.registered(s->self, s);
	return true;
}

static bool serve_unregister(struct session *s, struct msg *m, struct err *e)
{
	const json *params = msg_body(m, e);

	if (!params)
		return false;
	caps_unregister(&s->caps, params);
	peer_answer(s->peer, m->id, NULL);
	return true;
}

static bool serve_create(struct session *s, struct msg *m, struct err *e)
{
	if (!progress_create(&s->progress, m->raw, e))
		return false;
	peer_answer(s->peer, m->id, NULL);
	return true;
}

static bool serve_folders(struct session *s, struct msg *m, struct err *e)
{
	(void)e;
	peer_answer(s->peer, m->id, session_folders(s));
	return true;
}

static bool serve_edit(struct session *s, struct msg *m, struct err *e)
{
	struct jscan scan = jscan_of(m->raw, e);
	struct str key, edit = STR("");

	for (jscan_object(&scan); jscan_member(&scan, &key);)
		if (str_eq(key, STR("edit")))
			edit = jscan_raw(&scan);
		else
			jscan_skip(&scan);
	if (!edit.n)
		scan_fail(&scan, ERR_INVALID, "member \"edit\" is missing");
	if (!jscan_ok(&scan))
		return false;
	if (s->ev.apply_edit)
		s->ev.apply_edit(s->self, s, m->id, edit);
	else
		session_applied(s, m->id, false, "no edit was requested");
	return true;
}

typedef void tell(void *self, struct session *s, int type, struct str text);

/* { type, message }, for a person to see or for the log. */
static bool pass_message(struct session *s, struct str raw, tell *fn, struct err *e)
{
	struct jscan scan = jscan_of(raw, e);
	struct buf text SCOPED(buf_release) = BUF_INIT;
	struct str key;
	int type = 0;

	for (jscan_object(&scan); jscan_member(&scan, &key);)
		if (str_eq(key, STR("type")))
			type = (int)jscan_int(&scan);
		else if (str_eq(key, STR("message")))
			jscan_str(&scan, &text);
		else
			jscan_skip(&scan);
	if (jscan_ok(&scan) && fn)
		fn(s->self, s, type, buf_str(&text));
	return jscan_ok(&scan);
}

static bool serve_question(struct session *s, struct msg *m, struct err *e)
{
	if (!pass_message(s, m->raw, s->ev.show, e))
		return false;
	peer_answer(s->peer, m->id, NULL); /* none of the choices offered */
	return true;
}

/* Nothing is opened in another program, and nothing takes the place of what a person looks at
 * unless the server says that it should. */
static bool serve_document(struct session *s, struct msg *m, struct err *e)
{
	const json *params = msg_body(m, e);
	struct str uri = json_get_str(params, "uri");
	bool shown;

	if (!uri.n)
		return params && err_set(e, ERR_INVALID, "member \"uri\" is missing");
	shown = s->ev.show_document && !json_get_bool(params, "external", false) &&
		json_get_bool(params, "takeFocus", false) &&
		s->ev.show_document(s->self, s, uri, json_get(params, "selection"));
	peer_answer(s->peer, m->id, json_of({ "success", json_bool(shown) }));
	return true;
}

static bool serve_refresh(struct session *s, struct msg *m, struct err *e)
{
	(void)e;
	peer_answer(s->peer, m->id, NULL);
	if (s->ev.refresh)
		s->ev.refresh(s->self, s);
	return true;
}

static bool hear_diagnostics(struct session *s, struct msg *m, struct err *e)
{
	struct jscan scan = jscan_of(m->raw, e);
	struct str key, uri = STR(""), list = STR("");
	struct buf tmp SCOPED(buf_release) = BUF_INIT;
	int64_t version = -1;

	for (jscan_object(&scan); jscan_member(&scan, &key);)
		if (str_eq(key, STR("uri")))
			uri = scan_str(&scan, &tmp);
		else if (str_eq(key, STR("version")) && !scan_null(&scan))
			version = jscan_int(&scan);
		else if (str_eq(key, STR("diagnostics")))
			list = jscan_raw(&scan);
		else if (!str_eq(key, STR("version")))
			jscan_skip(&scan);
	if (!uri.n || !list.n)
		scan_fail(&scan, ERR_PROTOCOL, "the %s missing",
			  uri.n ? "diagnostics are" : "URI is");
	if (jscan_ok(&scan) && s->ev.diagnostics)
		s->ev.diagnostics(s->self, s, uri, version, list);
	return jscan_ok(&scan);
}

/* The part of an answer that came with our token; empty: it is something else. */
static struct str part_of_survey(struct str raw, struct err *e)
{
	struct buf decoded SCOPED(buf_release) = BUF_INIT;
	struct jscan scan = jscan_of(raw, e);
	struct str key, value = STR("");
	bool ours = false;

	for (jscan_object(&scan); jscan_member(&scan, &key);)
		if (str_eq(key, STR("token")) && jscan_peek(&scan) == '"')
			ours = str_eq(scan_str(&scan, &decoded), STR(SURVEY_TOKEN));
		else if (str_eq(key, STR("value")))
			value = jscan_raw(&scan);
		else
			jscan_skip(&scan);
	return ours ? value : STR("");
}

static bool hear_progress(struct session *s, struct msg *m, struct err *e)
{
	struct progress_report r SCOPED(progress_report_release) = { 0 };
	bool told, ok = progress_take(&s->progress, m->raw, &r, &told, e);

	struct str part = ok && !told ? part_of_survey(m->raw, e) : STR("");

	if (told && s->spec->check && str_starts(buf_str(&r.token), str_of(s->spec->check)))
		s->checking = !r.done;
	if (part.n && s->ev.surveyed)
		s->ev.surveyed(s->self, s, part);
	if (told && s->ev.progress && !session_works_for_nobody(s))
		s->ev.progress(s->self, s, buf_str(&r.title), buf_str(&r.message), r.percent,
			       r.done);
	return ok;
}

static bool hear_work(struct session *s, struct msg *m, struct err *e)
{
	struct jscan scan = jscan_of(m->raw, e);
	struct str key, uri = STR(""), state = STR("");
	struct buf tmp SCOPED(buf_release) = BUF_INIT, path SCOPED(buf_release) = BUF_INIT;
	bool ok;

	for (jscan_object(&scan); jscan_member(&scan, &key);)
		if (str_eq(key, STR("uri")))
			uri = scan_str(&scan, &tmp);
		else if (str_eq(key, STR("state")))
			state = jscan_quoted(&scan);
		else
			jscan_skip(&scan);
	ok = jscan_ok(&scan) && uri_to_path(&path, uri, e);
	if (ok)
		sync_working(&s->sync, path.p, state);
	if (ok && s->ev.worked)
		s->ev.worked(s->self, s, path.p);
	return ok;
}

/* { health, quiescent, message }, as rust-analyzer has it. */
static bool hear_status(struct session *s, struct msg *m, struct err *e)
{
	const json *status = msg_body(m, e);
	struct str health, message;

	if (!status)
		return false;
	health = json_get_str(status, "health");
	message = str_trim(json_get_str(status, "message"));
	s->settled = json_get_bool(status, "quiescent", true);
	buf_clear(&s->health_error);
	buf_clear(&s->health_warning);
	if (str_eq(health, STR("error")))
		buf_add(&s->health_error, message);
	else if (str_eq(health, STR("warning")))
		buf_add(&s->health_warning, message);
	if (s->ev.settled)
		s->ev.settled(s->self, s);
	return true;
}

static bool hear_message(struct session *s, struct msg *m, struct err *e)
{
	return pass_message(s, m->raw, s->ev.show, e);
}

static bool hear_log(struct session *s, struct msg *m, struct err *e)
{
	return pass_message(s, m->raw, s->ev.log, e);
}

static const struct served {
	const char *method;
	serve *fn;
} requests[] = {
	{ "workspace/configuration", serve_configuration },
	{ "client/registerCapability", serve_register },
	{ "client/unregisterCapability", serve_unregister },
	{ "window/workDoneProgress/create", serve_create },
	{ "workspace/workspaceFolders", serve_folders },
	{ "workspace/applyEdit", serve_edit },
	{ "window/showMessageRequest", serve_question },
	{ "window/showDocument", serve_document },
	{ "workspace/diagnostic/refresh", serve_refresh },
	{ NULL, NULL },
}, notifications[] = {
	{ "textDocument/publishDiagnostics", hear_diagnostics },
	{ "textDocument/clangd.fileStatus", hear_work },
	{ "experimental/serverStatus", hear_status },
	{ "$/progress", hear_progress },
	{ "window/showMessage", hear_message },
	{ "window/logMessage", hear_log },
	{ NULL, NULL },
};

static serve *incoming_find(const struct served *list, struct str method)
{
	for (; list->method; list++)
		if (str_eq(str_of(list->method), method))
			return list->fn;
	return NULL;
}

/* What a server says unasked may come of anything that it has read or finished since, so that it
 * would answer differently now; but not what it says for people to read, and not that it is at work
 * on a file, as clangd does for every question: what comes of that it publishes. */
static void count_news(struct session *s, struct str method)
{
	s->sync.news += !str_starts(method, STR("window/showMessage")) &&
			!str_eq(method, STR("window/logMessage")) &&
			!str_eq(method, STR("textDocument/clangd.fileStatus"));
}

void served_request(void *self, struct msg *m)
{
	struct session *s = self;
	serve *fn = incoming_find(requests, m->method);
	struct err e = ERR_INIT;

	count_news(s, m->method);
	if (!fn)
		err_set(&e, ERR_UNSUPPORTED, "unknown method %.*s", STR_ARG(m->method));
	else if (fn(s, m, &e))
		return;
	else
		e.code = ERR_INVALID;
	peer_refuse(s->peer, m->id, &e);
}

static void tell_odd(struct session *s, const struct err *why)
{
	if (s->ev.odd)
		s->ev.odd(s->self, s, why);
}

/* A notification cannot be refused; one that is malformed is told to whoever reads the log. */
void served_notify(void *self, struct msg *m)
{
	struct session *s = self;
	serve *fn = incoming_find(notifications, m->method);
	struct err e = ERR_INIT;

	count_news(s, m->method);
	if (!fn || fn(s, m, &e))
		return;
	err_in(&e, "%.*s from %s is malformed", STR_ARG(m->method), s->spec->name);
	tell_odd(s, &e);
}

/* Real servers answer what was not asked, or with a null id, and send what is not a message: that
 * is passed over, for the framing still holds. Only one that does nothing else is of no use. */
bool served_odd(void *self, const struct err *why)
{
	struct session *s = self;

	tell_odd(s, why);
	return peer_astray(s->peer) <= s->odd_most;
}

bool served_stray(void *self, struct msg *m)
{
	struct buf id SCOPED(buf_release) = BUF_INIT;
	struct err e = ERR_INIT;

	if (m->id)
		json_print(&id, m->id);
	else
		buf_adds(&id, "null");
	err_set(&e, ERR_PROTOCOL, "a response to an unknown request: id %.60s", id.p);
	return served_odd(self, &e);
}
