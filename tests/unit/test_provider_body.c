#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gen.h"
#include "llm/provider.h"
#include "llm/schema.h"

/* What reaches each provider of one conversation: the person asks with a text of the editor, the
 * model thinks and calls two tools, one of which fails. */

static void put(struct chat_message *m, struct chat_part part)
{
	chat_put(m, &part);
}

static void converse(struct chat *c, const char *format)
{
	struct chat_message *m;

	chat_init(c);
	m = chat_add(c, CHAT_PERSON);
	put(m, (struct chat_part){ .kind = CHAT_TEXT, .text = STR("Old") });
	put(m, (struct chat_part){ .kind = CHAT_SHOWN, .name = STR("o.c"), .text = STR("1: o\n") });
	m = chat_add(c, CHAT_MODEL);
	put(m, (struct chat_part){ .kind = CHAT_TEXT, .text = STR("Yes") });
	m = chat_add(c, CHAT_PERSON);
	put(m, (struct chat_part){ .kind = CHAT_TEXT, .text = STR("Rename \xff") });
	put(m, (struct chat_part){ .kind = CHAT_SHOWN,
				   .name = STR("a.c, lines 1 to 2"),
				   .text = STR("1: int x;\n2: \n") });
	m = chat_add(c, CHAT_MODEL);
	chat_set_format(m, str_of(format));
	put(m, (struct chat_part){ .kind = CHAT_THOUGHT,
				   .text = STR("hm"),
				   .kept = STR("{\"type\":\"reasoning\",\"id\":\"r\"}") });
	put(m, (struct chat_part){ .kind = CHAT_TEXT, .text = STR("I do.") });
	put(m, (struct chat_part){ .kind = CHAT_CALL,
				   .id = STR("c1"),
				   .name = STR("read"),
				   .text = STR("{\"n\":1}") });
	put(m, (struct chat_part){
		       .kind = CHAT_CALL, .id = STR("c2"), .name = STR("read"), .kept = STR("S") });
	m = chat_add(c, CHAT_TOOLS);
	put(m, (struct chat_part){ .kind = CHAT_RESULT,
				   .id = STR("c1"),
				   .name = STR("read"),
				   .text = STR("one") });
	put(m, (struct chat_part){ .kind = CHAT_RESULT,
				   .id = STR("c2"),
				   .name = STR("read"),
				   .text = STR("no such file"),
				   .failed = true });
}

static json *parse(const char *text)
{
	struct err e = ERR_INIT;
	json *v = json_parse(str_of(text), &e);

	if (!v)
		fail_msg("%s: %s", e.msg, text);
	return v;
}

static json *tools(void)
{
	return parse("[{\"name\":\"read\",\"description\":\"Reads\",\"schema\":"
		     "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"},"
		     "\"how\":{\"type\":\"string\",\"enum\":[\"a\"]}},\"required\":[\"n\"]}}]");
}

/* The last message of `format`, whose own thoughts go back; another one's do not. */
static void assert_body(const char *name, const char *format, bool strict, const char *want)
{
	struct prompt_limits limits = { .old_result = 1000 };
	struct buf body = BUF_INIT, tidy = BUF_INIT;
	json *list = tools(), *extra = parse("{\"seed\":7}"), *expected = parse(want);
	struct llm_options o = { .model = STR("m-1"),
				 .tools = list,
				 .strict = strict,
				 .effort = "low",
				 .max_tokens = 100,
				 .cache_id = STR("k"),
				 .extra = extra };
	struct err e = ERR_INIT;
	const struct provider *p = provider_find(str_of(name), &e);
	struct prompt prompt;
	struct chat c;

	converse(&c, format);
	assert_true(prompt_build(&prompt, &c, STR("Be brief."), &limits, &e));
	provider_body(p, &prompt, &o, &body);
	json_print(&tidy, expected);
	assert_text(buf_str(&body), buf_str(&tidy));
	buf_release(&body);
	buf_release(&tidy);
	json_free(list);
	json_free(extra);
	json_free(expected);
	prompt_release(&prompt);
	chat_release(&c);
}

