#include "terminals.h"

#include <stdlib.h>

#include "../base/mem.h"

static void terminals_forget(struct terminal_agent *a)
{
	LIST_REMOVE(a, all);
	json_free(a->info);
	free(a);
}

static struct terminal_agent *terminals_of_link(const struct terminals *t, const void *link)
{
	struct terminal_agent *a;

	LIST_FOREACH(a, &t->all, all)
		if (a->link == link)
			return a;
	return NULL;
}

void terminals_take(struct terminals *t, const json *info, void *link)
{
	struct terminal_agent *a = terminals_of_link(t, link);

	if (!json_get_str(info, "id").n || !json_get_str(info, "name").n)
		return;
	if (str_eq(json_get_str(info, "state"), STR("ended"))) {
		if (a)
			terminals_forget(a);
		t->changed(t->self, info);
		return;
	}
	if (!a) {
		a = mem_new(sizeof(*a));
		a->link = link;
		LIST_INSERT_HEAD(&t->all, a, all);
	}
	json_free(a->info);
	a->info = json_copy(info);
	t->changed(t->self, info);
}

void terminals_gone(struct terminals *t, const void *link)
{
	struct terminal_agent *a = terminals_of_link(t, link);
	json *info;

	if (!a)
		return;
	info = a->info;
	a->info = NULL;
	terminals_forget(a);
	json_put(info, "state", json_strz("ended"));
	t->changed(t->self, info);
	json_free(info);
}

struct terminal_agent *terminals_find(const struct terminals *t, struct str name, struct err *e)
{
	struct terminal_agent *a;

	LIST_FOREACH(a, &t->all, all)
		if (!name.n || str_eq(name, json_get_str(a->info, "id")) ||
		    str_eq(name, json_get_str(a->info, "name")))
			return a;
	if (name.n)
		err_set(e, ERR_NOT_FOUND, "no agent %.*s is running", STR_ARG(name));
	else
		err_set(e, ERR_NOT_FOUND, "no agent is running in a terminal");
	return NULL;
}

json *terminals_json(const struct terminals *t)
{
	json *list = json_array();
	struct terminal_agent *a;

	LIST_FOREACH(a, &t->all, all)
		json_push(list, json_copy(a->info));
	return list;
}
