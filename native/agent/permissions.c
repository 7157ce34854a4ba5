#include "permissions.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../core/person_ask.h"
#include "../core/projects.h"
#include "../core/protect.h"
#include "../core/trusted_commands.h"

#define GIVEN_MOST 64

static const char *const whats[PERMISSION_WHATS] = { "read", "edit", "command", "network",
						     "other" };
static const char *const wheres[PERMISSION_WHERES] = { "inside", "outside", "protected" };
static const char *const rules[] = { "allow", "review", "ask", "deny" };

static const enum permission_rule defaults[PERMISSION_WHATS][PERMISSION_WHERES] = {
	{ PERMISSION_ALLOW, PERMISSION_ASK, PERMISSION_ALLOW },
	{ PERMISSION_REVIEW, PERMISSION_ASK, PERMISSION_ASK },
	{ PERMISSION_ASK, PERMISSION_ASK, PERMISSION_ASK },
	{ PERMISSION_ASK, PERMISSION_ASK, PERMISSION_ASK },
	{ PERMISSION_ASK, PERMISSION_ASK, PERMISSION_ASK },
};

struct permission {
	struct permissions *of;
	const struct permission_request *request;
	struct person_question *question;
	permission_said *fn;
	void *arg;
};

/* Its place among `n` names; `n`: it is none of them, and *e says so. */
static size_t name_index(const char *const *names, size_t n, struct str name, const char *where,
			 struct err *e)
{
	struct buf all = BUF_INIT;
	size_t i = 0;

	while (i < n && !str_eq(name, str_of(names[i])))
		i++;
	if (i == n) {
		for (size_t k = 0; k < n; k++)
			buf_addf(&all, "%s%s", k ? ", " : "", names[k]);
		err_set(e, ERR_INVALID, "chat.permissions%s: \"%.*s\" must be one of %s", where,
			STR_ARG(name), all.p);
		buf_release(&all);
	}
	return i;
}

/* Only a change can be reviewed. */
static enum permission_rule rule_of(enum permission_what what, size_t rule)
{
	return rule == PERMISSION_REVIEW && what != PERMISSION_EDIT ? PERMISSION_ASK
								    : (enum permission_rule)rule;
}

/* "deny", or { outside = "deny" }. */
static bool read_row(struct permissions *p, enum permission_what what, const json *v, struct err *e)
{
	struct buf at SCOPED(buf_release) = BUF_INIT;
	size_t rule, where;

	buf_addf(&at, ".%s", json_key(v));
	if (!json_is(v, JSON_OBJECT)) {
		rule = name_index(rules, 4, json_text(v), at.p, e);
		for (size_t i = 0; rule < 4 && i < PERMISSION_WHERES; i++)
			p->rule[what][i] = rule_of(what, rule);
	}
	json_each(one, v) {
		where = name_index(wheres, PERMISSION_WHERES, str_of(json_key(one)), at.p, e);
		rule = e->code ? 4 : name_index(rules, 4, json_text(one), at.p, e);
		if (rule == 4)
			break;
		p->rule[what][where] = rule_of(what, rule);
	}
	return !e->code;
}

bool permissions_read(struct permissions *p, const json *table, struct err *e)
{
	if (table && !json_is(table, JSON_OBJECT))
		return err_set(e, ERR_INVALID, "chat.permissions must be a table");
	json_each(row, table) {
		size_t what = name_index(whats, PERMISSION_WHATS, str_of(json_key(row)), "", e);

		if (e->code || !read_row(p, (enum permission_what)what, row, e))
			return false;
	}
	return true;
}

bool permissions_init(struct permissions *p, struct oxide *ox, struct err *e)
{
	*p = (struct permissions){ .ox = ox };
	memcpy(p->rule, defaults, sizeof(defaults));
	return permissions_read(p, json_get(ox->configuration, "chat.permissions"), e);
}

void permission_forget_given(struct permissions *p)
{
	map_release_values(&p->given);
}

void permissions_release(struct permissions *p)
{
	map_release(&p->session);
	permission_forget_given(p);
}

struct permissions *permissions_shared(struct oxide *ox, struct err *e)
{
	struct permissions *p = ox->permissions;

