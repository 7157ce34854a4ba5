#include "peer.h"

#include <stdlib.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../base/utf.h"
#include "calls.h"

struct peer {
	const struct codec *codec;
	size_t limit;
	enum peer_cancel cancel;
	struct peer_handler handler;
	void *self;
	struct buf in;		/* the beginning of a message whose rest is not there yet */
	struct codec_mark mark; /* of `in` */
	struct buf out;
	struct calls calls;
	int64_t last_id;
	unsigned busy; /* inside how many of peer_feed() and peer_tick() */
	bool feeding, closed;
	size_t astray;	   /* peer_astray() */
	struct err broken; /* why the stream is of no use any more */
	struct err why;	   /* closed */
	char *name;	   /* of the other end; NULL: not told */
};

void peer_set_name(struct peer *p, const char *name)
{
	free(p->name);
	p->name = mem_dup(name, strlen(name));
}

/* `bytes`: of the whole message as sent, of the body alone as received. */
static void trace(const struct peer *p, const char *way, enum msg_kind kind, const json *id,
		  struct str method, size_t bytes)
{
	static const char *const kinds[] = { "request", "notification", "result", "error" };
	struct buf line SCOPED(buf_release) = BUF_INIT;

	if (!log_has_wire())
		return;
	buf_addf(&line, "%s %s %s", p->name ? p->name : p->codec->name, way, kinds[kind]);
	if (id) {
		buf_addc(&line, ' ');
		json_print(&line, id);
	}
	log_wire("%s%s%.*s, %zu bytes", line.p, method.n ? " " : "", STR_ARG(method), bytes);
}

struct peer *peer_new(const struct codec *codec, size_t limit, enum peer_cancel cancel,
		      const struct peer_handler *handler, void *self)
{
	struct peer *p = mem_new(sizeof(*p));

	p->codec = codec;
	p->limit = limit;
	p->cancel = cancel;
	p->handler = *handler;
	p->self = self;
	return p;
}

void peer_free(struct peer *p)
{
	if (!p)
		return;
	if (p->busy)
		BUG("a peer is freed by its own callback");
	peer_close(p, NULL);
	while (p->calls.n)
		peer_tick(p, 0);
	calls_release(&p->calls);
	buf_release(&p->in);
	buf_release(&p->out);
	free(p->name);
	free(p);
}

struct buf *peer_out(struct peer *p)
{
	return &p->out;
}

bool peer_closed(const struct peer *p)
{
	return p->closed;
}

size_t peer_waiting(const struct peer *p)
{
	return p->calls.n;
}

size_t peer_astray(const struct peer *p)
{
	return p->astray;
}

uint64_t peer_deadline(const struct peer *p)
{
	const struct call *first = calls_first(&p->calls);

	return first ? first->due : UINT64_MAX;
}

/* Sends a message unless the peer is closed; frees `body`. */
static void send(struct peer *p, enum msg_kind kind, const json *id, const char *method, json *body)
{
	size_t start = p->out.n;

	if (!p->closed) {
		p->codec->put(&p->out, kind, id, method, body);
		trace(p, "->", kind, id, str_of(method), p->out.n - start);
	}
	json_free(body);
}

int64_t peer_call(struct peer *p, const char *method, json *params, uint64_t now,
		  uint64_t timeout_ms, peer_reply *fn, void *arg)
{
	struct call call = { .id = ++p->last_id,
			     .fn = fn,
			     .arg = arg,
			     .timeout_ms = timeout_ms,
			     .due = UINT64_MAX };
	json *id SCOPED(json_release) = json_int(call.id);

	if (p->closed)
		call.due = 0;
	else if (timeout_ms && timeout_ms < UINT64_MAX - now)
		call.due = now + timeout_ms;
	calls_add(&p->calls, &call, method);
	send(p, MSG_REQUEST, id, method, params);
	return call.id;
}

void peer_notify(struct peer *p, const char *method, json *params)
{
	send(p, MSG_NOTIFY, NULL, method, params);
}

void peer_answer(struct peer *p, const json *id, json *result)
{
	send(p, MSG_RESULT, id, NULL, result);
}

void peer_refuse(struct peer *p, const json *id, const struct err *e)
{
	json *error =
		json_of({ "code", json_int(err_rpc(e->code)) }, { "message", json_strz(e->msg) });

	/* Servers use the same numbers for errors of their own; the name tells ours. */
	json_put(json_put(error, "data", json_object()), "code", json_strz(err_name(e->code)));
	send(p, MSG_ERROR, id, NULL, error);
}

