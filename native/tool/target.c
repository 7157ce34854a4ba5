#include "target.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../core/protect.h"
#include "../core/workspace.h"
#include "../lsp/symbol.h"
#include "../servers/pool.h"

#define USES_NAMED 10 /* lines in a message */

/* target_find -> on_target_picked -> (by symbol alone) on_target_symbols -> found */
struct finding {
	struct target *t;
	enum target_place place;
	bool elsewhere;		 /* than the call says: */
	struct target_line line; /* where it is sought */
	target_found *fn;
	void *arg;
	struct pick *pick;
	int64_t version; /* of the document, when it came or its symbols were asked for */
};

static void target_finish(struct finding *f, const struct err *e)
{
	call_on_cancel(f->t->call, NULL, NULL);
	if (e->code) {
		target_free(f->t);
		f->t = NULL;
	}
	f->fn(f->arg, f->t, e);
	free(f);
}

struct target *target_alone(struct call *c, struct err *e)
{
	struct target *t = mem_new(sizeof(*t));

	t->call = c;
	t->path = target_path(c, "file_path", e);
	t->doc = t->path ? workspace_doc(call_oxide(c)->workspace, t->path, e) : NULL;
	if (t->doc)
		return t;
	target_free(t);
	return NULL;
}

bool target_unserved(const struct err *e)
{
	switch (e->code) {
	case ERR_NO_SERVER:
	case ERR_UNSUPPORTED:
	case ERR_TIMEOUT:
	case ERR_PROTOCOL:
	case ERR_PEER:
	case ERR_IO:
		return true;
	default:
		return false;
	}
}

void target_free(struct target *t)
{
	if (!t)
		return;
	free(t->path);
	free(t);
}

static void cancel_question(void *state)
{
	struct target *t = state;

	server_cancel(t->server, t->asked);
}

void target_ask(struct target *t, enum lsp_feature f, json *params, peer_reply *fn, void *arg)
{
	t->asked = server_ask(t->server, f, params, call_context(t->call)->timeout_ms, fn, arg);
	call_on_cancel(t->call, cancel_question, t);
}

const struct language *target_language(const struct target *t)
{
	return language_of(workspace_filetype(call_oxide(t->call)->workspace, t->path));
}

struct span target_word(struct str text, size_t byte)
{
	struct span w = { byte, byte };

	while (w.at && str_named(text.p[w.at - 1]))
		w.at--;
	while (w.end < text.n && str_named(text.p[w.end]))
		w.end++;
	return w;
}

/* So its path says, and there is no link on the way. */
static bool is_inside(struct workspace *w, const char *root, const char *path)
{
	return strlen(path) > strlen(root) && path_below(str_of(root), str_of(path)) &&
	       workspace_straight(w, path);
}

bool target_shows(struct call *c, const char *path, struct err *e)
{
	struct oxide *ox = call_oxide(c);
	const char *root = workspace_root_over(ox->workspace, path);

	if (workspace_buffer_at(ox->workspace, path) || (!root && call_context(c)->may_read) ||
	    (root && is_inside(ox->workspace, root, path)) ||
	    (root && protect_shows(root, path, e)))
		return true;
	if (!root)
		err_set(e, ERR_DENIED,
			"%s is outside of the project %s; name its project with --root, or add it "
			"with manage_projects",
			path, call_root(c));
	return false;
}

char *target_path(struct call *c, const char *param, struct err *e)
{
	char *path SCOPED(mem_release) = call_path(c, json_get_str(call_args(c), param));

	return target_shows(c, path, e) ? workspace_named(call_oxide(c)->workspace, path) : NULL;
}

/* The `symbol` as a whole word on the line; *line_at is where the line starts. */
static bool on_target_line(struct target *t, struct str line, size_t line_at, struct str symbol,
			   struct err *e)
{
	size_t at = 0;

	if (str_find_name(line, symbol, &at)) {
		t->byte = line_at + at;
		return true;
	}
	return err_set(e, ERR_NOT_FOUND, "%.*s is not on that line: %.*s", STR_ARG(symbol),
		       STR_ARG(str_trim(line)));
}

