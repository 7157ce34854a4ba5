// links: full
/* An agent writes to files past Oxide while the user edits their buffers: whatever the order, what
 * the user typed is in the buffer or on the disk, and what the agent wrote is in the buffer as
 * well, or shown as a conflict. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "watch_editor.h"

static void one_without_changes_is_read_again(void **state)
{
	(void)state;
	put("a", "1\n2\n");
	open_core("");
	open_buffer("a");
	begin();
	put("a", "1\n2\n3\n");
	end();
	assert_files("modify a");
	assert_buffer("1\n2\n3\n");
	assert_false(buffer_here()->modified);
	close_core();
}

static void one_with_changes_gets_both(void **state)
{
	(void)state;
	put("a", "1\n2\n3\n");
	open_core("");
	open_buffer("a");
	begin();
	set_text(STR("mine\n2\n3\n"), true);
	put("a", "1\n2\nits\n");
	end();
	assert_files("modify a");
	assert_buffer("mine\n2\nits\n");
	assert_null(json_get(report, "conflicts"));
	begin();
	put("a", "its\n2\nits\n");
	end();
	assert_buffer("<<<<<<< yours\nmine\n=======\nits\n>>>>>>> claude\n2\nits\n");
	assert_int_equal(json_len(json_get(report, "conflicts")), 1);
	assert_file("a", "its\n2\nits\n");
	close_core();
}

static void what_the_user_saves_is_not_the_agents(void **state)
{
	(void)state;
	put("a", "1\n2\n3\n");
	put("b", "1\n");
	open_core("");
	open_buffer("a");
	begin();
	set_text(STR("mine\n2\n3\n"), true);
	save("a");
	put("b", "2\n");
	end();
	assert_files("modify b");
	begin();
	set_text(STR("mine too\n2\n3\n"), true);
	save("a");
	put("a", "mine too\n2\nits\n");
	end();
	assert_files("modify a");
	assert_true(str_find(json_get_str(report, "diff"), STR("+mine")) < 0);
	assert_true(str_find(json_get_str(report, "diff"), STR("+its")) > 0);
	close_core();
}

static void windows_line_ends_are_no_difference(void **state)
{
	(void)state;
	put("a", "1\r\n2\r\n3\r\n");
	open_core("");
	open_buffer("a");
	set_text(STR("1\n2\n3\n"), false);
	begin();
	set_text(STR("mine\n2\n3\n"), true);
	put("a", "1\r\n2\r\nits\r\n");
	end();
	assert_buffer("mine\n2\nits\n");
	close_core();
}

static void another_encoding_is_left(void **state)
{
	(void)state;
	put("a", "1\n\xe9\n");
	open_core("");
	open_buffer("a");
	begin();
	set_text(STR("mine\n\xc3\xa9\n"), true);
	put("a", "1\n\xe9\n\xe8\n");
	end();
	assert_files("modify a");
	assert_buffer("mine\n\xc3\xa9\n");
	close_core();
}

/* As for agents in terminals, whose turns follow on one another. */
static void on_ended_begin(void *arg, const struct watch_outcome *o)
{
	json_free(report);
	report = o->report ? json_copy(o->report) : NULL;
	watch_turn_begin(watch, NULL, "the next turn", on_ready, arg);
}

static void a_turn_follows_at_once(void **state)
{
	(void)state;
	put("a", "1\n2\n3\n");
	open_core("");
	open_buffer("a");
	begin();
	set_text(STR("mine\n2\n3\n"), true);
	put("a", "its\n2\n3\n");
	watch_turn_end(watch, on_ended_begin, NULL);
	loop_run(ox->loop);
	assert_files("modify a");
	assert_non_null(json_get(report, "conflicts"));
	put("a", "its\n2\nnew\n");
	end();
	assert_files("modify a");
	assert_null(json_get(report, "conflicts"));
	assert_buffer("<<<<<<< yours\nmine\n=======\nits\n>>>>>>> claude\n2\nnew\n");
	close_core();
}

/* What the editor tells comes later than what is on the disk. */
static void the_agent_writes_before_it_is_known_what_the_user_has_written(void **state)
{
	struct buffer *b;

	(void)state;
	put("a", "1\n2\n3\n");
	open_core("");
	open_buffer("a");
	begin();
	b = buffer_here();
	set_text(STR("mine\n2\n3\n"), true);
	put("a", "mine\n2\n3\n");
	put("a", "mine\n2\nits\n");
	disk_listeners_buffer(ox, b, DISK_WRITTEN);
	end();
	assert_files("modify a");
	assert_true(str_find(json_get_str(report, "diff"), STR("+mine")) < 0);
	assert_true(str_find(json_get_str(report, "diff"), STR("+its")) > 0);
	assert_buffer("mine\n2\nits\n");
	close_core();
}

static void the_user_writes_before_it_is_known_what_was_read(void **state)
{
	struct buffer *b;

	(void)state;
	put("a", "1\n2\n3\n");
	open_core("");
	open_buffer("a");
	begin();
	b = buffer_here();
	put("a", "1\n2\nits\n");
	stamp_here("a");
	set_text(STR("1\n2\nits\n"), false);
	disk_listeners_buffer(ox, b, DISK_READ);
	set_text(STR("more\n2\nits\n"), true);
	put("a", "more\n2\nits\n");
	disk_listeners_buffer(ox, b, DISK_READ); /* the text came once more */
	disk_listeners_buffer(ox, b, DISK_WRITTEN);
	end();
	assert_files("modify a");
	assert_true(str_find(json_get_str(report, "diff"), STR("+more")) < 0);
	assert_true(str_find(json_get_str(report, "diff"), STR("+its")) > 0);
	close_core();
}

static void stopped_when_the_user_has_written(void **state)
{
	(void)state;
	put("a", "1\n");
	open_core("");
	open_buffer("a");
	begin();
	set_text(STR("mine\n"), true);
	save("a");
	close_core();
	assert_file("a", "mine\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(one_without_changes_is_read_again),
		T(one_with_changes_gets_both),
		T(what_the_user_saves_is_not_the_agents),
		T(windows_line_ends_are_no_difference),
		T(another_encoding_is_left),
		T(a_turn_follows_at_once),
		T(the_agent_writes_before_it_is_known_what_the_user_has_written),
		T(the_user_writes_before_it_is_known_what_was_read),
		T(stopped_when_the_user_has_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
