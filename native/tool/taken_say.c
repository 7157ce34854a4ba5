
#include "../base/mem.h"
#include "../code/lex.h"
#include "../core/workspace.h"
#include "places.h"
#include "taken_impl.h"
#include "target.h"
#include "verify.h"

/* What the answers mean, and how it is said. */
size_t taken_byte(struct taken_file *f, struct pos at, enum pos_enc enc, bool after)
{
	const struct plan_file *change = f->change;

	if (!f->was)
		f->was = doc_new(change->path, change->was);
	if (!f->now)
		f->now = doc_new(f->path, change->now);
	return after ? doc_byte(f->now, at, enc)
		     : edits_map(&change->edits, doc_byte(f->was, at, enc));
}

static struct doc *text_after(const struct taken *c, struct taken_file *f)
{
	if (!f->change)
		return workspace_doc(call_oxide(c->call)->workspace, f->path, ERR_IGNORED);
	if (!f->now)
		f->now = doc_new(f->path, f->change->now);
	return f->now;
}

static bool taken_say_is_renamed(const struct meaning *m)
{
	for (size_t i = 0; m->in && i < m->in->n_renamed; i++)
		if (m->in->renamed[i] == m->byte)
			return true;
	return false;
}

static bool is_same(const struct meaning *a, const struct meaning *b)
{
	if (strcmp(a->path, b->path) != 0)
		return false;
	return (a->in && a->byte == b->byte) ||
	       (a->from.line == b->from.line && a->from.col == b->from.col);
}

static const struct meaning *taken_say_find(const struct meanings *in, const struct meaning *what)
{
	for (size_t i = 0; i < in->n; i++)
		if (is_same(&in->v[i], what))
			return &in->v[i];
	return NULL;
}

static const struct meaning *first_renamed(const struct meanings *in)
{
	for (size_t i = 0; i < in->n; i++)
		if (taken_say_is_renamed(&in->v[i]))
			return &in->v[i];
	return NULL;
}

static bool has_new_name(const struct taken_place *p, const struct meaning *m)
{
	struct taken_file *f = taken_file_at(p->of, str_of(m->path));
	struct doc *d = f ? text_after(p->of, f)
			  : workspace_doc(call_oxide(p->of->call)->workspace, m->path, ERR_IGNORED);
	struct span word;

	if (!d)
		return true;
	word = target_word(doc_text(d),
			   m->in ? m->byte : doc_byte(d, m->from, server_encoding(p->server)));
	return str_eq(str_sub(doc_text(d), word.at, word.end), str_of(p->of->name));
}

/* `old: new` where `old` was: servers say where the property is from, each time in another way. */
static bool is_beside_old(const struct taken_place *p)
{
	const struct plan_file *f = p->file->change;
	struct span was = target_word(f->was, p->was), before;

	if (p->now < 2 || !str_eq(str_sub(f->now, p->now - 2, p->now), STR(": ")))
		return false;
	before = target_word(f->now, p->now - 2);
	return str_eq(str_sub(f->now, before.at, before.end), str_sub(f->was, was.at, was.end));
}

/* What it would mean now, and neither is renamed nor was meant before. */
static const struct meaning *first_stranger(const struct taken_place *p)
{
	bool beside = p->renamed && is_beside_old(p);

	for (size_t i = 0; i < p->after.n; i++) {
		const struct meaning *m = &p->after.v[i];

		if (!taken_say_is_renamed(m) && !taken_say_find(&p->before, m) &&
		    (!beside || has_new_name(p, m)))
			return m;
	}
	return NULL;
}

void taken_suspect(struct taken_place *p)
{
	p->suspicious = p->renamed ? !p->after.n || first_stranger(p) != NULL
				   : first_renamed(&p->after) != NULL;
}

/* Where clangd cannot know (in a template) it names all that are called so. */
static bool is_one_of_several(const struct taken_place *p)
{
	struct oxide *ox = call_oxide(p->of->call);
	const char *ft = workspace_filetype(ox->workspace, p->file->path);
	enum dialect d = language_dialect(language_of(ft));

	if (d != DIALECT_C && d != DIALECT_CPP)
		return false;
	for (size_t i = 0; i < p->after.n; i++)
		if (taken_say_find(&p->before, &p->after.v[i]))
			return true;
	return false;
}

void taken_judge(struct taken_place *p)
{
	if (p->macro)
		return; /* the text has told */
	if (p->renamed) {
		p->failed = !p->after.n && p->before.n;
		p->captured = first_stranger(p);
	} else {
		p->captured = (p->after.n || p->before.n) && !first_renamed(&p->before) &&
			      !is_one_of_several(p);
	}
}

static size_t taken_say_line_of(const struct meaning *m)
{
	size_t line = m->from.line + 1, column;

	if (m->in)
		doc_where(m->in->now, m->byte, &line, &column);
	return line;
}

const struct meaning *taken_declaration(const struct taken *c)
{
	const struct meaning *m = NULL;

	for (size_t i = 0; i < c->places && !m; i++)
		m = c->place[i].renamed ? first_renamed(&c->place[i].after) : NULL;
	return m;
}

bool taken_reads_name(struct taken_file *f, struct taken *c, const struct location *l,
		      enum pos_enc enc, size_t *byte)
{
	struct doc *d = text_after(c, f);
	struct span word;

	if (!d)
		return false;
	*byte = doc_byte(d, l->range.from, enc);
	word = target_word(doc_text(d), *byte);
	return word.at == *byte && str_eq(str_sub(doc_text(d), word.at, word.end), str_of(c->name));
}

