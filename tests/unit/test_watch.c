// links: full
/* What an agent writes past Oxide: found, one turn of the history, and undone as one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#ifdef __linux__
#include <sys/mount.h>
#endif

#include "record/record.h"
#include "watch_rig.h"
#include "watch_undo.h"

static void every_kind_of_change_is_found_and_undone(void **state)
{
	struct stat st;

	(void)state;
	put("changed", "1\n2\n");
	put("gone", "all of it\n");
	put("moved", "a text that moves\n");
	put("tool", "#!/bin/sh\n");
	put("untracked", "was\n");
	shell("ln -s changed link; ln -s . dir");
	commit_all();
	put("untracked", "was more\n");
	open_core("");
	begin();
	shell("echo 3 >>changed; rm gone; mkdir sub; mv moved sub/there; chmod 755 tool; "
	      "echo now >untracked; ln -sf tool link; printf 'b\\0b' >binary; echo x >new; "
	      "touch -d 2001-01-01 new");
	end();
	assert_files("create binary; modify changed; delete gone; modify link; "
		     "rename moved -> sub/there; create new; modify tool; modify untracked");
	assert_null(json_get(report, "unkept"));
	assert_true(json_get_str(report, "transaction").n > 0);
	assert_string_equal(json_get_str(report, "who").p, "claude");
	assert_true(str_find(json_get_str(report, "diff"), STR("+3\n")) > 0);
	undo(HISTORY_UNDO);
	assert_file("changed", "1\n2\n");
	assert_file("gone", "all of it\n");
	assert_file("moved", "a text that moves\n");
	assert_file("untracked", "was more\n");
	assert_file("binary", NULL);
	assert_file("new", NULL);
	shell("test ! -x tool && test $(readlink link) = changed");
	assert_int_equal(stat(project, &st), 0);
	close_core();
}

/* Also of those that git's header alone tells of. */
static void each_row_of_the_record_has_its_part_of_the_diff(void **state)
{
	static const char *const name[] = { "a", "b", "c", "d/c", "e" };
	struct record_session session = { .cwd = "/", .agent = json_object() };
	struct record_change change = { .root = "/p" };
	struct err e = ERR_INIT;
	struct record *r;
	json *whole;
	size_t n = 0;

	(void)state;
	shell("mkdir d; for f in a b c d/c e; do echo $f >$f; done");
	open_core("");
	begin();
	shell("chmod 755 a c; echo more >>b; mv d/c d/moved; echo more >>e; touch new");
	end();
	r = record_new(ox, &session);
	change.report = report;
	record_change(r, &change);
	whole = record_whole(r, &e);
	assert_int_equal(json_len(json_get(whole, "file_operations")), 6);
	json_each(row, json_get(whole, "file_operations")) {
		struct str diff = json_get_str(json_get(row, "change"), "diff");

		if (n < 5 && str_find(diff, str_of(name[n])) < 0)
			fail_msg("%s: %.*s", name[n], STR_ARG(diff));
		assert_int_equal(str_count(diff, '@') / 4, n == 1 || n == 4);
		n++;
	}
	json_free(whole);
	record_free(r);
	close_core();
}

static void what_the_agent_has_told_is_not_told_twice(void **state)
{
	struct record_session session = { .cwd = "/", .agent = json_object() };
	struct record_change change = { .root = "/p" };
	struct err e = ERR_INIT;
	struct record *r;
	json *whole;

	(void)state;
	put("a", "1\n");
	open_core("");
	begin();
	shell("echo 2 >>a; echo 1 >b");
	end();
	r = record_new(ox, &session);
	record_add(r, RECORD_FILE_OPERATION,
		   json_of({ "operation", json_strz("modify") }, { "path", json_strz("/p/a") },
			   { "turn", json_int(3) }));
	change.report = report;
	record_change_past(r, &change);
	whole = record_whole(r, &e);
	assert_int_equal(json_len(json_get(whole, "file_operations")), 2);
	assert_int_equal(json_get_int(json_next(json_first(json_get(whole, "file_operations"))),
				      "turn", 0),
			 3);
	json_free(whole);
	record_free(r);
	close_core();
}

