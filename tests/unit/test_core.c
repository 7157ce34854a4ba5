// links: full
/* The small parts of the core that read what a person wrote: options, Lua files, presets, styles,
 * and where it may write. Real files in a folder of the test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"
#include "core/config.h"
#include "core/lua_data.h"
#include "core/protect.h"
#include "core/style.h"
#include "servers/presets.h"
#include "servers/sources.h"
#include "tempdir.h"

static char dir[64];

static const char *at(const char *name)
{
	return path_in(dir, name);
}

static const char *put(const char *name, const char *text)
{
	const char *path = at(name);

	assert_true(write_text(path, text));
	return path;
}

static int enter(void **state)
{
	(void)state;
	return !make_tempdir(dir, sizeof(dir), "core");
}

static int leave(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	return system(command);
}

static void options_have_bounds_and_near_names(void **state)
{
	struct config c;
	struct err e = ERR_INIT;

	(void)state;
	config_init(&c);
	assert_true(config_set(&c, STR("lsp.timeout_ms"), 500, &e));
	assert_int_equal(config_get(&c, CFG_LSP_TIMEOUT), 500);
	assert_false(config_set(&c, STR("lsp.timeout_ms"), 1, &e));
	assert_int_equal(e.code, ERR_INVALID);
	assert_non_null(strstr(e.msg, "lsp.timeout_ms is 1, but must be from 10 to"));
	assert_int_equal(config_get(&c, CFG_LSP_TIMEOUT), 500);
	assert_false(config_set(&c, STR("lsp.timeout"), 500, &e));
	assert_non_null(strstr(e.msg, "did you mean lsp.timeout_ms?"));
}

static void some_values_have_names(void **state)
{
	struct config c;
	struct err e = ERR_INIT;
	json *given = json_of({ "chat.apply", json_strz("each") });

	(void)state;
	config_init(&c);
	assert_int_equal(config_get(&c, CFG_CHAT_APPLY), 0);
	assert_true(config_set_all(&c, given, &e));
	assert_int_equal(config_get(&c, CFG_CHAT_APPLY), 1);
	json_put(given, "chat.apply", json_strz("now"));
	assert_false(config_set_all(&c, given, &e));
	assert_string_equal(e.msg, "option chat.apply is \"now\", allowed: turn, each");
	json_put(given, "chat.rounds", json_strz("many"));
	json_drop(given, "chat.apply");
	assert_false(config_set_all(&c, given, &e));
	assert_string_equal(e.msg, "option chat.rounds must be an integer, not a string");
	json_free(given);
}

static void the_table_is_within_its_own_bounds(void **state)
{
	json *table = config_table();
	size_t rows = 0;

	(void)state;
	json_each(row, table) {
		int64_t def = json_get_int(row, "default", -1);

		assert_true(def >= json_get_int(row, "min", INT64_MAX));
		assert_true(def <= json_get_int(row, "max", -1));
		assert_true(json_get_str(row, "help").n > 0);
		rows++;
	}
	assert_int_equal(rows, CFG_COUNT);
	json_free(table);
}

static void expect_table(struct lua_data *s, const char *lua, const char *want)
{
	struct err e = ERR_INIT;
	json *v = lua_data_table(s, put("t.lua", lua), &e);
	struct buf got = BUF_INIT;

	if (!v)
		fail_msg("%s: %s", lua, e.msg);
	json_print(&got, v);
	assert_string_equal(got.p, want);
	buf_release(&got);
	json_free(v);
}

static void expect_refusal(struct lua_data *s, const char *lua, const char *why)
{
	struct err e = ERR_INIT;

	assert_null(lua_data_table(s, put("t.lua", lua), &e));
	if (!strstr(e.msg, why))
		fail_msg("%s: \"%s\" does not say \"%s\"", lua, e.msg, why);
}

static void lua_tables_come_back_as_json(void **state)
{
	struct lua_data *s = lua_data_new();

	(void)state;
	expect_table(s, "return { a = { 'x', { b = true } } }", "{\"a\":[\"x\",{\"b\":true}]}");
	expect_table(s, "return {}", "{}");
	expect_table(s, "return { { {}, { 1, 2.5 } }, 'y' }", "[[{},[1,2.5]],\"y\"]");
	expect_table(s, "local t = {} t.k = { { 'deep' } } return t", "{\"k\":[[\"deep\"]]}");
	lua_data_free(s);
}

static void lua_files_that_hold_no_data_are_refused(void **state)
{
	struct lua_data *s = lua_data_new();
	struct err e = ERR_INIT;

	(void)state;
	expect_refusal(s, "return 1", "does not return a table");
	expect_refusal(s, "return { f = function() end }", "f: a function is not data");
	expect_refusal(s, "return { [{}] = 1 }", "a key that is not a string");
	expect_refusal(s, "local t = {} t.t = t return t", "nested deeper");
	expect_refusal(s, "return {", "t.lua:1:");
	expect_refusal(s, "error('boom')", "boom");
	assert_null(lua_data_table(s, at("absent.lua"), &e));
	assert_int_equal(e.code, ERR_NOT_FOUND);
	expect_table(s, "return { still = 'fine' }", "{\"still\":\"fine\"}");
	lua_data_free(s);
}

static struct filetypes *types;

static struct presets *some_presets(struct lua_data *s)
{
	struct err e = ERR_INIT;
	struct presets *p;

	assert_int_equal(mkdir(at("servers"), 0700), 0);
	put("servers/two.lua", "return { cmd = { 'two', '-x' }, filetypes = { 'c' }, "
			       "install = 'get two', ready = 'diagnostics' }");
	put("servers/a_last.lua",
	    "return { cmd = { 'x' }, filetypes = { 'c' }, last_resort = true }");
	put("servers/one.lua", "return { cmd = { 'one' }, filetypes = { 'c', 'cpp' } }");
	put("filetypes.lua", "return { name = { Makefile = 'make' }, "
			     "ext = { c = 'c', h = 'c', hpp = 'cpp', py = 'python' } }");
	types = filetypes_new(s, dir, &e);
	p = types ? presets_new(s, types, dir, &e) : NULL;
	if (!p)
		fail_msg("%s", e.msg);
	return p;
}

static void add_own(struct presets *p, const char *name, const char *text, const char *why)
{
	struct err e = ERR_INIT;
	json *v = json_parse(str_of(text), &e);

	if (presets_add(p, name, v, &e) != !why || (why && !strstr(e.msg, why)))
		fail_msg("%s: %s", text, e.msg);
	json_free(v);
}

static void the_users_servers_come_first(void **state)
{
	struct lua_data *s = lua_data_new();
	struct presets *p = some_presets(s);
	const struct server_spec *first = presets_next(p, "c", NULL);

	(void)state;
	assert_string_equal(first->name, "one");
	assert_string_equal(presets_next(p, "c", first)->name, "two");
	add_own(p, "zed", "{\"cmd\":[\"zed\"],\"filetypes\":[\"c\"]}", NULL);
	add_own(p, "two", "{\"cmd\":[\"three\"]}", NULL); /* the rest stays the preset's */
	first = presets_next(p, "c", NULL);
	assert_string_equal(first->name, "two");
	assert_string_equal(first->argv[0], "three");
	assert_string_equal(first->install, "get two");
	assert_true(first->ready_on_diagnostics);
	first = presets_next(p, "c", first);
	assert_string_equal(first->name, "zed");
	first = presets_next(p, "c", first);
	assert_string_equal(first->name, "one");
	first = presets_next(p, "c", first);
	assert_string_equal(first->name, "a_last");
	assert_null(presets_next(p, "c", first));
	assert_null(presets_next(p, "rust", NULL));
	add_own(p, "bad", "{\"filetypes\":[\"c\"]}", "server bad: cmd is missing");
	add_own(p, "bad", "{\"cmd\":[1],\"filetypes\":[\"c\"]}", "cmd contains a number");
	add_own(p, "bad", "[]", "server bad");
	presets_free(p);
	filetypes_free(types);
	lua_data_free(s);
}

