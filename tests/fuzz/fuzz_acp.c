#include "acp/acp_client.h"
#include "sent_lines.h"
#include "wire/peer.h"

/*
 * What an agent says, by ACP and as an app server, whole and in pieces: the client says and is told
 * the same, every line that goes out is one JSON text in UTF-8, and what waits is answered at the
 * end, once. The input: a line with the lengths of the pieces, which come in turn (none: one byte
 * each), and the stream.
 */
struct host {
	struct acp *acp;
	struct buf told;
	struct acp_request *waiting; /* the last one of a terminal, until the next comes */
	size_t asked, answered;
};

static void update(void *self, const struct acp_update *u)
{
	struct host *h = self;

	buf_addf(&h->told, "update %d %.*s\n", (int)u->kind, STR_ARG(u->text));
	if (u->call) {
		acp_call_text(u->call, &h->told);
		buf_add(&h->told, acp_call_command(u->call));
	}
	if (u->value)
		json_print(&h->told, u->value);
}

static void request(void *self, struct acp_request *r)
{
	struct host *h = self;

	buf_addf(&h->told, "request %d\n", (int)r->ask);
	if (r->ask < ACP_ASK_TERMINAL) {
		acp_answer(r, acp_cancelled());
		return;
	}
	if (h->waiting)
		acp_refuse(h->waiting, ACP_INTERNAL, "another one came");
	h->waiting = r;
}

static void cancel(void *self, struct acp_request *r)
{
	struct host *h = self;

	must(r == h->waiting);
	h->waiting = NULL;
	acp_refuse(r, ACP_INTERNAL, "too late");
}

static void reply(void *arg, const json *result, const struct err *e)
{
	struct host *h = arg;

	h->answered++;
	must((e->code == ERR_OK) == (result != NULL));
	buf_addf(&h->told, "reply %s\n", err_name(e->code));
	if (result)
		json_print(&h->told, result);
}

static void ask_all(struct host *h)
{
	static const struct acp_client client = { "f", "F", "1", true, true };

	acp_initialize(h->acp, &client, 0, reply, h);
	acp_new_session(h->acp, STR("/p"), json_array(), reply, h);
	acp_prompt(h->acp, json_array(), reply, h);
	h->asked = 3;
}

static void play(struct str stream, struct str cuts, bool whole, bool app_server, struct buf *out)
{
	static const struct acp_host host = { update, request, cancel, NULL };
	static const struct acp_limits limits = { 4000, 4, 8, 4 };
	struct host h = { 0 };
	struct str left = cuts;
	struct err e = ERR_INIT;
	bool ok = true;

	h.acp = app_server ? acp_new_app_server(&host, &limits, &h) : acp_new(&host, &limits, &h);
	ask_all(&h);
	while (ok && stream.n) {
		size_t n = whole ? stream.n : fuzz_number(&left, stream.n);
		struct buf copy = BUF_INIT; /* that ends where it ends */

		n = n ? n : 1;
		left = left.n ? left : cuts;
		buf_add(&copy, str_sub(stream, 0, n));
		ok = acp_feed(h.acp, buf_str(&copy), 0, &e);
		buf_release(&copy);
		stream = str_sub(stream, n, stream.n);
	}
	if (!ok)
		must_say(&e);
	acp_end(h.acp, NULL);
	must(!acp_waiting(h.acp));
	must(h.answered == h.asked);
	sent_lines(peer_out(acp_peer(h.acp)), out);
	buf_add(out, buf_str(&h.told));
	buf_release(&h.told);
	acp_free(h.acp);
}

static void play_both(struct str stream, struct str cuts, bool app_server)
{
	struct buf whole = BUF_INIT, pieces = BUF_INIT;

	play(stream, cuts, true, app_server, &whole);
	play(stream, cuts, false, app_server, &pieces);
	must_be(buf_str(&pieces), buf_str(&whole));
	buf_release(&whole);
	buf_release(&pieces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str stream = fuzz_input(data, size), cuts = STR("");

	str_line(&stream, &cuts);
	play_both(stream, cuts, false);
	play_both(stream, cuts, true);
	return 0;
}
