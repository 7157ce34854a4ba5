#include "rename_alike.h"

#include <stdlib.h>
#include <string.h>

#include "../base/mem.h"
#include "../code/outline.h"
#include "../core/projects.h"
#include "../core/workspace.h"
#include "places.h"

/*
 *     rename_alike_start -> (members that keep the name) find_types -> on_types_searched -> fn
 */
#define ALIKE_TYPES 8 /* whose names are searched for */

struct alike_type {
	char *name;
	struct word_search *named;
};

struct rename_alike {
	struct call *call;
	const struct plan *plan;
	char **file;
	size_t files, cap, more;
	struct map known; /* paths: of the plan, and those that are among `file` or `more` */
	struct alike_type type[ALIKE_TYPES];
	size_t types;
	struct map passed; /* names of types past those */
	size_t waiting;	   /* searches still to end */
	bool cancelled;
	void (*fn)(void *arg);
	void *arg;
};

/* The text that is read just now. */
struct alike_text {
	const struct language *lang;
	struct str text;
	struct outline outline;
};

/* Whether its language has types that are the same by what they have. */
static bool by_shape(const struct language *lang)
{
	enum dialect d = language_dialect(lang);

	return d == DIALECT_JS || d == DIALECT_PYTHON || d == DIALECT_GO;
}

/* `x.name`, but not what is spread, as `...name`. */
static bool is_accessed(struct str text, size_t at)
{
	return at && text.p[at - 1] == '.' && !(at > 1 && text.p[at - 2] == '.');
}

static struct str line_before(struct str text, size_t at)
{
	size_t from = at;

	while (from && text.p[from - 1] != '\n')
		from--;
	return str_sub(text, from, at);
}

/* The last word of `s`, without what is in brackets behind it: of `*Tree[K, V]`, `Tree`. */
static struct str last_word(struct str s)
{
	const char *bracket = s.n ? memchr(s.p, '[', s.n) : NULL;
	size_t end = bracket ? (size_t)(bracket - s.p) : s.n, from;

	while (end && !str_named(s.p[end - 1]))
		end--;
	for (from = end; from && str_named(s.p[from - 1]); from--)
		;
	return str_sub(s, from, end);
}

/* The type in `func (r *Type) `; empty: it is no method. */
static struct str receiver_type(struct str before)
{
	const char *end;

	if (!str_skip(&before, STR("func (")) || !(end = memchr(before.p, ')', before.n)) ||
	    str_trim(str_sub(before, (size_t)(end - before.p) + 1, before.n)).n)
		return STR("");
	return last_word(str_sub(before, 0, (size_t)(end - before.p)));
}

static const struct outline_item *innermost(const struct outline *o, size_t at)
{
	const struct outline_item *in = NULL;

	for (size_t i = 0; i < o->n; i++)
		if (o->v[i].all.at <= at && at < o->v[i].all.end)
			in = &o->v[i];
	return in;
}

/* Of `{ name: value }` and `{ name(a) { } }`, which nothing is the type of. */
static bool is_of_object(const struct alike_text *t, size_t at, size_t end)
{
	struct str before = str_trim(line_before(t->text, at));

	if (language_dialect(t->lang) != DIALECT_JS)
		return false;
	return (!before.n || str_any("{,", before.p[before.n - 1]) ||
		str_eq(before, STR("async"))) &&
	       end < t->text.n && str_any(":(", t->text.p[end]);
}

/* Whether a member of that name is declared there; *type: whose it is, empty where nobody knows. */
static bool is_member(const struct alike_text *t, size_t at, size_t end, struct str *type)
{
	const struct outline_item *in = innermost(&t->outline, at), *of;

	*type = language_dialect(t->lang) == DIALECT_GO ? receiver_type(line_before(t->text, at))
							: STR("");
	if (type->n)
		return true;
	of = in && in->kind == OUTLINE_FUNCTION && in->name.at == at && in->parent
		     ? &t->outline.v[in->parent - 1]
		     : in;
	if (of && of->kind == OUTLINE_TYPE && of->name.at != at) {
		*type = last_word(str_sub(t->text, of->name.at, of->name.end));
		return true;
	}
	return is_of_object(t, at, end);
}

static void add_file(struct rename_alike *a, const char *path)
{
	struct oxide *ox = call_oxide(a->call);

	if (map_put(&a->known, str_of(path), a) || !projects_of(ox->projects, path))
		return;
	if (a->files < (size_t)config_get(&ox->config, CFG_GATE_FILES))
		mem_add(a->file, a->files, a->cap, mem_dup(path, strlen(path)));
	else
		a->more++;
}