#define SCHEMA                                                                                     \
	"{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"},"                       \
	"\"how\":{\"type\":\"string\",\"enum\":[\"a\"]}},\"required\":[\"n\"]}"

#define ANTHROPIC(thought)                                                                         \
	"{\"model\":\"m-1\",\"max_tokens\":100,\"stream\":true,\"system\":[{\"type\":\"text\","    \
	"\"text\":\"Be brief.\",\"cache_control\":{\"type\":\"ephemeral\"}}],"                     \
	"\"tools\":[{\"name\":\"read\",\"description\":\"Reads\",\"input_schema\":" SCHEMA "}],"   \
	"\"thinking\":{\"type\":\"adaptive\"},\"output_config\":{\"effort\":\"low\"},"             \
	"\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Old\"},"      \
	"{\"type\":\"text\",\"text\":\"[Was shown here: o.c]\"}]},"                                \
	"{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"Yes\"}]},"             \
	"{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Rename \xef\xbf\xbd\"},"    \
	"{\"type\":\"text\",\"text\":\"a.c, lines 1 to 2:\\n1: int x;\\n2: \\n\"}]},"              \
	"{\"role\":\"assistant\",\"content\":[" thought "{\"type\":\"text\",\"text\":\"I do.\"},"  \
	"{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"read\",\"input\":{\"n\":1}},"             \
	"{\"type\":\"tool_use\",\"id\":\"c2\",\"name\":\"read\",\"input\":{}}]},"                  \
	"{\"role\":\"user\",\"content\":["                                                         \
	"{\"type\":\"tool_result\",\"tool_use_id\":\"c1\",\"content\":\"one\"},"                   \
	"{\"type\":\"tool_result\",\"tool_use_id\":\"c2\",\"content\":\"no such file\","           \
	"\"is_error\":true,\"cache_control\":{\"type\":\"ephemeral\"}}]}],\"seed\":7}"

static void anthropic(void **state)
{
	(void)state;
	assert_body("anthropic", "anthropic", false,
		    ANTHROPIC("{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":"
			      "\"{\\\"type\\\":\\\"reasoning\\\",\\\"id\\\":\\\"r\\\"}\"},"));
	assert_body("anthropic", "gemini", true, ANTHROPIC(""));
}

#define OPENAI(parameters, thought)                                                                \
	"{\"model\":\"m-1\",\"stream\":true,\"stream_options\":{\"include_usage\":true},"          \
	"\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"read\",\"description\":"       \
	"\"Reads\"," parameters "}}],\"max_completion_tokens\":100,"                               \
	"\"reasoning_effort\":\"low\",\"messages\":["                                              \
	"{\"role\":\"system\",\"content\":\"Be brief.\"},"                                         \
	"{\"role\":\"user\",\"content\":\"Old\\n\\n[Was shown here: o.c]\"},"                      \
	"{\"role\":\"assistant\",\"content\":\"Yes\"},"                                            \
	"{\"role\":\"user\",\"content\":\"Rename \xef\xbf\xbd\\n\\na.c, lines 1 to 2:\\n"          \
	"1: int x;\\n2: \\n\"},"                                                                   \
	"{\"role\":\"assistant\",\"content\":\"I do.\",\"tool_calls\":["                           \
	"{\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"read\","                    \
	"\"arguments\":\"{\\\"n\\\":1}\"}},"                                                       \
	"{\"id\":\"c2\",\"type\":\"function\",\"function\":{\"name\":\"read\","                    \
	"\"arguments\":\"{}\"}}]" thought "},"                                                     \
	"{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"one\"},"                         \
	"{\"role\":\"tool\",\"tool_call_id\":\"c2\",\"content\":\"no such file\"}],\"seed\":7}"

