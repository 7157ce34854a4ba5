#include <inttypes.h>
#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "../io/loop.h"
#include "../tool/answer_text.h"
#include "mcp_serve.h"

/* A question that a person has before them, or whose answer comes at the end of this turn. */
struct mcp_question_asked {
	LIST_ENTRY(mcp_question_asked) all;
	struct mcp_serve *of;
	struct mcp_request *request; /* NULL: no call of the client is behind it */
	int64_t id;
	bool coming;	    /* mcp_question_tell() is on its way */
	editor_verdict *fn; /* NULL: it was taken back */
	void *arg;
	struct verdict verdict;
};

static void mcp_question_tell(void *arg)
{
	struct mcp_question_asked *a = arg;

	LIST_REMOVE(a, all);
	if (a->fn)
		a->fn(a->arg, &a->verdict);
	free(a);
}

static void mcp_question_action(void *arg, enum mcp_action action)
{
	struct mcp_question_asked *a = arg;

	a->verdict.yes = action == MCP_ACCEPT;
	mcp_question_tell(a);
}

static void mcp_question_put(struct buf *out, const struct shown_question *q, size_t most)
{
	struct buf diff SCOPED(buf_release) = BUF_INIT;

	buf_adds(out, q->title);
	if (q->files)
		buf_adds(out, ": ");
	plan_sum_put(&q->sum, out);
	buf_addf(out, "\n%s\n", q->notes);
	buf_add(&diff, q->diff);
	answer_text_cut(&diff, most, NULL);
	buf_add(out, buf_str(&diff));
}

static void mcp_question_ask(struct mcp_question_asked *a, const struct question *q)
{
	struct buf diff SCOPED(buf_release) = BUF_INIT, message SCOPED(buf_release) = BUF_INIT;
	struct buf about SCOPED(buf_release) = BUF_INIT;
	struct shown_question shown = question_shown(q, &diff);
	enum mcp_action action = MCP_CANCEL;
	enum mcp_asked how = MCP_CANNOT;

	mcp_question_put(&message, &shown,
			 (size_t)config_get(&a->of->ox->config, CFG_MCP_QUESTION));
	buf_addf(&about, "%016" PRIx64, hash_of(buf_str(&diff)));
	if (a->request)
		how = mcp_ask(a->request, buf_str(&message), buf_str(&about), &action,
			      mcp_question_action, a);
	a->verdict.yes = how == MCP_ANSWERED && action == MCP_ACCEPT;
	a->verdict.later = how == MCP_CANNOT || how == MCP_ENDED;
	a->coming = how != MCP_ASKED;
	if (a->coming)
		loop_soon(a->of->ox->loop, mcp_question_tell, a);
	mcp_stdio_wake(&a->of->io);
}

static int64_t mcp_confirm(void *self, const struct question *q, editor_verdict *fn, void *arg)
{
	struct mcp_serve *s = self;
	struct mcp_question_asked *a = mem_new(sizeof(*a));

	a->of = s;
	a->request = q->of ? ((struct mcp_call *)q->of)->request : NULL;
	a->id = ++s->last_asked;
	a->fn = fn;
	a->arg = arg;
	LIST_INSERT_HEAD(&s->asked, a, all);
	mcp_question_ask(a, q);
	return s->last_asked;
}

static void mcp_unconfirm(void *self, int64_t id)
{
	struct mcp_serve *s = self;
	struct mcp_question_asked *a;

	LIST_FOREACH(a, &s->asked, all)
		if (a->id == id)
			break;
	a->fn = NULL;
	if (a->request)
		mcp_unask(a->request);
	if (!a->coming)
		mcp_question_tell(a);
}

void mcp_serve_ask_init(struct mcp_serve *s)
{
	s->ox->editor.confirm = mcp_confirm;
	s->ox->editor.unconfirm = mcp_unconfirm;
}
