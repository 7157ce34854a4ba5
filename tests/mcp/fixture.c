/*
 * The tools, resources and prompts by name that the conformance suite of MCP asks for, served by
 * the code that serves Oxide's own: what is shown is the protocol, not the tools.
 */
#include <stdio.h>
#include <unistd.h>

#include "front/mcp_stdio.h"
#include "io/loop.h"

#define PIXEL                                                                                      \
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5"  \
	"ErkJggg=="
#define SILENCE "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="

#define TEXT(words) "{\"type\":\"text\",\"text\":\"" words "\"}"
#define IMAGE	    "{\"type\":\"image\",\"data\":\"" PIXEL "\",\"mimeType\":\"image/png\"}"
#define RESOURCE(uri, words)                                                                       \
	"{\"type\":\"resource\",\"resource\":{\"uri\":\"" uri "\",\"mimeType\":\"text/plain\","    \
	"\"text\":\"" words "\"}}"
#define USER(content) "{\"role\":\"user\",\"content\":" content "}"

struct fixture {
	struct mcp_stdio io;
};

static void done(struct fixture *f, struct mcp_request *r, const char *text)
{
	struct err e = ERR_INIT;
	json *v = json_parse(str_of(text), &e);

	if (!v)
		BUG("%s: %s", e.msg, text);
	mcp_done(r, v);
	mcp_stdio_wake(&f->io);
}

static void say(struct fixture *f, struct mcp_request *r, const char *words, bool is_error)
{
	mcp_done(r, mcp_text(str_of(words), is_error));
	mcp_stdio_wake(&f->io);
}

static void log_some(struct fixture *f, struct mcp_request *r)
{
	mcp_log(f->io.mcp, MCP_INFO, STR("Tool execution started"));
	mcp_log(f->io.mcp, MCP_INFO, STR("Tool processing data"));
	mcp_log(f->io.mcp, MCP_INFO, STR("Tool execution completed"));
	say(f, r, "logged", false);
}

static void progress(struct fixture *f, struct mcp_request *r)
{
	mcp_progress(r, STR("a third"));
	mcp_progress(r, STR("two thirds"));
	mcp_progress(r, STR("all"));
	say(f, r, "progressed", false);
}

static void fail(struct fixture *f, struct mcp_request *r)
{
	say(f, r, "This tool intentionally returns an error for testing", true);
}

static void tell_verdict(void *arg, enum mcp_action action)
{
	struct mcp_request *r = arg;

	say(mcp_get(r), r, action == MCP_ACCEPT ? "state-ok: accepted" : "not accepted", false);
}

static void ask(struct fixture *f, struct mcp_request *r)
{
	enum mcp_action action = MCP_CANCEL;
	enum mcp_asked how;

	mcp_set(r, f);
	how = mcp_ask(r, STR("Please confirm"), STR("the fixture"), &action, tell_verdict, r);
	if (how == MCP_ANSWERED)
		tell_verdict(r, action);
	else if (how != MCP_ASKED)
		say(f, r, "nobody can be asked", true);
}

/* What is called either answers with a fixed result or does something. */
static const struct {
	const char *name, *content;
	void (*run)(struct fixture *f, struct mcp_request *r);
} fixtures[] = {
	{ "test_simple_text", TEXT("This is a simple text response for testing."), NULL },
	{ "test_image_content", IMAGE, NULL },
	{ "test_audio_content",
	  "{\"type\":\"audio\",\"data\":\"" SILENCE "\",\"mimeType\":\"audio/wav\"}", NULL },
	{ "test_embedded_resource",
	  RESOURCE("test://embedded-resource", "This is an embedded resource content."), NULL },
	{ "test_multiple_content_types",
	  TEXT("Multiple content types test:") "," IMAGE
					       "," RESOURCE("test://mixed-content-resource",
							    "{\\\"test\\\":\\\"data\\\"}"),
	  NULL },
	{ "test_tool_with_logging", NULL, log_some },
	{ "test_logging_tool", NULL, log_some },
	{ "test_tool_with_progress", NULL, progress },
	{ "test_error_handling", NULL, fail },
	{ "test_elicitation", NULL, ask },
	{ "test_streaming_elicitation", NULL, ask },
	{ "test_input_required_result_elicitation", NULL, ask },
	{ "test_input_required_result_request_state", NULL, ask },
	{ "test_input_required_result_tampered_state", NULL, ask },
};
#define FIXTURES (sizeof(fixtures) / sizeof(fixtures[0]))

static const struct {
	const char *uri, *type, *member, *value;
} resources[] = {
	{ "test://static-text", "text/plain", "text",
	  "This is the content of the static text resource." },
	{ "test://static-binary", "image/png", "blob", PIXEL },
	{ "test://watched-resource", "text/plain", "text", "Watched resource content" },
};
#define RESOURCES (sizeof(resources) / sizeof(resources[0]))

static json *named(json *list, const char *key, const char *value, const char *doc)
{
	json *row = json_push(list, json_object());

	json_put(row, "name", json_strz(value));
	json_put(row, key, json_strz(value));
	json_put(row, "description", json_strz(doc));
	return row;
}

static json *list_tools(void *self)
{
	json *list = json_array();

	(void)self;
	for (size_t i = 0; i < FIXTURES; i++) {
		json *row = named(list, "title", fixtures[i].name, "a fixture");

		json_put(json_put(row, "inputSchema", json_object()), "type", json_strz("object"));
	}
	return list;
}

