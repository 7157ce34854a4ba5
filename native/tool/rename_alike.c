#include "rename_alike.h"

#include <stdlib.h>
#include <string.h>

#include "../base/mem.h"
#include "../code/member.h"
#include "../core/projects.h"
#include "../core/workspace.h"
#include "../servers/member_search.h"

/*
 *     rename_alike_start -> on_members_found -> find_types -> on_types_searched -> fn
 */
#define ALIKE_TYPES 8 /* whose names are searched for */

struct alike_type {
	char *name;
	struct word_search *named;
};

struct rename_alike {
	struct call *call;
	struct member_search *members;
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

static void on_types_searched(void *arg)
{
	struct rename_alike *a = arg;

	if (--a->waiting)
		return;
	for (size_t i = 0; i < a->types && !a->cancelled; i++) {
		const char **path SCOPED(mem_release) = NULL;
		size_t n = word_search_all_files(a->type[i].named, &path);

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

static void on_members_found(void *arg)
{
	struct rename_alike *a = arg;
	size_t n;
	const struct member_found *v = member_search_found(a->members, &n);

	for (size_t i = 0; i < n && !a->cancelled; i++) {
		add_file(a, v[i].path);
		add_type(a, str_of(v[i].type));
	}
	if (a->files && !a->cancelled)
		find_types(a);
	else
		a->fn(a->arg);
}

struct rename_alike *rename_alike_start(struct call *call, const struct word_search *mentions,
					const struct plan *plan, void (*fn)(void *arg), void *arg)
{
	struct oxide *ox = call_oxide(call);
	struct rename_alike *a;

	if (!plan_files(plan) ||
	    !member_by_shape(
		    language_of(workspace_filetype(ox->workspace, plan_file(plan, 0)->path))))
		return NULL;
	a = mem_new(sizeof(*a));
	a->call = call;
	a->fn = fn;
	a->arg = arg;
	for (size_t i = 0; i < plan_files(plan); i++)
		map_put(&a->known, str_of(plan_file(plan, i)->path), a);
	a->members = member_search_start(ox, mentions, plan, on_members_found, a);
	if (a->members)
		return a;
	rename_alike_free(a);
	return NULL;
}

void rename_alike_cancel(void *rename_alike)
{
	struct rename_alike *a = rename_alike;

	a->cancelled = true;
	for (size_t i = 0; i < a->types; i++)
		word_search_cancel(a->type[i].named);
	member_search_cancel(a->members);
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

const char *rename_alike_gap(const struct rename_alike *a)
{
	for (size_t i = 0; i < a->types; i++)
		if (a->type[i].named && word_search_gap(a->type[i].named))
			return word_search_gap(a->type[i].named);
	return NULL;
}

void rename_alike_free(struct rename_alike *a)
{
	if (!a)
		return;
	member_search_free(a->members);
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
