#include "disk_listener.h"

#include "apply.h"

void disk_listeners_buffer(struct oxide *ox, const struct buffer *b, enum disk_event what)
{
	struct disk_listener *l;

	LIST_FOREACH(l, &ox->listeners, all)
		l->buffer(l->arg, b, what);
}

void disk_listeners_own(struct oxide *ox, const struct plan *p)
{
	struct disk_listener *l;

	LIST_FOREACH(l, &ox->listeners, all)
		for (size_t i = 0; i < plan_files(p); i++)
			if (!apply_buffer(ox, plan_file(p, i)))
				l->own(l->arg, plan_file(p, i));
}
