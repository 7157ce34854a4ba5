#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "gen.h"
#include "lsp/caps.h"

static json *parse(const char *text)
{
	struct err e = ERR_INIT;
	json *v = json_parse(str_of(text), &e);

	if (!v)
		fail_msg("%s: %s", text, e.msg);
	return v;
}

static void read(struct caps *c, const char *result)
{
	struct err e = ERR_INIT;
	json *v = parse(result);

	if (!caps_read(c, v, &e))
		fail_msg("%s: %s", result, e.msg);
	json_free(v);
}

static void registered(struct caps *c, const char *params)
{
	json *v = parse(params);

	caps_register(c, v);
	json_free(v);
}

static void unregistered(struct caps *c, const char *params)
{
	json *v = parse(params);

	caps_unregister(c, v);
	json_free(v);
}

/* All that can be done, by name, then how documents are kept in step. */
static void show(const struct caps *c, const char *want)
{
	static const char *const kinds[] = { "none", "full", "incremental" };
	struct buf out = BUF_INIT;

	for (int f = 0; f < LSP_FEATURES; f++)
		if (c->can[f])
			buf_addf(&out, "%s, ", lsp_feature_name((enum lsp_feature)f));
	buf_adds(&out, kinds[c->sync]);
	buf_addf(&out, "%s%s%s%s", c->open_close ? " open" : "", c->save ? " save" : "",
		 c->save_text ? " text" : "", c->watches ? " watches" : "");
	assert_text(buf_str(&out), str_of(want));
	buf_release(&out);
}

static void test_names(void **state)
{
	(void)state;
	for (int f = 0; f < LSP_FEATURES; f++) {
		assert_non_null(strchr(lsp_method((enum lsp_feature)f), '/'));
		assert_true(strlen(lsp_feature_name((enum lsp_feature)f)) > 0);
	}
	assert_string_equal(lsp_method(LSP_RENAME), "textDocument/rename");
	assert_string_equal(lsp_method(LSP_WORKSPACE_SYMBOLS), "workspace/symbol");
}

static void test_client(void **state)
{
	json *v = caps_client();
	struct buf out = BUF_INIT;

	(void)state;
	json_print(&out, json_get(v, "general.positionEncodings"));
	json_print(&out, json_get(v, "offsetEncoding"));
	json_print(&out, json_get(v, "workspace.workspaceEdit.resourceOperations"));
	assert_string_equal(out.p, "[\"utf-8\",\"utf-16\",\"utf-32\"][\"utf-8\",\"utf-16\"]"
				   "[\"create\",\"rename\",\"delete\"]");
	assert_text(json_get_str(v, "workspace.workspaceEdit.failureHandling"),
		    STR("transactional"));
	assert_true(json_get_bool(v, "textDocument.rename.prepareSupport", false));
	assert_true(json_get_bool(v,
				  "textDocument.documentSymbol.hierarchicalDocumentSymbolSupport",
				  false));
	assert_true(json_get_bool(v, "textDocument.diagnostic.dynamicRegistration", false));
	assert_int_equal(json_len(
				 json_get(v, "general.staleRequestSupport.retryOnContentModified")),
			 LSP_FEATURES);
	assert_int_equal(json_len(json_get(v, "workspace.symbol.symbolKind.valueSet")), 26);
	buf_release(&out);
	json_free(v);
}

static void encoding(const char *result, enum pos_enc want)
{
	struct caps c = { 0 };

	read(&c, result);
	assert_int_equal(c.enc, want);
	caps_release(&c);
}

static void refuse(const char *result, const char *what)
{
	struct caps c = { 0 };
	struct err e = ERR_INIT;
	json *v = parse(result);

	assert_false(caps_read(&c, v, &e));
	assert_int_equal(e.code, ERR_PROTOCOL);
	if (!strstr(e.msg, what))
		fail_msg("\"%s\" does not say \"%s\"", e.msg, what);
	caps_release(&c);
	json_free(v);
}

static void test_encoding(void **state)
{
	(void)state;
	encoding("{\"capabilities\":{}}", POS_UTF16);
	encoding("{\"capabilities\":{\"positionEncoding\":\"utf-8\"}}", POS_UTF8);
	encoding("{\"capabilities\":{\"positionEncoding\":\"utf-16\"}}", POS_UTF16);
	encoding("{\"capabilities\":{\"positionEncoding\":\"utf-32\"}}", POS_UTF32);
	encoding("{\"capabilities\":{},\"offsetEncoding\":\"utf-8\"}", POS_UTF8);
	encoding(
		"{\"capabilities\":{\"positionEncoding\":\"utf-16\"},\"offsetEncoding\":\"utf-8\"}",
		POS_UTF16);
	refuse("{\"capabilities\":{\"positionEncoding\":\"utf-7\"}}", "\"utf-7\" was not offered");
	refuse("{\"capabilities\":{},\"offsetEncoding\":\"latin1\"}", "latin1");
	refuse("{}", "no capabilities");
	refuse("null", "no capabilities");
	refuse("{\"capabilities\":[]}", "no capabilities");
}

