#include "rename_alias.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../core/workspace.h"
#include "../servers/trial.h"

/*
 *     start -> ask_next
 *     ask_next -+-> (the other side is elsewhere) on_alias_definition -> on_alias_rename
 *               +-> (it is at the alias) on_alias_rename -> ask_next
 *               +-> (nothing is left to ask) fn
 */
enum form {
	EXPORTED,	/* `NEW as old`: the name that others import is left */
	IMPORTED,	/* `old as NEW`: the name that it has there is */
	REQUIRED_LOCAL, /* `NEW: old`, in what is taken out of require() or import() */
	REQUIRED,	/* `old: NEW`, there */
	FORMS		/* none of these: a place of the caller's */
};

struct rename_alias {
	struct target *target;
	struct str old_name, new_name;
	char *text[FORMS]; /* what an edit puts at an alias */
	json *changes;	   /* documentChanges, so far */
	struct map files;  /* uri -> the edits in there */
	struct map edits;  /* "uri line column" -> the edit in there */
	struct alias *alias;
	size_t n, cap, next;
	int64_t id;
	rename_aliased *fn;
	void *arg;
	struct err why;
};

struct alias {
	char *uri;
	struct pos at;
	enum form form;
};

static void alias_free(struct rename_alias *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->alias[i].uri);
	free(a->alias);
	map_release(&a->edits);
	map_release(&a->files);
	for (int i = 0; i < FORMS; i++)
		free(a->text[i]);
	json_free(a->changes);
	free(a);
}

static void rename_alias_key_of(struct buf *key, struct str uri, struct pos at)
{
	buf_clear(key);
	buf_addf(key, "%.*s %u %u", STR_ARG(uri), at.line, at.col);
}

static struct pos start_of(const json *edit)
{
	return (struct pos){ (uint32_t)json_get_int(edit, "range.start.line", 0),
			     (uint32_t)json_get_int(edit, "range.start.character", 0) };
}

/* FORMS: it is none. */
static enum form form_of(const struct rename_alias *a, const json *edit)
{
	struct str text = json_get_str(edit, "newText");
	enum form form = EXPORTED;

	while (form < FORMS && !str_eq(text, str_of(a->text[form])))
		form++;
	return form;
}

/* Whether the pattern around the place takes what a module exports. */
static bool rename_alias_is_required(struct rename_alias *a, struct str uri, struct pos at)
{
	struct workspace *w = call_oxide(a->target->call)->workspace;
	struct buf path SCOPED(buf_release) = BUF_INIT;
	struct doc *d =
		uri_to_path(&path, uri, ERR_IGNORED) ? workspace_doc(w, path.p, ERR_IGNORED) : NULL;
	struct str rest = d ? doc_text(d) : STR("");
	ptrdiff_t end;

	if (d)
		rest = str_sub(rest, doc_byte(d, at, server_encoding(a->target->server)), rest.n);
	end = str_find(rest, STR("}"));
	if (end < 0)
		return false;
	rest = str_trim(str_sub(rest, (size_t)end + 1, rest.n));
	if (!str_skip(&rest, STR("=")))
		return false;
	rest = str_trim(rest);
	if (str_skip(&rest, STR("await")))
		rest = str_trim(rest);
	return str_starts(rest, STR("require(")) || str_starts(rest, STR("import("));
}

static void add_side(struct rename_alias *a, struct str uri, struct pos at, enum form form)
{
	mem_add(a->alias, a->n, a->cap, (struct alias){ mem_dup(uri.p, uri.n), at, form });
}

static void add_alias(struct rename_alias *a, struct str uri, struct pos at, enum form form)
{
	if (form != FORMS && (form < REQUIRED_LOCAL || rename_alias_is_required(a, uri, at)))
		add_side(a, uri, at, form);
}

/* False: its file cannot be read. */
static bool add_place(struct rename_alias *a, const struct rename_place *p, struct err *e)
{
	struct doc *d = workspace_doc(call_oxide(a->target->call)->workspace, p->path, e);
	struct buf uri SCOPED(buf_release) = BUF_INIT;

	if (!d)
		return false;
	uri_from_path(&uri, str_of(p->path));
	add_side(a, buf_str(&uri), doc_pos(d, p->byte, server_encoding(a->target->server)), FORMS);
	return true;
}

/* Where one answer has the one side of an alias and another has the other side, or all of it, the
 * place gets the new name. */
