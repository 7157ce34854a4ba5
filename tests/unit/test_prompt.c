#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gen.h"
#include "llm/prompt.h"

static void say(struct chat *c, enum chat_role role, struct chat_part part)
{
	chat_put(chat_add(c, role), &part);
}

static void person(struct chat *c, const char *text)
{
	say(c, CHAT_PERSON, (struct chat_part){ .kind = CHAT_TEXT, .text = str_of(text) });
}

static void model(struct chat *c, const char *text)
{
	say(c, CHAT_MODEL, (struct chat_part){ .kind = CHAT_TEXT, .text = str_of(text) });
}

static void shows(struct chat *c, const char *name, const char *text)
{
	chat_put(c->v[c->n - 1], &(struct chat_part){ .kind = CHAT_SHOWN,
						      .name = str_of(name),
						      .text = str_of(text) });
}

static void calls(struct chat *c, const char *id, const char *tool)
{
	chat_put(c->v[c->n - 1], &(struct chat_part){ .kind = CHAT_CALL,
						      .id = str_of(id),
						      .name = str_of(tool),
						      .text = STR("{}") });
}

static void result(struct chat *c, const char *id, const char *tool, const char *text)
{
	if (c->v[c->n - 1]->role != CHAT_TOOLS)
		chat_add(c, CHAT_TOOLS);
	chat_put(c->v[c->n - 1], &(struct chat_part){ .kind = CHAT_RESULT,
						      .id = str_of(id),
						      .name = str_of(tool),
						      .text = str_of(text) });
}

/* "P: text" a part, P for whose it is; `!` behind it where it failed. */
static void put_prompt(struct buf *out, const struct prompt *p)
{
	for (size_t i = 0; i < p->chat.n; i++)
		for (size_t k = 0; k < p->chat.v[i]->n; k++) {
			const struct chat_part *part = &p->chat.v[i]->v[k];

			buf_addf(out, "%c%s: %.*s\n", "PMT"[p->chat.v[i]->role],
				 part -> failed ? "!" : "", STR_ARG(part->text));
		}
}

static void assert_prompt(const struct chat *c, const struct prompt_limits *limits,
			  const char *want)
{
	struct buf out = BUF_INIT;
	struct err e = ERR_INIT;
	struct prompt p;

	if (!prompt_build(&p, c, STR("system"), limits, &e))
		fail_msg("%s", e.msg);
	put_prompt(&out, &p);
	assert_text(buf_str(&out), str_of(want));
	buf_release(&out);
	prompt_release(&p);
}

static const struct prompt_limits generous = { .old_result = 100 };

static void texts_of_the_editor_go_with_the_last_message_alone(void **state)
{
	struct chat c;

	(void)state;
	chat_init(&c);
	person(&c, "What is x?");
	shows(&c, "a.c, lines 1 to 2", "1: int x;\n2: \n");
	assert_prompt(&c, &generous, "P: What is x?\nP: a.c, lines 1 to 2:\n1: int x;\n2: \n\n");
	model(&c, "A number.");
	person(&c, "And y?");
	shows(&c, "b.c", "1: int y;\n");
	shows(&c, "c.c", "1: int z;\n");
	assert_prompt(&c, &generous,
		      "P: What is x?\nP: [Was shown here: a.c, lines 1 to 2]\nM: A number.\n"
		      "P: And y?\nP: b.c:\n1: int y;\n\nP: c.c:\n1: int z;\n\n");
	chat_release(&c);
}

/* While tools are called the person's message is still the last one of theirs. */
static void they_stay_while_the_model_works(void **state)
{
	struct chat c;

	(void)state;
	chat_init(&c);
	person(&c, "Change it");
	shows(&c, "a.c", "1: int x;\n");
	model(&c, "Yes");
	calls(&c, "1", "edit_file");
	result(&c, "1", "edit_file", "done");
	assert_prompt(&c, &generous,
		      "P: Change it\nP: a.c:\n1: int x;\n\nM: Yes\nM: {}\nT: done\n");
	chat_release(&c);
}

static void every_call_has_one_result_behind_it(void **state)
{
	struct chat c;

	(void)state;
	chat_init(&c);
	person(&c, "Go");
	model(&c, "a");
	calls(&c, "1", "t");
	calls(&c, "2", "t");
	result(&c, "2", "t", "two");
	person(&c, "Go on");
	assert_prompt(&c, &generous,
		      "P: Go\nM: a\nM: {}\nM: {}\n"
		      "T!: This call was interrupted: it has no result.\nT: two\nP: Go on\n");
	assert_false(chat_is_waiting(&c));
	chat_release(&c);
}

