#include "ide_impl.h"

/*
 * What Gemini CLI asks an IDE for. openDiff is answered at once, and what comes of the review is
 * told later, under the path; closeDiff is how it says that the user has answered in the terminal.
 */
static void gemini_tell(struct ide_call *c, const char *method, json *text)
{
	json *params = json_of({ "filePath", json_str(json_get_str(c->args, "filePath")) },
			       { "content", text });

	peer_notify(mcp_peer(c->client->mcp), method, params);
	ide_call_free(c);
}

static void gemini_rejected(struct ide_call *c, struct str path)
{
	(void)path;
	if (ide_diff_is_silent(c))
		ide_call_free(c);
	else
		gemini_tell(c, "ide/diffRejected", NULL);
}

/* An empty text it takes for none, and writes what it wanted to. */
static void gemini_accepted(struct ide_call *c, struct str text)
{
	struct nvim *n = c->client->ide->nvim;

	if (text.n || !json_get_str(c->args, "newContent").n) {
		gemini_tell(c, "ide/diffAccepted", json_str(text));
		return;
	}
	nvim_say(n, "warn", "gemini cannot be told to leave the file empty: the change is refused");
	gemini_tell(c, "ide/diffRejected", NULL);
}

static void gemini_open_diff(struct ide_call *c)
{
	const struct str path = json_get_str(c->args, "filePath");
	const struct ide_diff_spec spec = { path, json_get_str(c->args, "newContent"), path,
					    gemini_accepted, gemini_rejected };

	if (!path.n || !json_is(json_get(c->args, "newContent"), JSON_STRING)) {
		ide_call_fail(c, "openDiff needs filePath and newContent");
		return;
	}
	mcp_done(c->request, json_of({ "content", json_array() }));
	c->request = NULL;
	ide_diff_open(c, &spec);
}

/* What the user has made of it until now is not told: they have agreed to the whole. */
static void gemini_close_diff(struct ide_call *c)
{
	struct str path = json_get_str(c->args, "filePath");

	ide_close_diffs(c->client, &path, true);
	ide_call_done(c, "{\"content\":null}", (struct str){ 0 });
}

static const struct ide_tool gemini_tools[] = {
	{ "openDiff", "Show the user a change to a file",
	  "{\"type\":\"object\",\"properties\":{\"filePath\":{\"type\":\"string\"},"
	  "\"newContent\":{\"type\":\"string\"}},\"required\":[\"filePath\",\"newContent\"]}",
	  gemini_open_diff },
	{ "closeDiff", "Close the diff that openDiff has opened",
	  "{\"type\":\"object\",\"properties\":{\"filePath\":{\"type\":\"string\"},"
	  "\"suppressNotification\":{\"type\":\"boolean\"}},\"required\":[\"filePath\"]}",
	  gemini_close_diff },
	{ 0 },
};

const struct ide_kind ide_gemini = { .agent = "gemini",
				     .title = "Gemini CLI",
				     .tools = gemini_tools,
				     .event = "BeforeTool",
				     .write = "write_file",
				     .instead = "tool_input",
				     .connect = ide_http_connect,
				     .lock = ide_http_lock,
				     .wake = ide_http_wake,
				     .stop = ide_http_stop,
				     .free = ide_http_free };
