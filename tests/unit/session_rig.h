#ifndef OX_TEST_SESSION_RIG_H
#define OX_TEST_SESSION_RIG_H

/*
 * A session, and the test as its server: messages are written by hand, and all that the session
 * puts out or tells is noted, a line each: "> {...}" for a message, "ready", "diag ..." and so on
 * for events, "reply NAME ..." for answers. Include cmocka's headers first.
 */

#include <stdlib.h>

#include "gen.h"
#include "lsp/session.h"

/* What the server says. */
#define REQ(id, method, params)                                                                    \
	"{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"" method "\",\"params\":" params "}"
#define TELL(method, params) "{\"jsonrpc\":\"2.0\",\"method\":\"" method "\",\"params\":" params "}"
#define ANSWER(id, result)   "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"result\":" result "}"
#define REFUSAL(id, code)                                                                          \
	"{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"error\":{\"code\":" #code ",\"message\":\"no\"}}"

struct rig {
	struct session *s;
	struct requests requests;
	bool hold; /* what is lost with its session */
	struct request *held;
	uint64_t moves;
	struct server_spec spec;
	size_t step; /* bytes fed at a time; 0: whole messages */
	uint64_t now;
	struct buf trace;
	struct err broken; /* what peer_feed() said */
	json *edit_id;	   /* of the last applyEdit */
	const char *then;  /* asked again from inside the next reply, under this name */
};

static inline json *rig_parse(const char *text)
{
	struct err e = ERR_INIT;
	json *v = json_parse(str_of(text), &e);

	if (!v)
		fail_msg("%s: %s", text, e.msg);
	return v;
}

static inline void rig_ready(void *self, struct session *s)
{
	(void)s;
	buf_adds(&((struct rig *)self)->trace, "ready\n");
}

static inline void rig_diagnostics(void *self, struct session *s, struct str uri, int64_t version,
				   struct str list)
{
	(void)s;
	buf_addf(&((struct rig *)self)->trace, "diag %.*s %lld %.*s\n", STR_ARG(uri),
		 (long long)version, STR_ARG(list));
}

static inline void rig_apply_edit(void *self, struct session *s, const json *id, struct str edit)
{
	struct rig *r = self;

	(void)s;
	json_free(r->edit_id);
	r->edit_id = json_copy(id);
	buf_addf(&r->trace, "edit %.*s\n", STR_ARG(edit));
}

static inline void rig_show(void *self, struct session *s, int type, struct str text)
{
	(void)s;
	buf_addf(&((struct rig *)self)->trace, "show %d %.*s\n", type, STR_ARG(text));
}

static inline void rig_log(void *self, struct session *s, int type, struct str text)
{
	(void)s;
	buf_addf(&((struct rig *)self)->trace, "log %d %.*s\n", type, STR_ARG(text));
}

static inline void rig_progress(void *self, struct session *s, struct str title, struct str message,
				int percent, bool done)
{
	(void)s;
	buf_addf(&((struct rig *)self)->trace, "progress %.*s|%.*s %d%s\n", STR_ARG(title),
		 STR_ARG(message), percent, done ? " done" : "");
}

static inline void rig_failed(void *self, struct session *s, const struct err *why)
{
	(void)s;
	buf_addf(&((struct rig *)self)->trace, "failed %s: %s\n", err_name(why->code), why->msg);
}

static inline void rig_settled(void *self, struct session *s)
{
	buf_addf(&((struct rig *)self)->trace, "%ssettled\n", session_settled(s) ? "" : "un");
}

static inline void rig_worked(void *self, struct session *s, const char *path)
{
	static const char *const names[] = { "unknown", "busy", "done" };

	buf_addf(&((struct rig *)self)->trace, "worked %s %s\n", path,
		 names[sync_work_on(session_sync(s), path)]);
}

static inline void rig_surveyed(void *self, struct session *s, struct str report)
{
	(void)s;
	buf_addf(&((struct rig *)self)->trace, "surveyed %.*s\n", STR_ARG(report));
}

static inline void rig_refresh(void *self, struct session *s)
{
	(void)s;
	buf_adds(&((struct rig *)self)->trace, "refresh\n");
}

static inline bool rig_document(void *self, struct session *s, struct str uri, const json *range)
{
	struct buf *trace = &((struct rig *)self)->trace;

	(void)s;
	buf_addf(trace, "document %.*s ", STR_ARG(uri));
	if (range)
		json_print(trace, range);
	buf_addc(trace, '\n');
	return true;
}

static inline void rig_odd(void *self, struct session *s, const struct err *why)
{
	(void)s;
	buf_addf(&((struct rig *)self)->trace, "odd %s\n", why->msg);
}

static inline uint64_t rig_moves(void *self)
{
	return ((struct rig *)self)->moves;
}

static inline bool rig_hold(void *self, struct request *q)
{
	struct rig *r = self;

	r->held = q;
	if (r->hold)
		buf_addf(&r->trace, "held %s\n", q->why.msg);
	return r->hold;
}

static inline void rig_abandon(void *self, struct request *q)
{
	struct rig *r = self;

	assert_ptr_equal(r->held, q);
	buf_adds(&r->trace, "abandoned\n");
}

static inline void rig_failed_request(void *self, uint64_t asked_at, struct err *e)
{
	assert_true(asked_at <= ((struct rig *)self)->now && e->code);
}

static inline void rig_told(void *self)
{
	(void)self;
}

/* A conversation with the server; the next one after session_free(). */
static inline void rig_session(struct rig *r)
{
	static const struct session_events ev = {
		rig_ready,    rig_diagnostics, rig_apply_edit, rig_show,    rig_log,
		rig_progress, rig_failed,      NULL,	       rig_settled, rig_worked,
		rig_surveyed, rig_refresh,     rig_document,   rig_odd
	};

	r->s = session_new(&r->spec, "/w/my project", &codec_headers, (size_t)1 << 20, &r->requests,
			   &ev, r);
}