static void files_have_types_by_name(void **state)
{
	struct lua_data *s = lua_data_new();
	struct presets *p = some_presets(s);
	struct map ext = MAP_INIT;

	(void)state;
	assert_string_equal(filetypes_of(types, "/a/b.hpp"), "cpp");
	assert_string_equal(filetypes_of(types, "/a/Makefile"), "make");
	assert_string_equal(filetypes_of(types, "/a/README"), "text");
	presets_extensions(p, "cpp", &ext);
	assert_true(sources_has(&ext, "/x.h") && sources_has(&ext, "/x.hpp"));
	assert_false(sources_has(&ext, "/x.py") || sources_has(&ext, "/c"));
	map_release(&ext);
	presets_free(p);
	filetypes_free(types);
	lua_data_free(s);
}

static void styles_follow_editorconfig_over_the_editor(void **state)
{
	const struct format_style editor = { 3, true, -1, -1, -1, 0, false };
	struct format_style got;

	(void)state;
	put(".editorconfig", "root = true\n[*.c]\nindent_style = tab\nindent_size = tab\n"
			     "tab_width = 8\ninsert_final_newline = true\n"
			     "[*.py]\nindent_style = space\nindent_size = 2\n"
			     "trim_trailing_whitespace = false\n");
	style_for(at("a.c"), &editor, &got);
	assert_true(!got.spaces && got.tab_size == 8 && got.final_newline == 1 && got.trim == -1);
	style_for(at("a.py"), &editor, &got);
	assert_true(got.spaces && got.tab_size == 2 && got.trim == 0);
	style_for(at("a.txt"), &editor, &got);
	assert_true(got.spaces && got.tab_size == 3);
	style_guess(STR("a\n\tb\n\tc\n"), &got);
	assert_true(!got.spaces && got.tab_size == 8);
	style_guess(STR("a\n  b\n    c\n  d\n"), &got);
	assert_true(got.spaces && got.tab_size == 2);
	style_guess(STR("a\n"), &got);
	assert_true(got.spaces && got.tab_size == 4);
}

