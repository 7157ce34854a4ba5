#include "mcp_impl.h"

void mcp_watch(struct mcp_request *r)
{
	struct mcp *m = r->mcp;
	struct str uri;

	if (!mcp_named(r, m->host.resources != NULL, "uri", &uri))
		return;
	if (map_count(&m->watched) >= m->limits.watched && !map_get(&m->watched, uri)) {
		mcp_fail(r, MCP_INTERNAL, "too many subscriptions; cancel one first");
		return;
	}
	map_put(&m->watched, uri, m);
	mcp_done(r, json_object());
}

void mcp_unwatch(struct mcp_request *r)
{
	struct str uri;

	if (!mcp_named(r, r->mcp->host.resources != NULL, "uri", &uri))
		return;
	map_take(&r->mcp->watched, uri);
	mcp_done(r, json_object());
}

static const json *listened(const struct mcp_request *r)
{
	return json_get(r->params, "notifications.resourceSubscriptions");
}

/* A notification that belongs to a modern client's subscription. */
static void subscribe_tell(struct mcp_request *r, const char *method, json *params)
{
	json_put(json_put(params, "_meta", json_object()), META_SUBSCRIPTION, json_copy(r->id));
	peer_notify(r->mcp->peer, method, params);
}

/* It stays open until the client cancels it. The lists stay as they are: their part is left out of
 * what is agreed to. */
void mcp_listen(struct mcp_request *r)
{
	json *params, *agreed;

	if (!json_is(json_get(r->params, "notifications"), JSON_OBJECT)) {
		mcp_fail(r, MCP_INVALID_PARAMS, "subscriptions/listen needs `notifications`");
		return;
	}
	r->listening = true;
	params = json_object();
	agreed = json_put(params, "notifications", json_object());
	if (json_is(listened(r), JSON_ARRAY) && r->mcp->host.resources)
		json_put(agreed, "resourceSubscriptions", json_copy(listened(r)));
	subscribe_tell(r, "notifications/subscriptions/acknowledged", params);
}

static json *updated(struct str uri)
{
	return json_of({ "uri", json_str(uri) });
}

void mcp_updated(struct mcp *m, struct str uri)
{
	if (map_get(&m->watched, uri))
		peer_notify(m->peer, "notifications/resources/updated", updated(uri));
	map_each(it, &m->requests)
		if (((struct mcp_request *)it.value)->listening)
			json_each(v, listened(it.value))
				if (str_eq(json_text(v), uri))
					subscribe_tell(it.value, "notifications/resources/updated",
						       updated(uri));
}