static inline void rig_init(struct rig *r)
{
	static const struct requests_owner owner = { rig_moves, rig_hold, rig_abandon,
						     rig_failed_request, rig_told };

	if (!r->spec.name)
		r->spec.name = "srv";
	r->now = 1000;
	requests_init(&r->requests, &owner, r);
	rig_session(r);
}

static inline void rig_release(struct rig *r)
{
	session_free(r->s);
	requests_release(&r->requests);
	json_free(r->edit_id);
	buf_release(&r->trace);
}

/* Notes what the session put out. */
static inline void rig_drain(struct rig *r)
{
	struct buf *out = peer_out(session_peer(r->s));

	while (out->n) {
		ptrdiff_t head = str_find(buf_str(out), STR("\r\n\r\n"));
		size_t n;

		assert_true(head > 0 && str_starts(buf_str(out), STR("Content-Length: ")));
		n = (size_t)strtoul(out->p + strlen("Content-Length: "), NULL, 10);
		buf_drop(out, (size_t)head + 4);
		assert_true(n <= out->n);
		buf_addf(&r->trace, "> %.*s\n", (int)n, out->p);
		buf_drop(out, n);
	}
}

static inline void rig_tick(struct rig *r)
{
	peer_tick(session_peer(r->s), r->now);
	requests_tick(&r->requests, r->now);
	rig_drain(r);
}

/* A document is opened, and sent. */
static inline void rig_open(struct rig *r, struct doc *d, const char *filetype)
{
	session_open(r->s, d, filetype);
	session_flush(r->s);
}

/* The server sends one message. */
static inline void rig_say(struct rig *r, const char *text)
{
	struct buf bytes = BUF_INIT;
	struct str left;

	rig_drain(r); /* what was put out before stands before what this brings about */
	buf_addf(&bytes, "Content-Length: %zu\r\n\r\n%s", strlen(text), text);
	for (left = buf_str(&bytes); left.n;) {
		size_t n = r->step && r->step < left.n ? r->step : left.n;

		if (!peer_feed(session_peer(r->s), str_sub(left, 0, n), r->now, &r->broken))
			session_died(r->s, &r->broken);
		left = str_sub(left, n, left.n);
		rig_tick(r);
	}
	buf_release(&bytes);
}

/* Checks what was noted since the last time. */
#define RIG_SAW(r, want)                                                                           \
	do {                                                                                       \
		assert_text_(buf_str(&(r)->trace), str_of(want), __FILE__, __LINE__);              \
		buf_clear(&(r)->trace);                                                            \
	} while (0)

#define RIG_GREETED(caps) "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"capabilities\":" caps "}}"

/* Answers may be kept, a few. */
static inline void rig_keep(struct rig *r)
{
	r->requests.answers.most = 8;
	r->requests.answers.most_bytes = 100;
}

/* Through initialize, with these capabilities; forgets what was noted. */
static inline void rig_greet(struct rig *r, const char *result)
{
	session_start(r->s, 42, r->now, 5000);
	rig_tick(r);
	rig_say(r, result);
	assert_int_equal(session_state(r->s), SESSION_READY);
	buf_clear(&r->trace);
}

static inline void rig_start(struct rig *r, const char *result)
{
	rig_init(r);
	rig_greet(r, result);
}

/* The server dies, and is there no more. */
static inline void rig_die(struct rig *r)
{
	struct err why = { ERR_IO, "exit code 3" };

	buf_clear(&r->trace);
	session_died(r->s, &why);
	session_free(r->s);
	r->s = NULL;
}

/* Another one in its place. */
static inline void rig_restart(struct rig *r, const char *result)
{
	rig_session(r);
	rig_greet(r, result);
}

struct rig_ask {
	struct rig *r;
	const char *name;
};

static inline void rig_reply(void *arg, struct msg *m, const struct err *e)
{
	struct rig_ask *ask = arg;
	struct rig *r = ask->r;

	buf_addf(&r->trace, "reply %s ", ask->name);
	if (e->code)
		buf_addf(&r->trace, "%s: %s\n", err_name(e->code), e->msg);
	else
		buf_addf(&r->trace, "%.*s\n", STR_ARG(m->raw));
	if (r->then) {
		ask->name = r->then;
		r->then = NULL;
		request_ask(&r->requests, LSP_HOVER, json_object(), r->now, 100, rig_reply, ask);
	} else {
		free(ask);
	}
}

/* What goes out when nobody wants the answer any more. */
#define GIVEN_UP(id)                                                                               \
	"> {\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":" #id "}}\n"
/* What goes out for a question of rig_ask_of(), under this id. */
#define RIG_ASKED(id, method, of)                                                                  \
	"> {\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"" method "\",\"params\":{\"of\":\"" of \
	"\"}}\n"

/* `name` asks the question { "of": OF }. */
static inline int64_t rig_ask_of(struct rig *r, const char *name, const char *of,
				 enum lsp_feature f, uint64_t timeout_ms)
{
	struct rig_ask *ask = malloc(sizeof(*ask));
	json *params = json_object();
	int64_t id;

	*ask = (struct rig_ask){ r, name };
	json_put(params, "of", json_strz(of));
	id = request_ask(&r->requests, f, params, r->now, timeout_ms, rig_reply, ask);
	if (r->s)
		rig_drain(r);
	return id;
}

/* A question that nobody else asks. */
static inline int64_t rig_ask(struct rig *r, const char *name, enum lsp_feature f,
			      uint64_t timeout_ms)
{
	return rig_ask_of(r, name, name, f, timeout_ms);
}

#endif
