#ifndef OX_OPERATION_IMPL_H
#define OX_OPERATION_IMPL_H

#include "operation.h"

/* Shared by operation.c, which reads multi_edit's list, and operation_patch.c. */

struct adding {
	struct operations *ops;
	operation_path *path;
	void *arg;
	int of;
	const char *only;
};

const char *operation_resolve(struct adding *a, struct str path, struct err *e);

#endif
