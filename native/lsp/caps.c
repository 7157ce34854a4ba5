#include "caps.h"

#include <stdlib.h>

#include "../base/mem.h"

#define REGISTRATIONS_MOST 500 /* no server has a use for more */

static const struct {
	const char *method, *name, *provider;
} features[] = {
	[LSP_DEFINITION] = { "textDocument/definition", "definition", "definitionProvider" },
	[LSP_TYPE_DEFINITION] = { "textDocument/typeDefinition", "type definition",
				  "typeDefinitionProvider" },
	[LSP_IMPLEMENTATION] = { "textDocument/implementation", "implementation",
				 "implementationProvider" },
	[LSP_REFERENCES] = { "textDocument/references", "references", "referencesProvider" },
	[LSP_HOVER] = { "textDocument/hover", "hover", "hoverProvider" },
	[LSP_HIGHLIGHT] = { "textDocument/documentHighlight", "document highlight",
			    "documentHighlightProvider" },
	[LSP_DOCUMENT_SYMBOLS] = { "textDocument/documentSymbol", "document symbols",
				   "documentSymbolProvider" },
	[LSP_SELECTION_RANGE] = { "textDocument/selectionRange", "selection range",
				  "selectionRangeProvider" },
	[LSP_WORKSPACE_SYMBOLS] = { "workspace/symbol", "workspace symbols",
				    "workspaceSymbolProvider" },
	[LSP_RENAME] = { "textDocument/rename", "rename", "renameProvider" },
	/* a member of the options of rename, also when that is registered */
	[LSP_PREPARE_RENAME] = { "textDocument/prepareRename", "rename preparation", "" },
	[LSP_FORMAT] = { "textDocument/formatting", "formatting", "documentFormattingProvider" },
	[LSP_RANGE_FORMAT] = { "textDocument/rangeFormatting", "range formatting",
			       "documentRangeFormattingProvider" },
	[LSP_CODE_ACTIONS] = { "textDocument/codeAction", "code actions", "codeActionProvider" },
	/* a member of the options of code actions, as above */
	[LSP_RESOLVE_ACTION] = { "codeAction/resolve", "code action resolution", "" },
	[LSP_EXECUTE] = { "workspace/executeCommand", "commands", "executeCommandProvider" },
	[LSP_PULL_DIAGNOSTICS] = { "textDocument/diagnostic", "pull diagnostics",
				   "diagnosticProvider" },
	/* a member of the options of diagnostics, as above */
	[LSP_SURVEY] = { "workspace/diagnostic", "workspace diagnostics", "" },
};

const char *lsp_method(enum lsp_feature f)
{
	return features[f].method;
}

const char *lsp_feature_name(enum lsp_feature f)
{
	return features[f].name;
}

/* What is said here is done; a server holds us to it. `retryOnContentModified` is put in beside
 * it, out of the table above. That `diagnostic` can be registered later has pyright answer when it
 * is asked, and publish nothing any more, which takes it a quarter of a second after each change.
 */
static const char client[] =
	"{"
	"\"general\":{"
	"  \"positionEncodings\":[\"utf-8\",\"utf-16\",\"utf-32\"],"
	"  \"staleRequestSupport\":{\"cancel\":false}},"
	"\"offsetEncoding\":[\"utf-8\",\"utf-16\"],"
	"\"window\":{"
	"  \"workDoneProgress\":true,"
	"  \"showDocument\":{\"support\":true},"
	"  \"showMessage\":{}},"
	"\"workspace\":{"
	"  \"applyEdit\":true,"
	"  \"configuration\":true,"
	"  \"workspaceFolders\":true,"
	"  \"didChangeConfiguration\":{\"dynamicRegistration\":true},"
	"  \"didChangeWatchedFiles\":{\"dynamicRegistration\":true},"
	"  \"diagnostics\":{\"refreshSupport\":true},"
	"  \"workspaceEdit\":{"
	"    \"documentChanges\":true,"
	"    \"resourceOperations\":[\"create\",\"rename\",\"delete\"],"
	"    \"failureHandling\":\"transactional\","
	"    \"normalizesLineEndings\":true,"
	"    \"changeAnnotationSupport\":{}},"
	"  \"executeCommand\":{\"dynamicRegistration\":true},"
	"  \"symbol\":{"
	"    \"dynamicRegistration\":true,"
	"    \"symbolKind\":{\"valueSet\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,"
	"22,23,24,25,26]}}},"
	"\"textDocument\":{"
	"  \"synchronization\":{\"dynamicRegistration\":true,\"didSave\":true},"
	"  \"publishDiagnostics\":{\"relatedInformation\":true,\"versionSupport\":true},"
	"  \"diagnostic\":{\"dynamicRegistration\":true,\"relatedDocumentSupport\":true},"
	"  \"definition\":{\"dynamicRegistration\":true,\"linkSupport\":true},"
	"  \"typeDefinition\":{\"dynamicRegistration\":true,\"linkSupport\":true},"
	"  \"implementation\":{\"dynamicRegistration\":true,\"linkSupport\":true},"
	"  \"references\":{\"dynamicRegistration\":true},"
	"  \"hover\":{"
	"    \"dynamicRegistration\":true,"
	"    \"contentFormat\":[\"markdown\",\"plaintext\"]},"
	"  \"documentSymbol\":{"
	"    \"dynamicRegistration\":true,"
	"    \"hierarchicalDocumentSymbolSupport\":true,"
	"    \"symbolKind\":{\"valueSet\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,"
	"22,23,24,25,26]}},"
	"  \"codeAction\":{"
	"    \"dynamicRegistration\":true,"
	"    \"isPreferredSupport\":true,"
	"    \"disabledSupport\":true,"
	"    \"dataSupport\":true,"
	"    \"resolveSupport\":{\"properties\":[\"edit\"]},"
	"    \"codeActionLiteralSupport\":{\"codeActionKind\":{\"valueSet\":[\"quickfix\",\"refactor\","
	"\"source\"]}}},"
	"  \"documentHighlight\":{\"dynamicRegistration\":true},"
	"  \"selectionRange\":{\"dynamicRegistration\":true},"
	"  \"formatting\":{\"dynamicRegistration\":true},"
	"  \"rangeFormatting\":{\"dynamicRegistration\":true},"
	"  \"rename\":{"
	"    \"dynamicRegistration\":true,"
	"    \"prepareSupport\":true,"
	"    \"prepareSupportDefaultBehavior\":1,"
	"    \"honorsChangeAnnotations\":true}},"
	"\"experimental\":{\"serverStatusNotification\":true}"
	"}";

