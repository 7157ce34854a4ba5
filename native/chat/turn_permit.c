
#include "../base/path.h"
#include "../core/trusted_commands.h"
#include "../tool/consent.h"
#include "turn_impl.h"

/* What a call of a tool is, to the table of permissions.h: its row in the table of tools says it.
 */
static enum permission_what what_of(const struct tool *t, const json *args)
{
	bool opens = t->flags & TOOL_OPEN && (!t->opens || json_get(args, t->opens));

	return t->flags & TOOL_RUNS	? PERMISSION_COMMAND
	       : t->flags & TOOL_WRITES ? PERMISSION_EDIT
	       : opens			? PERMISSION_OTHER
					: PERMISSION_READ;
}

/* Of the files that it names in an argument of its own, the least harmless. */
static enum permission_where where_of(struct turn_call *c, const char *root)
{
	enum permission_where worst = PERMISSION_INSIDE;

	for (const struct param *p = c->tool->params; p->name; p++) {
		struct str path = p->type == P_PATH ? json_get_str(c->args, p->name) : STR("");
		struct buf whole SCOPED(buf_release) = BUF_INIT;
		enum permission_where where;

		if (!path.n)
			continue;
		path_normal(&whole, root, path);
		where = permission_where(c->of->of->ox, whole.p);
		worst = where > worst ? where : worst;
	}
	return worst;
}

/* "test_project {"test_name": "one"}". */
static void put_call(const struct turn_call *c, struct buf *out)
{
	buf_adds(out, c->tool->name);
	if (json_first(c->args)) {
		buf_addc(out, ' ');
		json_print(out, c->args);
	}
}

/* What it would run. */
static void put_commands(struct turn_call *c, const char *root)
{
	consent_commands(c->of->of->ox, root, c->tool->task, &c->commands, &c->digest);
	if (json_first(c->args)) {
		put_call(c, &c->title);
		buf_adds(&c->title, ": ");
	}
	consent_title(&c->title, root, buf_str(&c->commands));
}

/* Fills in the title and the digest, too. */
static bool needs_no_question(struct turn_call *c, const char *root)
{
	if (c->request.what == PERMISSION_COMMAND) {
		put_commands(c, root);
		return !c->commands.n || config_get(&c->of->of->ox->config, CFG_RUN_ALLOW);
	}
	put_call(c, &c->title);
	trusted_commands_digest_text(buf_str(&c->title), &c->digest);
	/* That the tool itself refuses, and says of which file (turn_outside.c). */
	return c->request.what == PERMISSION_EDIT && c->request.where != PERMISSION_INSIDE;
}

void turn_decide(struct turn_call *c)
{
	const struct conversation *of = c->of->of;
	const struct project *project;
	struct permission_request *r = &c->request;
	bool unasked;

	c->rule = PERMISSION_REVIEW;
	project = tool_project(of->ox, c->tool, c->args, &of->context, ERR_IGNORED);
	if (!project)
		return;
	buf_clear(&c->commands);
	buf_clear(&c->title);
	buf_clear(&c->digest);
	*r = (struct permission_request){ .what = what_of(c->tool, c->args),
					  .where = where_of(c, project->root),
					  .tool = c->tool->name,
					  .who = of->model->name,
					  .root = project->root,
					  .of = of->context.of };
	unasked = needs_no_question(c, project->root);
	r->title = buf_str(&c->title).p;
	r->digest = r->where == PERMISSION_PROTECTED ? NULL : &c->digest;
	if (of->permissions)
		c->rule = permissions_rule(of->permissions, r);
	if (c->rule == PERMISSION_ASK && unasked)
		c->rule = PERMISSION_REVIEW;
	c->reviewed = c->rule == PERMISSION_REVIEW;
}

void turn_permit(struct turn_call *c, struct call_context *context)
{
	bool runs = c->tool->flags & TOOL_RUNS, allowed = c->rule == PERMISSION_ALLOW;

	if (!c->of->of->permissions)
		return;
	if (c->tool->flags & TOOL_WRITES)
		context->exempt = &c->exempt;
	context->may_read = allowed && c->request.what == PERMISSION_READ &&
			    c->request.where == PERMISSION_OUTSIDE;
	if (runs) {
		context->may_run = allowed;
		context->confirm = CONFIRM_ALWAYS; /* which says nothing about commands */
	} else if (allowed) {
		context->confirm = CONFIRM_NEVER;
	}
}
