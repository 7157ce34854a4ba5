#include "macro_rename.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../code/lex.h"
#include "../core/workspace.h"
#include "macro_find.h"

#define PLACES_LISTED 20

struct macro_rename {
	struct target *target;
	struct str name, new_name;
	struct macro_find *find;
	const struct macro_place *place;
	size_t n;
	uint64_t moves;	  /* of the workspace when its places were looked for */
	const char *home; /* the file of the `#define` that is meant */
	json *listed;	  /* places that stand in the way */
	macro_renamed *fn;
	void *arg;
};

static bool is_target(const struct macro_rename *m, const struct macro_place *p)
{
	return p->at == target_word(doc_text(m->target->doc), m->target->byte).at &&
	       !strcmp(p->path, m->target->path);
}

static bool find_home(struct macro_rename *m, struct err *e)
{
	for (size_t i = 0; i < m->n; i++)
		if (is_target(m, &m->place[i]))
			m->home = m->place[i].defined;
	return m->home || err_set(e, ERR_NOT_FOUND, "%.*s is not a macro there", STR_ARG(m->name));
}

/* Whether its files are those of the macro: what they say of the name, and where that is defined.
 */
static bool has(const struct macro_rename *m, const char *path, bool ours)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct macro_place *p = &m->place[i];

		if (!strcmp(p->path, path) && p->defined && !strcmp(p->defined, m->home) == ours)
			return true;
	}
	return false;
}

static bool defined_elsewhere(const struct macro_rename *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->place[i].means == MACRO_DEFINED && strcmp(m->place[i].path, m->home) != 0)
			return true;
	return false;
}

enum fate { RENAMED, LEFT, IN_THE_WAY };

/* Another `#define` of the name is another macro where a source file has it for itself. */
static enum fate fate_of(const struct macro_rename *m, const struct macro_place *p)
{
	bool ours = has(m, p->path, true), theirs = has(m, p->path, false);
	bool header = language_header(str_of(p->path));

	if (p->means == MACRO_OTHER)
		return IN_THE_WAY;
	if (p->defined && !strcmp(p->defined, m->home))
		return RENAMED;
	if (p->defined)
		return ours || header ? IN_THE_WAY : LEFT;
	if (ours && !theirs)
		return RENAMED;
	if (theirs && !ours)
		return header ? IN_THE_WAY : LEFT;
	return ours || defined_elsewhere(m) ? IN_THE_WAY : RENAMED;
}

static void list(struct macro_rename *m, const struct macro_place *p)
{
	struct oxide *ox = call_oxide(m->target->call);
	struct err ignored = ERR_INIT;
	struct doc *d = workspace_doc(ox->workspace, p->path, &ignored);
	size_t line = 1, column = 1;
	json *row;

	if (json_len(m->listed) >= PLACES_LISTED)
		return;
	if (d)
		doc_where(d, p->at, &line, &column);
	row = json_push(m->listed, json_object());
	json_put(row, "file", json_str(call_shown(m->target->call, p->path)));
	json_put(row, "line", json_int((int64_t)line));
	json_put(row, "column", json_int((int64_t)column));
	json_put(row, "text", d ? json_str(str_trim(doc_line(d, line))) : json_strz(""));
}

static bool macro_rename_refuse(struct macro_rename *m, struct err *e)
{
	const json *first = NULL;

	json_each(row, m->listed)
		first = first ? first : row;
	if (!first)
		return false;
	err_set(e, ERR_CONFLICT,
		"the macro %.*s cannot be renamed: other places may mean something else by that "
		"name, the first at %.*s:%lld",
		STR_ARG(m->name), STR_ARG(json_get_str(first, "file")),
		(long long)json_get_int(first, "line", 0));
	return true;
}

static bool add_file(struct macro_rename *m, struct plan *plan, size_t from, size_t to,
		     struct err *e)
{
	struct edits spans = EDITS_INIT;
	struct op op = { .kind = OP_SPANS, .path = m->place[from].path, .spans = &spans };
	bool ok;

	for (size_t i = from; i < to; i++)
		if (fate_of(m, &m->place[i]) == RENAMED)
			edits_add(&spans,
				  (struct span){ m->place[i].at, m->place[i].at + m->name.n },
				  m->new_name, 0);
	ok = !spans.n || plan_add(plan, &op, e);
	edits_release(&spans);
	return ok;
}

static bool is_name(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!str_named(s.p[i]))
			return false;
	return s.n && !(s.p[0] >= '0' && s.p[0] <= '9') && !str_eq(s, STR("defined"));
}

static struct plan *plan_of(struct macro_rename *m, struct err *e)
{
	struct plan *plan = plan_new(call_source(m->target->call));
	bool ok = true;

	for (size_t from = 0, to; ok && from < m->n; from = to) {
		for (to = from; to < m->n && m->place[to].path == m->place[from].path; to++)
			;
		ok = add_file(m, plan, from, to, e);
	}
	if (ok && plan_finish(plan, e) &&
	    workspace_still(call_oxide(m->target->call)->workspace, plan, m->moves, e))
		return plan;
	plan_free(plan);
	return NULL;
}

static json *object_of(struct macro_rename *m, const struct err *e)
{
	json *object = error_object(e);

	error_put(object, "places", json_copy(m->listed));
	json_put(object, "success", json_bool(false));
	return object;
}

static void on_macro_rename_found(void *arg)
{
	struct macro_rename *m = arg;
	struct err e = ERR_INIT;
	struct plan *plan = NULL;
	json *refusal = NULL;

	m->listed = json_array();
	m->place = macro_found(m->find, &m->n, &e);
	if (m->place && find_home(m, &e)) {
		for (size_t i = 0; i < m->n; i++)
			if (fate_of(m, &m->place[i]) == IN_THE_WAY)
				list(m, &m->place[i]);
		if (!is_name(m->new_name))
			err_set(&e, ERR_INVALID, "%.*s is not a valid macro name",
				STR_ARG(m->new_name));
		else if (macro_rename_refuse(m, &e))
			refusal = object_of(m, &e);
		else
			plan = plan_of(m, &e);
	}
	m->fn(m->arg, plan, &e, refusal);
	json_free(m->listed);
	macro_find_free(m->find);
	free(m);
}

struct macro_rename *macro_rename_start(struct target *t, struct str name, struct str new_name,
					macro_renamed *fn, void *arg)
{
	struct macro_rename *m = mem_new(sizeof(*m));

	m->target = t;
	m->name = name;
	m->new_name = new_name;
	m->fn = fn;
	m->arg = arg;
	m->moves = workspace_moves(call_oxide(t->call)->workspace);
	m->find = macro_find(t->call, t->path, name, on_macro_rename_found, m);
	return m;
}

void macro_rename_cancel(void *macro_rename)
{
	struct macro_rename *m = macro_rename;

	macro_find_cancel(m->find);
}
