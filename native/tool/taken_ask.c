
#include "../base/mem.h"
#include "../core/workspace.h"
#include "../servers/pick.h"
#include "../servers/server.h"
#include "taken_impl.h"

/*
 *     taken_look -> ask_after (the places of a file) -> on_taken_after ... -> next file
 *                -> ask_uses (of what is renamed) -> on_taken_uses
 *                -> ask_before (what is suspicious) -> on_taken_picked -> on_taken_before -> fn
 *
 * A file at a time: clangd keeps the trees of few files.
 */
/* The text after the change knows where it is; other files are compared by line and column. */
static void taken_take(struct taken_place *p, struct str raw, bool after, struct err *e)
{
	struct taken *c = p->of;
	struct meanings *out = after ? &p->after : &p->before;
	struct locations l SCOPED(locations_release) = { 0 };
	size_t foreign = 0;

	if (!proto_locations(raw, &l, &foreign, e))
		return;
	out->v = mem_new((l.n + 1) * sizeof(*out->v));
	for (size_t i = 0; i < l.n; i++) {
		struct meaning *m = &out->v[out->n++];
		struct taken_file *f = taken_file_at(c, l.v[i].path);

		*m = (struct meaning){ .path = mem_dup(l.v[i].path.p, l.v[i].path.n),
				       .from = l.v[i].range.from };
		if (!f || !f->change)
			continue;
		m->in = f;
		m->byte = taken_byte(f, m->from, server_encoding(p->server), after);
	}
}

static void taken_ask_ask_next(struct taken *c);

static void taken_go_on(void *arg)
{
	struct taken *c = arg;

	if (--c->waiting)
		return;
	if (c->cancelled || c->done)
		c->fn(c->arg);
	else
		taken_ask_ask_next(c);
}

static void on_taken_after(void *arg, struct msg *m, const struct err *why)
{
	struct taken_place *p = arg;
	struct err e = *why;

	p->asked = 0;
	if (!e.code)
		taken_take(p, m->raw, true, &e);
	p->failed = e.code;
	if (!e.code)
		taken_suspect(p);
	taken_go_on(p->of);
}

static void on_taken_before(void *arg, struct msg *m, const struct err *why)
{
	struct taken_place *p = arg;
	struct err e = *why;

	p->asked = 0;
	if (!e.code)
		taken_take(p, m->raw, false, &e);
	p->failed = e.code;
	if (!e.code)
		taken_judge(p);
	taken_go_on(p->of);
}

static void on_taken_picked(void *arg, struct server *s, bool settled, const struct err *why)
{
	struct taken_place *p = arg;
	struct taken *c = p->of;
	const struct plan_file *change = p->file->change;
	struct err e = *why;
	struct doc *d = s ? workspace_doc(call_oxide(c->call)->workspace,
					  change ? change->path : p->file->path, &e)
			  : NULL;

	(void)settled;
	p->pick = NULL;
	p->server = s;
	p->failed = !d || c->cancelled || (change && doc_hash(d) != change->was_hash);
	if (p->failed)
		taken_go_on(c);
	else
		p->asked = server_ask(s, LSP_DEFINITION, proto_at(d, p->was, server_encoding(s)),
				      call_context(c->call)->timeout_ms, on_taken_before, p);
}

/* Nothing is on trial any more: what did suspicious places mean in the texts as they are? */
static void ask_before(struct taken *c)
{
	struct pool *pool = call_oxide(c->call)->pool;

	gate_end(*c->gate, false);
	*c->gate = NULL;
	for (size_t i = 0; i < c->places; i++) {
		struct taken_place *p = &c->place[i];
		const struct plan_file *change = p->file->change;

		if (!p->suspicious)
			continue;
		c->waiting++;
		p->pick = pool_pick(pool, change ? change->path : p->file->path, LSP_DEFINITION,
				    POOL_READ, on_taken_picked, p);
	}
}

static bool any_suspicious(const struct taken *c)
{
	for (size_t i = 0; i < c->places; i++)
		if (c->place[i].suspicious)
			return true;
	return false;
}

