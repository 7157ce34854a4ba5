#include "mcp/mcp.h"
#include "sent_lines.h"
#include "wire/peer.h"

/*
 * What a client sends, whole and in pieces: the same is answered, every line that goes out is one
 * JSON text in UTF-8, and what was under way is cancelled at the end, once. The input: a line with
 * the lengths of the pieces, which come in turn (none: one byte each), and the stream.
 */
struct host {
	struct mcp *mcp;
	struct mcp_request *waiting[4]; /* calls of "wait": the oldest is answered by the fifth */
};

static json *list(void *self)
{
	json *rows = json_array();

	(void)self;
	for (int i = 0; i < 5; i++)
		json_put(json_push(rows, json_object()), "name", json_strf("row%d", i));
	return rows;
}

static void forget(struct host *h, const struct mcp_request *r)
{
	for (size_t i = 0; i < 4; i++)
		if (h->waiting[i] == r)
			h->waiting[i] = NULL;
}

static void done(struct host *h, struct mcp_request *r, struct str text)
{
	forget(h, r);
	mcp_done(r, mcp_text(text, false));
}

static void wait(struct host *h, struct mcp_request *r)
{
	if (h->waiting[0])
		done(h, h->waiting[0], STR("waited"));
	for (size_t i = 0; i + 1 < 4; i++)
		h->waiting[i] = h->waiting[i + 1];
	h->waiting[3] = r;
}

static void on_verdict(void *arg, enum mcp_action action)
{
	struct mcp_request *r = arg;

	done(mcp_get(r), r, action == MCP_ACCEPT ? STR("yes") : STR("no"));
}

static void call(void *self, struct mcp_request *r, struct str name, struct str args)
{
	struct host *h = self;
	enum mcp_action action = MCP_CANCEL;

	mcp_set(r, h);
	if (str_eq(name, STR("wait"))) {
		wait(h, r);
	} else if (str_eq(name, STR("ask"))) {
		enum mcp_asked how = mcp_ask(r, STR("sure?"), args, &action, on_verdict, r);

		if (how != MCP_ASKED)
			on_verdict(r, action);
	} else {
		mcp_progress(r, name);
		mcp_log(h->mcp, MCP_ERROR, name);
		mcp_updated(h->mcp, name);
		done(h, r, args);
	}
}

static void read_resource(void *self, struct mcp_request *r, struct str uri)
{
	(void)self;
	must(uri.n);
	mcp_fail(r, MCP_NO_RESOURCE, "no");
}

static void prompt(void *self, struct mcp_request *r, struct str name, struct str args)
{
	(void)self;
	must(name.n && args.n);
	mcp_done(r, json_object());
}

static void cancel(void *self, struct mcp_request *r)
{
	done(self, r, STR("too late"));
}

static void roots(void *self, const json *v)
{
	(void)self;
	must(json_is(v, JSON_ARRAY));
}

static void play(struct str stream, struct str cuts, bool whole, struct buf *out)
{
	static const struct mcp_host host = { "f",    "F",    "1",   NULL, list,
					      list,   list,   list,  call, read_resource,
					      prompt, cancel, roots, NULL };
	static const struct mcp_limits limits = { 1000, 2, 8, 4, 10 };
	struct host h = { 0 };
	struct str left = cuts;

	h.mcp = mcp_new(&host, &limits, &h);
	while (stream.n) {
		size_t n = whole ? stream.n : fuzz_number(&left, stream.n);
		struct buf copy = BUF_INIT; /* that ends where it ends */

		n = n ? n : 1;
		left = left.n ? left : cuts;
		buf_add(&copy, str_sub(stream, 0, n));
		mcp_feed(h.mcp, buf_str(&copy), 0);
		buf_release(&copy);
		stream = str_sub(stream, n, stream.n);
	}
	mcp_tick(h.mcp, 11);
	mcp_input_ended(h.mcp, 11);
	sent_lines(peer_out(mcp_peer(h.mcp)), out);
	mcp_end(h.mcp);
	must(!mcp_waiting(h.mcp));
	mcp_free(h.mcp);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str stream = fuzz_input(data, size), cuts = STR("");
	struct buf whole = BUF_INIT, pieces = BUF_INIT;

	str_line(&stream, &cuts);
	play(stream, cuts, true, &whole);
	play(stream, cuts, false, &pieces);
	must_be(buf_str(&pieces), buf_str(&whole));
	buf_release(&whole);
	buf_release(&pieces);
	return 0;
}
