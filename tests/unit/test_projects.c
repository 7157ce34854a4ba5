// links: full
/* The set of projects, and the kinds that their presets know. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/projects.h"
#include "tempdir.h"

static char dir[64];
static struct lua_data *script;
static struct project_types *kinds;
static struct projects *projects;
static struct err e;

static const char *at(const char *name)
{
	return path_in(dir, name);
}

static const char *folder(const char *name)
{
	assert_int_equal(mkdir(at(name), 0755), 0);
	return at(name);
}

static const char *put(const char *name, const char *text)
{
	assert_true(write_text(at(name), text));
	return at(name);
}

static const char *marked(const char *name, const char *marker)
{
	char file[256];

	snprintf(file, sizeof(file), "%s/%s", name, marker);
	folder(name);
	put(file, "");
	return at(name);
}

static int enter(void **state)
{
	e = (struct err)ERR_INIT;
	char data[PATH_MAX];

	(void)state;
	if (!make_tempdir(dir, sizeof(dir), "projects"))
		return 1;
	setenv("HOME", "/nowhere", 1);
	script = lua_data_new();
	kinds = project_types_new(script, realpath("lua/oxide", data), &e);
	projects = projects_new(kinds);
	projects_start(projects, marked("first", ".git"));
	return !kinds;
}

static int leave(void **state)
{
	char command[128];

	(void)state;
	projects_free(projects);
	project_types_free(kinds);
	lua_data_free(script);
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	setenv("PATH", "/usr/bin:/bin", 1);
	return system(command);
}

static void refused(const char *path, enum err_code code, const char *why)
{
	e = (struct err)ERR_INIT;
	assert_null(projects_add(projects, path, &e));
	assert_int_equal(e.code, code);
	if (!strstr(e.msg, why))
		fail_msg("\"%s\" lacks \"%s\"", e.msg, why);
}

static void a_folder_with_a_marker_becomes_a_project(void **state)
{
	const struct project *p = projects_add(projects, marked("app", "go.mod"), &e);

	(void)state;
	assert_non_null(p);
	assert_string_equal(p->name, "app");
	assert_string_equal(p->root, at("app"));
	assert_ptr_equal(projects_add(projects, at("app/"), &e), p);
	assert_int_equal(projects_count(projects), 2);
	assert_ptr_equal(projects_of(projects, at("app/x/y.go")), p);
	assert_string_equal(projects_of(projects, at("first"))->name, "first");
	assert_null(projects_of(projects, at("apple/y.go")));
}

static void two_folders_of_one_name_have_two_names(void **state)
{
	(void)state;
	folder("x");
	folder("y");
	folder("z");
	projects_add(projects, marked("x/app", ".git"), &e);
	assert_string_equal(projects_add(projects, marked("y/app", ".git"), &e)->name, "app-2");
	assert_string_equal(projects_add(projects, marked("z/app", ".git"), &e)->name, "app-3");
	assert_non_null(projects_remove(projects, STR("app-2"), &e));
	assert_string_equal(projects_add(projects, at("y/app"), &e)->name, "app-2");
}

static void a_link_to_a_project_is_the_project(void **state)
{
	(void)state;
	marked("app", "Cargo.toml");
	assert_int_equal(symlink(at("app"), at("link")), 0);
	assert_string_equal(projects_add(projects, at("link"), &e)->root, at("app"));
}

static void what_is_no_project_is_refused(void **state)
{
	(void)state;
	put("file", "");
	refused("relative/path", ERR_INVALID, "not an absolute path");
	refused(at("nowhere"), ERR_NOT_FOUND, "not a directory");
	refused(at("file"), ERR_NOT_FOUND, "not a directory");
	refused(folder("plain"), ERR_DENIED, "is not a project");
}

static void no_project_lies_in_another(void **state)
{
	(void)state;
	put("Makefile", "");
	refused(dir, ERR_CONFLICT, "contains the project first");
	refused(marked("first/inner", "Cargo.toml"), ERR_CONFLICT, "is inside the project first");
}

static void neither_the_home_folder_nor_what_holds_it_is_a_project(void **state)
{
	(void)state;
	marked("people", ".git");
	setenv("HOME", marked("people/me", ".git"), 1);
	refused("/", ERR_DENIED, "home");
	refused(at("people"), ERR_DENIED, "home");
	refused(at("people/me"), ERR_DENIED, "home");
	assert_non_null(projects_add(projects, marked("people/me/app", ".git"), &e));
}

static void a_call_takes_the_named_project_else_the_last_else_the_first(void **state)
{
	unsigned last = 0;

	(void)state;
	projects_add(projects, marked("app", ".git"), &e);
	assert_string_equal(projects_pick(projects, STR(""), &last, &e)->name, "first");
	assert_string_equal(projects_pick(projects, STR("app"), &last, &e)->name, "app");
	assert_string_equal(projects_pick(projects, STR(""), &last, &e)->name, "app");
	assert_null(projects_pick(projects, STR("other"), &last, &e));
	assert_int_equal(e.code, ERR_NOT_FOUND);
	assert_non_null(strstr(e.msg, "first, app"));
	assert_non_null(projects_remove(projects, STR("app"), &e));
	assert_string_equal(projects_pick(projects, STR(""), &last, &e)->name, "first");
}

static void the_first_project_stays(void **state)
{
	(void)state;
	assert_null(projects_remove(projects, STR("first"), &e));
	assert_int_equal(e.code, ERR_DENIED);
	e = (struct err)ERR_INIT;
	assert_null(projects_remove(projects, STR("frist"), &e));
	assert_int_equal(e.code, ERR_NOT_FOUND);
	projects_add(projects, marked("app", ".git"), &e);
	assert_string_equal(projects_start(projects, at("other"))->name, "other");
	assert_string_equal(projects_first(projects)->name, "other");
	assert_int_equal(projects_count(projects), 2);
}

/* The kinds of a folder, as "make rust". */
static void kinds_are(const char *rel, const char *want)
{
	struct buf names = BUF_INIT;

	for (const struct project_type *k = NULL; (k = project_types_next(kinds, at(rel), k));)
		buf_addf(&names, "%s%s", names.n ? " " : "", k->name);
	assert_string_equal(names.n ? names.p : "", want);
	buf_release(&names);
}