static void openai(void **state)
{
	(void)state;
	assert_body("openai", "openai", false,
		    OPENAI("\"parameters\":" SCHEMA, ",\"reasoning_content\":\"hm\""));
	assert_body("openai", "anthropic", true,
		    OPENAI("\"strict\":true,\"parameters\":{\"type\":\"object\","
			   "\"required\":[\"n\",\"how\"],\"additionalProperties\":false,"
			   "\"properties\":{\"n\":{\"type\":\"integer\"},"
			   "\"how\":{\"type\":[\"string\",\"null\"],\"enum\":[\"a\",null]}}}",
			   ""));
}

#define RESPONSES(thought)                                                                                              \
	"{\"model\":\"m-1\",\"stream\":true,\"store\":false,"                                                           \
	"\"include\":[\"reasoning.encrypted_content\"],\"instructions\":\"Be brief.\","                                 \
	"\"tools\":[{\"type\":\"function\",\"name\":\"read\",\"description\":\"Reads\","                                \
	"\"parameters\":" SCHEMA ",\"strict\":false}],\"max_output_tokens\":100,"                                       \
	"\"reasoning\":{\"effort\":\"low\",\"summary\":\"auto\"},\"prompt_cache_key\":\"k\","                           \
	"\"input\":[{\"role\":\"user\",\"type\":\"message\",\"content\":[{\"type\":\"input_text\",\"text\":\"Old\"}]}," \
	"{\"role\":\"user\",\"type\":\"message\",\"content\":[{\"type\":\"input_text\","                                \
	"\"text\":\"[Was shown here: o.c]\"}]},"                                                                        \
	"{\"role\":\"assistant\",\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"Yes\"}]},"      \
	"{\"role\":\"user\",\"type\":\"message\",\"content\":[{\"type\":\"input_text\","                                \
	"\"text\":\"Rename \xef\xbf\xbd\"}]},"                                                                          \
	"{\"role\":\"user\",\"type\":\"message\",\"content\":[{\"type\":\"input_text\","                                \
	"\"text\":\"a.c, lines 1 to 2:\\n1: int x;\\n2: \\n\"}]}," thought                                              \
	"{\"role\":\"assistant\",\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"I do.\"}]},"    \
	"{\"type\":\"function_call\",\"call_id\":\"c1\",\"name\":\"read\","                                             \
	"\"arguments\":\"{\\\"n\\\":1}\"},"                                                                             \
	"{\"type\":\"function_call\",\"call_id\":\"c2\",\"name\":\"read\",\"arguments\":\"{}\"},"                       \
	"{\"type\":\"function_call_output\",\"call_id\":\"c1\",\"output\":\"one\"},"                                    \
	"{\"type\":\"function_call_output\",\"call_id\":\"c2\",\"output\":\"no such file\"}],"                          \
	"\"seed\":7}"

static void responses(void **state)
{
	(void)state;
	assert_body("openai-responses", "openai-responses", false,
		    RESPONSES("{\"type\":\"reasoning\",\"id\":\"r\"},"));
	assert_body("openai-responses", "openai", false, RESPONSES(""));
}

#define GEMINI(thought, signature)                                                                 \
	"{\"systemInstruction\":{\"parts\":[{\"text\":\"Be brief.\"}]},"                           \
	"\"tools\":[{\"functionDeclarations\":[{\"name\":\"read\",\"description\":\"Reads\","      \
	"\"parametersJsonSchema\":" SCHEMA "}]}],"                                                 \
	"\"generationConfig\":{\"thinkingConfig\":{\"includeThoughts\":true,"                      \
	"\"thinkingLevel\":\"low\"},\"maxOutputTokens\":100},"                                     \
	"\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"Old\"},"                          \
	"{\"text\":\"[Was shown here: o.c]\"}]},"                                                  \
	"{\"role\":\"model\",\"parts\":[{\"text\":\"Yes\"}]},"                                     \
	"{\"role\":\"user\",\"parts\":[{\"text\":\"Rename \xef\xbf\xbd\"},"                        \
	"{\"text\":\"a.c, lines 1 to 2:\\n1: int x;\\n2: \\n\"}]},"                                \
	"{\"role\":\"model\",\"parts\":[" thought "{\"text\":\"I do.\"},"                          \
	"{\"functionCall\":{\"id\":\"c1\",\"name\":\"read\",\"args\":{\"n\":1}}},"                 \
	"{\"functionCall\":{\"id\":\"c2\",\"name\":\"read\",\"args\":{}}" signature "}]},"         \
	"{\"role\":\"user\",\"parts\":["                                                           \
	"{\"functionResponse\":{\"id\":\"c1\",\"name\":\"read\","                                  \
	"\"response\":{\"output\":\"one\"}}},"                                                     \
	"{\"functionResponse\":{\"id\":\"c2\",\"name\":\"read\","                                  \
	"\"response\":{\"error\":\"no such file\"}}}]}],\"seed\":7}"

