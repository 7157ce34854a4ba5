
#include "../core/protect.h"
#include "../core/trusted_commands.h"
#include "turn_impl.h"

/*
 * A tool refuses to write a file outside of the projects, or a protected one, before it has changed
 * anything (edit/exemptions.h). The user is asked about that file, by where it really lies, and
 * with a yes the tool is called again: what it does then is reviewed as all else is. So the
 * question is about the files that are written, however the arguments name them.
 */

/* What is guarded in a project is so elsewhere. */
static enum permission_where where_of_file(struct oxide *ox, const char *path)
{
	enum permission_where where = permission_where(ox, path);

	return where == PERMISSION_OUTSIDE && protect_guards(path) ? PERMISSION_PROTECTED : where;
}

bool turn_asks_outside(struct turn_call *c, const struct err *e)
{
	const struct conversation *of = c->of->of;
	const char *path = exempt_refused(&c->exempt);
	struct permission_request *r = &c->request;

	if (e->code != ERR_DENIED || !path || !of->permissions || c->of->cancelled ||
	    exempt_has(&c->exempt, path))
		return false;
	r->what = PERMISSION_EDIT;
	r->where = where_of_file(of->ox, path);
	buf_clear(&c->title);
	buf_clear(&c->digest);
	buf_addf(&c->title, "edit %s%s%s", path,
		 r->where == PERMISSION_PROTECTED
			 ? ", which is protected because other programs execute it"
			 : "",
		 permission_where(of->ox, path) == PERMISSION_OUTSIDE ? " outside of any project"
								      : "");
	trusted_commands_digest_text(buf_str(&c->title), &c->digest);
	r->title = c->title.p;
	r->digest = r->where == PERMISSION_PROTECTED ? NULL : &c->digest;
	c->rule = permissions_rule(of->permissions, r);
	return true;
}

/* The question is whether it may be written at all; what is written is shown in the review, unless
 * the configuration allows that without one. */
void turn_exempt_place(struct turn_call *c)
{
	const struct permissions *p = c->of->of->permissions;
	bool shown = p->rule[PERMISSION_EDIT][c->request.where] != PERMISSION_ALLOW;

	exempt_add(&c->exempt, exempt_refused(&c->exempt));
	c->reviewed = c->reviewed || shown;
	c->rule = c->reviewed ? PERMISSION_REVIEW : PERMISSION_ALLOW;
}