/* Read to their end, these would take for ever, or all memory. */
static void an_editorconfig_that_is_no_file_is_passed_over(void **state)
{
	struct format_style editor = { 3, true, -1, -1, -1, 0, false }, got;
	char name[96];
	FILE *f;

	(void)state;
	assert_int_equal(mkdir(at("hostile"), 0700), 0);
	snprintf(name, sizeof(name), "%s", at("hostile/.editorconfig"));
	assert_int_equal(symlink("/dev/zero", name), 0);
	style_for(at("hostile/a.py"), &editor, &got);
	assert_memory_equal(&got, &editor, sizeof(got));
	unlink(name);
	assert_int_equal(mkfifo(name, 0600), 0);
	style_for(at("hostile/sub/a.py"), &editor, &got);
	assert_memory_equal(&got, &editor, sizeof(got));
	unlink(name);
	f = fopen(name, "w");
	fputs("root = true\n[*]\nindent_style = tab\n#", f);
	for (int i = 0; i < 300000; i++)
		fputc('#', f);
	fclose(f);
	style_for(at("hostile/a.py"), &editor, &got);
	assert_true(got.spaces);
	assert_int_equal(truncate(name, 40), 0);
	style_for(at("hostile/a.py"), &editor, &got);
	assert_false(got.spaces);
	unlink(name);
}

static void expect_denied(const char *path, const char *why)
{
	struct err e = ERR_INIT;

	assert_false(protect_allows(dir, path, false, &e));
	assert_int_equal(e.code, ERR_DENIED);
	if (!strstr(e.msg, why))
		fail_msg("%s: \"%s\" does not say \"%s\"", path, e.msg, why);
}

static const char *const run_by_others[] = {
	".gemini/settings.json",
	"sub/.codex/config.toml",
	".cargo/config.toml",
	"sub/.Cargo/CONFIG.toml",
	".cargo/config",
	".husky/pre-commit",
	".devcontainer/devcontainer.json",
	".windsurf/mcp.json",
	".zed/tasks.json",
	".bash_login",
	".ZLOGIN",
	".zlogout",
	".pre-commit-config.yaml",
	".direnv/bin/x",
	".gdbinit",
	"lefthook.yml",
	".npmrc",
	"mise.toml",
	".lazy.lua",
	".helix/languages.toml",
	"sub/bunfig.toml",
	".xinitrc",
	".xprofile",
	".clangd",
	".ssh/config",
};

static void writing_stays_inside_and_off_guarded_files(void **state)
{
	struct err e = ERR_INIT;
	char sibling[96];

	(void)state;
	assert_true(protect_allows(dir, at("src/new.c"), false, &e));
	assert_true(protect_allows(dir, at("a.git/x"), false, &e));
	assert_true(protect_allows(dir, at(".github/ci.yml"), false, &e));
	expect_denied("/etc/passwd", "outside");
	snprintf(sibling, sizeof(sibling), "%s-evil/x", dir);
	expect_denied(sibling, "outside");
	assert_int_equal(symlink("/etc", at("out")), 0);
	expect_denied(at("out/passwd"), "/etc");
	expect_denied(at(".git/config"), "protected");
	expect_denied(at("sub/.GIT/hooks/x"), "protected");
	expect_denied(at(".Nvim.lua"), "protected");
	expect_denied(at("sub/.vscode/tasks.json"), "protected");
	for (size_t i = 0; i < sizeof(run_by_others) / sizeof(*run_by_others); i++)
		expect_denied(at(run_by_others[i]), "protected");
	assert_true(protect_allows(dir, at("sub/cargo/config.toml"), false, &e));
	assert_true(protect_allows(dir, at(".cargo/config.toml.txt"), false, &e));
	assert_int_equal(symlink(".git", at("innocent")), 0);
	expect_denied(at("innocent/hooks/pre-commit"), "protected");
	assert_int_equal(symlink(".nvim.lua", at("settings")), 0);
	expect_denied(at("settings"), "protected");
	assert_true(protect_allows(dir, at("settings"), true, &e));
	assert_true(protect_allows(dir, at("out"), true, &e));
}

