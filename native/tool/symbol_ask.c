#include "symbol_ask.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../core/workspace.h"
#include "../servers/pool.h"
#include "../servers/references.h"
#include "symbol_by_text.h"

/*
 *     symbol_ask -> on_symbol_target -> on_symbol_answer -> (type_definition) on_symbol_type
 *         -> symbol_end
 *                -> (references) on_symbol_references -> symbol_end
 *
 * A server that has not read the file which defines a function answers its declaration: then its
 * uses are searched for, which shows that file to the server, and it is asked once more:
 *
 *     on_symbol_answer -> (definition) on_symbol_sought -> on_symbol_answer
 *
 * Without a server texts alone are read, where they tell anything:
 *
 *     on_symbol_target -> ask_texts -> on_symbol_texts -> symbol_end
 */
static const struct symbol_question symbol_questions[] = {
	{ "definition", LSP_DEFINITION, POOL_READ, TARGET_PLACE },
	{ "type_definition", LSP_TYPE_DEFINITION, POOL_READ, TARGET_PLACE },
	{ "implementation", LSP_IMPLEMENTATION, POOL_SETTLED, TARGET_PLACE },
	{ "references", LSP_REFERENCES, POOL_SETTLED, TARGET_PLACE },
	{ "hover", LSP_HOVER, POOL_READ, TARGET_PLACE },
	{ "document_symbols", LSP_DOCUMENT_SYMBOLS, POOL_OPEN, TARGET_FILE },
	{ "workspace_symbols", LSP_WORKSPACE_SYMBOLS, POOL_SETTLED, TARGET_FILE },
	{ NULL, LSP_HOVER, POOL_OPEN, TARGET_FILE },
};

struct asking {
	struct call *call;
	symbol_answered *fn;
	void *arg;
	struct symbol_answer answer;
	const struct target_line *place; /* NULL: the call's */
	struct target_line elsewhere;
	struct references *references;
	struct symbol_by_text *texts;
	struct locations locations;
	struct symbols symbols;
	struct buf hover, type;
	bool sought;	/* what defines it was searched for */
	uint64_t moves; /* of the workspace, when the server was asked */
};

const struct symbol_question *symbol_question(struct str name)
{
	const struct symbol_question *q = symbol_questions;

	while (q->name && !str_eq(name, str_of(q->name)))
		q++;
	return q;
}

/* Whether the answer is still about the texts as they are. */
static bool symbol_ask_still(const struct asking *a, struct err *e)
{
	struct workspace *w = call_oxide(a->call)->workspace;
	const struct locations *l = a->answer.locations;
	const struct symbols *s = a->answer.symbols;
	bool ok;

	if (a->answer.unserved.code) /* they were read just now */
		return true;
	ok = workspace_still_at(w, a->answer.target->path, a->moves, e);
	for (size_t i = 0; ok && l && i < l->n; i++)
		ok = (i && str_eq(l->v[i].path, l->v[i - 1].path)) ||
		     workspace_still_at(w, l->v[i].path.p, a->moves, e);
	for (size_t i = 0; ok && s && i < s->n; i++)
		ok = (i && str_eq(s->v[i].path, s->v[i - 1].path)) ||
		     workspace_still_at(w, s->v[i].path.p, a->moves, e);
	return ok;
}

static void symbol_end(struct asking *a, const struct err *e)
{
	struct err why = *e; /* it may lie in what is freed here */

	if (!why.code)
		symbol_ask_still(a, &why);
	call_on_cancel(a->call, NULL, NULL);
	a->answer.hover = buf_str(&a->hover);
	a->answer.type = buf_str(&a->type);
	a->fn(a->arg, why.code ? NULL : &a->answer, &why);
	locations_release(&a->locations);
	symbols_release(&a->symbols);
	buf_release(&a->hover);
	buf_release(&a->type);
	symbol_by_text_free(a->texts);
	target_free(a->answer.target);
	free(a);
}

/* Who is led into a library asks on from there. */
static void note_libraries(struct asking *a, const struct locations *l)
{
	struct server *s = a->answer.target->server;

	if (!s || a->answer.question->feature == LSP_REFERENCES)
		return;
	for (size_t i = 0; i < l->n; i++)
		if (!i || !str_eq(l->v[i].path, l->v[i - 1].path))
			pool_leads_to(call_oxide(a->call)->pool, s, l->v[i].path.p);
}