static void join(struct rename_alias *a, json *edit, const json *other)
{
	if (!str_eq(json_get_str(edit, "newText"), json_get_str(other, "newText")) &&
	    (form_of(a, edit) != FORMS || form_of(a, other) != FORMS))
		json_put(edit, "newText", json_str(a->new_name));
}

static void rename_alias_add_edit(struct rename_alias *a, json *file, struct str uri,
				  const json *edit)
{
	struct buf key SCOPED(buf_release) = BUF_INIT;
	json *known;

	rename_alias_key_of(&key, uri, start_of(edit));
	known = map_get(&a->edits, buf_str(&key));
	if (known) {
		join(a, known, edit);
	} else {
		known = json_push(file, json_copy(edit));
		map_put(&a->edits, buf_str(&key), known);
		add_alias(a, uri, start_of(edit), form_of(a, edit));
	}
}

static json *file_of(struct rename_alias *a, struct str uri, const json *version)
{
	json *edits = map_get(&a->files, uri);
	json *file;

	if (edits)
		return edits;
	file = json_push(a->changes, json_object());
	json_put(file, "textDocument",
		 json_of({ "uri", json_str(uri) },
			 { "version", version ? json_copy(version) : json_null() }));
	edits = json_put(file, "edits", json_array());
	map_put(&a->files, uri, edits);
	return edits;
}

static void rename_alias_add_file(struct rename_alias *a, struct str uri, const json *version,
				  const json *edits)
{
	json *file = file_of(a, uri, version);

	json_each(edit, edits)
		rename_alias_add_edit(a, file, uri, edit);
}

static bool add_answer(struct rename_alias *a, struct str raw, struct err *e)
{
	json *answer SCOPED(json_release) = json_parse(raw, e);
	const json *files = json_get(answer, "documentChanges");

	json_each(file, files)
		rename_alias_add_file(a, json_get_str(file, "textDocument.uri"),
				      json_get(file, "textDocument.version"),
				      json_get(file, "edits"));
	if (answer && !files)
		json_each(file, json_get(answer, "changes"))
			rename_alias_add_file(a, str_of(json_key(file)), NULL, file);
	return !e->code;
}

static void alias_finish(struct rename_alias *a)
{
	struct buf raw SCOPED(buf_release) = BUF_INIT;
	json *all SCOPED(json_release) = json_object();

	json_put(all, "documentChanges", a->changes);
	a->changes = NULL;
	json_print(&raw, all);
	server_leave(a->target->server);
	a->fn(a->arg, buf_str(&raw), &a->why);
	alias_free(a);
}

static void rename_alias_ask_next(void *arg);

/* What a module exports as `{ old }` no server renames from outside: its own variable, which is
 * what it answers with, is another one. */
static bool is_other_side(const struct rename_alias *a, struct str raw)
{
	return a->alias[a->next - 1].form != REQUIRED ||
	       str_find(raw, str_of(a->text[REQUIRED_LOCAL])) >= 0;
}

static void on_alias_rename(void *arg, struct msg *m, const struct err *e)
{
	struct rename_alias *a = arg;

	a->id = 0;
	a->why = *e;
	if (!e->code && is_other_side(a, m->raw))
		add_answer(a, m->raw, &a->why);
	rename_alias_ask_next(a);
}

static struct doc *shown_doc(struct rename_alias *a, const char *path, struct err *e)
{
	struct workspace *w = call_oxide(a->target->call)->workspace;
	struct server *s = a->target->server;
	struct doc *d = workspace_doc(w, path, e);

	if (d && server_version(s, path) < 0)
		server_show(s, d, workspace_filetype(w, path));
	return d;
}

static bool ask_rename(struct rename_alias *a, const char *path, struct pos at)
{
	struct server *s = a->target->server;
	enum pos_enc enc = server_encoding(s);
	struct doc *d = shown_doc(a, path, &a->why);

	a->id = d ? server_ask(s, LSP_RENAME,
			       proto_rename(d, doc_byte(d, at, enc), enc, a->new_name),
			       call_context(a->target->call)->timeout_ms, on_alias_rename, a)
		  : 0;
	return d;
}

/* What is not the project's own has no other side that could be renamed. */
static bool rename_alias_is_own(struct rename_alias *a, const struct location *l)
{
	struct call *call = a->target->call;
	struct doc *d = NULL;
	struct span word;

	if (str_find(l->path, STR("/node_modules/")) < 0 &&
	    target_shows(call, l->path.p, ERR_IGNORED))
		d = workspace_doc(call_oxide(call)->workspace, l->path.p, ERR_IGNORED);
	if (!d)
		return false;
	word = target_word(doc_text(d),
			   doc_byte(d, l->range.from, server_encoding(a->target->server)));
	return str_eq(str_sub(doc_text(d), word.at, word.end), a->old_name);
}

