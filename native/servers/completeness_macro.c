#include <stdlib.h>

#include "../base/mem.h"
#include "../code/disabled.h"
#include "../code/macro.h"
#include "../core/workspace.h"
#include "../lsp/proto.h"
#include "completeness_impl.h"

/*
 * Servers read the body of a macro where it is expanded, and list such a use of a symbol at the
 * macro's name there. So what the name means in a body is known if any file that expands the macro
 * was read: what was asked about, where one of these places is listed, and something else
 * otherwise. Of a macro that nothing expands nobody knows.
 */
struct macro_state {
	bool *listed, *expanded; /* by the numbers of macros */
	struct macros in;	 /* the text of the body looked at last */
};

/* Under a condition it may be off. */
static bool may_be_off(const struct completeness *r, const struct word_use *m)
{
	struct workspace *w = r->ox->workspace;
	struct err e = ERR_INIT;
	struct doc *d = workspace_doc(w, m->path, &e);
	struct buf condition SCOPED(buf_release) = BUF_INIT;

	return !d || doc_hash(d) != m->text ||
	       disabled_perhaps(language_of(workspace_filetype(w, m->path)), doc_text(d), m->at,
				&condition);
}

static void note_listed(const struct completeness *r, const struct locations *l,
			struct macro_state *s)
{
	struct workspace *w = r->ox->workspace;
	enum pos_enc enc = server_encoding(r->server);

	for (size_t i = 0; i < l->n; i++) {
		struct err e = ERR_INIT;
		struct doc *d = workspace_doc(w, l->v[i].path.p, &e);
		size_t at = d ? doc_byte(d, l->v[i].range.from, enc) : 0, end = at;
		int macro;

		while (d && end < doc_text(d).n && str_named(doc_text(d).p[end]))
			end++;
		macro = d ? word_search_macro(r->mentions, str_sub(doc_text(d), at, end)) : -1;
		if (macro >= 0)
			s->listed[macro] = true;
	}
	word_search_mark_inside(r->mentions, s->listed);
}

static void note_expanded(const struct completeness *r, struct macro_state *s)
{
	for (size_t i = 0; i < r->n_expansions; i++)
		if (!s->expanded[r->expansion[i].macro])
			s->expanded[r->expansion[i].macro] = !may_be_off(r, &r->expansion[i]);
	word_search_mark_inside(r->mentions, s->expanded);
}

static void judge_body(struct completeness *r, const struct word_use *m, struct macro_state *s)
{
	struct str shown = workspace_shown(r->ox->workspace, m->path), name;
	struct err e = ERR_INIT;
	struct doc *d = workspace_doc(r->ox->workspace, m->path, &e);
	struct macro macro;
	int i;

	if (!d || doc_hash(d) != m->text)
		return;
	if (s->in.text.p != doc_text(d).p)
		s->in = macros_of(doc_text(d));
	if (!macros_using(&s->in, m->at, &macro))
		return;
	name = str_sub(doc_text(d), macro.name.at, macro.name.end);
	i = word_search_macro(r->mentions, name);
	if (i >= 0 && !s->listed[i] && !s->expanded[i])
		completeness_doubt_at(r, m, true,
				      "%.*s:%zu: nothing expands the macro %.*s, so that %s cannot "
				      "tell what the name means in it",
				      STR_ARG(shown), m->line, STR_ARG(name),
				      server_name(r->server));
}

static void take_references(struct completeness *r, const struct locations *l)
{
	size_t macros = word_search_n_macros(r->mentions), n;
	struct macro_state s = { .listed = mem_new(macros * sizeof(bool)),
				 .expanded = mem_new(macros * sizeof(bool)) };
	struct word_use *body SCOPED(mem_release) = word_search_bodies(r->mentions, &n);

	note_listed(r, l, &s);
	note_expanded(r, &s);
	for (size_t i = 0; i < n; i++)
		if (!r->has(r->arg, &body[i]))
			judge_body(r, &body[i], &s);
	free(s.listed);
	free(s.expanded);
}

static void on_completeness_macro_references(void *arg, struct msg *m, const struct err *why)
{
	struct completeness *r = arg;
	struct locations l SCOPED(locations_release) = { 0 };
	struct err e = *why;
	size_t foreign = 0;

	r->asked = 0;
	if (!e.code)
		proto_locations(m->raw, &l, &foreign, &e);
	if (!completeness_stops(r) && !e.code)
		take_references(r, &l);
	else if (!r->cancelled)
		completeness_doubt(r, true, "%s did not say where macros use the name: %s",
				   server_name(r->server), e.msg);
	if (completeness_stops(r))
		completeness_done(r, false);
	else
		completeness_check_places(r);
}

bool completeness_has_macros(const struct completeness *r)
{
	return !r->local && !r->leaves_bodies && word_search_n_macros(r->mentions) &&
	       server_can(r->server, LSP_REFERENCES) && workspace_known(r->ox->workspace, r->path);
}

void completeness_look_macros(struct completeness *r)
{
	struct doc *d = workspace_known(r->ox->workspace, r->path);
	enum pos_enc enc = server_encoding(r->server);

	if (!d || completeness_stops(r)) {
		completeness_done(r, false);
		return;
	}
	r->asked = server_ask(r->server, LSP_REFERENCES, proto_references(d, r->byte, enc, true),
			      completeness_left(r), on_completeness_macro_references, r);
}
