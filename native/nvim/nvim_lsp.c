#include "../servers/client.h"
#include "nvim_impl.h"

/* Neovim's own language clients: what the core says to one goes to lua/oxide/clients/init.lua,
 * which passes it on, and what comes back arrives here. */
static void nvim_lsp_send(void *self, int64_t client, struct str lines)
{
	struct nvim *n = self;

	peer_notify(n->peer, "nvim_exec_lua",
		    json_list(json_strz("require('oxide.clients').take(...)"),
			      json_list(json_int(client), json_str(lines))));
	nvim_wake(n);
}

void nvim_lsp_init(struct nvim *n)
{
	n->ox->editor.client = nvim_lsp_send;
}

void nvim_lsp_said(struct nvim *n, const json *params)
{
	const json *id = json_first(params), *lines = id ? json_next(id) : NULL;

	client_said(n->ox->pool, json_number(id), json_text(lines));
}
