#include <stdlib.h>

#include "../base/mem.h"
#include "../core/workspace.h"
#include "../lsp/symbol.h"
#include "../servers/references.h"
#include "location_rows.h"
#include "target.h"

/*
 * lsp_symbol: where a symbol is defined, used, what it is, and what symbols there are.
 *
 *     run -> on_target -> on_answer -> (type_definition) on_type -> call_done
 *                      -> (references) on_references
 *
 * A server that has not read the file which defines a function answers its declaration: then its
 * uses are searched for, which shows that file to the server, and it is asked once more:
 *
 *     on_answer -> (definition) on_sought -> on_answer
 */
struct query {
	const char *name;
	enum lsp_feature feature;
	enum pool_need need; /* what looks into all files waits for the index */
	enum target_place place;
};

static const struct query queries[] = {
	{ "definition", LSP_DEFINITION, POOL_READ, TARGET_PLACE },
	{ "type_definition", LSP_TYPE_DEFINITION, POOL_READ, TARGET_PLACE },
	{ "implementation", LSP_IMPLEMENTATION, POOL_SETTLED, TARGET_PLACE },
	{ "references", LSP_REFERENCES, POOL_SETTLED, TARGET_PLACE },
	{ "hover", LSP_HOVER, POOL_READ, TARGET_PLACE },
	{ "document_symbols", LSP_DOCUMENT_SYMBOLS, POOL_OPEN, TARGET_FILE },
	{ "workspace_symbols", LSP_WORKSPACE_SYMBOLS, POOL_SETTLED, TARGET_FILE },
};

struct asking {
	struct call *call;
	const struct query *q;
	struct target *target;
	int64_t asked;
	struct references *references;
	json *result;
	bool sought; /* what defines it was searched for */
};

static void end(struct asking *a, const struct err *e)
{
	struct call *call = a->call;
	json *result = a->result;

	target_free(a->target);
	free(a);
	if (e->code) {
		json_free(result);
		call_fail(call, e);
	} else {
		call_done(call, result);
	}
}

static void put_rows(struct asking *a, const struct locations *l, enum pos_enc enc)
{
	json *rows = json_put(a->result, "locations", location_rows(a->call, l, enc));

	if (a->q->feature == LSP_DEFINITION || a->q->feature == LSP_TYPE_DEFINITION)
		location_definitions(a->call, l, enc, rows);
	else
		json_put(a->result, "by_file", location_files(a->call, l, enc));
}

static void list_locations(struct asking *a, struct locations *l, enum pos_enc enc)
{
	struct oxide *ox = call_oxide(a->call);

	locations_join_names(ox, l);
	locations_sort(l);
	json_put(a->result, "total", json_int((int64_t)l->n));
	json_put(a->result, "files", json_int((int64_t)locations_files(l)));
	if (call_context(a->call)->flat)
		json_put(a->result, "flat", location_flat(ox, l, enc));
	else
		put_rows(a, l, enc);
}

static void seek_definition(struct asking *a);

/* *seeks: this is not the answer yet. */
static bool put_locations(struct asking *a, struct str raw, bool *seeks, struct err *e)
{
	struct locations l = { 0 };
	size_t foreign = 0;
	bool ok = proto_locations(raw, &l, &foreign, e);

	*seeks = ok && a->q->feature == LSP_DEFINITION && !a->sought &&
		 location_only_declares(a->call, &l, server_encoding(a->target->server));
	if (*seeks)
		seek_definition(a);
	else if (ok)
		list_locations(a, &l, server_encoding(a->target->server));
	if (ok && foreign)
		json_put(a->result, "elsewhere", json_int((int64_t)foreign));
	locations_release(&l);
	return ok;
}

