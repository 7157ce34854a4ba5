// links: full
/* Agents' data files: what is found, started and said where nothing is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent/agent_preset.h"
#include "io/loop.h"
#include "tempdir.h"

#define WISE_FILE                                                                                  \
	"return { title = 'Wise', executable = { 'wise2', 'wise' }, install = 'get wise',\n"       \
	"version = { args = { '--version' }, minimum = '1.10' },\n"                                \
	"env = { set = { QUIET = '1' }, unset = { 'WISE_*', 'ALONE' } },\n"                        \
	"terminal = { args = { '--screen' } },\n"                                                  \
	"acp = { executable = 'wise-acp', install = 'get wise-acp' },\n"                           \
	"reader = function() end }\n"

static char root[64], data[4096];
static struct oxide *ox;

static const char *at(const char *name)
{
	return path_in(root, name);
}

static void put(const char *name, const char *text, mode_t mode)
{
	assert_true(write_text(at(name), text));
	assert_int_equal(chmod(at(name), mode), 0);
}

static int start(void **state)
{
	(void)state;
	return !realpath("lua/oxide", data) || !make_tempdir(root, sizeof(root), "agents");
}

static int end(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "/bin/rm -r '%s'", root);
	return system(command);
}

#define T(f) cmocka_unit_test_setup_teardown(f, start, end)

static struct oxide *core(const char *config)
{
	struct oxide_options o = {
		.root = root, .data = data, .origin = "cli", .config_path = at("config.lua")
	};
	struct err e = ERR_INIT;

	put("config.lua", config, 0600);
	setenv("XDG_STATE_HOME", at("state"), 1);
	setenv("PATH", at("bin"), 1);
	ox = oxide_new(&o, &e);
	assert_string_equal(e.msg, "");
	mkdir(at("bin"), 0700);
	mkdir(at("agents"), 0700);
	put("agents/wise.lua", WISE_FILE, 0600);
	return ox;
}

static void program(const char *name, const char *says)
{
	char text[256];

	snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", says);
	put(name, text, 0700);
}

static struct agent_preset *find(const char *name)
{
	struct err e = ERR_INIT;
	struct agent_preset *p = agent_preset_find(ox, str_of(name), &e);

	assert_string_equal(e.msg, "");
	return p;
}

static bool has(char **list, const char *word)
{
	for (char **v = list; v && *v; v++)
		if (!strcmp(*v, word))
			return true;
	return false;
}

static void all_presets_are_read_and_sorted(void **state)
{
	struct buf all = BUF_INIT;
	json *names = agent_preset_names(core("return { agents = { zed = { title = 'Z' } } }"));

	(void)state;
	json_each(name, names) {
		buf_addf(&all, "%.*s ", STR_ARG(json_text(name)));
		agent_preset_free(find(json_text(name).p));
	}
	assert_string_equal(all.p,
			    "aider claude codex copilot gemini goose opencode qwen wise zed ");
	json_free(names);
	buf_release(&all);
	oxide_free(ox);
}

static void a_command_has_program_arguments_and_environment(void **state)
{
	struct agent_command c = { 0 };
	struct err e = ERR_INIT;
	struct agent_preset *p;

	(void)state;
	setenv("WISE_A", "1", 1);
	setenv("WISER", "1", 1);
	setenv("VIMRUNTIME", "/x", 1);
	core("return {}");
	program("bin/wise", "");
	p = find("wise");
	assert_true(agent_command(p, AGENT_TERMINAL, &c, &e));
	agent_command_add(&c, STR("more"));
	assert_string_equal(c.argv[0], at("bin/wise"));
	assert_string_equal(c.argv[1], "--screen");
	assert_string_equal(c.argv[2], "more");
	assert_null(c.argv[3]);
	assert_true(has(c.set, "QUIET=1"));
	assert_true(has(c.unset, "WISE_A"));
	assert_true(has(c.unset, "VIMRUNTIME"));
	assert_false(has(c.unset, "WISER"));
	assert_false(has(c.unset, "ALONE"));
	agent_command_release(&c);
	assert_string_equal(p->reader, at("agents/wise.lua"));
	agent_preset_free(p);
	oxide_free(ox);
}

static void what_is_missing_is_said_with_its_paths_and_how_to_get_it(void **state)
{
	struct agent_command c = { 0 };
	struct err e = ERR_INIT;
	struct agent_preset *p;
	char want[500];

	(void)state;
	core("return {}");
	p = find("wise");
	assert_false(agent_command(p, AGENT_TERMINAL, &c, &e));
	snprintf(want, sizeof(want),
		 "wise2 is not installed; to install: get wise; tried %s/bin/wise2, %s/bin/wise",
		 root, root);
	assert_string_equal(e.msg, want);
	assert_int_equal(e.code, ERR_NOT_FOUND);
	agent_command_release(&c);
	put("bin/wise-acp", "not to be executed", 0600);
	assert_false(agent_command(p, AGENT_ACP, &c, &e));
	assert_non_null(strstr(e.msg, "to install: get wise-acp; tried"));
	assert_non_null(strstr(e.msg, "/bin/wise-acp (is not executable)"));
	agent_command_release(&c);
	assert_false(agent_command(p, AGENT_STREAM, &c, &e));
	assert_int_equal(e.code, ERR_UNSUPPORTED);
	agent_command_release(&c);
	agent_preset_free(p);
	assert_null(agent_preset_find(ox, STR("../wise"), &e));
	assert_null(agent_preset_find(ox, STR("nobody"), &(struct err)ERR_INIT));
	oxide_free(ox);
}

static void a_row_of_the_configuration_changes_members(void **state)
{
	struct agent_command c = { 0 };
	struct err e = ERR_INIT;
	struct agent_preset *p;

	(void)state;
	core("return { agents = { wise = { terminal = { command = { 'other', '-x' } },\n"
	     "reader = 'claude' } } }");
	program("bin/other", "");
	p = find("wise");
	assert_string_equal(agent_preset_title(p), "Wise");
	assert_true(agent_command(p, AGENT_TERMINAL, &c, &e));
	assert_string_equal(c.argv[0], at("bin/other"));
	assert_string_equal(c.argv[1], "-x");
	agent_command_release(&c);
	assert_non_null(strstr(p->reader, "lua/oxide/agents/claude.lua"));
	agent_preset_free(p);
	oxide_free(ox);
}

/* A way's own program stays what it is, but for the variable of that way. */
static void a_variable_names_another_program(void **state)
{
	struct agent_command c = { 0 };
	struct err e = ERR_INIT;
	struct agent_preset *p;

	(void)state;
	core("return { agents = { wise = { terminal = { command = { 'other' } },\n"
	     "acp = { executable = 'speaker' } } } }");
	program("bin/mine", "");
	program("bin/speaker", "");
	setenv("OXIDE_AGENT_WISE", at("bin/mine"), 1);
	p = find("wise");
	assert_true(agent_command(p, AGENT_TERMINAL, &c, &e));
	assert_string_equal(c.argv[0], at("bin/mine"));
	agent_command_release(&c);
	assert_true(agent_command(p, AGENT_ACP, &c, &e));
	assert_string_equal(c.argv[0], at("bin/speaker"));
	agent_command_release(&c);
	agent_preset_free(p);
	setenv("OXIDE_AGENT_WISE", "", 1);
	setenv("OXIDE_AGENT_WISE_ACP", at("bin/mine"), 1);
	p = find("wise");
	assert_true(agent_command(p, AGENT_ACP, &c, &e));
	assert_string_equal(c.argv[0], at("bin/mine"));
	agent_command_release(&c);
	agent_preset_free(p);
	unsetenv("OXIDE_AGENT_WISE");
	unsetenv("OXIDE_AGENT_WISE_ACP");
	oxide_free(ox);
}