static void on_alias_definition(void *arg, struct msg *m, const struct err *e)
{
	struct rename_alias *a = arg;
	struct locations l SCOPED(locations_release) = { 0 };
	size_t foreign = 0, own;

	a->id = 0;
	a->why = *e;
	if (!e->code)
		proto_locations(m->raw, &l, &foreign, &a->why);
	for (own = 0; own < l.n && !rename_alias_is_own(a, &l.v[own]); own++)
		;
	if (a->why.code || own == l.n || !ask_rename(a, l.v[own].path.p, l.v[own].range.from))
		rename_alias_ask_next(a);
}

static bool ask_definition(struct rename_alias *a, const char *path, struct pos at)
{
	struct server *s = a->target->server;
	enum pos_enc enc = server_encoding(s);
	struct doc *d = shown_doc(a, path, &a->why);

	a->id = d ? server_ask(s, LSP_DEFINITION, proto_at(d, doc_byte(d, at, enc), enc),
			       call_context(a->target->call)->timeout_ms, on_alias_definition, a)
		  : 0;
	return d;
}

/* Whether the side that is left belongs to the place itself. */
static bool rename_alias_is_inside(const struct alias *alias)
{
	return alias->form == EXPORTED || alias->form == REQUIRED_LOCAL || alias->form == FORMS;
}

static bool alias_ask(struct rename_alias *a, const struct alias *alias)
{
	struct buf path SCOPED(buf_release) = BUF_INIT;
	bool ok =
		uri_to_path(&path, str_of(alias->uri), &a->why) &&
		(rename_alias_is_inside(alias) ? ask_rename : ask_definition)(a, path.p, alias->at);

	return ok;
}

/* Whether neither answer since has had its other side. */
static bool is_left(struct rename_alias *a, const struct alias *alias)
{
	struct buf key SCOPED(buf_release) = BUF_INIT;
	const json *edit;

	rename_alias_key_of(&key, str_of(alias->uri), alias->at);
	edit = map_get(&a->edits, buf_str(&key));
	return alias->form == FORMS ? !edit : form_of(a, edit) != FORMS;
}

static void rename_alias_ask_next(void *arg)
{
	struct rename_alias *a = arg;

	while (!a->why.code && a->next < a->n) {
		const struct alias *alias = &a->alias[a->next++];

		if (is_left(a, alias) && alias_ask(a, alias))
			return;
	}
	alias_finish(a);
}

static bool has_alias(const struct rename_alias *a, struct str raw)
{
	for (int i = 0; i < FORMS; i++)
		if (str_find(raw, str_of(a->text[i])) >= 0)
			return true;
	return false;
}

static char *form_text(struct str first, const char *between, struct str second)
{
	struct buf text = BUF_INIT;

	buf_addf(&text, "%.*s%s%.*s", STR_ARG(first), between, STR_ARG(second));
	return buf_detach(&text);
}

struct rename_alias *rename_alias_start(struct target *t, struct str raw, struct str old_name,
					struct str new_name, const struct rename_place *too,
					size_t n_too, rename_aliased *fn, void *arg)
{
	struct rename_alias *a = mem_new(sizeof(*a));

	a->target = t;
	a->old_name = old_name;
	a->new_name = new_name;
	a->text[EXPORTED] = form_text(new_name, " as ", old_name);
	a->text[IMPORTED] = form_text(old_name, " as ", new_name);
	a->text[REQUIRED_LOCAL] = form_text(new_name, ": ", old_name);
	a->text[REQUIRED] = form_text(old_name, ": ", new_name);
	a->changes = json_array();
	a->fn = fn;
	a->arg = arg;
	for (size_t i = 0; i < n_too && add_place(a, &too[i], &a->why); i++)
		;
	if ((!n_too && !has_alias(a, raw)) || !add_answer(a, raw, ERR_IGNORED) || !a->n) {
		alias_free(a);
		return NULL;
	}
	server_use(t->server);
	oxide_soon(call_oxide(t->call), rename_alias_ask_next, a);
	return a;
}

void rename_alias_cancel(void *rename_alias)
{
	struct rename_alias *a = rename_alias;

	if (a->id)
		server_cancel(a->target->server, a->id);
	else
		err_set(&a->why, ERR_CANCELLED, "cancelled; nothing was changed");
}