static void take_locations(struct asking *a, struct locations *l)
{
	locations_join_names(call_oxide(a->call), l);
	locations_sort(l);
	note_libraries(a, l);
	a->answer.locations = l;
}

static void seek_definition(struct asking *a);

/* *seeks: this is not the answer yet. */
static bool read_locations(struct asking *a, struct str raw, bool *seeks, struct err *e)
{
	struct locations *l = &a->locations;
	bool ok = proto_locations(raw, l, &a->answer.foreign, e);

	*seeks = ok && a->answer.question->feature == LSP_DEFINITION && !a->sought &&
		 location_only_declares(a->call, l, server_encoding(a->answer.target->server));
	if (*seeks) {
		locations_release(l);
		*l = (struct locations){ 0 };
		a->answer.foreign = 0;
		seek_definition(a);
	} else if (ok) {
		take_locations(a, l);
	}
	return ok;
}

static bool read_symbols(struct asking *a, struct str raw, struct err *e)
{
	a->answer.symbols = &a->symbols;
	return a->answer.question->feature == LSP_DOCUMENT_SYMBOLS
		       ? symbols_of_document(raw, a->answer.target->path, &a->symbols, e)
		       : symbols_of_workspace(raw, &a->symbols, e);
}

/* What the type is; that a server cannot say it is not a failure of the question. */
static void on_symbol_type(void *arg, struct msg *m, const struct err *why)
{
	struct asking *a = arg;
	struct err e = ERR_INIT;

	if (why->code == ERR_CANCELLED)
		e = *why;
	else if (!why->code)
		a->answer.typed = proto_hover(m->raw, &a->type, &e);
	symbol_end(a, &e);
}

static void on_symbol_answer(void *arg, struct msg *m, const struct err *why)
{
	struct asking *a = arg;
	struct target *t = a->answer.target;
	enum lsp_feature f = a->answer.question->feature;
	struct err e = *why;
	bool seeks = false;

	call_on_cancel(a->call, NULL, NULL);
	if (!e.code && f == LSP_HOVER)
		proto_hover(m->raw, &a->hover, &e);
	else if (!e.code && a->answer.question->place == TARGET_FILE)
		read_symbols(a, m->raw, &e);
	else if (!e.code)
		read_locations(a, m->raw, &seeks, &e);
	if (seeks)
		return;
	if (!e.code && f == LSP_TYPE_DEFINITION && server_can(t->server, LSP_HOVER))
		target_ask(t, LSP_HOVER, proto_at(t->doc, t->byte, server_encoding(t->server)),
			   on_symbol_type, a);
	else
		symbol_end(a, &e);
}

static json *params_for(struct asking *a)
{
	struct target *t = a->answer.target;

	switch (a->answer.question->feature) {
	case LSP_DOCUMENT_SYMBOLS:
		return proto_doc(t->path);
	case LSP_WORKSPACE_SYMBOLS:
		return proto_workspace_symbols(json_get_str(call_args(a->call), "symbol"));
	default:
		return proto_at(t->doc, t->byte, server_encoding(t->server));
	}
}

static void on_symbol_references(void *arg, struct server *s, struct locations *l,
				 struct completeness *reach, const struct err *e)
{
	struct asking *a = arg;

	if (!e->code) {
		a->answer.target->server = s;
		a->answer.reach = reach;
		take_locations(a, l);
	}
	symbol_end(a, e);
}

/* Whatever became of that: what the server answers now is the answer. */
static void on_symbol_sought(void *arg, struct server *s, struct locations *l,
			     struct completeness *reach, const struct err *e)
{
	struct asking *a = arg;

	(void)l;
	(void)reach;
	call_on_cancel(a->call, NULL, NULL);
	if (e->code == ERR_CANCELLED || e->code == ERR_STALE) {
		symbol_end(a, e);
		return;
	}
	if (s)
		a->answer.target->server = s;
	a->moves = workspace_moves(call_oxide(a->call)->workspace);
	target_ask(a->answer.target, LSP_DEFINITION, params_for(a), on_symbol_answer, a);
}

static void ask_references(struct asking *a, bool settled, references_found *fn)
{
	struct target *t = a->answer.target;
	struct references_spec spec = { .server = t->server,
					.path = t->path,
					.root = call_root(a->call),
					.byte = t->byte,
					.declaration = true,
					.settled = settled,
					.timeout_ms = call_context(a->call)->timeout_ms };

	a->references = references_find(call_oxide(a->call), &spec, fn, a);
	call_on_cancel(a->call, references_cancel, a->references);
}

