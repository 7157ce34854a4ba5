#include "fuzz.h"
#include "wire/http_serve.h"

/*
 *     how many bytes come at a time
 *     %%
 *     what a client sends
 *
 * However it is cut, the same requests are heard and the same is said; what is kept is bounded, and
 * nobody is heard without the token.
 */
#define TOKEN "sesame"
#define HEAD  400
#define BODY  200

struct end {
	struct http_serve *serve;
	struct buf heard;
};

static void on_request(void *self, const struct http_request *r)
{
	struct end *n = self;

	must(http_serve_waits(n->serve) && r->body.n <= BODY);
	buf_addf(&n->heard, "%d %.*s %.*s\n", (int)r->method, STR_ARG(r->session),
		 STR_ARG(r->body));
	if (r->method == HTTP_GET)
		http_serve_stream(n->serve);
	else
		http_serve_answer(n->serve, "200 OK", "s", r->body);
	http_serve_event(n->serve, r->body);
}

static void end_run(struct end *n, struct str bytes, size_t piece)
{
	const struct http_serve_spec spec = { .target = "/mcp",
					      .token = STR(TOKEN),
					      .port = 80,
					      .session_header = "mcp-session-id",
					      .head = HEAD,
					      .body = BODY,
					      .request = on_request,
					      .self = n };

	*n = (struct end){ 0 };
	n->serve = http_serve_new(&spec);
	for (size_t at = 0; at < bytes.n; at += piece)
		http_serve_feed(n->serve,
				str_sub(bytes, at, at + piece < bytes.n ? at + piece : bytes.n));
	if (http_serve_over(n->serve))
		must_say(http_serve_over(n->serve));
}

static void end_release(struct end *n)
{
	http_serve_free(n->serve);
	buf_release(&n->heard);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str all = fuzz_input(data, size), first = fuzz_section(&all);
	size_t piece = fuzz_number(&first, 1000);
	struct end whole, cut;

	end_run(&whole, all, all.n ? all.n : 1);
	end_run(&cut, all, piece ? piece : 1);
	must_be(buf_str(&cut.heard), buf_str(&whole.heard));
	must_be(buf_str(http_serve_out(cut.serve)), buf_str(http_serve_out(whole.serve)));
	must(!whole.heard.n || str_find(all, STR(TOKEN)) >= 0);
	end_release(&whole);
	end_release(&cut);
	return 0;
}
