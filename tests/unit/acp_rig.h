#ifndef OX_TEST_ACP_RIG_H
#define OX_TEST_ACP_RIG_H

/* A client of ACP with a host that writes down what comes, and keeps what it is asked. Include
 * cmocka's headers first. */

#include <stdlib.h>

#include "acp/acp_client.h"
#include "base/mem.h"
#include "wire/peer.h"

#define KEPT 64

struct rig {
	struct acp *acp;
	struct buf seen; /* a line for each thing that came */
	struct acp_request *kept[KEPT];
	size_t n;
	size_t cut; /* bytes of a piece */
};

static inline void on_update(void *self, const struct acp_update *u)
{
	static const char *const names[] = { "text",	 "thought", "user",  "call", "plan",
					     "commands", "options", "usage", "title" };
	struct rig *g = self;

	buf_addf(&g->seen, "%s", names[u->kind]);
	if (u->text.n)
		buf_addf(&g->seen, " %.*s", STR_ARG(u->text));
	if (u->call) {
		struct buf text = BUF_INIT;

		acp_call_text(u->call, &text);
		buf_addf(&g->seen, " %.*s %s %s %d %d %zu `%.*s`", STR_ARG(u->call->id),
			 u->call->name.n ? u->call->name.p : "-",
			 u->call->title.n ? u->call->title.p : "-", (int)u->call->kind,
			 (int)u->call->status, text.n, STR_ARG(acp_call_command(u->call)));
		buf_release(&text);
	}
	if (u->value) {
		buf_addc(&g->seen, ' ');
		json_print(&g->seen, u->value);
	}
	buf_addc(&g->seen, '\n');
}

static inline void on_request(void *self, struct acp_request *r)
{
	struct rig *g = self;

	buf_addf(&g->seen, "asks %d %.*s\n", (int)r->ask,
		 STR_ARG(r->call ? r->call->id : json_get_str(r->params, "path")));
	assert_true(g->n < KEPT);
	g->kept[g->n++] = r;
}

static inline void forget(struct rig *g, const struct acp_request *r)
{
	size_t at = 0;

	while (at < g->n && g->kept[at] != r)
		at++;
	assert_true(at < g->n);
	memmove(g->kept + at, g->kept + at + 1, (--g->n - at) * sizeof(g->kept[0]));
}

static inline void on_cancel(void *self, struct acp_request *r)
{
	struct rig *g = self;

	buf_adds(&g->seen, "cancelled\n");
	forget(g, r);
	acp_refuse(r, ACP_INTERNAL, "cancelled");
}

static inline void on_odd(void *self, struct str line)
{
	struct rig *g = self;

	buf_addf(&g->seen, "odd %zu\n", line.n);
}

static inline void on_reply(void *arg, const json *result, const struct err *e)
{
	struct rig *g = arg;

	buf_addf(&g->seen, "reply %s %s", err_name(e->code), e->msg);
	if (result)
		json_print(&g->seen, result);
	buf_addc(&g->seen, '\n');
}

static inline void rig_start_with(struct rig *g, size_t cut,
				  struct acp *(*make)(const struct acp_host *,
						      const struct acp_limits *, void *))
{
	static const struct acp_host host = { on_update, on_request, on_cancel, on_odd };
	static const struct acp_limits limits = { 40000, 8, 32, 3 };

	*g = (struct rig){ .cut = cut };
	g->acp = make(&host, &limits, g);
}

static inline void rig_start(struct rig *g, size_t cut)
{
	rig_start_with(g, cut, acp_new);
}

static inline void rig_start_app_server(struct rig *g, size_t cut)
{
	rig_start_with(g, cut, acp_new_app_server);
}

static inline void rig_stop(struct rig *g)
{
	acp_end(g->acp, NULL);
	acp_free(g->acp);
	buf_release(&g->seen);
}

static inline bool feed(struct rig *g, struct str bytes, struct err *e)
{
	while (bytes.n) {
		size_t n = bytes.n < g->cut ? bytes.n : g->cut;
		char *copy = mem_dup(bytes.p, n);
		bool ok = acp_feed(g->acp, (struct str){ copy, n }, 0, e);

		free(copy);
		if (!ok)
			return false;
		bytes = str_sub(bytes, n, bytes.n);
	}
	return true;
}

static inline void says(struct rig *g, const char *line)
{
	struct err e = ERR_INIT;

	if (!feed(g, str_of(line), &e) || !feed(g, STR("\n"), &e))
		fail_msg("%s: %s", line, e.msg);
}

#define saw(g, want) (assert_string_equal(buf_str(&(g)->seen).p, want), buf_clear(&(g)->seen))

/* What was sent, taken away. */
static inline void sent(struct rig *g, const char *want)
{
	struct buf *out = peer_out(acp_peer(g->acp));

	assert_string_equal(buf_str(out).p, want);
	buf_clear(out);
}

#endif
