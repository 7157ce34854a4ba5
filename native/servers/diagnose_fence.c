/* Whether a server has said all that it has to say of a text. */

#include "../io/loop.h"
#include "diagnose_impl.h"

/* A question about the file, of which the answer does not matter. One that says what it does with a
 * file takes all questions about it in turn, and is asked what costs it least; others may only look
 * at the text for an answer that needs it. */
static enum lsp_feature some_question(const struct diagnose *d)
{
	bool in_turn = server_work(d->server, d->path) != WORK_UNKNOWN;

	return in_turn && server_can(d->server, LSP_HIGHLIGHT) ? LSP_HIGHLIGHT : LSP_HOVER;
}

bool diagnose_can_fence(const struct diagnose *d)
{
	return server_can(d->server, some_question(d));
}

static void ask_something(struct diagnose *d, peer_reply *fn, void *arg)
{
	struct doc *top = doc_new(d->path, STR(""));

	server_ask(d->server, some_question(d), proto_at(top, 0, server_encoding(d->server)), 0, fn,
		   arg);
	doc_free(top);
}

static void on_diagnose_fence_answered(void *arg, struct msg *m, const struct err *e)
{
	struct diagnose *d = arg;

	(void)m;
	d->fencing = false;
	if (d->finished) {
		diagnose_free(d);
		return;
	}
	if (d->asked)
		return; /* the answer will tell */
	/* It need not know an answer. */
	d->passed = !e->code || e->code == ERR_PEER;
	if (d->passed)
		diagnose_look(d);
	else
		timer_set(d->deadline, 0);
}

/* The question that ended the rest came behind the text, and what the server published of that came
 * before its answer. What the text includes has not changed with it; were that read again all the
 * same, the new text would have been read with it before this question was answered, or it would be
 * what the server was at last. */
static bool is_fenced_by_hurry(const struct diagnose *d, uint64_t seen)
{
	return d->same_head && d->hurried && seen == d->hurried_seen &&
	       server_readings(d->server, d->path) == d->hurried_readings &&
	       server_ended_with_text(d->server, d->path);
}

/* clangd publishes at once, with the headers as it knew them, and again once it has read those
 * again; in between it may call itself idle for a moment. Its work on a document is a queue: when a
 * question that came in after that is answered, nothing is left. The question itself may wait for
 * its turn, and clangd is idle again only after it. */
void diagnose_fence(struct diagnose *d, uint64_t seen)
{
	uint64_t readings = server_readings(d->server, d->path);

	if (d->fencing)
		return;
	d->complete = is_fenced_by_hurry(d, seen) ||
		      (d->passed && seen == d->seen && readings == d->readings);
	if (d->complete) {
		timer_set(d->deadline, 0);
		return;
	}
	d->seen = seen;
	d->readings = readings;
	d->passed = false;
	d->fencing = true;
	ask_something(d, on_diagnose_fence_answered, d);
}

static void on_diagnose_hurried(void *arg, struct msg *m, const struct err *e)
{
	struct diagnose *d = arg;
	int64_t version = -1;

	(void)m;
	d->hurrying = false;
	if (d->finished) {
		diagnose_free(d);
		return;
	}
	if (d->asked || (e->code && e->code != ERR_PEER))
		return; /* the answer to that will tell, or another question */
	d->hurried_seen = diagnose_heard(d, &version);
	d->hurried_readings = server_readings(d->server, d->path);
	d->hurried = version >= d->wanted;
	diagnose_look(d);
}

static void ignore_answer(void *arg, struct msg *m, const struct err *e)
{
	(void)arg;
	(void)m;
	(void)e;
}

void diagnose_hurry(struct diagnose *d)
{
	int64_t version = -1;

	diagnose_heard(d, &version);
	if (version >= d->wanted || d->beside || !diagnose_can_fence(d))
		return;
	d->hurrying = d->same_head;
	ask_something(d, d->same_head ? on_diagnose_hurried : ignore_answer, d);
}
