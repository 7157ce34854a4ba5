#include <stdlib.h>

#include "../base/mem.h"
#include "mcp_impl.h"

#define KEY "confirm" /* of the one question in an answer */

/* A form without fields: accept, decline, or go away. */
static json *form(struct str message)
{
	return json_of({ "message", json_str(message) },
		       { "requestedSchema", json_of({ "type", json_strz("object") },
						    { "properties", json_object() }) });
}

static enum mcp_action read_action(const json *answer)
{
	struct str s = json_get_str(answer, "action");

	return str_eq(s, STR("accept"))	   ? MCP_ACCEPT
	       : str_eq(s, STR("decline")) ? MCP_DECLINE
					   : MCP_CANCEL;
}

/* Forms are what `elicitation` meant before it could mean more. */
static bool can_ask(const struct mcp_request *r)
{
	const json *can = json_get(mcp_capabilities(r), "elicitation");

	return json_is(can, JSON_OBJECT) && (!json_len(can) || json_get(can, "form")) &&
	       (r->modern || !r->mcp->deaf);
}

static void put_call(struct buf *out, const struct mcp_request *r)
{
	buf_addf(out, "%.*s %.*s", STR_ARG(json_get_str(r->params, "name")),
		 STR_ARG(buf_str(&r->args)));
}

/* The question that a request brings its answer to; NULL: none that we have asked about it. */
static struct mcp_asked_before *elicit_before(const struct mcp_request *r)
{
	struct str state = json_get_str(r->params, "requestState");
	struct mcp_asked_before *found = NULL;
	struct buf call SCOPED(buf_release) = BUF_INIT;
	char *end;
	long long number = state.n ? strtoll(state.p, &end, 10) : 0;

	if (number <= 0 || *end)
		return NULL;
	put_call(&call, r);
	for (size_t i = 0; i < MCP_ASKED_BEFORE && !found; i++)
		if (r->mcp->asked[i].number == number &&
		    str_eq(buf_str(&r->mcp->asked[i].call), buf_str(&call)))
			found = &r->mcp->asked[i];
	return found;
}

bool mcp_state_ok(const struct mcp_request *r)
{
	return !r->modern || !json_get(r->params, "requestState") || elicit_before(r);
}

static void elicit_forget(struct mcp_asked_before *a)
{
	buf_release(&a->call);
	buf_release(&a->about);
	a->number = 0;
}

/* An answer counts once. */
static bool answered(struct mcp_request *r, struct str about, enum mcp_action *action)
{
	struct mcp_asked_before *a = elicit_before(r);
	const json *answer = json_get(json_get(r->params, "inputResponses"), KEY);
	bool same = a && json_is(json_get(answer, "action"), JSON_STRING) &&
		    str_eq(buf_str(&a->about), about);

	if (same)
		*action = read_action(answer);
	if (a)
		elicit_forget(a);
	return same;
}

static void end_with_question(struct mcp_request *r, struct str message, struct str about)
{
	struct mcp *m = r->mcp;
	struct mcp_asked_before *a = &m->asked[++m->last_asked % MCP_ASKED_BEFORE];
	json *result = json_object(), *params = form(message);

	elicit_forget(a);
	a->number = m->last_asked;
	put_call(&a->call, r);
	buf_add(&a->about, about);
	json_put(params, "mode", json_strz("form"));
	json_put(json_put(result, "inputRequests", json_object()), KEY,
		 json_of({ "method", json_strz("elicitation/create") }, { "params", params }));
	json_put(result, "requestState", json_strf("%lld", (long long)a->number));
	json_put(result, "resultType", json_strz("input_required"));
	mcp_answer(r, result);
}

static void on_answer(void *arg, struct msg *msg, const struct err *e)
{
	struct mcp_question *q = arg;

	if (q->request) {
		q->request->question = NULL;
		q->fn(q->arg, e->code ? MCP_CANCEL : read_action(msg_body(msg, ERR_IGNORED)));
	}
	free(q);
}

static void put_question(struct mcp_request *r, struct str message, mcp_verdict *fn, void *arg)
{
	struct mcp_question *q = mem_new(sizeof(*q));

	q->request = r;
	q->fn = fn;
	q->arg = arg;
	q->call = peer_call(r->mcp->peer, "elicitation/create", form(message), r->mcp->now, 0,
			    on_answer, q);
	r->question = q;
}

enum mcp_asked mcp_ask(struct mcp_request *r, struct str message, struct str about,
		       enum mcp_action *action, mcp_verdict *fn, void *arg)
{
	if (r->silent || !can_ask(r))
		return MCP_CANNOT;
	if (r->modern && answered(r, about, action))
		return MCP_ANSWERED;
	if (r->modern) {
		end_with_question(r, message, about);
		return MCP_ENDED;
	}
	put_question(r, message, fn, arg);
	return MCP_ASKED;
}

void mcp_unask(struct mcp_request *r)
{
	struct mcp_question *q = r->question;

	if (!q)
		return;
	r->question = NULL;
	q->request = NULL;
	peer_cancel(r->mcp->peer, q->call);
}

void mcp_ask_release(struct mcp *m)
{
	for (size_t i = 0; i < MCP_ASKED_BEFORE; i++)
		elicit_forget(&m->asked[i]);
}
