#include "macro_rename.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../code/lex.h"
#include "../core/workspace.h"
#include "macro_find.h"
#include "places.h"

#define PLACES_LISTED 20

struct macro_rename {
	struct target *target;
	struct str name, new_name;
	struct macro_find *find;
	const struct macro_place *place;
	size_t n;
	uint64_t moves;	  /* of the workspace when its places were looked for */
	const char *home; /* the file of the `#define` that is meant */
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
static bool macro_rename_has(const struct macro_rename *m, const char *path, bool ours)
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
	bool ours = macro_rename_has(m, p->path, true),
	     theirs = macro_rename_has(m, p->path, false);
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

static void macro_rename_place_of(const struct macro_rename *m, const struct macro_place *p,
				  struct place *out)
{
	place_of_byte(workspace_doc(call_oxide(m->target->call)->workspace, p->path, ERR_IGNORED),
		      p->at, out);
}

static struct str macro_rename_shown(const struct macro_rename *m, const struct macro_place *p)
{
	return call_shown(m->target->call, p->path);
}

/* NULL: nothing is in the way. */
static json *macro_rename_refuse(struct macro_rename *m, struct err *e)
{
	json *list = json_array(), *object;
	struct place at;

	for (size_t i = 0; i < m->n && json_len(list) < PLACES_LISTED; i++) {
		const struct macro_place *p = &m->place[i];

		if (fate_of(m, p) != IN_THE_WAY)
			continue;
		macro_rename_place_of(m, p, &at);
		if (!json_len(list))
			err_set(e, ERR_CONFLICT,
				"the macro %.*s cannot be renamed: other places may mean something "
				"else by that name, the first at %.*s:%zu",
				STR_ARG(m->name), STR_ARG(macro_rename_shown(m, p)), at.line);
		place_put_line(json_push(list, json_object()), macro_rename_shown(m, p), &at);
	}
	if (!e->code) {
		json_free(list);
		return NULL;
	}
	object = error_object(e);
	error_put(object, "places", list);
	json_put(object, "success", json_bool(false));
	return object;
}

static bool macro_rename_add_file(struct macro_rename *m, struct plan *plan, size_t from, size_t to,
				  struct err *e)
{
	struct edits spans SCOPED(edits_release) = EDITS_INIT;
	const char *path = m->place[from].path;
	struct op op = { .kind = OP_SPANS, .path = path, .spans = &spans };
	struct str text;

	if (!plan_text(plan, path, &text, e))
		return false;
	for (size_t i = from; i < to; i++) {
		struct span name = { m->place[i].at, m->place[i].at + m->name.n };

		if (fate_of(m, &m->place[i]) != RENAMED)
			continue;
		if (name.end > text.n || !str_eq(str_sub(text, name.at, name.end), m->name))
			return err_set(e, ERR_STALE,
				       "%s changed while its macros were looked for; try again",
				       path);
		edits_add(&spans, name, m->new_name, 0);
	}
	return !spans.n || plan_add(plan, &op, e);
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
		ok = macro_rename_add_file(m, plan, from, to, e);
	}
	if (ok && plan_finish(plan, e) &&
	    workspace_still(call_oxide(m->target->call)->workspace, plan, m->moves, e))
		return plan;
	plan_free(plan);
	return NULL;
}

static void on_macro_rename_found(void *arg)
{
	struct macro_rename *m = arg;
	struct err e = ERR_INIT;
	struct plan *plan = NULL;
	json *refusal = NULL;

	m->place = macro_found(m->find, &m->n, &e);
	if (m->place && find_home(m, &e)) {
		if (!is_name(m->new_name))
			err_set(&e, ERR_INVALID, "%.*s is not a valid macro name",
				STR_ARG(m->new_name));
		else if (!(refusal = macro_rename_refuse(m, &e)))
			plan = plan_of(m, &e);
	}
	m->fn(m->arg, plan, &e, refusal);
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
