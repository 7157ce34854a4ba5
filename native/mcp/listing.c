
#include "mcp_impl.h"

/* A cursor is how many rows came before it. */
static bool read_cursor(const struct mcp_request *r, size_t rows, size_t *at)
{
	const json *cursor = json_get(r->params, "cursor");
	struct str s = json_text(cursor);

	*at = 0;
	if (!cursor)
		return true;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9' || *at > rows)
			return false;
		*at = *at * 10 + (size_t)(s.p[i] - '0');
	}
	return s.n && *at < rows;
}

static json *page_of(const json *rows, size_t at, size_t n)
{
	json *page = json_array();
	size_t i = 0;

	json_each(row, rows) {
		if (i >= at && i < at + n)
			json_push(page, json_copy(row));
		i++;
	}
	return page;
}

static void listing_list(struct mcp_request *r, const char *member, json *(*fn)(void *self))
{
	size_t most = r->mcp->limits.page, at, n;
	json *rows SCOPED(json_release) = NULL, *result;

	if (!fn) {
		mcp_fail(r, MCP_NO_METHOD, "not found");
		return;
	}
	rows = fn(r->mcp->self);
	n = json_len(rows);
	if (!read_cursor(r, n, &at)) {
		mcp_fail(r, MCP_INVALID_PARAMS, "unknown cursor; request the list from the start");
		return;
	}
	result = json_object();
	json_put(result, member, page_of(rows, at, most));
	if (n - at > most)
		json_put(result, "nextCursor", json_strf("%zu", at + most));
	mcp_done(r, result);
}

void mcp_list_tools(struct mcp_request *r)
{
	listing_list(r, "tools", r->mcp->host.tools);
}

void mcp_list_resources(struct mcp_request *r)
{
	listing_list(r, "resources", r->mcp->host.resources);
}

void mcp_list_templates(struct mcp_request *r)
{
	listing_list(r, "resourceTemplates", r->mcp->host.templates);
}

void mcp_list_prompts(struct mcp_request *r)
{
	listing_list(r, "prompts", r->mcp->host.prompts);
}