static void seek_definition(struct asking *a)
{
	a->sought = true;
	ask_references(a, true, on_symbol_sought);
}

static bool tells_nothing(const struct asking *a, const struct symbols_in_text *found)
{
	bool named = a->answer.question->feature != LSP_DOCUMENT_SYMBOLS;

	return named && !found->symbols.n && !found->locations.n;
}

static void on_symbol_texts(void *arg, struct symbols_in_text *found, const struct err *why)
{
	struct asking *a = arg;
	struct err e = *why;

	if (e.code == ERR_UNSUPPORTED)
		err_set(&e, a->answer.unserved.code, "%s, and the text alone tells nothing: %s",
			a->answer.unserved.msg, why->msg);
	else if (!e.code && tells_nothing(a, found))
		err_set(&e, a->answer.unserved.code, "nothing is %s %s as far as texts tell: %s",
			a->answer.question->feature == LSP_REFERENCES ? "called" : "declared as",
			found->name, a->answer.unserved.msg);
	a->answer.cut = found->cut;
	if (a->answer.question->place == TARGET_FILE)
		a->answer.symbols = &found->symbols;
	else
		take_locations(a, &found->locations);
	symbol_end(a, &e);
}

/* What is asked about: the name at the place, or that of the arguments. Empty and *e: none. */
static struct str name_in_question(struct asking *a, struct err *e)
{
	struct target *t = a->answer.target;
	struct str name = json_get_str(call_args(a->call), "symbol");
	bool placed =
		a->answer.question->place == TARGET_PLACE && target_place_alone(t, a->place, e);
	struct span word = placed ? target_word(doc_text(t->doc), t->byte) : (struct span){ 0, 0 };
	char *sought SCOPED(mem_release) = NULL;

	if (e->code || a->answer.question->feature == LSP_DOCUMENT_SYMBOLS)
		return STR("");
	if (placed)
		name = str_sub(doc_text(t->doc), word.at, word.end);
	sought = symbol_word(name);
	if (!*sought)
		err_set(e, ERR_INVALID, placed ? "no name is there" : "give a name as `symbol`");
	return name;
}

static bool texts_tell(enum lsp_feature f)
{
	return f == LSP_DOCUMENT_SYMBOLS || f == LSP_WORKSPACE_SYMBOLS || f == LSP_DEFINITION ||
	       f == LSP_REFERENCES;
}

/* For want of a server. */
static void ask_texts(struct asking *a, const struct err *why)
{
	enum lsp_feature f = a->answer.question->feature;
	struct err e = ERR_INIT;
	struct str name = STR("");

	if (!texts_tell(f) || !target_unserved(why)) {
		symbol_end(a, why);
		return;
	}
	a->answer.unserved = *why;
	a->answer.target = target_alone(a->call, &e);
	if (a->answer.target)
		name = name_in_question(a, &e);
	if (e.code)
		symbol_end(a, &e);
	else
		a->texts = symbol_by_text(a->answer.target, f, name, on_symbol_texts, a);
}

static void on_symbol_target(void *arg, struct target *t, const struct err *e)
{
	struct asking *a = arg;

	a->answer.target = t;
	a->moves = workspace_moves(call_oxide(a->call)->workspace);
	if (!t)
		ask_texts(a, e);
	else if (a->answer.question->feature == LSP_REFERENCES)
		ask_references(a, t->settled, on_symbol_references);
	else
		target_ask(t, a->answer.question->feature, params_for(a), on_symbol_answer, a);
}

static void not_asked(void *arg)
{
	struct err e = ERR_INIT;

	err_set(&e, ERR_NO_SERVER, "no language server was asked");
	ask_texts(arg, &e);
}

void symbol_ask(struct call *c, const struct symbol_question *question,
		const struct target_line *place, symbol_answered *fn, void *arg)
{
	struct asking *a = mem_new(sizeof(*a));

	a->call = c;
	a->fn = fn;
	a->arg = arg;
	a->answer.question = question;
	if (place) {
		a->elsewhere = *place;
		a->place = &a->elsewhere;
	}
	if (call_context(c)->by_text)
		oxide_soon(call_oxide(c), not_asked, a);
	else
		target_find_at(c, question->feature, question->need, question->place, place,
			       on_symbol_target, a);
}

