#include "../base/mem.h"
#include "../base/path.h"
#include "apply_impl.h"
#include "projects.h"

/* Where a change lies: in one project, mostly. */

typedef bool each_path(void *arg, const char *path);

/* Of each file, as it is called before and after; until `fn` says no. */
static bool for_each_path(const struct plan *p, each_path *fn, void *arg)
{
	for (size_t i = 0; i < plan_files(p); i++) {
		const struct plan_file *f = plan_file(p, i);

		if (!fn(arg, f->path) || (f->new_path && !fn(arg, f->new_path)))
			return false;
	}
	return true;
}

struct finding_project {
	const struct projects *of;
	const struct project *found, *other; /* the first, and one more */
};

static bool find_project(void *arg, const char *path)
{
	struct finding_project *f = arg;
	const struct project *project = projects_of(f->of, path);

	if (project && f->found && project != f->found)
		f->other = project;
	else if (project)
		f->found = project;
	return !f->other;
}

const struct project *apply_project(struct oxide *ox, const struct plan *p,
				    const struct project *home)
{
	struct finding_project f = { .of = ox->projects };

	for_each_path(p, find_project, &f);
	if (f.found)
		return f.found;
	return home && plan_has_exempt(p) ? home : projects_first(ox->projects);
}

bool apply_is_in_one(struct oxide *ox, const struct plan *p, struct err *e)
{
	struct finding_project f = { .of = ox->projects };

	return for_each_path(p, find_project, &f) ||
	       err_set(e, ERR_UNSUPPORTED,
		       "the change covers two projects, %s and %s; make it in one at a time",
		       f.found->name, f.other->name);
}

bool apply_is_inside(struct oxide *ox, const struct plan *p, struct err *e)
{
	for (size_t i = 0; i < plan_files(p); i++) {
		const struct plan_file *f = plan_file(p, i);

		if (projects_of(ox->projects, f->path) || plan_exempt(p, f->path) ||
		    apply_buffer(ox, f))
			continue;
		return err_set(e, ERR_DENIED,
			       "%s is outside of the project %s; load its own with `:Oxide "
			       "projects add`, or manage_projects",
			       f->path, projects_first(ox->projects)->root);
	}
	return true;
}

static void apply_scope_widen(struct apply *a, struct str dir)
{
	a->common.n = path_common(buf_str(&a->common), dir).n;
	buf_end(&a->common);
}

static void add_project(struct apply *a, const struct project *project)
{
	struct str root = str_of(project->root);

	for (size_t i = 0; i < a->n_projects; i++)
		if (str_eq(a->projects[i], root))
			return;
	mem_add(a->projects, a->n_projects, a->projects_cap, root);
	apply_scope_widen(a, root);
}

static bool add_path(void *arg, const char *path)
{
	struct apply *a = arg;
	const struct project *project = projects_of(a->ox->projects, path);
	const char *exempt = plan_exempt(a->plan, path);

	if (project)
		add_project(a, project);
	if (exempt) {
		apply_scope_widen(a, path_dir(str_of(path)));
		apply_scope_widen(a, path_dir(str_of(exempt)));
	}
	return true;
}

bool apply_find_scope(struct apply *a)
{
	const struct project *project = apply_project(a->ox, a->plan, a->home);
	struct err several = ERR_INIT;
	bool one = apply_is_in_one(a->ox, a->plan, &several);

	if (!one && !a->several) {
		a->why = several;
		return false;
	}
	a->root = project->root;
	if (one && !plan_has_exempt(a->plan))
		return true;
	buf_adds(&a->common, project->root);
	add_project(a, project);
	for_each_path(a->plan, add_path, a);
	a->root = a->common.p;
	return true;
}

void apply_confine(struct apply *a)
{
	for (size_t i = 0; a->projects && i < a->files; i++) {
		struct txn_file *f = &a->file[i];
		const struct project *project = projects_of(a->ox->projects, f->path);

		if (!f->within)
			f->within = project ? project->root : a->projects[0].p;
	}
}
