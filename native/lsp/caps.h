#ifndef OX_CAPS_H
#define OX_CAPS_H

#include "../base/json.h"
#include "../base/map.h"
#include "../text/pos.h"

/*
 * What both sides can do: what Oxide tells a server in `initialize`, and what the server said
 * there and registered since. Zero a struct caps to start.
 */
enum lsp_feature {
	LSP_DEFINITION,
	LSP_TYPE_DEFINITION,
	LSP_IMPLEMENTATION,
	LSP_REFERENCES,
	LSP_HOVER,
	LSP_HIGHLIGHT,
	LSP_DOCUMENT_SYMBOLS,
	LSP_SELECTION_RANGE,
	LSP_WORKSPACE_SYMBOLS,
	LSP_RENAME,
	LSP_PREPARE_RENAME,
	LSP_FORMAT,
	LSP_RANGE_FORMAT,
	LSP_PULL_DIAGNOSTICS,
	LSP_SURVEY,
	LSP_CODE_ACTIONS,
	LSP_RESOLVE_ACTION,
	LSP_EXECUTE,
	LSP_FEATURES
};

const char *lsp_method(enum lsp_feature f);	  /* "textDocument/rename" */
const char *lsp_feature_name(enum lsp_feature f); /* "rename", as a user reads it */

enum sync_kind { SYNC_NONE, SYNC_FULL, SYNC_INCREMENTAL };

struct caps {
	bool can[LSP_FEATURES]; /* static or registered */
	enum pos_enc enc;
	enum sync_kind sync;
	bool open_close, save, save_text;
	bool watches;		   /* asked to hear of changed files */
	const char *diagnostic_id; /* to be named when diagnostics are pulled; NULL: none. Lives
				    * until the next call */
	/* What all the above is worked out from, again whenever it changes. */
	json *said;		  /* the server's capabilities, from `initialize` */
	struct map registrations; /* by id and method: { id, method, registerOptions } */
};

json *caps_client(void); /* the client's capabilities, new */
/* From the result of `initialize`. A position encoding that was not offered is ERR_PROTOCOL;
 * `offsetEncoding` beside the capabilities is clangd's older way to name it. */
bool caps_read(struct caps *c, const json *result, struct err *e);
void caps_register(struct caps *c, const json *params); /* client/registerCapability */
void caps_unregister(struct caps *c, const json *params);
/* Whether workspace/executeCommand is for this command: the others are the client's own. */
bool caps_executes(const struct caps *c, struct str command);
void caps_release(struct caps *c);

#endif
