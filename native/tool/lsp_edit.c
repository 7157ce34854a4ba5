#include <stdlib.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../core/workspace.h"
#include "change_signature.h"
#include "lsp_edit_impl.h"

#define CHOICES_MOST 20 /* symbols that an answer lists */

/*
 * lsp_edit: changes a symbol that is named, not a place.
 *
 *     lsp_edit_run -> on_lsp_edit_target -> on_lsp_edit_symbols
 *         -> (where its body matters) on_lsp_edit_block -> lsp_edit_finish -> call_change
 *
 * The server says where the symbol is; decl.h makes out of it what belongs to it. Where no server
 * can be had, or none that answers, the text itself is read instead (outline.h), and what is not
 * plain there is refused:
 *
 *     on_lsp_edit_target, on_lsp_edit_symbols -> by_text -> lsp_edit_finish
 *         -> call_change, not verified
 */
static const struct edit_action actions[] = {
	{ "replace", DECL_REPLACE, true, true },
	{ "replace_body", DECL_REPLACE_BODY, true, true },
	{ "insert_before", DECL_INSERT_BEFORE, true, false },
	{ "insert_after", DECL_INSERT_AFTER, true, false },
	{ "delete", DECL_DELETE, false, false },
}; /* and change_signature, change_signature.h */

void lsp_edit_free(struct editing *ed)
{
	symbols_release(&ed->symbols);
	target_free(ed->target);
	free(ed);
}

void lsp_edit_fail(struct editing *ed, const struct err *e)
{
	struct call *call = ed->call;

	lsp_edit_free(ed);
	call_fail(call, e);
}

/* `symbol` is what to ask for instead. */
static json *choice_row(struct editing *ed, const struct symbol_choice *c)
{
	struct doc *d = ed->target->doc;
	struct pos at = c->symbol->name_range.from;
	struct buf path SCOPED(buf_release) = BUF_INIT;
	json *row = json_object();
	size_t line, column;

	doc_where(d, doc_byte(d, at, ed->enc), &line, &column);
	symbol_path(c->symbol, &path);
	json_put(row, "line", json_int((int64_t)line));
	json_put(row, "text", json_str(str_trim(doc_line(d, line))));
	json_put(row, "symbol",
		 c->name.n ? json_strf("%.*s[%zu]", STR_ARG(c->name), c->index)
			   : json_str(buf_str(&path)));
	json_put(row, "kind", json_strz(symbol_kind_name(c->symbol->kind)));
	json_put(row, "why",
		 c->name.n ? json_strf("is %s", path.p) : json_strz("has a similar name"));
	return row;
}

static json *choices_of(struct editing *ed, struct str name)
{
	struct symbol_choice v[CHOICES_MOST];
	size_t n = symbols_choices(&ed->symbols, name, v, CHOICES_MOST);
	json *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_push(list, choice_row(ed, &v[i]));
	return list;
}

static void fail_to_find(struct editing *ed, struct err *e)
{
	struct call *call = ed->call;
	struct str shown = call_shown(ed->call, ed->target->path);
	json *object;

	err_in(e, "%.*s", STR_ARG(shown));
	if (ed->unserved.code) {
		struct err found = *e;

		err_set(e, found.code, "%s (searched in the text alone: %s)", found.msg,
			ed->unserved.msg);
	}
	object = error_object(e);
	error_put(object, "file", json_str(shown));
	error_put(object, "candidates", choices_of(ed, json_get_str(call_args(call), "symbol")));
	lsp_edit_free(ed);
	call_fail_with(call, e, object);
}

/* A server that does not answer, or with nothing of use: the body is sought in the text. */
static void on_lsp_edit_block(void *arg, struct msg *m, const struct err *why)
{
	struct editing *ed = arg;
	struct str text = doc_text(ed->target->doc);
	struct err e = ERR_INIT;
	struct range *v SCOPED(mem_release) = NULL;
	size_t n = 0;

	call_on_cancel(ed->call, NULL, NULL);
	if (why->code == ERR_CANCELLED) {
		lsp_edit_fail(ed, why);
		return;
	}
	if (!why->code)
		proto_selections(m->raw, &v, &n, &e);
	for (size_t i = 0; i < n && !ed->blocked; i++) {
		size_t at = lsp_edit_bytes(ed, v[i]).at;

		ed->blocked = at < text.n && text.p[at] == '{';
		ed->block = v[i];
	}
	lsp_edit_finish(ed);
}