/* With git, where nothing ignores it, and without. */
static void what_oxide_keeps_in_the_project_is_not_the_agents(void **state)
{
	char dir[4200];

	(void)state;
	snprintf(dir, sizeof(dir), "%s/.local/state", project);
	setenv("XDG_STATE_HOME", dir, 1);
	put("a", "1\n");
	for (int git = 0; git < 2; git++) {
		if (git) {
			shell("rm -rf sub");
			commit_all();
		}
		open_core("");
		begin();
		shell("mkdir -p .local/state/oxide/history .local/state/oxidized; "
		      "echo x >.local/state/oxide/history/x; echo more >>.local/state/other; "
		      "echo more >>.local/state/oxidized/y; git init -q sub; echo more >>sub/.git/z; "
		      "test -d .git && echo more >>.git/w || true");
		end();
		assert_files(git ? "modify .local/state/other; modify .local/state/oxidized/y"
				 : "create .local/state/other; create .local/state/oxidized/y");
		close_core();
	}
}

static void an_index_and_swap_files_are_not_the_agents(void **state)
{
	(void)state;
	put("a", "1\n");
	for (int git = 0; git < 2; git++) {
		if (git) {
			shell("rm -rf .cache sub .[ab].s* c.sw");
			commit_all();
		}
		open_core("");
		begin();
		shell("mkdir -p .cache/clangd/index sub/.cache/clangd; echo x >c.sw; "
		      "echo x >.cache/clangd/index/a; echo x >sub/.cache/clangd/b; "
		      "echo x >.cache/other; echo x >.a.swp; echo x >sub/.b.swo");
		end();
		assert_files("create .cache/other; create c.sw");
		close_core();
	}
}

static void nothing_changed_is_nothing(void **state)
{
	(void)state;
	put("a", "1\n");
	put(".gitignore", "*.o\n");
	commit_all();
	open_core("");
	begin();
	shell("touch a; echo 2 >>a; echo 1 >a; echo x >a.o; mkdir empty");
	end();
	assert_null(report);
	begin();
	end();
	assert_null(report);
	close_core();
}

static void same_time_and_size_deceive_nobody(void **state)
{
	(void)state;
	put("a", "1\n");
	shell("touch -d '2020-01-01' a");
	open_core("");
	begin();
	shell("echo 2 >a; touch -d '2020-01-01' a");
	end();
	assert_files("modify a");
	undo(HISTORY_UNDO);
	assert_file("a", "1\n");
	close_core();
}

static void what_was_not_kept_is_said(void **state)
{
	(void)state;
	put("large", "");
	shell("head -c 100000 /dev/zero >large");
	put("small", "1\n");
	open_core("['agent.watch_file_bytes'] = 50000");
	begin();
	shell("echo x >>large; echo 2 >small");
	end();
	assert_files("modify small");
	assert_string_equal(json_get_str(json_first(json_get(report, "unkept")), "file").p,
			    "large");
	assert_non_null(strstr(json_get_str(json_first(json_get(report, "unkept")), "reason").p,
			       "agent.watch_file_bytes"));
	close_core();
	open_core("['agent.watch_bytes'] = 8192");
	shell("for i in 1 2 3 4; do echo $i >f$i; touch -d @$i f$i; done");
	begin();
	shell("for i in 1 2 3 4; do echo more >>f$i; done");
	end();
	assert_files("modify f4");
	close_core();
}

#ifdef __linux__
/* The disk that copies, and the history, are on. */
static void a_full_disk_is_said(void **state)
{
	const json *unkept;

	(void)state;
	shell("mkdir ../state");
	if (mount("none", getenv("XDG_STATE_HOME"), "tmpfs", 0, "size=256k,mode=700"))
		skip(); /* it takes root */
	put("small", "1\n");
	shell("head -c 1000000 /dev/urandom >large; touch -d @1 large");
	open_core("");
	begin();
	shell("echo 2 >small; echo x >>large");
	end();
	assert_files("modify small");
	unkept = json_first(json_get(report, "unkept"));
	assert_string_equal(json_get_str(unkept, "file").p, "large");
	assert_non_null(strstr(json_get_str(unkept, "reason").p, "disk is full"));
	undo(HISTORY_UNDO);
	assert_file("small", "1\n");
	close_core();
}

static int leave_disk(void **state)
{
	umount2(getenv("XDG_STATE_HOME"), MNT_DETACH); /* there is none where it was skipped */
	return leave(state);
}
#endif

