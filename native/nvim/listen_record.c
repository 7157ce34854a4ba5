#include <stdlib.h>

#include "../io/loop.h"
#include "listen_impl.h"

/*
 * What remote clients did: how often each of those who are connected called which tool, and the
 * latest changes of all, also of those who have gone.
 */
static void remote_count(json *counts, const char *tool)
{
	json_put(counts, tool, json_int(json_get_int(counts, tool, 0) + 1));
}

static const char *remote_outcome(const struct remote_call *c, const json *result,
				  const struct err *e)
{
	if (!e->code)
		return json_get(result, "changed_by_user") ? "made, changed by the user"
		       : json_get(result, "left_out")	   ? "made in part"
							   : "made";
	if (c->pending.cancelled || !c->remote)
		return "taken back";
	return e->code == ERR_CANCELLED && !c->title ? "refused" : "failed";
}

static json *remote_change(const struct remote_call *c, const json *result, const struct err *e)
{
	const json *transaction = e->code ? NULL : json_get(result, "transaction");

	return json_of({ "time_ms", json_int(loop_wall_ms()) }, { "who", json_strz(c->who) },
		       { "tool", json_strz(c->pending.tool->name) },
		       { "title", json_strz(c->title ? c->title : c->proposed) },
		       { "outcome", json_strz(remote_outcome(c, result, e)) },
		       { "transaction", transaction ? json_copy(transaction) : NULL });
}

void remote_record(const struct remote_call *c, const json *result, const struct err *e)
{
	struct listen *l = c->nvim->listen;
	json **slot;

	if (c->remote)
		remote_count(c->remote->called, c->pending.tool->name);
	if (c->remote && e->code)
		remote_count(c->remote->failed, c->pending.tool->name);
	if (!l || !l->most || (!c->title && !c->proposed))
		return;
	slot = &l->changes[l->changed++ % l->most];
	json_free(*slot);
	*slot = remote_change(c, result, e);
}

static json *remote_row(const struct remote *client)
{
	return json_of({ "who", json_strz(client->who ? client->who : "?") },
		       { "calls", json_int((int64_t)client->waiting) },
		       { "since_ms", json_int(client->came_ms) },
		       { "folder", json_strz(client->folder ? client->folder : "") },
		       { "called", json_copy(client->called) },
		       { "failed", json_copy(client->failed) });
}

/* As it is by now: what was made may have been undone since. */
static json *remote_change_row(const struct nvim *n, const json *change)
{
	struct history *h = n->ox->history;
	struct str id = json_get_str(change, "transaction");
	json *row = json_copy(change);

	if (h && id.n)
		json_put(row, "undone", json_bool(history_is_undone(h, id)));
	return row;
}

json *listen_status(const struct nvim *n)
{
	json *v = json_object(), *remotes = json_put(v, "clients", json_array()),
	     *changes = json_put(v, "changes", json_array());
	const struct listen *l = n->listen;
	const struct remote *client;
	size_t kept;

	if (n->unheard.code)
		json_put(v, "why", json_strz(n->unheard.msg));
	if (!l || !l->socket)
		return v;
	json_put(v, "path", json_strz(l->path));
	LIST_FOREACH(client, &l->remotes, all)
		json_push(remotes, remote_row(client));
	kept = l->changed < l->most ? l->changed : l->most;
	for (size_t i = 1; i <= kept; i++) {
		const json *change = l->changes[(l->changed - i) % l->most];

		json_push(changes, remote_change_row(n, change));
	}
	return v;
}

void listen_forget(struct listen *l)
{
	for (size_t i = 0; i < l->most; i++)
		json_free(l->changes[i]);
	free(l->changes);
}