static enum pos_enc symbol_ask_encoding(const struct symbol_answer *a)
{
	return a->unserved.code ? POS_UTF8 : server_encoding(a->target->server);
}

json *symbol_rows(struct call *c, const struct symbol_answer *a, enum row_form form)
{
	enum pos_enc enc = symbol_ask_encoding(a);
	json *list = json_array();
	struct places places SCOPED(places_release) = { 0 };

	places_init(&places, call_oxide(c));
	for (size_t i = 0; i < a->symbols->n; i++) {
		const struct symbol *s = &a->symbols->v[i];
		json *row =
			json_push(list, json_of({ "name", json_str(s->name) },
						{ "name_path",
						  s->container.n ? json_strf("%.*s/%.*s",
									     STR_ARG(s->container),
									     STR_ARG(s->name))
								 : json_str(s->name) },
						{ "kind", json_strz(symbol_kind_name(s->kind)) },
						{ "detail", json_str(s->detail) },
						{ "file", json_str(call_shown(c, s->path.p)) }));

		if (form != ROWS_LSP)
			places_put(&places, s->path.p, &s->name_range, enc, form, row);
		json_put(row, "depth", json_int(s->depth));
		if (form == ROWS_LSP)
			places_put(&places, s->path.p, &s->name_range, enc, form, row);
	}
	return list;
}

/* Of what looks into all files, without a name that these could be searched for. */
static void symbol_ask_put_complete(const struct target *t, json *result)
{
	const char *ails = server_health_error(t->server),
		   *warns = server_health_warning(t->server);

	json_put(result, "complete", json_bool(true));
	if (!t->settled)
		reasons_add(result, "%s was still indexing", server_name(t->server));
	if (ails)
		reasons_add(result, "%s reports a problem: %s", server_name(t->server), ails);
	if (warns)
		reasons_add(result, "%s warns: %s", server_name(t->server), warns);
}

static void put_locations(struct call *c, const struct symbol_answer *a, enum row_form form,
			  const char *name, json *result)
{
	enum lsp_feature f = a->question->feature;
	enum pos_enc enc = symbol_ask_encoding(a);
	bool whole = f == LSP_DEFINITION || f == LSP_TYPE_DEFINITION;
	const struct locations *l = a->locations;

	json_put(result, "total", json_int((int64_t)l->n));
	json_put(result, "files", json_int((int64_t)locations_files(l)));
	if (form == ROWS_FLAT)
		json_put(result, "flat", location_flat(call_oxide(c), l, enc));
	else
		json_put(result, name, location_rows(c, l, enc, form, whole));
	if (form != ROWS_FLAT && !whole)
		json_put(result, "by_file", location_files(c, l, enc, form));
	if (a->foreign)
		json_put(result, "elsewhere", json_int((int64_t)a->foreign));
}

void symbol_put_source(const struct symbol_answer *a, json *result)
{
	enum lsp_feature f = a->question->feature;

	if (!a->unserved.code) {
		json_put(result, "server", json_strz(server_name(a->target->server)));
		return;
	}
	json_put(result, "fallback",
		 json_of({ "source", json_strz(f == LSP_REFERENCES ? "words" : "outline") },
			 { "reason", json_strz(a->unserved.msg) }));
	if (f == LSP_DOCUMENT_SYMBOLS)
		return;
	reasons_add(result, "%s, for want of a language server",
		    f == LSP_REFERENCES ? "these are words in the text"
					: "these are declarations as the text alone shows them");
	if (a->cut)
		reasons_add(result, "not all files that may have the name were read");
}

void symbol_report(struct call *c, const struct symbol_answer *a, enum row_form form,
		   const char *list, json *result)
{
	symbol_put_source(a, result);
	json_put(result, "root", json_strz(call_shown_root(c)));
	if (a->question->need == POOL_SETTLED && !a->reach && !a->unserved.code)
		symbol_ask_put_complete(a->target, result);
	if (a->question->feature == LSP_HOVER)
		json_put(result, "hover", json_str(a->hover));
	if (a->symbols) {
		json_put(result, "symbols", symbol_rows(c, a, form));
		json_put(result, "total", json_int((int64_t)a->symbols->n));
	}
	if (a->locations)
		put_locations(c, a, form, list, result);
	if (a->typed)
		json_put(result, "type", json_str(a->type));
	if (a->reach)
		completeness_report(a->reach, result);
}