static void old_long_results_are_a_line(void **state)
{
	const struct prompt_limits limits = { .old_result = 20 };
	const char *text = "1: a long line of text\n2: and another one, so that it is long\n"
			   "3: and a third one, to be longer than the line that replaces it\n";
	struct buf want = BUF_INIT;
	struct chat c;

	(void)state;
	chat_init(&c);
	person(&c, "Read");
	model(&c, "a");
	calls(&c, "1", "read_file");
	result(&c, "1", "read_file", text);
	buf_addf(&want, "P: Read\nM: a\nM: {}\nT: %s\n", text);
	assert_prompt(&c, &limits, want.p);
	person(&c, "Again");
	assert_prompt(&c, &limits,
		      "P: Read\nM: a\nM: {}\n"
		      "T: [4 lines, left out by now: call read_file again to see them]\n"
		      "P: Again\n");
	buf_release(&want);
	chat_release(&c);
}

static void turns_that_do_not_fit_are_left_out_whole(void **state)
{
	struct prompt_limits limits = { .old_result = 20,
					.window = 70,
					.bytes_per_token = 4,
					.summary = STR("They greeted."),
					.summed = 2 };
	struct buf words = BUF_INIT;
	struct chat c;

	(void)state;
	for (int i = 0; i < 20; i++)
		buf_adds(&words, "0123456789");
	chat_init(&c);
	person(&c, "Hello");
	model(&c, words.p);
	person(&c, "Second");
	model(&c, "short");
	person(&c, "Third");
	assert_prompt(&c, &limits,
		      "P: [2 earlier messages were left out. A summary of them: They greeted.]\n"
		      "P: Second\nM: short\nP: Third\n");
	chat_release(&c);
	buf_release(&words);
}

static void what_cannot_fit_is_refused_by_name(void **state)
{
	const struct prompt_limits limits = { .window = 40, .answer = 10 };
	struct err e = ERR_INIT;
	struct buf text = BUF_INIT;
	struct prompt p;
	struct chat c;

	(void)state;
	for (int i = 1; i < 100; i++)
		buf_addf(&text, "%d: line\n", i);
	chat_init(&c);
	person(&c, "Look");
	shows(&c, "src/large.c", text.p);
	assert_false(prompt_build(&p, &c, STR(""), &limits, &e));
	prompt_release(&p);
	assert_int_equal(e.code, ERR_LIMIT);
	assert_non_null(strstr(e.msg, "src/large.c"));
	assert_non_null(strstr(e.msg, "window of 40"));
	buf_release(&text);
	chat_release(&c);
}

static void a_chat_is_the_same_after_saving(void **state)
{
	struct buf first = BUF_INIT, second = BUF_INIT;
	struct err e = ERR_INIT;
	struct chat c, again;

	(void)state;
	chat_init(&c);
	chat_init(&again);
	person(&c, "Change \xc3\xa4\n\"it\"");
	shows(&c, "a.c", "1: x\n");
	model(&c, "");
	chat_set_format(c.v[1], STR("anthropic"));
	chat_put(c.v[1], &(struct chat_part){
				 .kind = CHAT_THOUGHT, .text = STR("hm"), .kept = STR("sig") });
	calls(&c, "1", "t");
	chat_answer_rest(&c, STR("stopped"));
	assert_false(chat_is_waiting(&c));
	for (size_t i = 0; i < c.n; i++) {
		json *row = chat_message_json(c.v[i]);

		json_print(&first, row);
		assert_true(chat_read_message(&again, row, &e));
		json_free(row);
		row = chat_message_json(again.v[i]);
		json_print(&second, row);
		json_free(row);
	}
	assert_int_equal(c.n, 3);
	assert_true(c.v[2]->v[0].failed);
	assert_text(buf_str(&second), buf_str(&first));
	buf_release(&first);
	buf_release(&second);
	chat_release(&c);
	chat_release(&again);
}

static void a_message_that_makes_no_sense_is_refused(void **state)
{
	static const char *const bad[] = { "{}", "{\"role\":\"robot\"}", "[]",
					   "{\"role\":\"model\",\"parts\":[{\"kind\":\"x\"}]}" };
	struct chat c;

	(void)state;
	chat_init(&c);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err e = ERR_INIT;
		json *row = json_parse(str_of(bad[i]), &e);

		assert_false(chat_read_message(&c, row, &e));
		assert_int_equal(e.code, ERR_INVALID);
		assert_int_equal(c.n, 0);
		json_free(row);
	}
	chat_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_of_the_editor_go_with_the_last_message_alone),
		cmocka_unit_test(they_stay_while_the_model_works),
		cmocka_unit_test(every_call_has_one_result_behind_it),
		cmocka_unit_test(old_long_results_are_a_line),
		cmocka_unit_test(turns_that_do_not_fit_are_left_out_whole),
		cmocka_unit_test(what_cannot_fit_is_refused_by_name),
		cmocka_unit_test(a_chat_is_the_same_after_saving),
		cmocka_unit_test(a_message_that_makes_no_sense_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
