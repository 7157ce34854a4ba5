#include "../servers/client.h"
#include "nvim_impl.h"

/* Neovim's own language clients: what the core says to one goes to lua/oxide/clients.lua, which
 * passes it on, and what comes back arrives here. */
static void to_client(void *self, int64_t client, struct str lines)
{
	struct nvim *n = self;
	json *params = json_array(), *args;

	json_push(params, json_strz("require('oxide.clients').take(...)"));
	args = json_push(params, json_array());
	json_push(args, json_int(client));
	json_push(args, json_str(lines));
	peer_notify(n->peer, "nvim_exec_lua", params);
	nvim_wake(n);
}

void nvim_lsp_init(struct nvim *n)
{
	n->ox->editor.client = to_client;
}

void nvim_lsp_said(struct nvim *n, const json *params)
{
	const json *id = json_first(params), *lines = id ? json_next(id) : NULL;

	client_said(n->ox->pool, json_number(id), json_text(lines));
}