/* The one name on the line; several are a question that only the caller can answer. */
static bool only_name(struct target *t, struct str line, size_t line_at, struct err *e)
{
	struct span only = { 0, 0 };

	for (size_t i = 0; i < line.n;) {
		struct span w = target_word(line, i);

		if (w.end > i && !(line.p[i] >= '0' && line.p[i] <= '9')) {
			if (only.end)
				return err_set(e, ERR_AMBIGUOUS,
					       "there are several names on that line; give "
					       "`column` or `symbol`: %.*s",
					       STR_ARG(str_trim(line)));
			only = w;
		}
		i = w.end > i ? w.end : i + 1;
	}
	if (!only.end)
		return err_set(e, ERR_NOT_FOUND, "no name on that line%s%.*s",
			       str_trim(line).n ? ": " : ", which is empty",
			       STR_ARG(str_trim(line)));
	t->byte = line_at + only.at;
	return true;
}

bool target_past_end(struct doc *d, const char *what, int64_t line, struct err *e)
{
	size_t all = doc_line_count(d);

	if (!all)
		return err_set(e, ERR_INVALID, "%s %lld is past the end: %s is empty", what,
			       (long long)line, doc_path(d));
	return err_set(e, ERR_INVALID, "%s %lld is past the end: %s has %zu line%s", what,
		       (long long)line, doc_path(d), all, all == 1 ? "" : "s");
}

static bool by_line(struct target *t, const struct target_line *at, struct err *e)
{
	const struct line_table *lines = doc_lines(t->doc, LINES_VIM);
	int64_t line = at->line, column = at->column;
	struct str symbol = json_get_str(call_args(t->call), "symbol"), text;
	struct span s;

	/* An editor has one line of an empty text, and its cursor there. */
	if ((size_t)line > doc_line_count(t->doc) && (line > 1 || doc_text(t->doc).n))
		return target_past_end(t->doc, "line", line, e);
	s = lines_span(lines, doc_text(t->doc), (size_t)line - 1);
	text = str_sub(doc_text(t->doc), s.at, s.end);
	if (column) {
		if ((size_t)column > text.n + 1)
			return err_set(
				e, ERR_INVALID,
				"column %lld is past the end of line %lld, which has %zu bytes",
				(long long)column, (long long)line, text.n);
		t->byte = doc_at(t->doc, (size_t)line, (size_t)column);
		return true;
	}
	return symbol.n ? on_target_line(t, text, s.at, symbol, e) : only_name(t, text, s.at, e);
}

/* A name that the document only uses is not a symbol of it; the lines where it is are. */
static void name_uses(struct target *t, struct str name, struct err *e)
{
	struct str text = doc_text(t->doc);
	struct buf lines SCOPED(buf_release) = BUF_INIT;
	size_t uses = 0, last = 0, line, column;

	for (size_t at = 0; str_find_name(text, name, &at); at++) {
		doc_where(t->doc, at, &line, &column);
		if (line != last && uses++ < USES_NAMED)
			buf_addf(&lines, "%s%zu", lines.n ? ", " : "", line);
		last = line;
	}
	if (uses)
		err_set(e, ERR_NOT_FOUND,
			"%.*s is not defined here but used on line%s %s%s; give `line` with "
			"`symbol`",
			STR_ARG(name), uses > 1 ? "s" : "", lines.p,
			uses > USES_NAMED ? ", ..." : "");
}

static struct target_line target_line_of(struct call *c)
{
	const json *args = call_args(c);

	return (struct target_line){ json_get_int(args, "line", 0),
				     json_get_int(args, "column", 0) };
}

bool target_place_alone(struct target *t, const struct target_line *at, struct err *e)
{
	struct target_line line = { 0, 0 };

	if (!call_placed(t->call, t->path, t->doc, e))
		return false;
	line = at ? *at : target_line_of(t->call);
	return line.line && by_line(t, &line, e);
}

static bool has_macros(struct target *t)
{
	struct workspace *w = call_oxide(t->call)->workspace;

	return language_has_macros(language_of(workspace_filetype(w, t->path)));
}

/* One of several by its index, of which the server lists one alone. */
static const struct symbol *target_seek(struct target *t, struct symbols *list, struct str name,
					struct err *e)
{
	const struct symbol *s = symbols_find(list, name, e);
	struct err again = ERR_INIT;

	if (s || e->code != ERR_NOT_FOUND || !str_ends(name, STR("]")))
		return s;
	symbols_add_doubles(list, name, target_language(t), t->doc, server_encoding(t->server));
	s = symbols_find(list, name, &again);
	if (s)
		*e = again;
	return s;
}