static void give_up(struct peer *p, int64_t id)
{
	json *params;

	calls_give_up(&p->calls, id);
	if (p->cancel == PEER_CANCEL_SILENT)
		return;
	params = json_object();
	json_put(params, p->cancel == PEER_CANCEL_LSP ? "id" : "requestId", json_int(id));
	peer_notify(p, p->cancel == PEER_CANCEL_LSP ? "$/cancelRequest" : "notifications/cancelled",
		    params);
}

void peer_cancel(struct peer *p, int64_t id)
{
	struct call *call = calls_find(&p->calls, id);

	if (!call || call->cancelled || p->closed)
		return;
	call->cancelled = true;
	calls_set_due(&p->calls, call, 0);
	give_up(p, id);
}

/* Why a call ends that was not answered. */
static void end_call(struct peer *p, struct call *call)
{
	struct err e = ERR_INIT;

	calls_take(&p->calls, call);
	if (call->cancelled) {
		err_set(&e, ERR_CANCELLED, "%s was cancelled", call->method);
	} else if (p->closed) {
		err_set(&e, ERR_IO, "%s: %s", call->method, p->why.msg);
	} else {
		err_set(&e, ERR_TIMEOUT, "%s: no answer within %llu ms", call->method,
			(unsigned long long)call->timeout_ms);
		give_up(p, call->id);
	}
	call->fn(call->arg, NULL, &e);
	call_free(call);
}

void peer_tick(struct peer *p, uint64_t now)
{
	/* Calls made meanwhile wait for the next tick: one who tries again at each failure must
	 * not keep this from coming to an end. */
	int64_t last = p->last_id;
	struct call *first;

	p->busy++;
	while ((first = calls_first(&p->calls)) && first->due <= now && first->id <= last)
		end_call(p, first);
	p->busy--;
}

void peer_close(struct peer *p, const struct err *why)
{
	if (p->closed)
		return;
	p->closed = true;
	if (why)
		p->why = *why;
	else
		err_set(&p->why, ERR_IO, "the connection is closed");
	/* A call that moves forward is not passed over: it changes places with earlier ones. */
	for (size_t i = 0; i < p->calls.n; i++)
		calls_set_due(&p->calls, p->calls.heap[i], 0);
}

/* The text of an error, as one line that fits. */
static void set_message(struct err *e, enum err_code code, struct str text)
{
	struct buf line SCOPED(buf_release) = BUF_INIT;

	for (size_t at = 0; at < text.n;) {
		struct utf u = utf_at(text, at);

		if (line.n + u.n > sizeof(e->msg) - sizeof("...")) {
			buf_adds(&line, "...");
			break;
		}
		if (!u.ok || u.code < ' ' || (u.code >= 0x7f && u.code < 0xa0))
			buf_addc(&line, ' ');
		else
			buf_add(&line, str_sub(text, at, at + u.n));
		at += u.n;
	}
	text = str_trim(buf_str(&line));
	if (!text.n)
		text = STR("the error has no message");
	err_set(e, code, "%.*s", STR_ARG(text));
}

long peer_error_code(struct msg *m)
{
	struct err e = ERR_INIT;
	const json *body = m->kind == MSG_ERROR ? msg_body(m, &e) : NULL;

	return (long)json_get_int(body, "code", 0);
}

static enum err_code code_of(struct msg *m, const json *body)
{
	long rpc = peer_error_code(m);
	enum err_code code = err_from_rpc(rpc);

	if (rpc == PEER_SERVER_CANCELLED)
		return ERR_CANCELLED;
	/* JSON-RPC leaves these numbers to everybody, and LSP uses some. */
	if (rpc >= -32099 && rpc <= -32000 &&
	    !str_eq(json_get_str(body, "data.code"), str_of(err_name(code))))
		return ERR_PEER;
	return code;
}

/* vscode-jsonrpc, on which most servers in JavaScript stand, puts "Request METHOD failed with
 * message: " before what they say of it. */
static struct str without_request(struct str text)
{
	struct str words = STR(" failed with message: ");
	ptrdiff_t at = str_starts(text, STR("Request ")) ? str_find(text, words) : -1;

	return at < 0 ? text : str_sub(text, (size_t)at + words.n, text.n);
}

static void read_error(struct msg *m, struct err *e)
{
	struct err why = ERR_INIT;
	const json *body = msg_body(m, &why);
	const json *first = json_is(body, JSON_ARRAY) ? json_first(body) : NULL;
	struct str text = json_get_str(body, "message");

	if (!body)
		text = str_of(why.msg);
	else if (first && json_next(first)) /* Neovim's [type, message] */
		text = json_text(json_next(first));
	else if (json_is(body, JSON_STRING))
		text = json_text(body);
	set_message(e, body ? code_of(m, body) : ERR_PEER, without_request(text));
}