static void a_folder_is_of_every_kind_whose_marker_it_has(void **state)
{
	(void)state;
	kinds_are("first", "");
	put("first/Cargo.toml", "");
	put("first/Makefile", "");
	kinds_are("first", "make rust");
	put("first/CMakeLists.txt", "");
	kinds_are("first", "cmake rust");
}

static const struct project_type *kind(const char *name)
{
	for (const struct project_type *k = NULL; (k = project_types_next(kinds, at("first"), k));)
		if (!strcmp(k->name, name))
			return k;
	fail_msg("no kind %s", name);
	return NULL;
}

static void a_kind_knows_how_it_is_tested(void **state)
{
	static const char *const programs[] = { "cmake", "ctest", NULL };
	const struct task *t;

	(void)state;
	folder("bin");
	for (const char *const *p = programs; *p; p++) {
		char path[256];

		snprintf(path, sizeof(path), "bin/%s", *p);
		assert_int_equal(chmod(put(path, ""), 0755), 0);
	}
	put("first/CMakeLists.txt", "");
	setenv("PATH", at("bin"), 1);
	t = project_type_task(kind("cmake"), TASK_TEST, at("first"), &e);
	assert_non_null(t);
	assert_string_equal(t->steps[0][0], "cmake");
	assert_string_equal(t->steps[2][0], "ctest");
	assert_null(t->steps[3]);
	assert_string_equal(t->one[2][5], "^{test}$");
	assert_string_equal(t->output, "ctest");
	assert_string_equal(t->errors, "cmake");
	assert_int_equal(unlink(at("bin/ctest")), 0);
	assert_null(project_type_task(kind("cmake"), TASK_TEST, at("first"), &e));
	assert_int_equal(e.code, ERR_NOT_FOUND);
	assert_non_null(strstr(e.msg, "install ctest"));
}