static void a_file_that_is_wrong_is_named(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	core("return {}");
	put("agents/worse.lua", "return { title = print }", 0600);
	assert_null(agent_preset_find(ox, STR("worse"), &e));
	assert_non_null(strstr(e.msg, "agents/worse.lua: title: a function is not data"));
	put("agents/endless.lua", "while true do end", 0600);
	assert_null(agent_preset_find(ox, STR("endless"), &e));
	assert_non_null(strstr(e.msg, "takes too long"));
	oxide_free(ox);
}

struct told {
	char version[64];
	struct err e;
};

static void on_version(void *arg, const char *version, const struct err *e)
{
	struct told *t = arg;

	snprintf(t->version, sizeof(t->version), "%s", version ? version : "none");
	t->e = *e;
	oxide_stop(ox);
}

static struct told ask(const char *says)
{
	struct told t = { 0 };
	struct agent_preset *p;

	core("return { options = { ['agent.version_ms'] = 500 } }");
	program("bin/wise", says);
	p = find("wise");
	assert_non_null(agent_version_ask(ox, p, on_version, &t, &t.e));
	agent_preset_free(p);
	loop_run(ox->loop);
	oxide_free(ox);
	return t;
}

static void a_version_is_asked_and_compared(void **state)
{
	struct told t = ask("echo 'wise-cli v1.10.2 (abc)'");

	(void)state;
	assert_string_equal(t.version, "1.10.2");
	assert_int_equal(t.e.code, ERR_OK);
}

static void an_old_version_is_told_with_what_is_needed(void **state)
{
	struct told t = ask("echo 1.9.12");

	(void)state;
	assert_string_equal(t.version, "1.9.12");
	assert_string_equal(t.e.msg, "Wise 1.9.12 is too old; 1.10 or later is needed: get wise");
	assert_int_equal(t.e.code, ERR_UNSUPPORTED);
}

static void no_version_is_an_error_that_shows_what_was_said(void **state)
{
	struct told t = ask("echo cannot find node; exit 4");

	(void)state;
	assert_string_equal(t.version, "none");
	assert_non_null(strstr(t.e.msg, "status 4, cannot find node"));
}

static void who_does_not_answer_is_ended(void **state)
{
	struct told t = ask("while :; do :; done");

	(void)state;
	assert_string_equal(t.version, "none");
	assert_int_equal(t.e.code, ERR_TIMEOUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(all_presets_are_read_and_sorted),
		T(a_command_has_program_arguments_and_environment),
		T(what_is_missing_is_said_with_its_paths_and_how_to_get_it),
		T(a_row_of_the_configuration_changes_members),
		T(a_variable_names_another_program),
		T(a_file_that_is_wrong_is_named),
		T(a_version_is_asked_and_compared),
		T(an_old_version_is_told_with_what_is_needed),
		T(no_version_is_an_error_that_shows_what_was_said),
		T(who_does_not_answer_is_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