static void by_symbol(struct finding *f);

static void on_target_symbols(void *arg, struct msg *m, const struct err *why)
{
	struct finding *f = arg;
	struct target *t = f->t;
	struct str name = json_get_str(call_args(t->call), "symbol");
	struct symbols list SCOPED(symbols_release) = { 0 };
	struct err e = *why;
	const struct symbol *s = NULL;

	if (!e.code && doc_version(t->doc) != f->version) {
		by_symbol(f); /* that was about a text which is gone */
		return;
	}
	if (!e.code && symbols_of_document(m->raw, t->path, &list, &e)) {
		if (has_macros(t))
			symbols_add_macro(t->doc, name, server_encoding(t->server), &list);
		s = target_seek(t, &list, name, &e);
	}
	if (s)
		t->byte = symbol_name_at(s, t->doc, server_encoding(t->server));
	else if (e.code == ERR_NOT_FOUND)
		name_uses(t, name, &e);
	if (!s)
		err_in(&e, "%.*s", STR_ARG(call_shown(t->call, t->path)));
	target_finish(f, &e);
}

static void by_symbol(struct finding *f)
{
	struct target *t = f->t;
	struct err e = ERR_INIT;

	if (!json_get_str(call_args(t->call), "symbol").n)
		err_set(&e, ERR_INVALID, "give `line` and `column`, or `symbol`");
	else if (!server_can(t->server, LSP_DOCUMENT_SYMBOLS))
		err_set(&e, ERR_UNSUPPORTED,
			"%s cannot list the symbols of a file; give `line` with `symbol`",
			server_name(t->server));
	if (e.code) {
		target_finish(f, &e);
		return;
	}
	f->version = doc_version(t->doc);
	target_ask(t, LSP_DOCUMENT_SYMBOLS, proto_doc(t->path), on_target_symbols, f);
}

static void on_target_picked(void *arg, struct server *s, bool settled, const struct err *why)
{
	struct finding *f = arg;
	struct target *t = f->t;
	struct err e = *why;

	if (e.code) {
		target_finish(f, &e);
		return;
	}
	call_on_cancel(t->call, NULL, NULL);
	t->server = s;
	t->settled = settled;
	t->doc = workspace_known(call_oxide(t->call)->workspace,
				 t->path); /* it was just looked at */
	if (f->elsewhere && f->line.line && doc_version(t->doc) != f->version)
		err_set(&e, ERR_STALE, "%.*s has changed meanwhile; try again",
			STR_ARG(call_shown(t->call, t->path)));
	else if (call_placed(t->call, t->path, t->doc, &e) && !f->elsewhere)
		f->line = target_line_of(t->call);
	if (e.code || f->place == TARGET_FILE ||
	    (f->line.line && (by_line(t, &f->line, &e) || e.code)))
		target_finish(f, &e);
	else
		by_symbol(f);
}

void target_find(struct call *c, enum lsp_feature feature, enum pool_need need,
		 enum target_place place, target_found *fn, void *arg)
{
	target_find_at(c, feature, need, place, NULL, fn, arg);
}

void target_find_at(struct call *c, enum lsp_feature feature, enum pool_need need,
		    enum target_place place, const struct target_line *at, target_found *fn,
		    void *arg)
{
	struct finding *f = mem_new(sizeof(*f));
	struct err e = ERR_INIT;

	f->t = mem_new(sizeof(*f->t));
	f->t->call = c;
	f->place = place;
	f->elsewhere = at;
	if (at)
		f->line = *at;
	f->fn = fn;
	f->arg = arg;
	f->t->path = target_path(c, "file_path", &e);
	if (f->t->path)
		f->t->doc = workspace_doc(call_oxide(c)->workspace, f->t->path, &e);
	/* the lines are those of this text, whatever it is when the server is there */
	if (!f->t->doc || !call_placed(c, f->t->path, f->t->doc, &e)) {
		target_finish(f, &e);
		return;
	}
	f->version = doc_version(f->t->doc);
	f->pick = pool_pick_named(call_oxide(c)->pool, f->t->path,
				  json_get_str(call_args(c), "server"), feature, need,
				  on_target_picked, f);
	call_on_cancel(c, pool_unpick, f->pick);
}