static void tests_are_run_by(const char *package, const char *runner)
{
	put("first/package.json", package);
	assert_string_equal(
		project_type_task(kind("javascript"), TASK_TEST, at("first"), &e)->steps[0][2],
		runner);
}

static void a_way_is_found_by_what_a_file_says(void **state)
{
	(void)state;
	folder("bin");
	assert_int_equal(chmod(put("bin/npx", ""), 0755), 0);
	assert_int_equal(chmod(put("bin/node", ""), 0755), 0);
	setenv("PATH", at("bin"), 1);
	tests_are_run_by("{}", "--test-reporter=tap");
	tests_are_run_by("{ \"devDependencies\": { \"jest\": \"^30\" } }", "jest");
	tests_are_run_by("{ \"scripts\": { \"test\": \"jest --coverage\" } }", "jest");
	tests_are_run_by("{ \"jest\": {}, \"devDependencies\": { \"vitest\": \"1\" } }", "vitest");
	tests_are_run_by("{ \"dependencies\": { \"@x/jest-dom\": \"1\" } }", "--test-reporter=tap");
}

static json *lua(const char *text)
{
	json *v;

	put("own.lua", text);
	v = lua_data_table(script, at("own.lua"), &e);
	if (!v)
		fail_msg("%s", e.msg);
	assert_int_equal(unlink(at("own.lua")), 0);
	return v;
}

static void a_person_changes_and_adds_kinds(void **state)
{
	json *own = lua("return { make = { check = { { steps = { { '/bin/true', 'x' } }, "
			"output = 'mine' } } }, zig = { markers = { 'build.zig' } } }");
	const struct task *t;

	(void)state;
	assert_true(project_types_add_all(kinds, own, &e));
	json_free(own);
	put("first/Makefile", "");
	put("first/build.zig", "");
	kinds_are("first", "make zig");
	t = project_type_task(kind("make"), TASK_CHECK, at("first"), &e);
	assert_string_equal(t->steps[0][1], "x");
	assert_string_equal(t->output, "mine");
	assert_null(t->one);
	assert_null(project_type_task(kind("zig"), TASK_CHECK, at("first"), &e));
	assert_int_equal(e.code, ERR_OK);
}

static void wrong(const char *text, const char *why)
{
	json *own = lua(text);

	e = (struct err)ERR_INIT;
	assert_false(project_types_add_all(kinds, own, &e));
	if (!strstr(e.msg, why))
		fail_msg("\"%s\" lacks \"%s\"", e.msg, why);
	json_free(own);
}

static void a_kind_that_is_wrong_says_what_is_wrong(void **state)
{
	(void)state;
	wrong("return { zig = 1 }", "project kind zig: it is not a table");
	wrong("return { zig = { check = {} } }", "project kind zig: markers is missing");
	wrong("return { zig = { markers = { 1 } } }",
	      "project kind zig: markers contains a number");
	wrong("return { make = { test = { { output = 'x' } } } }", "make: test: steps is missing");
	wrong("return { make = { test = { { steps = { { 'x' } } } } } }", "output is missing");
	wrong("return { make = { test = { { steps = { 'x' }, output = 'y' } } } }",
	      "steps is not a list of argument vectors");
	wrong("return { make = { test = { { steps = { { 'x' } }, output = 'y', "
	      "backtrace = { 'z' } } } } }",
	      "backtrace is not a table of names and strings");
}

#define P(f) cmocka_unit_test_setup_teardown(f, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		P(a_folder_with_a_marker_becomes_a_project),
		P(two_folders_of_one_name_have_two_names),
		P(a_link_to_a_project_is_the_project),
		P(what_is_no_project_is_refused),
		P(no_project_lies_in_another),
		P(neither_the_home_folder_nor_what_holds_it_is_a_project),
		P(a_call_takes_the_named_project_else_the_last_else_the_first),
		P(the_first_project_stays),
		P(a_folder_is_of_every_kind_whose_marker_it_has),
		P(a_kind_knows_how_it_is_tested),
		P(a_way_is_found_by_what_a_file_says),
		P(a_person_changes_and_adds_kinds),
		P(a_kind_that_is_wrong_says_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