static bool put_symbols(struct asking *a, struct str raw, struct err *e)
{
	struct oxide *ox = call_oxide(a->call);
	json *list = json_put(a->result, "symbols", json_array());
	struct symbols all = { 0 };
	struct places places;
	struct place at;
	bool ok = a->q->feature == LSP_DOCUMENT_SYMBOLS
			  ? symbols_of_document(raw, a->target->path, &all, e)
			  : symbols_of_workspace(raw, &all, e);

	places_init(&places, ox);
	for (size_t i = 0; ok && i < all.n; i++) {
		const struct symbol *s = &all.v[i];
		json *row = json_push(list, json_object());

		places_look(&places, s->path.p, &s->name_range, server_encoding(a->target->server),
			    &at);
		json_put(row, "name", json_str(s->name));
		json_put(row, "name_path",
			 s->container.n
				 ? json_strf("%.*s/%.*s", STR_ARG(s->container), STR_ARG(s->name))
				 : json_str(s->name));
		json_put(row, "kind", json_strz(symbol_kind_name(s->kind)));
		json_put(row, "detail", json_str(s->detail));
		json_put(row, "file", json_str(call_shown(a->call, s->path.p)));
		place_put(row, &at);
		json_put(row, "depth", json_int(s->depth));
	}
	json_put(a->result, "total", json_int((int64_t)all.n));
	places_release(&places);
	symbols_release(&all);
	return ok;
}

static bool put_hover(struct asking *a, const char *member, struct str raw, struct err *e)
{
	struct buf text = BUF_INIT;
	bool ok = proto_hover(raw, &text, e);

	if (ok)
		json_put(a->result, member, json_str(buf_str(&text)));
	buf_release(&text);
	return ok;
}

/* What the type is; that a server cannot say it is no failure of the query. */
static void on_type(void *arg, struct msg *m, const struct err *why)
{
	struct asking *a = arg;
	struct err e = ERR_INIT;

	call_on_cancel(a->call, NULL, NULL);
	if (why->code == ERR_CANCELLED)
		e = *why;
	else if (!why->code)
		put_hover(a, "type", m->raw, &e);
	end(a, &e);
}

static void ask(struct asking *a, enum lsp_feature f, json *params, peer_reply *fn);

static void on_answer(void *arg, struct msg *m, const struct err *why)
{
	struct asking *a = arg;
	struct target *t = a->target;
	struct err e = *why;
	bool seeks = false;

	call_on_cancel(a->call, NULL, NULL);
	if (e.code) {
		end(a, &e);
		return;
	}
	if (a->q->feature == LSP_HOVER)
		put_hover(a, "hover", m->raw, &e);
	else if (a->q->place == TARGET_FILE)
		put_symbols(a, m->raw, &e);
	else
		put_locations(a, m->raw, &seeks, &e);
	if (seeks)
		return;
	if (!e.code && a->q->feature == LSP_TYPE_DEFINITION && server_can(t->server, LSP_HOVER))
		ask(a, LSP_HOVER, proto_at(t->doc, t->byte, server_encoding(t->server)), on_type);
	else
		end(a, &e);
}

static void query_cancel(void *state)
{
	struct asking *a = state;

	pool_cancel(a->target->server, a->asked);
}

static void ask(struct asking *a, enum lsp_feature f, json *params, peer_reply *fn)
{
	a->asked = pool_ask(a->target->server, f, params, call_context(a->call)->timeout_ms, fn, a);
	call_on_cancel(a->call, query_cancel, a);
}

static json *params_for(struct asking *a)
{
	struct target *t = a->target;
	enum pos_enc enc = server_encoding(t->server);

	switch (a->q->feature) {
	case LSP_DOCUMENT_SYMBOLS:
		return proto_doc(t->path);
	case LSP_WORKSPACE_SYMBOLS:
		return proto_workspace_symbols(json_get_str(call_args(a->call), "symbol"));
	default:
		return proto_at(t->doc, t->byte, enc);
	}
}

static void on_references(void *arg, struct server *s, struct locations *l, struct reach *reach,
			  const struct err *e)
{
	struct asking *a = arg;

	call_on_cancel(a->call, NULL, NULL);
	if (!e->code) {
		a->target->server = s;
		list_locations(a, l, server_encoding(s));
		reach_report(reach, a->result);
	}
	end(a, e);
}