static void add_meaning(const struct taken *c, const struct meaning *m, struct buf *out)
{
	if (m)
		buf_addf(out, "%.*s:%zu", STR_ARG(call_shown(c->call, m->path)),
			 taken_say_line_of(m));
}

static json *said(const struct taken *c, const struct meaning *m)
{
	struct buf text = BUF_INIT;

	add_meaning(c, m, &text);
	return m ? json_take(&text) : json_null();
}

static const struct meaning *would_mean(const struct taken_place *p)
{
	const struct meaning *m = p->renamed ? first_stranger(p) : first_renamed(&p->after);

	return m ? m : taken_declaration(p->of);
}

static struct str taken_say_place_of(const struct taken *c, const struct taken_place *p,
				     struct place *out)
{
	place_of_byte(text_after(c, p->file), p->now, out);
	return call_shown(c->call, p->file->path);
}

static json *taken_say_rows_of(const struct taken *c)
{
	size_t most = (size_t)config_get(&call_oxide(c->call)->config, CFG_GATE_LIST);
	json *list = json_array();

	for (size_t i = 0; i < c->places && json_len(list) < most; i++) {
		const struct taken_place *p = &c->place[i];
		struct str file;
		struct place at;
		json *row;

		if (!p->captured)
			continue;
		row = json_push(list, json_object());
		file = taken_say_place_of(c, p, &at);
		place_put_line(row, file, &at);
		if (p->macro)
			json_put(row, "macro", json_strz(p->macro));
		json_put(row, "renamed", json_bool(p->renamed));
		json_put(row, "means", said(c, p->before.n ? &p->before.v[0] : NULL));
		json_put(row, "would_mean", said(c, would_mean(p)));
	}
	return list;
}

static void set_error(const struct taken *c, const struct taken_place *p, struct str file,
		      size_t line, struct err *e)
{
	struct buf other SCOPED(buf_release) = BUF_INIT;

	add_meaning(c, would_mean(p), &other);
	if (p->macro)
		err_set(e, ERR_CONFLICT,
			"the name %s is taken, and nothing was changed: the macro %s, which contains "
			"the renamed symbol, is used near %.*s:%zu, and would mean that; choose "
			"another name",
			c->name, p->macro, STR_ARG(file), line);
	else
		err_set(e, ERR_CONFLICT,
			p->renamed
				? "the name %s is taken, and nothing was changed: after the "
				  "rename, %.*s:%zu would mean what is defined at %.*s; choose "
				  "another name"
				: "the name %s is taken, and nothing was changed: %.*s:%zu uses "
				  "it, and would mean the renamed symbol, at %.*s; choose another "
				  "name",
			c->name, STR_ARG(file), line, STR_ARG(buf_str(&other)));
}

json *taken_refusal(struct taken *c, struct err *e)
{
	const struct taken_place *p = NULL;
	struct place at;
	struct str file;
	json *object;

	for (size_t i = 0; i < c->places && !p; i++)
		p = c->place[i].captured ? &c->place[i] : NULL;
	if (!p)
		return NULL;
	file = taken_say_place_of(c, p, &at);
	set_error(c, p, file, at.line, e);
	object = error_object(e);
	error_put(object, "file", json_str(file));
	error_put(object, "line", json_int((int64_t)at.line));
	error_put(object, "captures", taken_say_rows_of(c));
	json_put(object, "success", json_bool(false));
	json_put(object, "captures", taken_say_rows_of(c));
	return object;
}

size_t taken_accept(struct taken *c, json *report, struct buf *notes)
{
	size_t most = (size_t)config_get(&call_oxide(c->call)->config, CFG_GATE_LIST), n = 0;

	for (size_t i = 0; i < c->places; i++) {
		struct place at;
		struct str file;

		if (!c->place[i].captured || n++ >= most)
			continue;
		file = taken_say_place_of(c, &c->place[i], &at);
		buf_addf(notes, "another meaning: %.*s:%zu: %.*s\n", STR_ARG(file), at.line,
			 STR_ARG(at.text));
	}
	if (n)
		json_put(report, "captures", taken_say_rows_of(c));
	return n;
}

static size_t failures(const struct taken *c, const struct taken_place **first)
{
	size_t n = 0;

	for (size_t i = 0; i < c->places; i++) {
		if (!c->place[i].failed)
			continue;
		if (!n++)
			*first = &c->place[i];
	}
	return n;
}

void taken_report(struct taken *c, json *report, struct buf *notes)
{
	const struct taken_place *first = NULL;
	size_t failed = failures(c, &first);

	if (c->unseen)
		verify_incomplete(report, notes,
				  "%s occurs in %zu more files, which were not checked for uses "
				  "that would mean the renamed symbol (rename.compared_files)",
				  c->name, c->unseen);
	if (c->unasked)
		verify_incomplete(report, notes,
				  "no server was asked what %zu of the places called %s would mean",
				  c->unasked, c->name);
	if (failed)
		verify_incomplete(
			report, notes,
			"no server could say what %zu of the places called %s would mean, "
			"the first in %.*s",
			failed, c->name, STR_ARG(call_shown(c->call, first->file->path)));
	if (c->unused)
		verify_incomplete(report, notes,
				  "no server could say whether %s would become the same as "
				  "another symbol of that name",
				  c->name);
	if (c->macro)
		verify_incomplete(
			report, notes,
			"the macro %s contains the name %s; what that would mean where the macro "
			"is used was not checked",
			c->macro, c->name);
}