json *caps_client(void)
{
	struct err e = ERR_INIT;
	json *v = json_parse(str_of(client), &e), *retried;

	if (!v)
		BUG("the client capabilities: %s", e.msg);
	retried = json_array();
	for (int f = 0; f < LSP_FEATURES; f++)
		json_push(retried, json_strz(features[f].method));
	json_put((json *)json_get(v, "general.staleRequestSupport"), "retryOnContentModified",
		 retried);
	return v;
}

/* A provider is true, or an object of options. */
static bool provides(const json *provider)
{
	return json_true(provider) || json_is(provider, JSON_OBJECT);
}

static void read_rename(struct caps *c, const json *options)
{
	if (json_get_bool(options, "prepareProvider", false))
		c->can[LSP_PREPARE_RENAME] = true;
}

static void read_actions(struct caps *c, const json *options)
{
	if (json_get_bool(options, "resolveProvider", false))
		c->can[LSP_RESOLVE_ACTION] = true;
}

static void read_pull(struct caps *c, const json *options)
{
	struct str id = json_get_str(options, "identifier");

	if (id.n)
		c->diagnostic_id = id.p;
	if (json_get_bool(options, "workspaceDiagnostics", false))
		c->can[LSP_SURVEY] = true;
}

static enum sync_kind sync_kind(int64_t n)
{
	return n == 1 ? SYNC_FULL : n == 2 ? SYNC_INCREMENTAL : SYNC_NONE;
}

/* A number says no more than the kind, and means that the rest is wanted with it. */
static void read_sync(struct caps *c, const json *sync)
{
	if (json_is(sync, JSON_NUMBER)) {
		c->sync = sync_kind(json_number(sync));
		c->open_close = c->save = c->sync != SYNC_NONE;
		return;
	}
	c->sync = sync_kind(json_get_int(sync, "change", 0));
	c->open_close = json_get_bool(sync, "openClose", false);
	c->save = provides(json_get(sync, "save"));
	c->save_text = json_get_bool(json_get(sync, "save"), "includeText", false);
}

/* What can be registered beside the features. */
enum { FILES = LSP_FEATURES, OPENED, CHANGED, SAVED, OTHER };

struct registration {
	int what; /* an lsp_feature, or one of the above: looked up once, for there may be many */
	json *item;
};

static int what_is(struct str method)
{
	static const char *const others[] = {
		"workspace/didChangeWatchedFiles",
		"textDocument/didOpen",
		"textDocument/didChange",
		"textDocument/didSave",
	};

	for (int f = 0; f < LSP_FEATURES; f++)
		if (str_eq(method, str_of(features[f].method)))
			return f;
	for (int i = FILES; i < OTHER; i++)
		if (str_eq(method, str_of(others[i - FILES])))
			return i;
	return OTHER;
}

