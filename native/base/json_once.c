#include <stdlib.h>

#include "jscan.h"
#include "json.h"
#include "mem.h"

/* The names of the objects that are open, each one's behind those around it. */
struct names {
	struct str *v;
	size_t n, cap;
	struct arena texts;
};

static int json_once_by_name(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static bool given_twice(struct str name, struct err *e)
{
	return err_set(e, ERR_INVALID, "the object has two members \"%.*s\"; keep one",
		       STR_ARG(name));
}

#define FEW 12 /* members: comparing each with each is quicker than to sort them */

static bool all_differ(struct str *v, size_t n, struct err *e)
{
	if (n > FEW)
		qsort(v, n, sizeof(*v), json_once_by_name);
	for (size_t i = 1; i < n; i++)
		for (size_t k = n > FEW ? i - 1 : 0; k < i; k++)
			if (str_eq(v[k], v[i]))
				return given_twice(v[i], e);
	return true;
}

static bool value(struct jscan *s, struct names *names, int depth);

static bool object(struct jscan *s, struct names *names, int depth)
{
	size_t first = names->n;
	struct str key;

	for (jscan_object(s); jscan_member(s, &key);) {
		mem_add(names->v, names->n, names->cap, jscan_decoded(s, key, &names->texts));
		if (!value(s, names, depth))
			return false;
	}
	if (!jscan_ok(s) || !all_differ(names->v + first, names->n - first, s->e))
		return false;
	names->n = first;
	return true;
}

static bool value(struct jscan *s, struct names *names, int depth)
{
	char next = jscan_peek(s);

	if (next != '{' && next != '[')
		return jscan_skip(s);
	if (depth == JSON_DEPTH)
		return err_set(s->e, ERR_LIMIT, "JSON is nested deeper than %d levels", JSON_DEPTH);
	if (next == '{')
		return object(s, names, depth + 1);
	for (jscan_array(s); jscan_item(s);)
		if (!value(s, names, depth + 1))
			return false;
	return jscan_ok(s);
}

bool json_once(struct str text, struct err *e)
{
	struct err found = ERR_INIT;
	struct jscan s = jscan_of(text, &found);
	struct names names = { 0 };
	bool ok = value(&s, &names, 0) || found.code == ERR_PROTOCOL;

	free(names.v);
	arena_release(&names.texts);
	if (!ok)
		*e = found;
	return ok;
}