/* What ends with a brace: the server is asked what is around that. */
static bool ask_block(struct editing *ed)
{
	struct target *t = ed->target;
	struct decl d;

	if (!ed->action->body || !t->server || !server_can(t->server, LSP_SELECTION_RANGE))
		return false;
	d = lsp_edit_declaration(ed);
	if (d.whole.end == d.whole.at || d.text.p[d.whole.end - 1] != '}')
		return false;
	target_ask(t, LSP_SELECTION_RANGE, proto_selection(t->doc, d.whole.end - 1, ed->enc),
		   on_lsp_edit_block, ed);
	return true;
}

static void lsp_edit_go_on(struct editing *ed)
{
	struct str name = json_get_str(call_args(ed->call), "symbol");
	struct err e = ERR_INIT;

	ed->symbol = symbols_find(&ed->symbols, name, &e);
	if (ed->symbol && ed->symbol->doubtful)
		err_set(&e, ERR_UNSUPPORTED, "the text alone does not show where %.*s ends",
			STR_ARG(name));
	if (e.code)
		fail_to_find(ed, &e);
	else if (!ask_block(ed))
		lsp_edit_finish(ed);
}

/* In place of a server that cannot be had, or gave no answer of use. */
static void by_text(struct editing *ed, const struct err *why)
{
	struct workspace *w = call_oxide(ed->call)->workspace;
	struct err e = *why, text = ERR_INIT;

	if (ed->target)
		ed->target->server = NULL;
	else if (target_unserved(why))
		ed->target = target_alone(ed->call, &text);
	symbols_release(&ed->symbols);
	if (!ed->target || !target_unserved(why) ||
	    !symbols_of_text(target_language(ed->target), ed->target->doc, &ed->symbols, &text)) {
		if (ed->target && text.code)
			err_set(&e, why->code, "%s; nor can the text be read without a server: %s",
				why->msg, text.msg);
		lsp_edit_fail(ed, &e);
		return;
	}
	log_line(LOG_WARN, "lsp_edit uses the text alone: %s", why->msg);
	ed->unserved = *why;
	ed->enc = POS_UTF8;
	ed->moves = workspace_moves(w);
	ed->version = doc_version(ed->target->doc);
	lsp_edit_go_on(ed);
}

static void ask_symbols(struct editing *ed);

static void on_lsp_edit_symbols(void *arg, struct msg *m, const struct err *why)
{
	struct editing *ed = arg;
	struct err e = *why;

	call_on_cancel(ed->call, NULL, NULL);
	if (!e.code && doc_version(ed->target->doc) != ed->version) {
		ask_symbols(ed); /* that was about a text which is gone */
		return;
	}
	if (e.code || !symbols_of_document(m->raw, ed->target->path, &ed->symbols, &e)) {
		by_text(ed, &e);
		return;
	}
	symbols_add_doubles(&ed->symbols, json_get_str(call_args(ed->call), "symbol"),
			    target_language(ed->target), ed->target->doc, ed->enc);
	lsp_edit_go_on(ed);
}

static void ask_symbols(struct editing *ed)
{
	struct target *t = ed->target;

	ed->moves = workspace_moves(call_oxide(ed->call)->workspace);
	ed->version = doc_version(t->doc);
	target_ask(t, LSP_DOCUMENT_SYMBOLS, proto_doc(t->path), on_lsp_edit_symbols, ed);
}

static void on_lsp_edit_target(void *arg, struct target *t, const struct err *e)
{
	struct editing *ed = arg;

	ed->target = t;
	if (!t) {
		by_text(ed, e);
		return;
	}
	ed->enc = server_encoding(t->server);
	ask_symbols(ed);
}

