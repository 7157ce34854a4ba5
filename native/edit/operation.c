#include "operation_impl.h"

#include <stdio.h>
#include <stdlib.h>

#include "../base/mem.h"

const char *operation_name(enum operation_kind kind)
{
	static const char *const names[] = { "replace", "insert", "delete", "lines",
					     "patch",	"write",  "remove", "rename",
					     "copy",	"link",	  "mode" };

	return names[kind];
}

struct operation *operations_add(struct operations *ops, enum operation_kind kind, const char *path)
{
	struct operation *op;

	ops->v = mem_grow(ops->v, &ops->cap, ops->n + 1, sizeof(*ops->v));
	op = &ops->v[ops->n++];
	*op = (struct operation){ .kind = kind, .path = path, .count = 1 };
	return op;
}

void operations_release(struct operations *ops)
{
	for (size_t i = 0; i < ops->n_patches; i++)
		patch_release(&ops->patches[i]);
	free(ops->patches);
	free(ops->v);
	arena_release(&ops->parts);
	*ops = (struct operations){ 0 };
}

const char *operation_resolve(struct adding *a, struct str path, struct err *e)
{
	return a->path(a->arg, &a->ops->parts, path, e);
}

static bool known_member(const char *kind, const char *key)
{
	static const struct {
		const char *kind, *members;
	} rows[] = {
		{ "replace", " old_string new_string replace_all context_before context_after " },
		{ "insert", " line_number content expect line_hash " },
		{ "delete", " line_number line_count expect line_hash " },
		{ "patch", " patch_content " },
	};
	char word[48];

	if (!strcmp(key, "edit_type") || !strcmp(key, "file_path"))
		return true;
	snprintf(word, sizeof(word), " %s ", key);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].kind, kind))
			return strstr(rows[i].members, word);
	return false;
}

static bool check_members(const char *kind, const json *v, struct err *e)
{
	json_each(m, v) if (!json_is(m, JSON_NULL) &&
			    !known_member(kind, json_key(m))) return err_set(e, ERR_INVALID,
									     "%s takes no %s", kind,
									     json_key(m));
	return true;
}

static struct str text_of(const json *v, const char *member)
{
	const json *m = json_get(v, member);

	return json_is(m, JSON_STRING) ? json_text(m) : (struct str){ NULL, 0 };
}

static bool read_lines(struct operation *op, const json *v, struct err *e)
{
	int64_t line = json_get_int(v, "line_number", 0), count = json_get_int(v, "line_count", 1);

	if (line < 1)
		return err_set(e, ERR_INVALID, "line_number wants a line from 1");
	if (count < 1)
		return err_set(e, ERR_INVALID, "line_count wants a number from 1");
	op->line = (size_t)line;
	op->count = op->kind == OPERATION_INSERT ? 0 : (size_t)count;
	op->expect = text_of(v, "expect");
	op->hash = text_of(v, "line_hash");
	op->with = text_of(v, "content");
	if (op->kind == OPERATION_INSERT && !op->with.p)
		return err_set(e, ERR_INVALID, "insert wants content");
	return true;
}

static bool read_replace(struct operation *op, const json *v, struct err *e)
{
	op->find = text_of(v, "old_string");
	op->with = text_of(v, "new_string");
	op->all = json_get_bool(v, "replace_all", false);
	op->before = text_of(v, "context_before");
	op->after = text_of(v, "context_after");
	if (!op->find.n || !op->with.p)
		return err_set(e, ERR_INVALID,
			       "replace wants old_string (not empty) and new_string");
	return true;
}

static bool add_entry(struct adding *a, const json *v, struct err *e)
{
	struct str kind = json_get_str(v, "edit_type");
	const char *path;

	if (!json_is(v, JSON_OBJECT))
		return err_set(e, ERR_INVALID, "an operation is %s, not an object",
			       json_type_name(json_type_of(v)));
	if (!json_get_str(v, "file_path").n)
		return err_set(e, ERR_INVALID, "file_path is missing");
	if (!check_members(kind.p, v, e))
		return false;
	path = operation_resolve(a, json_get_str(v, "file_path"), e);
	if (!path)
		return false;
	if (str_eq(kind, STR("patch")))
		return operations_from_patch(a->ops, json_get_str(v, "patch_content"), a->of, path,
					     a->path, a->arg, e);
	if (str_eq(kind, STR("replace")))
		return read_replace(operations_add(a->ops, OPERATION_REPLACE, path), v, e);
	if (str_eq(kind, STR("insert")))
		return read_lines(operations_add(a->ops, OPERATION_INSERT, path), v, e);
	if (str_eq(kind, STR("delete")))
		return read_lines(operations_add(a->ops, OPERATION_DELETE, path), v, e);
	return err_set(e, ERR_INVALID,
		       "edit_type is \"%s\", allowed is replace, insert, delete, patch", kind.p);
}

bool operations_from_json(struct operations *ops, const json *list, operation_path *path, void *arg,
			  struct err *e)
{
	struct adding a = { ops, path, arg, 0, NULL };

	json_each(v, list)
	{
		size_t first = ops->n;

		if (!add_entry(&a, v, e))
			return err_in(e, "operation %d", a.of);
		for (size_t i = first; i < ops->n; i++)
			ops->v[i].of = a.of;
		a.of++;
	}
	return true;
}
