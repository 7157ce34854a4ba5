#include <stdlib.h>

#include "../base/mem.h"
#include "../core/workspace.h"
#include "../lsp/wsedit.h"
#include "change_signature_impl.h"

/* A parameter whose uses a server renames, in one definition. */
struct renaming {
	struct changing *c;
	const char *path;
	size_t byte;
	struct str name;
	struct pick *pick;
	struct server *server;
	int64_t asked;
};

void signature_renamings_free(struct changing *c)
{
	for (size_t i = 0; i < c->renamings; i++)
		free(c->renaming[i]);
	free(c->renaming);
}

/* Of a name of which an edit changes a part, all of it: so it can be told apart from what is
 * beside it. */
static void put_whole(struct site_file *f, const struct edit *edit)
{
	struct str text = buf_str(&f->text);
	struct span word = target_word(text, edit->span.at);
	struct buf with SCOPED(buf_release) = BUF_INIT;

	if (word.end < edit->span.end)
		word = edit->span;
	buf_add(&with, str_sub(text, word.at, edit->span.at));
	buf_add(&with, edit->with);
	buf_add(&with, str_sub(text, edit->span.end, word.end));
	nested_put(&f->nest, word, buf_str(&with));
}

/* A server's edits become those that ours are put around. */
static bool take_edits(struct changing *c, const struct plan *plan, struct err *e)
{
	for (size_t i = 0; i < plan_files(plan); i++) {
		const struct plan_file *p = plan_file(plan, i);
		struct site_file *f = symbol_sites_open(&c->spots, str_of(p->path), e);

		if (!f)
			return false;
		for (size_t k = 0; k < p->edits.n; k++)
			put_whole(f, &p->edits.v[k]);
	}
	return true;
}

static void on_param_renamed(void *arg, struct msg *m, const struct err *why)
{
	struct renaming *r = arg;
	struct changing *c = r->c;
	struct wsedit_context ctx = { server_encoding(r->server), call_shown_root(c->call),
				      r->server, server_shown_version };
	struct plan *plan = plan_new(call_source(c->call));
	struct wsedit_notes notes SCOPED(wsedit_notes_release) = { 0 };
	struct err e = *why;

	if (!e.code && wsedit_add(plan, m->raw, &ctx, &notes, &e) && plan_finish(plan, &e) &&
	    !plan_edits(plan))
		err_set(&e, ERR_UNSUPPORTED, "%s found nothing to rename there",
			server_name(r->server));
	if (!e.code)
		take_edits(c, plan, &e);
	if (e.code && !c->why.code) {
		err_in(&e, "the parameter cannot be renamed to %.*s", STR_ARG(r->name));
		c->why = e;
	}
	plan_free(plan);
	signature_renamed(c);
}

static void on_param_picked(void *arg, struct server *s, bool settled, const struct err *why)
{
	struct renaming *r = arg;
	struct changing *c = r->c;
	struct err e = *why;
	struct doc *d = s ? workspace_doc(call_oxide(c->call)->workspace, r->path, &e) : NULL;

	(void)settled;
	r->pick = NULL;
	r->server = s;
	if (!d) {
		err_in(&e, "the parameter cannot be renamed to %.*s", STR_ARG(r->name));
		c->why = e;
		signature_renamed(c);
		return;
	}
	r->asked = server_ask(s, LSP_RENAME, proto_rename(d, r->byte, server_encoding(s), r->name),
			      call_context(c->call)->timeout_ms, on_param_renamed, r);
}

static void param_cancel(void *state)
{
	struct changing *c = state;

	for (size_t i = 0; i < c->renamings; i++) {
		struct renaming *r = c->renaming[i];

		if (r->pick)
			pool_unpick(r->pick);
		else if (r->server)
			server_cancel(r->server, r->asked);
	}
}

static void rename_in(struct changing *c, const struct site_file *f, size_t byte, struct str name)
{
	struct renaming *r = mem_new(sizeof(*r));

	*r = (struct renaming){ .c = c, .path = f->path, .byte = byte, .name = name };
	mem_add(c->renaming, c->renamings, c->renaming_cap, r);
	c->waiting++;
	r->pick = pool_pick(call_oxide(c->call)->pool, f->path, LSP_RENAME, POOL_OPEN,
			    on_param_picked, r);
	call_on_cancel(c->call, param_cancel, c);
}

void signature_rename_params(struct changing *c, const struct site_file *f, const struct site *s,
			     const struct parameters *here)
{
	for (size_t i = 0; s->body && i < params_count(here); i++) {
		struct span name = here->v[here->first + i].name;
		struct str new_name = signature_new_name(&c->signature, i);

		if (new_name.n && str_eq(str_sub(buf_str(&f->text), name.at, name.end),
					 signature_old_name(&c->signature, i)))
			rename_in(c, f, name.at, new_name);
	}
}