static void apply(struct caps *c, const struct registration *r)
{
	const json *options = json_get(r->item, "registerOptions");

	if (r->what < LSP_FEATURES)
		c->can[r->what] = true;
	if (r->what == LSP_RENAME)
		read_rename(c, options);
	else if (r->what == LSP_CODE_ACTIONS)
		read_actions(c, options);
	else if (r->what == LSP_PULL_DIAGNOSTICS)
		read_pull(c, options);
	else if (r->what == FILES)
		c->watches = true;
	else if (r->what == OPENED)
		c->open_close = true;
	else if (r->what == CHANGED)
		c->sync = sync_kind(json_get_int(options, "syncKind", 0));
	else if (r->what == SAVED) {
		c->save = true;
		c->save_text = c->save_text || json_get_bool(options, "includeText", false);
	}
}

/* Everything but the encoding, which is agreed on once. */
static void work_out(struct caps *c)
{
	for (int f = 0; f < LSP_FEATURES; f++)
		c->can[f] =
			*features[f].provider && provides(json_get(c->said, features[f].provider));
	c->watches = c->open_close = c->save = c->save_text = false;
	c->diagnostic_id = NULL;
	read_rename(c, json_get(c->said, "renameProvider"));
	read_actions(c, json_get(c->said, "codeActionProvider"));
	read_pull(c, json_get(c->said, "diagnosticProvider"));
	read_sync(c, json_get(c->said, "textDocumentSync"));
	map_each(it, &c->registrations)
		apply(c, it.value);
}

static bool read_encoding(struct caps *c, const json *result, struct err *e)
{
	static const char *const names[] = { "utf-8", "utf-16", "utf-32" };
	struct str name = json_get_str(result, "capabilities.positionEncoding");

	if (!name.n)
		name = json_get_str(result, "offsetEncoding");
	c->enc = POS_UTF16;
	for (int i = POS_UTF8; i <= POS_UTF32; i++)
		if (str_eq(name, str_of(names[i]))) {
			c->enc = (enum pos_enc)i;
			return true;
		}
	return !name.n || err_set(e, ERR_PROTOCOL, "the position encoding \"%.*s\" was not offered",
				  STR_ARG(name));
}

bool caps_read(struct caps *c, const json *result, struct err *e)
{
	caps_release(c);
	if (!json_is(json_get(result, "capabilities"), JSON_OBJECT))
		return err_set(e, ERR_PROTOCOL, "the answer to initialize has no capabilities");
	if (!read_encoding(c, result, e))
		return false;
	c->said = json_copy(json_get(result, "capabilities"));
	work_out(c);
	return true;
}

static void put_key(struct buf *key, const json *item)
{
	buf_clear(key);
	buf_add(key, json_get_str(item, "id"));
	buf_addc(key, '\0');
	buf_add(key, json_get_str(item, "method"));
}

static bool caps_drop(struct caps *c, struct str key)
{
	struct registration *r SCOPED(mem_release) = map_take(&c->registrations, key);

	if (!r)
		return false;
	json_free(r->item);
	return true;
}

/* One that is new adds to what is there; what takes another's place may also take away. */
void caps_register(struct caps *c, const json *params)
{
	struct buf key SCOPED(buf_release) = BUF_INIT;
	bool replaced = false;

	json_each(item, json_get(params, "registrations")) {
		struct registration *r;

		put_key(&key, item);
		replaced |= caps_drop(c, buf_str(&key)); /* said twice, it would outlive its end */
		if (map_count(&c->registrations) >= REGISTRATIONS_MOST)
			continue;
		r = mem_new(sizeof(*r));
		*r = (struct registration){ what_is(json_get_str(item, "method")),
					    json_copy(item) };
		map_put(&c->registrations, buf_str(&key), r);
		apply(c, r);
	}
	if (replaced)
		work_out(c);
}

void caps_unregister(struct caps *c, const json *params)
{
	/* the protocol spells the first so */
	static const char *const lists[] = { "unregisterations", "unregistrations" };
	struct buf key SCOPED(buf_release) = BUF_INIT;
	bool gone = false;

	for (size_t i = 0; i < 2; i++)
		json_each(item, json_get(params, lists[i])) {
			put_key(&key, item);
			gone |= caps_drop(c, buf_str(&key));
		}
	if (gone)
		work_out(c);
}

static bool caps_names(const json *options, struct str command)
{
	json_each(name, json_get(options, "commands"))
		if (str_eq(json_text(name), command))
			return true;
	return false;
}

bool caps_executes(const struct caps *c, struct str command)
{
	if (caps_names(json_get(c->said, "executeCommandProvider"), command))
		return true;
	map_each(it, &c->registrations) {
		const struct registration *r = it.value;

		if (r->what == LSP_EXECUTE &&
		    caps_names(json_get(r->item, "registerOptions"), command))
			return true;
	}
	return false;
}

void caps_release(struct caps *c)
{
	map_each(it, &c->registrations) {
		struct registration *r = it.value;

		json_free(r->item);
		free(r);
	}
	map_release(&c->registrations);
	json_free(c->said);
	*c = (struct caps){ .enc = POS_UTF16 };
}