static void count_file(void *arg, const char *path, const struct fs_stat *st)
{
	struct buf *names = arg;

	(void)st;
	buf_addf(names, "%s ", path + strlen(dir) + 1);
}

static void sources_pass_over_what_was_built_or_is_hidden(void **state)
{
	struct map ext = MAP_INIT;
	struct buf names = BUF_INIT;
	struct sources all = { dir, &ext, 10, &names, count_file, NULL, NULL };

	(void)state;
	map_put(&ext, STR("c"), &ext);
	mkdir(at("build"), 0700);
	mkdir(at(".hidden"), 0700);
	mkdir(at("src"), 0700);
	put("build/x.c", "");
	put("build/CMakeCache.txt", "");
	put(".hidden/x.c", "");
	put("src/b.c", "");
	put("a.c", "");
	put("a.h", "");
	assert_int_equal(symlink(dir, at("src/loop")), 0);
	assert_true(sources_walk(&all));
	assert_string_equal(names.p, "a.c src/b.c ");
	all.most = 1;
	buf_clear(&names);
	assert_false(sources_walk(&all));
	assert_string_equal(names.p, "a.c ");
	buf_release(&names);
	map_release(&ext);
}

static atomic_bool stops;

static void count_one(void *arg, const char *path, const struct fs_stat *st)
{
	count_file(arg, path, st);
	atomic_store(&stops, true);
}

static void a_walk_over_sources_stops_at_the_next_file(void **state)
{
	struct map ext = MAP_INIT;
	struct buf names = BUF_INIT;
	struct sources all = { dir, &ext, 10, &names, count_one, &stops, NULL };

	(void)state;
	map_put(&ext, STR("c"), &ext);
	put("a.c", "");
	put("b.c", "");
	assert_false(sources_walk(&all));
	assert_string_equal(names.p, "a.c ");
	buf_release(&names);
	map_release(&ext);
}

/* Real projects have sources in directories that others build into. */
static void sources_in_a_directory_called_target_are_the_projects_own(void **state)
{
	struct map ext = MAP_INIT;
	struct buf names = BUF_INIT;
	struct sources all = { dir, &ext, 10, &names, count_file, NULL, NULL };

	(void)state;
	map_put(&ext, STR("c"), &ext);
	mkdir(at("target"), 0700);
	mkdir(at("src"), 0700);
	mkdir(at("src/out"), 0700);
	put("target/x.c", "");
	put("src/out/y.c", "");
	assert_true(sources_walk(&all));
	assert_string_equal(names.p, "src/out/y.c target/x.c ");
	put(".gitignore", "*.o\n/out/\n**/target\n");
	buf_clear(&names);
	sources_walk(&all);
	assert_string_equal(names.p, "src/out/y.c ");
	put("src/.gitignore", "/out");
	buf_clear(&names);
	sources_walk(&all);
	assert_string_equal(buf_str(&names).n ? names.p : "", "");
	put("src/.gitignore", "");
	put("src/out/.gitignore", "*\n");
	buf_clear(&names);
	sources_walk(&all);
	assert_string_equal(buf_str(&names).n ? names.p : "", "");
	buf_release(&names);
	map_release(&ext);
}

#define in_a_folder(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_have_bounds_and_near_names),
		cmocka_unit_test(some_values_have_names),
		cmocka_unit_test(the_table_is_within_its_own_bounds),
		in_a_folder(lua_tables_come_back_as_json),
		in_a_folder(lua_files_that_hold_no_data_are_refused),
		in_a_folder(the_users_servers_come_first),
		in_a_folder(files_have_types_by_name),
		in_a_folder(styles_follow_editorconfig_over_the_editor),
		in_a_folder(an_editorconfig_that_is_no_file_is_passed_over),
		in_a_folder(writing_stays_inside_and_off_guarded_files),
		in_a_folder(sources_pass_over_what_was_built_or_is_hidden),
		in_a_folder(a_walk_over_sources_stops_at_the_next_file),
		in_a_folder(sources_in_a_directory_called_target_are_the_projects_own),
	};

	return cmocka_run_group_tests_name("core", tests, NULL, NULL);
}
