#include "exemptions.h"

void exempt_release(struct exemptions *x)
{
	map_release(&x->paths);
	buf_release(&x->refused);
}

const char *exempt_each(const struct exemptions *x, size_t *at)
{
	struct str path;
	void *value;

	if (!map_at(&x->paths, at, &path, &value))
		return NULL;
	++*at;
	return path.p;
}

bool exempt_has(const struct exemptions *x, const char *path)
{
	return map_get(&x->paths, str_of(path));
}

void exempt_add(struct exemptions *x, const char *path)
{
	map_put(&x->paths, str_of(path), x);
	buf_clear(&x->refused); /* `path` may be that */
}

void exempt_add_all(struct exemptions *x, const struct exemptions *more)
{
	const char *path;

	for (size_t at = 0; (path = exempt_each(more, &at));)
		exempt_add(x, path);
}

void exempt_refuse(struct exemptions *x, const char *path)
{
	if (!x->refused.n)
		buf_adds(&x->refused, path);
}

const char *exempt_refused(const struct exemptions *x)
{
	return x->refused.n ? x->refused.p : NULL;
}