static void test_providers(void **state)
{
	struct caps c = { 0 };

	(void)state;
	read(&c,
	     "{\"capabilities\":{\"definitionProvider\":true,\"typeDefinitionProvider\":{},"
	     "\"implementationProvider\":false,\"referencesProvider\":{\"workDoneProgress\":true},"
	     "\"hoverProvider\":null,\"documentSymbolProvider\":true,\"workspaceSymbolProvider\":"
	     "true,\"documentFormattingProvider\":true,\"documentRangeFormattingProvider\":true,"
	     "\"renameProvider\":true,\"textDocumentSync\":2}}");
	show(&c, "definition, type definition, references, document symbols, workspace symbols, "
		 "rename, formatting, range formatting, incremental open save");
	read(&c, "{\"capabilities\":{\"renameProvider\":{\"prepareProvider\":true},"
		 "\"diagnosticProvider\":{\"identifier\":\"x\",\"interFileDependencies\":true}}}");
	show(&c, "rename, rename preparation, pull diagnostics, none");
	assert_string_equal(c.diagnostic_id, "x");
	read(&c, "{\"capabilities\":{\"diagnosticProvider\":{\"workspaceDiagnostics\":true}}}");
	show(&c, "pull diagnostics, workspace diagnostics, none");
	read(&c, "{\"capabilities\":{\"renameProvider\":{\"prepareProvider\":false}}}");
	show(&c, "rename, none");
	assert_null(c.diagnostic_id);
	caps_release(&c);
}

static void sync_is(const char *sync, const char *want)
{
	struct caps c = { 0 };
	struct buf text = BUF_INIT;

	buf_addf(&text, "{\"capabilities\":{\"textDocumentSync\":%s}}", sync);
	read(&c, text.p);
	show(&c, want);
	caps_release(&c);
	buf_release(&text);
}

static void test_sync(void **state)
{
	(void)state;
	sync_is("0", "none");
	sync_is("1", "full open save");
	sync_is("2", "incremental open save");
	sync_is("9", "none");
	sync_is("null", "none");
	sync_is("{}", "none");
	sync_is("{\"openClose\":true,\"change\":1}", "full open");
	sync_is("{\"openClose\":true,\"change\":2,\"save\":true}", "incremental open save");
	sync_is("{\"openClose\":true,\"change\":2,\"save\":false}", "incremental open");
	sync_is("{\"openClose\":true,\"change\":2,\"save\":{}}", "incremental open save");
	sync_is("{\"openClose\":true,\"save\":{\"includeText\":true}}", "none open save text");
}

static void test_registration(void **state)
{
	struct caps c = { 0 };

	(void)state;
	read(&c, "{\"capabilities\":{\"hoverProvider\":true,\"textDocumentSync\":1}}");
	show(&c, "hover, full open save");
	registered(&c, "{\"registrations\":["
		       "{\"id\":\"a.b\",\"method\":\"textDocument/rename\","
		       "\"registerOptions\":{\"prepareProvider\":true}},"
		       "{\"id\":\"2\",\"method\":\"workspace/didChangeWatchedFiles\","
		       "\"registerOptions\":{\"watchers\":[]}},"
		       "{\"id\":\"3\",\"method\":\"textDocument/hover\"},"
		       "{\"id\":\"4\",\"method\":\"textDocument/didChange\","
		       "\"registerOptions\":{\"syncKind\":2}},"
		       "{\"id\":\"5\",\"method\":\"textDocument/didSave\","
		       "\"registerOptions\":{\"includeText\":true}},"
		       "{\"id\":\"6\",\"method\":\"textDocument/diagnostic\","
		       "\"registerOptions\":{\"identifier\":\"id\"}},"
		       "{\"id\":\"7\",\"method\":\"unknown/thing\"}]}");
	show(&c, "hover, rename, rename preparation, pull diagnostics, incremental open save text "
		 "watches");
	assert_string_equal(c.diagnostic_id, "id");
	/* hover was there without it, so it stays */
	unregistered(&c, "{\"unregisterations\":[{\"id\":\"3\",\"method\":\"textDocument/hover\"},"
			 "{\"id\":\"a.b\",\"method\":\"textDocument/rename\"},"
			 "{\"id\":\"2\",\"method\":\"workspace/didChangeWatchedFiles\"},"
			 "{\"id\":\"nobody\",\"method\":\"textDocument/didSave\"}]}");
	show(&c, "hover, pull diagnostics, incremental open save text");
	unregistered(&c,
		     "{\"unregisterations\":[{\"id\":\"4\",\"method\":\"textDocument/didChange\"},"
		     "{\"id\":\"5\",\"method\":\"textDocument/didSave\"},"
		     "{\"id\":\"6\",\"method\":\"textDocument/diagnostic\"}]}");
	show(&c, "hover, full open save");
	assert_null(c.diagnostic_id);
	caps_release(&c);
}

