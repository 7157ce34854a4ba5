#ifndef OX_TEST_PEER_FIXTURE_H
#define OX_TEST_PEER_FIXTURE_H

/* A peer whose callbacks write down what came. Include cmocka's headers first. */

#include "gen.h"
#include "wire/peer.h"
#include "wire_play.h"

struct fixture {
	struct peer *peer;
	struct buf trace;
	uint64_t now;
	long code; /* of the last error */
	bool strays_end;
	const char *act; /* what the next callback does besides */
	int64_t victim;
};

static inline void on_reply(void *arg, struct msg *m, const struct err *e);

static inline int64_t call(struct fixture *f, const char *method, uint64_t timeout_ms)
{
	return peer_call(f->peer, method, NULL, f->now, timeout_ms, on_reply, f);
}

/* Once, from inside a callback. */
static inline void act(struct fixture *f)
{
	const char *what = f->act ? f->act : "";

	f->act = NULL;
	if (!strcmp(what, "call"))
		call(f, "inner", 10);
	else if (!strcmp(what, "cancel"))
		peer_cancel(f->peer, f->victim);
	else if (!strcmp(what, "close"))
		peer_close(f->peer, NULL);
	else if (!strcmp(what, "tick"))
		peer_tick(f->peer, f->now);
}

static inline void on_reply(void *arg, struct msg *m, const struct err *e)
{
	struct fixture *f = arg;

	buf_addf(&f->trace, "reply %s %s\n", err_name(e->code), e->code ? e->msg : "");
	if (m && m->raw.n > 1000)
		buf_addf(&f->trace, "result %d  %zu bytes\n", (int)json_number(m->id), m->raw.n);
	else if (m)
		trace_msg(&f->trace, m);
	if (m)
		f->code = peer_error_code(m);
	act(f);
}

static inline void on_request(void *self, struct msg *m)
{
	struct fixture *f = self;

	trace_msg(&f->trace, m);
	peer_answer(f->peer, m->id, json_strz("yes"));
	act(f);
}

static inline void on_notify(void *self, struct msg *m)
{
	struct fixture *f = self;

	trace_msg(&f->trace, m);
	act(f);
}

static inline bool on_stray(void *self, struct msg *m)
{
	struct fixture *f = self;

	buf_adds(&f->trace, "stray ");
	trace_msg(&f->trace, m);
	return !f->strays_end;
}

static const struct peer_handler handler = { on_request, on_notify, on_stray, NULL, NULL };

static inline void start(struct fixture *f, const struct codec *codec, enum peer_cancel cancel)
{
	*f = (struct fixture){ 0 };
	f->peer = peer_new(codec, LIMIT, cancel, &handler, f);
}

static inline void feed(struct fixture *f, const char *text)
{
	struct err e = ERR_INIT;

	if (!peer_feed(f->peer, str_of(text), f->now, &e))
		fail_msg("%s", e.msg);
}

static inline void assert_trace(struct fixture *f, const char *want)
{
	assert_text(buf_str(&f->trace), str_of(want));
	buf_clear(&f->trace);
}

static inline void assert_out(struct fixture *f, const char *want)
{
	assert_text(buf_str(peer_out(f->peer)), str_of(want));
	buf_clear(peer_out(f->peer));
}

static inline void stop(struct fixture *f)
{
	peer_free(f->peer);
	buf_release(&f->trace);
}

#endif
