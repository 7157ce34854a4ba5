#include "operation.h"

#include <stdlib.h>

#include "../base/mem.h"

const char *operation_name(enum operation_kind kind)
{
	static const char *const names[] = { "replace", "insert", "delete", "lines",
					     "patch",	"write",  "remove", "rename",
					     "copy",	"link",	  "mode" };

	return names[kind];
}

bool operation_by_line(const struct operation *op)
{
	return op->kind == OPERATION_INSERT || op->kind == OPERATION_DELETE ||
	       op->kind == OPERATION_LINES;
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
