#ifndef OX_TEST_MCP_RIG_H
#define OX_TEST_MCP_RIG_H

/* An MCP server with a host that does as it is told. Include cmocka's headers first. */

#include "base/jscan.h"
#include "mcp/mcp.h"
#include "wire/peer.h"

#define RIG_KEPT 8

struct rig {
	struct mcp *mcp;
	struct buf seen; /* what the host was asked, a line each */
	uint64_t now;
	size_t rows;			    /* of each list */
	struct mcp_request *kept[RIG_KEPT]; /* calls that wait: "wait", by order */
	size_t kept_n;
};

static inline json *rig_list(void *self)
{
	const struct rig *g = self;
	json *list = json_array();

	for (size_t i = 0; i < g->rows; i++)
		json_put(json_push(list, json_object()), "name", json_strf("row%zu", i));
	return list;
}

static inline void rig_done(struct mcp_request *r, const char *text)
{
	mcp_done(r, mcp_text(str_of(text), false));
}

static inline void rig_verdict(void *arg, enum mcp_action action)
{
	static const char *const names[] = { "cancel", "decline", "accept" };

	rig_done(arg, names[action]);
}

/* "ask X": asks about X. A question that cannot be asked, or ends the request, ends with "later".
 */
static inline void rig_ask(struct mcp_request *r, struct str args)
{
	enum mcp_action action = MCP_CANCEL;
	enum mcp_asked how = mcp_ask(r, STR("sure?"), args, &action, rig_verdict, r);

	if (how == MCP_ANSWERED)
		rig_verdict(r, action);
	else if (how != MCP_ASKED)
		rig_done(r, "later");
}

static inline void rig_call(void *self, struct mcp_request *r, struct str name, struct str args)
{
	struct rig *g = self;

	buf_addf(&g->seen, "call %.*s %.*s\n", STR_ARG(name), STR_ARG(args));
	if (str_eq(name, STR("wait"))) {
		assert_true(g->kept_n < RIG_KEPT);
		mcp_set(r, r);
		g->kept[g->kept_n++] = r;
	} else if (str_eq(name, STR("ask"))) {
		mcp_set(r, NULL);
		rig_ask(r, args);
	} else if (str_eq(name, STR("none"))) {
		mcp_fail(r, MCP_INVALID_PARAMS, "no such tool");
	} else {
		rig_done(r, "done");
	}
}

static inline void rig_read(void *self, struct mcp_request *r, struct str uri)
{
	struct rig *g = self;

	buf_addf(&g->seen, "read %.*s\n", STR_ARG(uri));
	mcp_fail(r, MCP_NO_RESOURCE, "no such resource");
}

static inline void rig_prompt(void *self, struct mcp_request *r, struct str name, struct str args)
{
	struct rig *g = self;

	buf_addf(&g->seen, "prompt %.*s %.*s\n", STR_ARG(name), STR_ARG(args));
	mcp_done(r, json_object());
}

static inline void rig_cancel(void *self, struct mcp_request *r)
{
	struct rig *g = self;

	buf_adds(&g->seen, "cancel\n");
	rig_done(r, "too late");
}

static inline void rig_roots(void *self, const json *roots)
{
	struct rig *g = self;

	buf_adds(&g->seen, "roots ");
	json_print(&g->seen, roots);
	buf_addc(&g->seen, '\n');
}

static inline void rig_start(struct rig *g)
{
	static const struct mcp_host host = { "rig",	 "Rig",	   "1",	       "be good",
					      rig_list,	 rig_list, rig_list,   rig_list,
					      rig_call,	 rig_read, rig_prompt, rig_cancel,
					      rig_roots, NULL };
	static const struct mcp_limits limits = { 2000, 3, 4, 2, 500 };

	*g = (struct rig){ .rows = 2 };
	g->mcp = mcp_new(&host, &limits, g);
}

static inline void rig_stop(struct rig *g)
{
	mcp_end(g->mcp);
	mcp_free(g->mcp);
	buf_release(&g->seen);
}

static inline void rig_feed(struct rig *g, const char *text)
{
	mcp_feed(g->mcp, str_of(text), g->now);
}

/* What was sent, taken away: without "jsonrpc" and line ends, several parted by a blank. */
static inline void rig_sent(struct rig *g, struct buf *out)
{
	struct buf *sent = peer_out(mcp_peer(g->mcp));
	struct str rest = buf_str(sent), line;

	while (str_line(&rest, &line)) {
		buf_adds(out, out->n ? " " : "");
		while (line.n) {
			if (!str_skip(&line, STR("\"jsonrpc\":\"2.0\",")))
				buf_addc(out, *line.p++), line.n--;
		}
	}
	buf_clear(sent);
}

#define sends(g, want)	    rig_sends(g, want, __FILE__, __LINE__)
#define says(g, line, want) (rig_feed(g, line "\n"), rig_sends(g, want, __FILE__, __LINE__))

static inline void rig_sends(struct rig *g, const char *want, const char *file, int line)
{
	struct buf got = BUF_INIT;

	rig_sent(g, &got);
	_assert_string_equal(buf_str(&got).p, want, file, line);
	buf_release(&got);
}

/* Sends a line and gives the answer's text, to be looked into; the caller frees. */
static inline json *rig_answer(struct rig *g, const char *line)
{
	struct err e = ERR_INIT;
	struct buf got = BUF_INIT;
	json *v;

	rig_feed(g, line);
	rig_feed(g, "\n");
	rig_sent(g, &got);
	v = json_parse(buf_str(&got), &e);
	buf_release(&got);
	assert_non_null(v);
	return v;
}

#define saw(g, want) (assert_string_equal(buf_str(&(g)->seen).p, want), buf_clear(&(g)->seen))

#define INITIALIZE(version, capabilities)                                                          \
	"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":" \
	"\"" version "\",\"capabilities\":{" capabilities "},\"clientInfo\":{\"name\":\"t\","      \
	"\"version\":\"1\"}}}"

static inline void rig_initialize(struct rig *g, const char *line)
{
	json_free(rig_answer(g, line));
}

/* A request of the stateless revision; `capabilities` and `more` are members. */
#define MODERN(id, method, capabilities, more)                                                     \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{\"_meta\":{"     \
	"\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                              \
	"\"io.modelcontextprotocol/clientCapabilities\":{" capabilities "}}" more "}}"

#endif
