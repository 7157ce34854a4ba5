// links: full
/* What the editor tells comes late, and a look at the files takes its time: what happens in between
 * is nobody else's all the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "watch/watch_impl.h"
#include "watch_editor.h"

/* Neovim has read the file again, and its text is on its way to the core, whose document has that
 * of the disk until then. */
static void text_leaves(const char *disk)
{
	struct buffer *b = buffer_here();

	doc_set(b->doc, str_of(disk));
	b->loading = true;
	b->tick++;
}

static const char *text_coming;

static void text_comes(void *arg)
{
	struct buffer *b = buffer_here();

	(void)arg;
	doc_set(b->doc, str_of(text_coming));
	b->loading = false;
	disk_listeners_buffer(ox, b, DISK_READ);
}

static void text_comes_later(const char *text)
{
	text_coming = text;
	loop_soon(ox->loop, text_comes, NULL);
}

static void report_has(const char *text, bool is)
{
	assert_int_equal(str_find(json_get_str(report, "diff"), str_of(text)) >= 0, is);
}

static void begin_with_three_lines(void)
{
	put("a", "1\n2\n3\n");
	open_core("");
	open_buffer("a");
	begin();
}

static void the_user_writes_while_the_text_is_on_its_way(void **state)
{
	(void)state;
	begin_with_three_lines();
	text_leaves("1\n2\n3\n");
	put("a", "mine\n2\n3\n");
	put("a", "mine\n2\nits\n");
	disk_listeners_buffer(ox, buffer_here(), DISK_WRITTEN);
	text_comes_later("mine\n2\n3\n");
	end();
	assert_files("modify a");
	report_has("+mine", false);
	report_has("+its", true);
	assert_buffer("mine\n2\nits\n");
	close_core();
}

/* What was written is not known any more: it is not taken for the agent's. */
static void the_user_goes_on_before_the_text_has_come(void **state)
{
	(void)state;
	begin_with_three_lines();
	text_leaves("1\n2\n3\n");
	put("a", "mine\n2\n3\n");
	put("a", "mine\n2\nits\n");
	disk_listeners_buffer(ox, buffer_here(), DISK_WRITTEN);
	buffer_here()->tick++;
	text_comes_later("mine\nmore\n2\n3\n");
	end();
	assert_null(report);
	assert_buffer("<<<<<<< yours\nmine\nmore\n=======\nmine\n>>>>>>> claude\n2\nits\n");
	close_core();
}

static void the_file_is_as_written_when_the_text_has_come(void **state)
{
	(void)state;
	begin_with_three_lines();
	text_leaves("1\n2\n3\n");
	put("a", "mine\n2\n3\n");
	disk_listeners_buffer(ox, buffer_here(), DISK_WRITTEN);
	stamp_here("a");
	buffer_here()->tick++;
	text_comes_later("mine\nmore\n2\n3\n");
	loop_soon(ox->loop, on_ready, NULL);
	loop_run(ox->loop);
	put("a", "mine\n2\nits\n");
	end();
	assert_files("modify a");
	report_has("+its", true);
	assert_buffer("mine\nmore\n2\nits\n");
	close_core();
}

/* A turn that begins takes what the document has for the buffer's text, were it not for this. */
static void a_turn_begins_while_the_text_is_on_its_way(void **state)
{
	(void)state;
	put("a", "1\n2\nits\n");
	open_core("");
	open_buffer("a");
	text_leaves("1\n2\nits\n");
	begin();
	text_comes_later("mine\n2\n3\n");
	end();
	assert_null(report);
	assert_false(editor.follows);
	assert_buffer("mine\n2\n3\n");
	close_core();
}

static void save_more(void)
{
	struct buffer *b = buffer_here();
	struct buf text = BUF_INIT;

	buf_add(&text, doc_text(b->doc));
	buf_adds(&text, "mine\n");
	set_text(buf_str(&text), true);
	save("a");
	buf_release(&text);
}

static bool save_after;

static void looked(struct watch_look *l)
{
	if (save_after)
		save_more();
	json_free(report);
	report = watch_report(watch, l);
	watch_steps_clear(l->of);
	watch_look_free(l);
	loop_stop(ox->loop);
}

static void look(bool before, bool after)
{
	watch_look_start(watch->of, true, looked);
	save_after = after;
	if (before)
		save_more();
	loop_run(ox->loop);
}

/* Of a text that the agent has written, the user's is told apart; of another one it is not known
 * what was there. */
static void what_the_user_writes_while_a_look_goes_on(void **state)
{
	(void)state;
	begin_with_three_lines();
	for (int agent = 0; agent < 2; agent++) {
		for (int order = 0; order < 16; order++) {
			look(order & 1, order & 2);
			assert_null(report);
			look(order & 4, order & 8);
			assert_null(report);
		}
		put("a", "its\n2\n3\n");
		end();
		assert_files("modify a");
		begin();
	}
	close_core();
}

static void between_two_turns(void *arg, const struct watch_outcome *o)
{
	(void)o;
	put("b", "1\n");
	watch_turn_begin(watch, NULL, "another", on_ready, arg);
}

static void what_is_changed_between_two_turns_is_of_the_second(void **state)
{
	(void)state;
	begin_with_three_lines();
	watch_turn_end(watch, between_two_turns, NULL);
	loop_run(ox->loop);
	end();
	assert_files("create b");
	close_core();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(the_user_writes_while_the_text_is_on_its_way),
		T(the_user_goes_on_before_the_text_has_come),
		T(the_file_is_as_written_when_the_text_has_come),
		T(a_turn_begins_while_the_text_is_on_its_way),
		T(what_the_user_writes_while_a_look_goes_on),
		T(what_is_changed_between_two_turns_is_of_the_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