static void a_commit_loses_nothing(void **state)
{
	(void)state;
	put("a", "1\n");
	commit_all();
	put("a", "2\n");
	open_core("");
	begin();
	shell("echo 3 >a; git -c user.name=a -c user.email=a@b commit -qam 2; git gc -q --prune=now");
	end();
	assert_null(json_get(report, "git"));
	undo(HISTORY_UNDO);
	assert_file("a", "2\n");
	begin();
	shell("echo 4 >a; git add a");
	end();
	undo(HISTORY_UNDO);
	assert_file("a", "2\n");
	close_core();
}

/* git lists neither the files of a submodule nor those of a repository that it does not know. */
static void repositories_inside_and_new_directories(void **state)
{
	(void)state;
	shell("for r in sub other; do git init -q -b main $r; (cd $r; echo 1 >s; git add s; "
	      "git -c user.name=a -c user.email=a@b commit -qm 1); done; git init -q -b main .; "
	      "mkdir untracked; echo 1 >untracked/u; git add sub; "
	      "git -c user.name=a -c user.email=a@b commit -qm 1");
	open_core("");
	begin();
	shell("echo 2 >sub/s; echo 2 >other/s; echo 2 >untracked/u; chmod 755 untracked/u; "
	      "mkdir -p new/x; echo 1 >new/x/y; echo x >sub/.git/x; cd sub; git add s; "
	      "git -c user.name=a -c user.email=a@b commit -qm 2");
	end();
	assert_files("create new/x/y; modify other/s; modify sub/s; modify untracked/u");
	undo(HISTORY_UNDO);
	assert_file("sub/s", "1\n");
	assert_file("other/s", "1\n");
	assert_file("untracked/u", "1\n");
	assert_file("new/x/y", NULL);
	shell("test ! -x untracked/u");
	close_core();
}

/* Nothing that the watch keeps is written through it, or read. */
static void a_link_to_a_file_outside_is_a_link(void **state)
{
	(void)state;
	shell("echo 1 >../outside; ln -s ../outside link; ln -s .. up");
	open_core("");
	begin();
	shell("echo 2 >link; ln -sfn / up");
	end();
	assert_files("modify up");
	undo(HISTORY_UNDO);
	shell("test $(readlink up) = .. && test $(cat ../outside) = 2");
	close_core();
}

static void a_file_takes_the_place_of_a_directory(void **state)
{
	(void)state;
	shell("mkdir -p d/e; echo 1 >d/e/f; echo 2 >g; mkdir outside; echo o >outside/f");
	commit_all();
	open_core("");
	begin();
	shell("rm -r d; echo file >d; rm g; mkdir g; echo in >g/h; rm -r outside; ln -s / outside");
	end();
	assert_files("create d; delete d/e/f; delete g; create g/h; create outside; "
		     "delete outside/f");
	close_core();
}

static void a_store_that_was_left_goes(void **state)
{
	(void)state;
	put("a", "1\n");
	shell("mkdir -p ../state/oxide/watch/4000000-1-1 && echo x >../state/oxide/watch/4000000-1-1/1");
	open_core("");
	shell("test ! -e ../state/oxide/watch/4000000-1-1");
	begin();
	shell("test $(cat ../state/oxide/watch/*/*) = 1");
	close_core();
	shell("test -z \"$(ls ../state/oxide/watch)\"");
}

static void stopping_in_the_middle_is_clean(void **state)
{
	(void)state;
	put("a", "1\n");
	commit_all();
	open_core("");
	watch_turn_begin(watch, NULL, "a turn", on_ready, NULL);
	close_core();
	open_core("");
	begin();
	shell("echo 2 >a");
	watch_turn_end(watch, on_ended, NULL);
	close_core();
	assert_null(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(every_kind_of_change_is_found_and_undone),
		T(each_row_of_the_record_has_its_part_of_the_diff),
		T(what_the_agent_has_told_is_not_told_twice),
		T(what_oxide_keeps_in_the_project_is_not_the_agents),
		T(an_index_and_swap_files_are_not_the_agents),
		T(nothing_changed_is_nothing),
		T(same_time_and_size_deceive_nobody),
		T(what_was_not_kept_is_said),
#ifdef __linux__
		cmocka_unit_test_setup_teardown(a_full_disk_is_said, enter, leave_disk),
#endif
		T(a_commit_loses_nothing),
		T(repositories_inside_and_new_directories),
		T(a_link_to_a_file_outside_is_a_link),
		T(a_file_takes_the_place_of_a_directory),
		T(a_store_that_was_left_goes),
		T(stopping_in_the_middle_is_clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