	if (p)
		return p;
	p = mem_new(sizeof(*p));
	if (permissions_init(p, ox, e))
		return ox->permissions = p;
	permissions_release(p);
	free(p);
	return NULL;
}

void permissions_unshare(struct oxide *ox)
{
	if (ox->permissions)
		permissions_release(ox->permissions);
	free(ox->permissions);
	ox->permissions = NULL;
}

enum permission_where permission_where(struct oxide *ox, const char *path)
{
	const struct project *project = projects_of(ox->projects, path);

	if (!project)
		return PERMISSION_OUTSIDE;
	return protect_allows(project->root, path, true, ERR_IGNORED) ? PERMISSION_INSIDE
								      : PERMISSION_PROTECTED;
}

static bool was_allowed(const struct permissions *p, const struct permission_request *r)
{
	return r->digest && (map_get(&p->session, buf_str(r->digest)) ||
			     trusted_commands_has(r->root, buf_str(r->digest)));
}

enum permission_rule permissions_rule(const struct permissions *p,
				      const struct permission_request *r)
{
	enum permission_rule rule = p->rule[r->what][r->where];

	return rule == PERMISSION_ASK && was_allowed(p, r) ? PERMISSION_ALLOW : rule;
}

static void given_key(struct str client, struct str what, struct buf *key)
{
	struct buf all SCOPED(buf_release) = BUF_INIT;

	buf_addf(&all, "%.*s\n%.*s", STR_ARG(client), STR_ARG(what));
	trusted_commands_digest_text(buf_str(&all), key);
}

void permission_give(struct permissions *p, struct str client, struct str what, const char *text)
{
	struct buf key SCOPED(buf_release) = BUF_INIT;

	if (map_count(&p->given) >= GIVEN_MOST) /* some are never asked for */
		permission_forget_given(p);
	given_key(client, what, &key);
	free(map_put(&p->given, buf_str(&key), mem_dup(text, strlen(text))));
}

char *permission_take_given(struct permissions *p, struct str client, struct str what)
{
	struct buf key SCOPED(buf_release) = BUF_INIT;

	given_key(client, what, &key);
	return map_take(&p->given, buf_str(&key));
}

bool permission_deny(const struct permission_request *r, struct err *e)
{
	return err_set(e, ERR_DENIED, "%s: denied by chat.permissions (%s, %s)", r->title,
		       whats[r->what], wheres[r->where]);
}

static void allow_from_now(struct permissions *p, const struct permission_request *r,
			   enum verdict_lasts lasts)
{
	if (!r->digest || lasts == LASTS_ONCE)
		return;
	map_put(&p->session, buf_str(r->digest), p);
	if (lasts == LASTS_ALWAYS)
		trusted_commands_add(r->root, buf_str(r->digest));
}

static void on_permission_verdict(void *arg, const struct verdict *v)
{
	struct permission *a = arg;
	permission_said *fn = a->fn;
	void *to = a->arg;
	struct err e = ERR_INIT;

	if (!v)
		err_set(&e, ERR_CANCELLED, "cancelled");
	else if (v->yes)
		allow_from_now(a->of, a->request, v->lasts);
	else if (v->later)
		err_set(&e, ERR_NEEDS_CONFIRMATION,
			"%s needs confirmation, and no user can be asked", a->request->title);
	else
		err_set(&e, ERR_DENIED, "%s: the user declined%s%.*s", a->request->title,
			v->why.n ? ": " : "", STR_ARG(v->why));
	free(a);
	fn(to, &e);
}

struct permission *permission_ask(struct permissions *p, const struct permission_request *r,
				  permission_said *fn, void *arg)
{
	struct permission *a = mem_new(sizeof(*a));
	const struct question q = { .tool = r->tool,
				    .title = r->title,
				    .labels = "",
				    .must = true,
				    .permission = true,
				    .lasting = r->digest != NULL,
				    .of = r->of };

	*a = (struct permission){ .of = p, .request = r, .fn = fn, .arg = arg };
	a->question = person_ask(p->ox, &q, on_permission_verdict, a);
	return a;
}

void permission_cancel(struct permission *a)
{
	person_ask_cancel(a->question);
}