static void gemini(void **state)
{
	(void)state;
	assert_body("gemini", "gemini", false,
		    GEMINI("{\"text\":\"hm\",\"thought\":true,\"thoughtSignature\":"
			   "\"{\\\"type\\\":\\\"reasoning\\\",\\\"id\\\":\\\"r\\\"}\"},",
			   ",\"thoughtSignature\":\"S\""));
	assert_body("gemini", "openai", false, GEMINI("", ""));
}

static void each_has_its_path_and_headers(void **state)
{
	static const char *const rows[][4] = {
		{ "anthropic", "/messages", "x-api-key", "" },
		{ "openai", "/chat/completions", "authorization", "Bearer " },
		{ "openai-responses", "/responses", "authorization", "Bearer " },
		{ "gemini", "/models/m-1:streamGenerateContent?alt=sse", "x-goog-api-key", "" },
	};
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct provider *p = provider_find(str_of(rows[i][0]), &e);
		struct buf path = BUF_INIT;

		assert_string_equal(provider_name(p), rows[i][0]);
		provider_path(p, STR("m-1"), &path);
		assert_text(buf_str(&path), str_of(rows[i][1]));
		assert_string_equal(provider_headers(p).key, rows[i][2]);
		assert_string_equal(provider_headers(p).key_prefix, rows[i][3]);
		buf_release(&path);
	}
	assert_null(provider_find(STR("openia"), &e));
	assert_int_equal(e.code, ERR_NOT_FOUND);
	assert_non_null(strstr(e.msg, "anthropic, openai, openai-responses, gemini"));
}

static void what_no_strict_form_has_stays_as_it_is(void **state)
{
	static const char *const loose[] = {
		"{\"type\":\"object\",\"properties\":{\"l\":{\"type\":\"array\"}}}",
		"{\"type\":\"object\",\"properties\":{\"l\":{}}}",
		("{\"type\":\"object\",\"properties\":{\"l\":{\"type\":\"array\","
		 "\"items\":{\"type\":\"object\"}}}}"),
		"{\"type\":\"string\"}",
	};
	json *deep, *strict;

	(void)state;
	for (size_t i = 0; i < sizeof(loose) / sizeof(loose[0]); i++) {
		json *schema = parse(loose[i]);

		assert_null(schema_strict(schema));
		json_free(schema);
	}
	deep = parse("{\"type\":\"object\",\"required\":[\"l\"],\"properties\":{\"l\":{\"type\":"
		     "\"array\",\"items\":{\"type\":\"object\",\"properties\":"
		     "{\"a\":{\"type\":\"string\"}}}}}}");
	strict = schema_strict(deep);
	assert_non_null(strict);
	assert_false(json_get_bool(strict, "properties.l.items.additionalProperties", true));
	assert_int_equal(json_len(json_get(strict, "properties.l.items.required")), 1);
	json_free(deep);
	json_free(strict);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(anthropic),
		cmocka_unit_test(openai),
		cmocka_unit_test(responses),
		cmocka_unit_test(gemini),
		cmocka_unit_test(each_has_its_path_and_headers),
		cmocka_unit_test(what_no_strict_form_has_stays_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
