#include "edit_place.h"

#include "../base/mem.h"
#include "../core/protect.h"
#include "../core/workspace.h"

static bool is_exempt(const struct call *c, const char *path)
{
	struct exemptions *exempt = call_context(c)->exempt;
	struct buf real SCOPED(buf_release) = BUF_INIT;
	bool is = exempt && protect_real(path, false, &real, ERR_IGNORED) &&
		  exempt_has(exempt, real.p);

	if (exempt && real.n && !is)
		exempt_refuse(exempt, real.p);
	return is;
}

const char *edit_path(void *arg, struct arena *a, struct str path, struct err *e)
{
	struct oxide *ox = call_oxide(arg);
	char *full SCOPED(mem_release) = NULL;
	struct str kept;

	if (!path.n) {
		err_set(e, ERR_INVALID, "a file name is empty");
		return NULL;
	}
	if (memchr(path.p, '\0', path.n)) {
		err_set(e, ERR_INVALID, "a file name contains a NUL byte");
		return NULL;
	}
	full = call_path(arg, path);
	kept = arena_str(a, str_of(full));
	if (workspace_root_over(ox->workspace, kept.p) ||
	    workspace_buffer_at(ox->workspace, kept.p) || is_exempt(arg, kept.p))
		return kept.p;
	err_set(e, ERR_DENIED,
		"%s is outside of the project %s; load its project with "
		"manage_projects",
		kept.p, call_root(arg));
	return NULL;
}

static bool looks_at_text(const struct operation *op)
{
	return op->kind != OPERATION_REMOVE && op->kind != OPERATION_RENAME &&
	       op->kind != OPERATION_LINK && op->kind != OPERATION_MODE;
}

static bool path_may_be_read(struct call *c, const char *path, struct err *e)
{
	struct oxide *ox = call_oxide(c);
	const char *root = workspace_root_over(ox->workspace, path);
	struct err outside = ERR_INIT;

	if (!root || workspace_buffer_at(ox->workspace, path) ||
	    protect_shows(root, path, &outside) ||
	    (outside.code == ERR_DENIED && is_exempt(c, path)))
		return true;
	*e = outside;
	return false;
}

/* Most lists stay with a file, and name it once: those that differ from the one before. */
static const char *place_next(const struct operations *ops, size_t *i, const char *last)
{
	while (*i < ops->n && (ops->v[*i].path == last || !looks_at_text(&ops->v[*i])))
		++*i;
	return *i < ops->n ? ops->v[*i].path : NULL;
}

/* All of them at once; the caller frees. */
static struct protect_look *look_at_all(struct call *c, const struct operations *ops)
{
	struct workspace *w = call_oxide(c)->workspace;
	struct protect_look *v = NULL;
	const char *path = NULL;
	size_t n = 0, cap = 0, i = 0;

	while ((path = place_next(ops, &i, path)))
		mem_add(v, n, cap,
			(struct protect_look){ .root = workspace_buffer_at(w, path)
							       ? NULL
							       : workspace_root_over(w, path),
					       .path = path });
	protect_look_read(v, n);
	return v;
}

bool edit_may_read(struct call *c, const struct operations *ops, struct err *e)
{
	struct protect_look *look SCOPED(mem_release) = look_at_all(c, ops), *l = look;
	const char *path = NULL;
	size_t i = 0;

	for (; (path = place_next(ops, &i, path)); l++)
		if (!l->fine && !path_may_be_read(c, path, e))
			return false;
	return true;
}