/* The same id twice, two ids for one method, rubbish, and far too many. */
static void test_registration_odd(void **state)
{
	struct caps c = { 0 };
	struct buf many = BUF_INIT;

	(void)state;
	read(&c, "{\"capabilities\":{}}");
	registered(&c, "{\"registrations\":[{\"id\":\"1\",\"method\":\"textDocument/rename\"},"
		       "{\"id\":\"1\",\"method\":\"textDocument/rename\"},"
		       "{\"id\":\"2\",\"method\":\"textDocument/rename\"}]}");
	unregistered(&c,
		     "{\"unregisterations\":[{\"id\":\"1\",\"method\":\"textDocument/rename\"}]}");
	show(&c, "rename, none");
	unregistered(&c,
		     "{\"unregisterations\":[{\"id\":\"2\",\"method\":\"textDocument/rename\"}]}");
	show(&c, "none");
	registered(&c, "null");
	registered(&c, "{\"registrations\":7}");
	registered(&c, "{\"registrations\":[7,null,{\"id\":7},[]]}");
	unregistered(&c, "[]");
	show(&c, "none");
	buf_adds(&many, "{\"registrations\":[{\"id\":\"x\",\"method\":\"textDocument/hover\"}");
	for (int i = 0; i < 3000; i++)
		buf_addf(&many, ",{\"id\":\"%d\",\"method\":\"m\"}", i);
	buf_adds(&many, "]}");
	registered(&c, many.p);
	show(&c, "hover, none");
	assert_true(map_count(&c.registrations) <= 500);
	buf_release(&many);
	caps_release(&c);
}

/* Whatever a server says, and however often: no message costs more than itself. */
static void test_registration_storm(void **state)
{
	struct caps c = { 0 };
	char text[160];

	(void)state;
	for (int i = 0; i < 50000; i++) {
		snprintf(text, sizeof(text),
			 "{\"registrations\":[{\"id\":\"%d\",\"method\":\"textDocument/hover\"}]}",
			 i);
		registered(&c, text);
	}
	assert_int_equal(map_count(&c.registrations), 500);
	for (int i = 0; i < 50000; i++) /* the same ones again and again */
		registered(
			&c,
			"{\"registrations\":[{\"id\":\"7\",\"method\":\"textDocument/hover\"}]}");
	assert_int_equal(map_count(&c.registrations), 500);
	assert_true(c.can[LSP_HOVER]);
	caps_release(&c);
}

static void test_commands(void **state)
{
	struct caps c = { 0 };

	(void)state;
	read(&c, "{\"capabilities\":{\"codeActionProvider\":{\"resolveProvider\":true},"
		 "\"executeCommandProvider\":{\"commands\":[\"a\"]}}}");
	assert_true(c.can[LSP_RESOLVE_ACTION]);
	assert_true(caps_executes(&c, STR("a")));
	assert_false(caps_executes(&c, STR("b")));
	assert_false(caps_executes(&c, STR("")));
	registered(&c, "{\"registrations\":[{\"id\":\"1\",\"method\":\"workspace/executeCommand\","
		       "\"registerOptions\":{\"commands\":[\"b\"]}}]}");
	assert_true(caps_executes(&c, STR("b")));
	unregistered(&c, "{\"unregisterations\":[{\"id\":\"1\","
			 "\"method\":\"workspace/executeCommand\"}]}");
	assert_false(caps_executes(&c, STR("b")));
	read(&c, "{\"capabilities\":{\"codeActionProvider\":true}}");
	assert_false(c.can[LSP_RESOLVE_ACTION]);
	caps_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_registration_storm),
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_client),
		cmocka_unit_test(test_encoding),
		cmocka_unit_test(test_providers),
		cmocka_unit_test(test_sync),
		cmocka_unit_test(test_registration),
		cmocka_unit_test(test_registration_odd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
