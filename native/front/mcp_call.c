#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../tool/answer_text.h"
#include "mcp_guide.h"
#include "mcp_serve.h"

/* What a change that waits for a word wants from a model whose client can ask nobody. */
static void add_confirm(struct buf *out, const struct tool *t, const json *result)
{
	if (!json_get_bool(result, "needs_confirmation", false))
		return;
	for (const struct param *p = t->params; p->name; p++)
		if (!strcmp(p->name, "confirm")) {
			buf_adds(out,
				 "Nothing has been changed yet. If the user agrees, call again "
				 "with confirm: \"apply\".\n");
			return;
		}
	buf_adds(
		out,
		"Nothing has been changed yet. If the user agrees, call execute_code_action with this "
		"action_id.\n");
}

static void mcp_put_answer(struct buf *out, const struct mcp_call *c, const json *result,
			   const struct err *e)
{
	size_t most = (size_t)config_get(&c->of->ox->config, CFG_MCP_ANSWER);

	answer_text(out, c->pending.tool, result, e, most);
	if (!e->code)
		add_confirm(out, c->pending.tool, result);
}

/* The same for a program. One that is too long to be shown is left out whole: cut JSON is none. */
static void put_structured(json *answer, const struct mcp_call *c, const json *result,
			   const struct err *e)
{
	size_t most = (size_t)config_get(&c->of->ox->config, CFG_MCP_ANSWER);
	json *error SCOPED(json_release) = e->code && !result ? error_object(e) : NULL;
	struct buf text = BUF_INIT;

	json_print(&text, error ? error : result);
	if (text.n <= most)
		json_put(answer, "structuredContent", json_raw(&text));
	else
		buf_release(&text);
}

static json *mcp_contents(const char *uri, struct buf *text)
{
	json *row = json_of({ "uri", json_strz(uri) }, { "mimeType", json_strz("text/plain") },
			    { "text", json_str(buf_str(text)) });

	return json_of({ "contents", json_list(row) });
}

static void mcp_call_answer(void *arg, json *result, const struct err *e)
{
	struct mcp_call *c = arg;
	struct buf text SCOPED(buf_release) = BUF_INIT;
	json *answer;

	mcp_put_answer(&text, c, result, e);
	answer = mcp_text(buf_str(&text), e->code != ERR_OK);
	if (c->pending.tool->flags & TOOL_JSON)
		put_structured(answer, c, result, e);
	json_free(result);
	if (c->uri)
		json_free(answer);
	if (!c->uri)
		mcp_done(c->request, answer);
	else if (e->code)
		mcp_fail(c->request, e->code == ERR_NOT_FOUND ? MCP_NO_RESOURCE : MCP_INTERNAL,
			 e->msg);
	else
		mcp_done(c->request, mcp_contents(c->uri, &text));
	mcp_stdio_wake(&c->of->io);
	free(c->uri);
	free(c);
}

/* The one place where a tool is called. Takes args and uri. */
static void mcp_call_begin(struct mcp_serve *s, struct mcp_request *r, const struct tool *t,
			   json *args, char *uri)
{
	struct mcp_call *c = mem_new(sizeof(*c));

	c->of = s;
	c->request = r;
	c->uri = uri;
	c->pending.tool = t;
	c->pending.args = args;
	c->pending.context.last_project = &s->last_project;
	c->pending.context.shown = s->shown;
	c->pending.answer = mcp_call_answer;
	pending_call_add(&s->calls, &c->pending);
	mcp_set(r, c);
	mcp_relay_call(c);
}

/* Arguments that are wrong are for the model to read: the answer of a tool that failed. */
static void mcp_refuse(struct mcp_request *r, const struct err *e)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;

	answer_text_error(&text, e, NULL);
	mcp_done(r, mcp_text(buf_str(&text), true));
}

void mcp_serve_call(void *self, struct mcp_request *r, struct str name, struct str text)
{
	struct err e = ERR_INIT;
	const struct tool *t = tool_find(name, &e);
	struct buf own = BUF_INIT;
	json *args;

	if (!t) {
		mcp_fail(r, MCP_INVALID_PARAMS, e.msg);
		return;
	}
	buf_add(&own, text);
	args = tool_args(t, &own, &e);
	if (args)
		mcp_call_begin(self, r, t, args, NULL);
	else
		mcp_refuse(r, &e);
}

/* The file that the rest of a URI names, from the project's directory; nothing names all files. */
static bool mcp_put_file(json *args, struct str rest)
{
	struct buf uri SCOPED(buf_release) = BUF_INIT, path SCOPED(buf_release) = BUF_INIT;
	bool ok = rest.n < 2;

	buf_addf(&uri, "file://%.*s", STR_ARG(rest));
	if (!ok && uri_to_path(&path, buf_str(&uri), ERR_IGNORED)) {
		json_put(args, "file_path", json_strz(path.p + 1));
		ok = true;
	}
	return ok;
}

/* The tool that tells what a resource says, and its arguments; NULL: it is none. */
static const struct tool *mcp_resource_tool(struct str uri, json *args)
{
	if (str_eq(uri, STR(MCP_ACTIONS)))
		return &tool_list_code_actions;
	if (str_skip(&uri, STR(MCP_DIAGNOSTICS)) && (!uri.n || uri.p[0] == '/') &&
	    mcp_put_file(args, uri))
		return &tool_lsp_diagnostic;
	return NULL;
}

void mcp_serve_read(void *self, struct mcp_request *r, struct str uri)
{
	json *args = json_object();
	const struct tool *t = mcp_resource_tool(uri, args);

	if (t) {
		mcp_call_begin(self, r, t, args, mem_dup(uri.p, uri.n));
		return;
	}
	json_free(args);
	mcp_fail(r, MCP_NO_RESOURCE,
		 "unknown resource; " MCP_DIAGNOSTICS ", " MCP_DIAGNOSTICS "/PATH and " MCP_ACTIONS
		 " can be read");
}

void mcp_serve_prompt(void *self, struct mcp_request *r, struct str name, struct str args)
{
	json *content;

	(void)self;
	(void)args;
	if (!str_eq(name, STR("oxide"))) {
		mcp_fail(r, MCP_INVALID_PARAMS, "unknown prompt; the only one is oxide");
		return;
	}
	content = json_of({ "type", json_strz("text") }, { "text", json_strz(mcp_guide) });
	mcp_done(r, json_of({ "messages", json_list(json_of({ "role", json_strz("user") },
							    { "content", content })) }));
}

void mcp_serve_cancel(void *self, struct mcp_request *r)
{
	struct mcp_call *c = mcp_get(r);

	(void)self;
	pending_call_cancel(&c->pending);
}