static void taken_ask_ask_place(struct taken *c, struct taken_place *p, size_t most)
{
	struct doc *text = NULL;

	p->server = gate_shown(*c->gate, p->file->path, &text);
	if (!p->server || !server_can(p->server, LSP_DEFINITION) ||
	    (size_t)(p - c->place) >= most) {
		c->unasked++;
		return;
	}
	c->waiting++;
	p->asked = server_ask(p->server, LSP_DEFINITION,
			      proto_at(text, p->now, server_encoding(p->server)),
			      call_context(c->call)->timeout_ms, on_taken_after, p);
}

static void ask_after(struct taken *c)
{
	size_t most = (size_t)config_get(&call_oxide(c->call)->config, CFG_RENAME_COMPARED);
	const struct taken_file *f = c->place[c->next].file;

	for (; c->next < c->places && c->place[c->next].file == f; c->next++)
		taken_ask_ask_place(c, &c->place[c->next], most);
}

/* What has the name, is taken for a use of what is renamed, and was none: they became one. */
static void add_use(struct taken *c, const struct location *l)
{
	struct taken_file *f = taken_file_at(c, l->path);
	size_t now;

	if (!f && c->uses >= (size_t)config_get(&call_oxide(c->call)->config, CFG_GATE_LIST))
		return;
	f = f ? f : taken_add_file(c, l->path.p);
	if (!taken_reads_name(f, c, l, server_encoding(c->asker), &now))
		return;
	for (size_t i = 0; i < c->places; i++) {
		struct taken_place *p = &c->place[i];

		if (p->file != f || p->now != now)
			continue;
		p->suspicious = p->suspicious || !p->renamed;
		return;
	}
	if (f->change)
		return; /* a line of the preprocessor */
	c->uses++;
	mem_add(c->place, c->places, c->place_cap,
		(struct taken_place){
			.of = c, .file = f, .now = now, .was = now, .suspicious = true });
}

static void on_taken_uses(void *arg, struct msg *m, const struct err *why)
{
	struct taken *c = arg;
	struct locations l SCOPED(locations_release) = { 0 };
	struct err e = *why;
	size_t foreign = 0;

	c->asked = 0;
	if (!e.code && proto_locations(m->raw, &l, &foreign, &e))
		for (size_t i = 0; i < l.n; i++)
			add_use(c, &l.v[i]);
	c->unused = e.code;
	taken_go_on(c);
}

static void ask_uses(struct taken *c)
{
	const struct meaning *m = taken_declaration(c);
	struct doc *text = NULL;

	c->asker = m ? gate_shown(*c->gate, m->path, &text) : NULL;
	if (!c->asker || !server_can(c->asker, LSP_REFERENCES))
		return;
	c->waiting++;
	c->asked = server_ask(c->asker, LSP_REFERENCES,
			      proto_references(text, m->byte, server_encoding(c->asker), true),
			      call_context(c->call)->timeout_ms, on_taken_uses, c);
}

static void taken_ask_ask_next(struct taken *c)
{
	c->waiting = 1; /* this call */
	if (c->next < c->places && !c->asked_uses) {
		ask_after(c);
	} else if (!c->asked_uses) {
		c->asked_uses = true;
		ask_uses(c);
	} else {
		c->done = true;
		if (any_suspicious(c))
			ask_before(c);
	}
	taken_go_on(c);
}

void taken_look(struct taken *c, struct gate **g, void (*fn)(void *arg), void *arg)
{
	c->gate = g;
	c->fn = fn;
	c->arg = arg;
	c->waiting = 1;
	oxide_soon(call_oxide(c->call), taken_go_on, c);
}

void taken_cancel(void *taken)
{
	struct taken *c = taken;

	c->cancelled = true;
	word_search_cancel(c->mentions);
	if (c->asked)
		server_cancel(c->asker, c->asked);
	for (size_t i = 0; i < c->places; i++) {
		struct taken_place *p = &c->place[i];

		if (p->pick)
			pool_unpick(p->pick);
		else if (p->asked)
			server_cancel(p->server, p->asked);
	}
}