static void add_type(struct rename_alike *a, struct str name)
{
	for (size_t i = 0; i < a->types; i++)
		if (str_eq(str_of(a->type[i].name), name))
			return;
	if (name.n && a->types < ALIKE_TYPES)
		a->type[a->types++].name = mem_dup(name.p, name.n);
	else if (name.n)
		map_put(&a->passed, name, a);
}

/* Of one file, the places `v` at which the name is in its code. */
static bool read_file(struct rename_alike *a, struct alike_text *t, const struct word_use *v,
		      size_t n)
{
	bool renamed = false;
	struct str type;

	for (size_t i = 0; i < n; i++) {
		size_t end = v[i].at + v[i].n;

		if (word_in_plan(&v[i], a->plan)) {
			renamed = renamed || is_accessed(t->text, v[i].at) ||
				  is_member(t, v[i].at, end, &type);
		} else if (!is_accessed(t->text, v[i].at) && is_member(t, v[i].at, end, &type)) {
			add_file(a, v[i].path);
			add_type(a, type);
		}
	}
	return renamed;
}

/* Whether what is renamed is a member, and others of that name are left. */
static bool find_members(struct rename_alike *a, const struct word_use *v, size_t n)
{
	struct workspace *w = call_oxide(a->call)->workspace;
	struct places places SCOPED(places_release) = { 0 };
	bool renamed = false;

	places_init(&places, call_oxide(a->call));
	for (size_t from = 0, to; from < n; from = to) {
		struct outline o SCOPED(outline_release) = { 0 };
		struct doc *d = places_doc(&places, v[from].path);
		struct alike_text t = { .lang = language_of(workspace_filetype(w, v[from].path)) };

		for (to = from + 1; to < n && !strcmp(v[to].path, v[from].path); to++)
			;
		if (!d || doc_hash(d) != v[from].text || !by_shape(t.lang))
			continue;
		t.text = doc_text(d);
		outline_of(t.lang, t.text, &o, ERR_IGNORED);
		t.outline = o;
		renamed = read_file(a, &t, v + from, to - from) || renamed;
	}
	return renamed && a->files;
}

static void on_types_searched(void *arg)
{
	struct rename_alike *a = arg;

	if (--a->waiting)
		return;
	for (size_t i = 0; i < a->types && !a->cancelled; i++) {
		const char **path SCOPED(mem_release) = NULL;
		size_t n = a->type[i].named ? word_search_all_files(a->type[i].named, &path) : 0;

		for (size_t k = 0; k < n; k++)
			add_file(a, path[k]);
	}
	a->fn(a->arg);
}

/* A type may be given for another wherever it is named. */
static void find_types(struct rename_alike *a)
{
	struct oxide *ox = call_oxide(a->call);
	const char *filetype = workspace_filetype(ox->workspace, a->file[0]);

	a->waiting = 1 + a->types;
	for (size_t i = 0; i < a->types; i++) {
		struct alike_type *t = &a->type[i];

		t->named = word_search_start(ox, call_root(a->call), str_of(t->name), filetype);
		word_search_wait(t->named, on_types_searched, a);
	}
	oxide_soon(ox, on_types_searched, a);
}

struct rename_alike *rename_alike_start(struct call *call, const struct word_search *mentions,
					const struct plan *plan, void (*fn)(void *arg), void *arg)
{
	struct oxide *ox = call_oxide(call);
	struct rename_alike *a;
	struct word_use *v SCOPED(mem_release) = NULL;
	size_t n;

	if (!plan_files(plan) ||
	    !by_shape(language_of(workspace_filetype(ox->workspace, plan_file(plan, 0)->path))))
		return NULL;
	a = mem_new(sizeof(*a));
	a->call = call;
	a->plan = plan;
	a->fn = fn;
	a->arg = arg;
	for (size_t i = 0; i < plan_files(plan); i++)
		map_put(&a->known, str_of(plan_file(plan, i)->path), a);
	v = word_search_code(mentions, &n);
	if (find_members(a, v, n)) {
		find_types(a);
		return a;
	}
	rename_alike_free(a);
	return NULL;
}

void rename_alike_cancel(void *rename_alike)
{
	struct rename_alike *a = rename_alike;

	a->cancelled = true;
}

const char *const *rename_alike_files(const struct rename_alike *a, size_t *n)
{
	*n = a->files;
	return (const char *const *)a->file;
}

size_t rename_alike_more(const struct rename_alike *a)
{
	return a->more;
}

size_t rename_alike_types_more(const struct rename_alike *a)
{
	return map_count(&a->passed);
}

void rename_alike_free(struct rename_alike *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->types; i++) {
		word_search_free(a->type[i].named);
		free(a->type[i].name);
	}
	for (size_t i = 0; i < a->files; i++)
		free(a->file[i]);
	free(a->file);
	map_release(&a->known);
	map_release(&a->passed);
	free(a);
}
