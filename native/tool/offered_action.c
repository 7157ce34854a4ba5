#include "offered_action.h"

#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../core/workspace.h"
#include "places.h"

/* Which one of that name it is, among those for the same. */
static unsigned action_rank(const struct offer *o, size_t i)
{
	const struct action *v = o->actions.v;
	const struct diag *d = offer_diag(o, i);
	unsigned n = 0;

	for (size_t k = 0; k < i; k++)
		n += action_alike(&v[k], &v[i]) && (!d || action_mends(&v[k], d));
	return n;
}

static uint64_t text_hash(struct oxide *ox, const char *path)
{
	struct doc *d = workspace_known(ox->workspace, path);

	return d ? doc_hash(d) : 0;
}

/* The first word of a kind: "refactor" of "refactor.extract.function". */
static struct str action_family(const struct offer *o, size_t i)
{
	struct str kind = o->actions.v[i].kind;
	size_t n = 0;

	if (offer_diag(o, i) || action_is(&o->actions.v[i], STR("quickfix")))
		return STR("fix");
	while (n < kind.n && kind.p[n] != '.')
		n++;
	return str_sub(kind, 0, n);
}

void offered_action_id(struct oxide *ox, const struct offer *o, size_t i, struct buf *out)
{
	const struct action *a = &o->actions.v[i];
	const struct diag *d = offer_diag(o, i);
	struct range r = d ? d->range : o->place;
	struct str code = d ? d->code : STR(""), message = d ? d->message : STR("");
	struct buf all SCOPED(buf_release) = BUF_INIT;

	buf_addf(&all, "%s\n%llx\n%u:%u-%u:%u\n", o->path,
		 (unsigned long long)text_hash(ox, o->path), r.from.line, r.from.col, r.to.line,
		 r.to.col);
	buf_addf(&all, "%.*s\n%.*s\n%.*s\n%.*s\n%u", STR_ARG(code), STR_ARG(message),
		 STR_ARG(a->title), STR_ARG(a->kind), action_rank(o, i));
	registry_slug(action_family(o, i), out);
	buf_addf(out, "-%.*s:%u-%012llx", STR_ARG(path_base(str_of(o->path))), r.from.line + 1,
		 (unsigned long long)hash_of(buf_str(&all)) & 0xffffffffffff);
}

/* "src/main.c:3: use of undeclared identifier", or the place alone. */
static char *action_about(struct oxide *ox, const struct offer *o, size_t i)
{
	const struct diag *d = offer_diag(o, i);
	struct range r = d ? d->range : o->place;
	struct str rest = d ? d->message : STR(""), line = STR("");
	struct buf text = BUF_INIT;

	str_line(&rest, &line);
	buf_addf(&text, "%.*s:%u%s%.*s", STR_ARG(projects_shown(ox->projects, o->path)),
		 r.from.line + 1, line.n ? ": " : "", STR_ARG(line));
	return buf_detach(&text);
}

struct registered *offered_action_new(struct oxide *ox, const struct offer *o, size_t i)
{
	const struct action *a = &o->actions.v[i];
	struct registered *r = mem_new(sizeof(*r));
	struct buf id = BUF_INIT;
	struct err never = ERR_INIT; /* it was read once */

	offered_action_id(ox, o, i, &id);
	r->id = buf_detach(&id);
	r->title = mem_dup(a->title.p, a->title.n);
	r->kind = mem_dup(a->kind.p, a->kind.n);
	r->about = action_about(ox, o, i);
	r->labels = mem_dup("", 0);
	r->preferred = a->preferred;
	r->server = o->server;
	actions_add(&r->action, a->raw, &never);
	r->path = mem_dup(o->path, strlen(o->path));
	r->hash = text_hash(ox, o->path);
	r->moves = o->moves;
	return r;
}

void offered_action_ask(struct call *c, const struct offer *o, size_t i, action_plan_done *fn,
			void *arg)
{
	call_on_cancel(c, action_plan_cancel,
		       action_plan_start(call_oxide(c), o->server, &o->actions.v[i], o->moves,
					 call_context(c)->timeout_ms, fn, arg));
}

void offered_action_plan(struct registered *a, struct plan *p, const struct wsedit_notes *notes)
{
	a->plan = p;
	a->annotated = notes->confirm;
	free(a->labels);
	a->labels = mem_dup(buf_str(&notes->labels).p, notes->labels.n);
}
