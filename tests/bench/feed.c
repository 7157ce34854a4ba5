/*
 * A language server that knows two things by heart, so that nothing but the client is measured:
 *
 *     feed FOLDER
 *
 * answers textDocument/formatting with what stands in FOLDER/formatting.json, and publishes the
 * list in FOLDER/diagnostics.json, where there is one, for each text that it is shown.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/jscan.h"
#include "base/mem.h"
#include "wire/codec.h"

struct feed {
	struct buf formatting, diagnostics;
};

static void slurp(struct buf *out, const char *folder, const char *name)
{
	struct buf path = BUF_INIT;
	size_t n;
	FILE *f;

	buf_addf(&path, "%s/%s", folder, name);
	f = fopen(path.p, "rb");
	while (f && (n = fread(buf_room(out, 1 << 16), 1, 1 << 16, f)) > 0)
		out->n += n;
	if (f)
		fclose(f);
	if (out->n)
		buf_end(out);
	buf_release(&path);
}

static void say(struct buf *body)
{
	struct buf whole = BUF_INIT;

	buf_addf(&whole, "Content-Length: %zu\r\n\r\n", body->n);
	buf_add(&whole, buf_str(body));
	for (size_t at = 0; at < whole.n;) {
		ssize_t n = write(1, whole.p + at, whole.n - at);

		if (n <= 0)
			exit(0);
		at += (size_t)n;
	}
	buf_release(&whole);
	buf_release(body);
}

static void reply(const struct msg *m, struct str result)
{
	struct buf body = BUF_INIT, id = BUF_INIT;

	json_print(&id, m->id);
	buf_addf(&body, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":", id.p);
	buf_add(&body, result);
	buf_adds(&body, "}");
	say(&body);
	buf_release(&id);
}

/* What document a notification is about; the text and its changes, which may be megabytes, are
 * passed over. */
static json *document(const struct msg *m)
{
	struct err e = ERR_INIT;
	struct jscan s = jscan_of(m->raw, &e);
	struct str key;

	for (jscan_object(&s); jscan_member(&s, &key); jscan_skip(&s))
		if (str_eq(key, STR("textDocument")))
			return json_parse(jscan_raw(&s), &e);
	return NULL;
}

static void publish(const struct feed *f, const struct msg *m)
{
	struct buf body = BUF_INIT;
	json *about;

	if (!f->diagnostics.n || !(about = document(m)))
		return;
	buf_adds(&body, "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/publishDiagnostics\","
			"\"params\":{\"uri\":");
	json_quote(&body, json_get_str(about, "uri"));
	buf_addf(&body, ",\"version\":%lld,\"diagnostics\":",
		 (long long)json_get_int(about, "version", 0));
	buf_add(&body, buf_str(&f->diagnostics));
	buf_adds(&body, "}}");
	say(&body);
	json_free(about);
}

static void obey(const struct feed *f, struct msg *m)
{
	if (m->kind == MSG_REQUEST) {
		if (str_eq(m->method, STR("initialize")))
			reply(m, STR("{\"capabilities\":{\"textDocumentSync\":2,"
				     "\"documentFormattingProvider\":true},"
				     "\"serverInfo\":{\"name\":\"feed\"}}"));
		else if (str_eq(m->method, STR("textDocument/formatting")))
			reply(m, buf_str(&f->formatting));
		else
			reply(m, STR("null"));
	} else if (str_eq(m->method, STR("exit"))) {
		exit(0);
	} else if (str_eq(m->method, STR("textDocument/didOpen")) ||
		   str_eq(m->method, STR("textDocument/didChange"))) {
		publish(f, m);
	}
}

int main(int argc, char **argv)
{
	struct feed f = { 0 };
	struct buf in = BUF_INIT;
	struct codec_mark mark = { 0 };
	struct err e = ERR_INIT;
	ssize_t n;

	if (argc != 2)
		return 2;
	slurp(&f.formatting, argv[1], "formatting.json");
	slurp(&f.diagnostics, argv[1], "diagnostics.json");
	while ((n = read(0, buf_room(&in, 1 << 16), 1 << 16)) > 0) {
		struct str left;
		struct msg m = { 0 };

		in.n += (size_t)n;
		left = buf_str(&in);
		while (codec_headers.take(&left, &mark, (size_t)1 << 30, &m, &e) == CODEC_MSG) {
			obey(&f, &m);
			msg_release(&m);
			m = (struct msg){ 0 };
		}
		buf_drop(&in, in.n - left.n);
	}
	buf_release(&in);
	buf_release(&f.formatting);
	buf_release(&f.diagnostics);
	return e.code ? 1 : 0;
}