/* A reply that nobody waits for; false when the handler says that this ends it all. */
static bool stray(struct peer *p, struct msg *m, struct err *e)
{
	struct buf id SCOPED(buf_release) = BUF_INIT;

	p->astray++;
	if (!p->handler.stray || p->handler.stray(p->self, m))
		return true;
	if (m->id)
		json_print(&id, m->id);
	return err_set(e, ERR_PROTOCOL, "a response to an unknown request: id %.60s",
		       id.n ? id.p : "null");
}

static int64_t call_id(const struct msg *m)
{
	return json_is(m->id, JSON_NUMBER) ? json_number(m->id) : 0;
}

static bool answered(struct peer *p, struct msg *m, struct err *e)
{
	int64_t id = call_id(m);
	struct call *call = calls_find(&p->calls, id);
	struct err error = ERR_INIT;

	p->astray = call ? 0 : p->astray;

	if (!call && !calls_gave_up(&p->calls, id))
		return stray(p, m, e);
	if (!call || call->cancelled)
		return true;
	if (m->kind == MSG_ERROR)
		read_error(m, &error);
	calls_take(&p->calls, call);
	call->fn(call->arg, m, &error);
	call_free(call);
	return true;
}

/* What is not a message: nobody but the call that it should have answered, if any, comes to harm;
 * false when the handler has had enough. */
static bool odd(struct peer *p, struct msg *m, const struct err *why)
{
	struct call *call = calls_find(&p->calls, call_id(m));

	p->astray++;
	if (call && !call->cancelled) {
		struct err e = *why;

		calls_take(&p->calls, call);
		err_in(&e, "%s", call->method);
		call->fn(call->arg, NULL, &e);
		call_free(call);
	}
	return p->handler.odd && p->handler.odd(p->self, why);
}

void peer_refuse_unknown(struct peer *p, const struct msg *m)
{
	struct err e = ERR_INIT;

	err_set(&e, ERR_UNSUPPORTED, "unknown method %.*s", STR_ARG(m->method));
	peer_refuse(p, m->id, &e);
}

static void run_method(struct peer *p, struct msg *m)
{
	const struct peer_method *at = p->handler.methods;
	bool request = m->kind == MSG_REQUEST;
	const json *params = NULL;

	while (at && at->name && (at->request != request || !str_eq(m->method, str_of(at->name))))
		at++;
	if (at && at->name)
		params = msg_body(m, ERR_IGNORED);
	if (params)
		at->run(p->self, m, params);
	else if (request)
		peer_refuse_unknown(p, m);
}

static bool dispatch(struct peer *p, struct msg *m, struct err *e)
{
	void (*handle)(void *self, struct msg *m) =
		m->kind == MSG_REQUEST ? p->handler.request : p->handler.notify;

	trace(p, "<-", m->kind, m->id, m->method, m->raw.n);
	if (m->kind != MSG_REQUEST && m->kind != MSG_NOTIFY)
		return answered(p, m, e);
	if (handle)
		handle(p->self, m);
	else
		run_method(p, m);
	return true;
}

bool peer_hear(struct peer *p, struct msg *m, struct err *e)
{
	bool ok;

	if (p->closed)
		return true;
	p->busy++;
	ok = dispatch(p, m, e);
	p->busy--;
	return ok;
}

/* Takes off *in what is whole; false when the stream is broken. */
static bool take_all(struct peer *p, struct str *in, struct err *e)
{
	while (!p->closed) {
		struct msg m SCOPED(msg_release) = { 0 };
		enum codec_state state = p->codec->take(in, &p->mark, p->limit, &m, e);
		bool ok = state != CODEC_BAD;

		if (state == CODEC_MSG)
			ok = dispatch(p, &m, e);
		else if (state == CODEC_ODD)
			ok = odd(p, &m, e);
		if (state == CODEC_MORE || !ok)
			return ok;
	}
	return true;
}

bool peer_feed(struct peer *p, struct str bytes, uint64_t now, struct err *e)
{
	bool kept = p->in.n > 0, ok;

	if (p->feeding)
		BUG("a peer is fed by its own callback");
	if (p->closed)
		return true;
	if (p->broken.code) {
		*e = p->broken;
		return false;
	}
	/* What came in one piece is read where it lies. */
	if (kept) {
		buf_add(&p->in, bytes);
		bytes = buf_str(&p->in);
	}
	p->feeding = true;
	p->busy++;
	ok = take_all(p, &bytes, e);
	p->busy--;
	p->feeding = false;
	if (!ok)
		p->broken = *e;
	if (!ok || p->closed || (kept && !bytes.n))
		buf_release(&p->in);
	else if (kept)
		buf_drop(&p->in, p->in.n - bytes.n);
	else
		buf_add(&p->in, bytes);
	if (ok)
		peer_tick(p, now);
	return ok;
}
