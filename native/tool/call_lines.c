#include "call_lines.h"

#include "../base/path.h"
#include "../core/workspace.h"
#include "../text/doc.h"
#include "call_impl.h"
#include "operations.h"
#include "places.h"

struct shown_texts *call_shown_texts(const struct call *c)
{
	return c->cancelled ? NULL : c->ctx.shown;
}

/* *l of the present text; ERR_STALE, and the call's failure shows how the text is now. */
static bool call_carry(struct call *c, const char *path, struct str now, struct shown_lines *l,
		       struct err *e)
{
	struct shown_texts *s = call_shown_texts(c);
	struct shown_lines asked = *l;

	if (!s || shown_texts_carry(s, c->moment, path, now, l, e))
		return true;
	json_free(c->explained);
	c->explained = json_object();
	call_explain(c, path, now, &asked, c->explained);
	call_not_again(c);
	return err_in(e, "%.*s", STR_ARG(call_shown(c, path)));
}

void call_explain(struct call *c, const char *path, struct str now, const struct shown_lines *l,
		  json *into)
{
	struct buf name SCOPED(buf_release) = BUF_INIT;

	buf_add(&name, call_shown(c, path));
	shown_texts_explain(call_shown_texts(c), c->moment, path, name.p, now, l, into);
}

int call_counts_from(const struct tool *t, const char *name)
{
	for (const struct param *p = t->params; p->name; p++)
		if (!strcmp(p->name, name) && (p->type == P_INT || p->type == P_INDEX))
			return p->type == P_INT;
	return -1;
}

/* One line, or all from one to the other. */
static bool carry_pair(struct call *c, const char *path, struct str now, const char *first,
		       const char *last, struct err *e)
{
	int from = call_counts_from(c->tool, first);
	int64_t a = json_get_int(c->args, first, -1), b = json_get_int(c->args, last, -1);
	struct shown_lines l = { 0 };

	if (from < 0 || (a < from && b < from))
		return true;
	l.line = (size_t)((a < from ? b : a) + 1 - from);
	l.count = a < from || b < a ? 1 : (size_t)(b - a) + 1;
	if (!call_carry(c, path, now, &l, e))
		return false;
	if (a >= from)
		json_put(c->args, first, json_int((int64_t)l.line - 1 + from));
	if (b >= from)
		json_put(c->args, last, json_int((int64_t)(l.line + l.count) - 2 + from));
	return true;
}

static bool carry_range(struct call *c, const char *path, struct str now, const json *pair,
			json *into, struct err *e)
{
	const json *from = json_first(pair), *to = from ? json_next(from) : NULL;
	struct shown_lines l = { 0 };

	if (!json_is_int(from) || !json_is_int(to) || json_number(from) < 1 ||
	    json_number(to) < json_number(from)) {
		json_push(into, json_copy(pair)); /* for the tool to refuse */
		return true;
	}
	l.line = (size_t)json_number(from);
	l.count = (size_t)(json_number(to) - json_number(from)) + 1;
	if (!call_carry(c, path, now, &l, e))
		return false;
	pair = json_push(into, json_list(json_int((int64_t)l.line),
					 json_int((int64_t)(l.line + l.count) - 1)));
	return pair;
}

static bool carry_ranges(struct call *c, const char *path, struct str now, struct err *e)
{
	json *list SCOPED(json_release) = json_get(c->args, "line_ranges")
						  ? list_tree(c->args, "line_ranges", ERR_IGNORED)
						  : NULL;
	json *carried = list ? json_array() : NULL;
	bool ok = true;

	json_each(pair, list)
		ok = ok && carry_range(c, path, now, pair, carried, e);
	if (ok && list)
		json_put(c->args, "line_ranges", carried);
	else
		json_free(carried);
	return ok;
}

bool call_lines_now(struct call *c, const char *path, struct doc *d, struct err *e)
{
	struct str now = doc_text(d);

	if (!call_shown_texts(c) || c->carried)
		return true;
	c->carried = true;
	return carry_pair(c, path, now, "line", "end_line", e) &&
	       carry_pair(c, path, now, "start_line", "end_line", e) &&
	       carry_ranges(c, path, now, e);
}

void call_shows(struct call *c, const char *path, struct str text, size_t first, size_t last)
{
	struct shown_texts *s = call_shown_texts(c);

	if (s)
		shown_texts_note(s, path, text, first, last);
}

struct rows {
	struct call *call;
	struct places places;
	struct str file;
};

/* Checkers and test runners speak of what is on the disk. */
static bool is_meant(const struct call *c, const char *path)
{
	const struct buffer *b = workspace_buffer_at(c->ox->workspace, path);

	return !(c->tool->flags & TOOL_OPEN) || !b || !b->modified;
}

static void show_row(struct rows *r, const json *row, const char *first, const char *last)
{
	/* LSP's lines are those from 0 */
	int64_t from = json_get(row, "character") ? 0 : 1, a = json_get_int(row, first, -1),
		b = json_get_int(row, last, a);
	struct buf path SCOPED(buf_release) = BUF_INIT;
	struct doc *d;

	if (a < from || !r->file.n)
		return;
	path_normal(&path, call_shown_root(r->call), r->file);
	d = is_meant(r->call, path.p) ? places_doc(&r->places, path.p) : NULL;
	if (d)
		call_shows(r->call, path.p, doc_text(d), (size_t)(a + 1 - from),
			   (size_t)((b < a ? a : b) + 1 - from));
}

static void show_rows(struct rows *r, const json *v)
{
	struct str outer = r->file;

	if (json_is(v, JSON_OBJECT) && json_get_str(v, "file").n)
		r->file = json_get_str(v, "file");
	if (json_is(v, JSON_OBJECT)) {
		show_row(r, v, "line", "end_line");
		show_row(r, v, "definition_line", "definition_end_line");
	}
	if (json_is(v, JSON_OBJECT) || json_is(v, JSON_ARRAY))
		json_each(member, v)
			show_rows(r, member);
	r->file = outer;
}

void call_shows_rows(struct call *c, const json *answer)
{
	struct rows r = { .call = c };

	/* lines of a text that is not there, and of the one before the change */
	if (!call_shown_texts(c) || json_get_bool(c->args, "dry_run", false) ||
	    (json_get(answer, "files_changed") && !json_get(answer, "diagnostics")))
		return;
	places_init(&r.places, c->ox);
	show_rows(&r, answer);
	places_release(&r.places);
}