static void references_stop(void *state)
{
	struct asking *a = state;

	references_cancel(a->references);
}

/* Whatever became of that: what the server answers now is the answer. */
static void on_sought(void *arg, struct server *s, struct locations *l, struct reach *reach,
		      const struct err *e)
{
	struct asking *a = arg;

	(void)l;
	(void)reach;
	call_on_cancel(a->call, NULL, NULL);
	if (e->code == ERR_CANCELLED || e->code == ERR_STALE) {
		end(a, e);
		return;
	}
	if (s)
		a->target->server = s;
	ask(a, LSP_DEFINITION, params_for(a), on_answer);
}

static void ask_references(struct asking *a, bool settled, references_found *fn)
{
	struct target *t = a->target;
	struct references_spec spec = { .server = t->server,
					.path = t->path,
					.root = call_root(a->call),
					.byte = t->byte,
					.declaration = true,
					.settled = settled,
					.timeout_ms = call_context(a->call)->timeout_ms };

	a->references = references_find(call_oxide(a->call), &spec, fn, a);
	call_on_cancel(a->call, references_stop, a);
}

static void seek_definition(struct asking *a)
{
	a->sought = true;
	ask_references(a, true, on_sought);
}

/* Of what looks into all files, without a name that these could be searched for. */
static void put_complete(struct asking *a)
{
	const struct target *t = a->target;
	const char *ails = server_ails(t->server), *warns = server_warns(t->server);

	json_put(a->result, "complete", json_bool(true));
	if (!t->settled)
		reasons_add(a->result, "%s was still making its index", server_name(t->server));
	if (ails)
		reasons_add(a->result, "%s is not well: %s", server_name(t->server), ails);
	if (warns)
		reasons_add(a->result, "%s warns: %s", server_name(t->server), warns);
}

static void on_target(void *arg, struct target *t, const struct err *e)
{
	struct asking *a = arg;

	a->target = t;
	if (!t) {
		end(a, e);
		return;
	}
	a->result = json_object();
	json_put(a->result, "query", json_strz(a->q->name));
	json_put(a->result, "server", json_strz(server_name(t->server)));
	json_put(a->result, "root", json_strz(call_shown_root(a->call)));
	if (a->q->feature == LSP_REFERENCES) {
		ask_references(a, t->settled, on_references);
		return;
	}
	if (a->q->need == POOL_SETTLED)
		put_complete(a);
	ask(a, a->q->feature, params_for(a), on_answer);
}

static void run(struct call *call)
{
	struct asking *a = mem_new(sizeof(*a));
	struct str name = json_get_str(call_args(call), "query");

	a->call = call;
	for (size_t i = 0; i < sizeof(queries) / sizeof(*queries); i++)
		if (str_eq(name, str_of(queries[i].name)))
			a->q = &queries[i];
	target_find(call, a->q->feature, a->q->need, a->q->place, on_target, a);
}

static const struct param params[] = {
	{ "query", P_STR, true, "what to ask",
	  "definition|type_definition|implementation|references|hover|document_symbols|"
	  "workspace_symbols" },
	{ "file_path", P_PATH, true, "file the symbol is in, or any file of the project", NULL },
	{ "line", P_INT, false, "line of the symbol, from 1", NULL },
	{ "column", P_INT, false, "column of the symbol in bytes, from 1", NULL },
	{ "symbol", P_STR, false,
	  "name on that line, or a name path in the file; for workspace_symbols what to look for",
	  NULL },
	{ NULL, P_STR, false, NULL, NULL },
};

const struct tool tool_lsp_symbol = {
	.name = "lsp_symbol",
	.title = "Find symbols",
	.doc = "Find a symbol's definition, type, implementations, references or documentation, or "
	       "list the symbols of a file or the project",
	.less = "name a file_path, or more of the name",
	.params = params,
	.flags = TOOL_CORE | TOOL_RUST,
	.run = run,
	.say = say_places,
};