/* The arguments of the one are not those of the other; `a` NULL: change_signature. */
static bool fits_action(const json *args, const struct edit_action *a, struct err *e)
{
	static const char *const own[] = { "content", "allow_signature_change", NULL };
	static const char *const others[] = { "line",	  "column",	 "parameters", "signature",
					      "new_name", "unreachable", "incomplete", NULL };

	for (const char *const *name = a ? others : own; *name; name++)
		if (json_get(args, *name))
			return err_set(e, ERR_INVALID, "lsp_edit: %s does not take `%s`",
				       a ? a->name : "change_signature", *name);
	return !a || json_get(args, "symbol") ||
	       err_set(e, ERR_INVALID, "lsp_edit: %s needs a `symbol`", a->name);
}

static void lsp_edit_run(struct call *call)
{
	struct editing *ed = mem_new(sizeof(*ed));
	const json *args = call_args(call);
	struct str action = json_get_str(args, "action");
	struct err e = ERR_INIT;

	ed->call = call;
	for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++)
		if (str_eq(action, str_of(actions[i].name)))
			ed->action = &actions[i];
	if (!fits_action(args, ed->action, &e)) {
		lsp_edit_fail(ed, &e);
		return;
	}
	if (!ed->action) {
		free(ed);
		signature_run(call);
		return;
	}
	if (ed->action->content != (json_get(args, "content") != NULL)) {
		err_set(&e, ERR_INVALID, "lsp_edit: %s %s", ed->action->name,
			ed->action->content ? "needs `content`" : "does not take `content`");
		lsp_edit_fail(ed, &e);
		return;
	}
	call_may_again(call);
	target_find(call, LSP_DOCUMENT_SYMBOLS, POOL_OPEN, TARGET_FILE, on_lsp_edit_target, ed);
}

static const struct param params[] = {
	{ "file_path", P_PATH, true, NULL, "file the symbol is in" },
	{ "symbol", P_STR, false, NULL,
	  "its name, or a name path: Class/method; name[1] for the second of several; required "
	  "except for change_signature with `line`" },
	{ "action", P_STR, true,
	  "replace|replace_body|insert_before|insert_after|delete|change_signature",
	  "what to do with it; comments, attributes and decorators above it belong to it for "
	  "insert_before and delete" },
	{ "content", P_TEXT, false, NULL,
	  "the new code, indented as the place is or not at all; for replace the whole "
	  "declaration, for replace_body what is in its braces, docstring included" },
	{ "allow_signature_change", P_BOOL, false, NULL,
	  "allow replace to change the signature, and to drop attributes that the content leaves "
	  "out" },
	{ "parameters", P_LIST, false, NULL,
	  "change_signature: the new list, of {\"from\": 0} (an old parameter, counted from 0 "
	  "without self), {\"from\": 0, \"name\": \"w\"} (with another name) and {\"new\": \"int "
	  "flags\", \"argument\": \"0\"} (a new one, and what callers pass); without any change "
	  "the answer is the current signature" },
	{ "signature", P_STR, false, NULL,
	  "change_signature: the same as text, `name(int h, int w, int flags := 0)`: the current "
	  "one, edited; `:=` says what callers pass for a new one" },
	{ "new_name", P_STR, false, NULL, "change_signature: the function's new name" },
	{ "unreachable", P_STR, false, "refuse|allow",
	  "change_signature: what to do about places that cannot be rewritten, such as a pointer "
	  "to the function or a call in a template: refuse (default) lists them and changes "
	  "nothing; allow leaves them as they are" },
	{ "line", P_INT, false, NULL,
	  "change_signature: the line of a declaration or a call, from 1" },
	{ "column", P_INT, false, NULL, "change_signature: its column in bytes, from 1" },
	{ "incomplete", P_STR, false, "refuse|allow",
	  "change_signature: refuse (default) or allow it if not all uses could be checked" },
	VERIFY_PARAM,
	DRY_RUN_PARAM,
	PARAMS_END,
};

const struct tool tool_lsp_edit = {
	.name = "lsp_edit",
	.title = "Edit a symbol",
	.doc = "Change a function, a class or any other symbol by its name: replace it or its body, "
	       "insert before or after it, or delete it; nothing outside of it changes. Or change a "
	       "function's signature in all declarations and calls of the project: change_signature",
	.less = LESS_OF_A_CHANGE,
	.params = params,
	.flags = TOOL_WRITES | TOOL_DESTROYS | TOOL_CORE | TOOL_RUST | TOOL_DRAFTS,
	.run = lsp_edit_run,
	.print = print_change,
};