static json *list_resources(void *self)
{
	json *list = json_array();

	(void)self;
	for (size_t i = 0; i < RESOURCES; i++)
		json_put(named(list, "uri", resources[i].uri, "a fixture"), "mimeType",
			 json_strz(resources[i].type));
	return list;
}

static json *list_templates(void *self)
{
	json *list = json_array();

	(void)self;
	named(list, "uriTemplate", "test://template/{id}/data", "a fixture");
	return list;
}

static const char *const prompts[] = { "test_simple_prompt", "test_prompt_with_arguments",
				       "test_prompt_with_embedded_resource",
				       "test_prompt_with_image" };

static json *list_prompts(void *self)
{
	json *list = json_array();

	(void)self;
	for (size_t i = 0; i < sizeof(prompts) / sizeof(prompts[0]); i++)
		named(list, "title", prompts[i], "a fixture");
	return list;
}

static void call(void *self, struct mcp_request *r, struct str name, struct str args)
{
	struct fixture *f = self;
	struct buf text = BUF_INIT;

	(void)args;
	for (size_t i = 0; i < FIXTURES; i++) {
		if (!str_eq(name, str_of(fixtures[i].name)))
			continue;
		if (fixtures[i].run) {
			fixtures[i].run(f, r);
			return;
		}
		buf_addf(&text, "{\"content\":[%s]}", fixtures[i].content);
		done(f, r, text.p);
		buf_release(&text);
		return;
	}
	mcp_fail(r, MCP_INVALID_PARAMS, "there is no such fixture");
}

static void answer_resource(struct fixture *f, struct mcp_request *r, struct str uri,
			    const char *type, const char *member, const char *value)
{
	json *v = json_object(),
	     *row = json_push(json_put(v, "contents", json_array()), json_object());

	json_put(row, "uri", json_str(uri));
	json_put(row, "mimeType", json_strz(type));
	json_put(row, member, json_strz(value));
	mcp_done(r, v);
	mcp_stdio_wake(&f->io);
}

static void read_resource(void *self, struct mcp_request *r, struct str uri)
{
	struct str id = uri;
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < RESOURCES; i++)
		if (str_eq(uri, str_of(resources[i].uri))) {
			answer_resource(self, r, uri, resources[i].type, resources[i].member,
					resources[i].value);
			return;
		}
	if (str_skip(&id, STR("test://template/")) && str_ends(id, STR("/data"))) {
		id.n -= strlen("/data");
		buf_addf(&text, "{\"id\":\"%.*s\",\"templateTest\":true}", STR_ARG(id));
		answer_resource(self, r, uri, "application/json", "text", text.p);
		buf_release(&text);
		return;
	}
	mcp_fail(r, MCP_NO_RESOURCE, "there is no such fixture");
}

static void get_prompt(void *self, struct mcp_request *r, struct str name, struct str args)
{
	struct err e = ERR_INIT;
	struct buf text = BUF_INIT;
	json *v = json_parse(args, &e);

	buf_adds(&text, "{\"messages\":[");
	if (str_eq(name, STR("test_simple_prompt")))
		buf_adds(&text, USER(TEXT("This is a simple prompt for testing.")));
	else if (str_eq(name, STR("test_prompt_with_arguments")))
		buf_addf(&text, USER(TEXT("Prompt with arguments: arg1='%s', arg2='%s'")),
			 json_get_str(v, "arg1").p, json_get_str(v, "arg2").p);
	else if (str_eq(name, STR("test_prompt_with_embedded_resource")))
		buf_addf(&text,
			 USER(RESOURCE("%s", "Embedded resource content for testing.")) "," USER(
				 TEXT("Please process the embedded resource above.")),
			 json_get_str(v, "resourceUri").p);
	else
		buf_adds(&text, USER(IMAGE) "," USER(TEXT("Please analyze the image above.")));
	buf_adds(&text, "]}");
	done(self, r, text.p);
	buf_release(&text);
	json_free(v);
}

/* Only a question can be under way. */
static void cancel(void *self, struct mcp_request *r)
{
	say(self, r, "cancelled", true);
}

static void ended(void *arg)
{
	(void)arg; /* nothing is left in the loop */
}

int main(void)
{
	static const struct mcp_host host = {
		.name = "fixture",
		.title = "Fixture",
		.version = "1",
		.tools = list_tools,
		.resources = list_resources,
		.templates = list_templates,
		.prompts = list_prompts,
		.call = call,
		.read = read_resource,
		.prompt = get_prompt,
		.cancel = cancel,
	};
	static const struct mcp_limits limits = { 1 << 20, 100, 100, 100, 1000 };
	struct fixture f = { .io.linger = 1000 };
	struct err e = ERR_INIT;

	f.io.loop = loop_new(&e);
	f.io.ended = ended;
	if (!f.io.loop) {
		fprintf(stderr, "fixture: %s\n", e.msg);
		return 1;
	}
	f.io.mcp = mcp_new(&host, &limits, &f);
	if (!mcp_stdio_start(&f.io, &e)) {
		fprintf(stderr, "fixture: %s\n", e.msg);
		_exit(1);
	}
	loop_run(f.io.loop);
	mcp_free(f.io.mcp);
	loop_free(f.io.loop);
	return 0;
}
