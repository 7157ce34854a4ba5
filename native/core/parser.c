#include "parser.h"

#include <stdlib.h>

#include "../base/map.h"
#include "../base/mem.h"
#include "lua_data_impl.h"
#include "lua_sandbox.h"

/* Sources of one run that are known to have been compiled. */
#define COMPILED_MOST 100000

struct parser {
	lua_State *lua;
	struct parser_bounds bounds;
	int line, finish; /* in the registry of Lua; LUA_NOREF: none */
	json *diagnostics, *failures, *directories, *compiled;
	struct map known, seen; /* of the directories, and what was compiled */
	size_t diagnostic_rows, failure_rows;
	size_t errors, beyond, passed, failed, ignored;
	struct buf *shown; /* while a line is read */
	bool idle, none;
	struct err why, incomplete, absent;
};

static struct parser *parser_self(lua_State *lua)
{
	return lua_sandbox_self(lua);
}

/* As much of a text as there is room for, in whole characters. */
static void parser_cut(json *row, const char *member, size_t most)
{
	struct str s = json_get_str(row, member);

	if (s.n <= most)
		return;
	while (most && ((unsigned char)s.p[most] & 0xc0) == 0x80)
		most--;
	json_put(row, member, json_str(str_sub(s, 0, most)));
}

/* The row that a function of the report was given; NULL and *e. The caller's. */
static json *row_of(lua_State *lua, const char *text, const char *word, const char *const *words,
		    struct err *e)
{
	json *row = NULL;

	if (!lua_istable(lua, 1))
		err_set(e, ERR_INVALID, "it expects a table");
	else
		row = lua_data_value(lua, 1, LUA_DATA_DEPTH, e);
	if (row && json_is(json_get(row, text), JSON_STRING) && lua_data_word(row, word, words, e))
		return row;
	if (!e->code)
		err_set(e, ERR_INVALID, "%s must be a string", text);
	json_free(row);
	return NULL;
}

/* `row` is taken. */
static void parser_keep(struct parser *p, json *list, size_t *n, json *row)
{
	if (*n >= p->bounds.rows) {
		p->beyond++;
		json_free(row);
		return;
	}
	parser_cut(row, "message", p->bounds.text);
	parser_cut(row, "output", p->bounds.text);
	json_push(list, row);
	++*n;
}

static int tell_diagnostic(lua_State *lua)
{
	static const char *const severities[] = { "error", "warning", "info", "hint", NULL };
	struct parser *p = parser_self(lua);
	struct err e = ERR_INIT;
	json *row = row_of(lua, "message", "severity", severities, &e);

	if (!row)
		return lua_sandbox_fail(lua, "diagnostic", &e);
	p->errors += str_eq(json_get_str(row, "severity"), STR("error"));
	parser_keep(p, p->diagnostics, &p->diagnostic_rows, row);
	return 0;
}

static int tell_test(lua_State *lua)
{
	static const char *const outcomes[] = { "passed", "failed", "ignored", NULL };
	struct parser *p = parser_self(lua);
	struct err e = ERR_INIT;
	json *row = row_of(lua, "name", "outcome", outcomes, &e);
	struct str outcome;
	int64_t count;

	if (!row)
		return lua_sandbox_fail(lua, "test", &e);
	outcome = json_get_str(row, "outcome");
	count = json_get_int(row, "count", 1);
	count = count < 0 ? 0 : count;
	if (str_eq(outcome, STR("failed"))) {
		p->failed++;
		parser_keep(p, p->failures, &p->failure_rows, row);
		return 0;
	}
	*(str_eq(outcome, STR("passed")) ? &p->passed : &p->ignored) += (size_t)count;
	json_free(row);
	return 0;
}

/* Puts the name that was given into the list, once. */
static int list_name(lua_State *lua, struct map *known, size_t most, json *list)
{
	struct str name;

	name.p = luaL_checklstring(lua, 1, &name.n);
	if (map_get(known, name) || map_count(known) >= most)
		return 0;
	map_put(known, name, known);
	json_push(list, json_str(name));
	return 0;
}

static int tell_directory(lua_State *lua)
{
	struct parser *p = parser_self(lua);

	return list_name(lua, &p->known, p->bounds.rows, p->directories);
}

static int tell_compiled(lua_State *lua)
{
	struct parser *p = parser_self(lua);

	return list_name(lua, &p->seen, COMPILED_MOST, p->compiled);
}

static int tell_idle(lua_State *lua)
{
	parser_self(lua)->idle = true;
	return 0;
}

static int tell_none(lua_State *lua)
{
	parser_self(lua)->none = true;
	return 0;
}

static int tell_absent(lua_State *lua)
{
	err_set(&parser_self(lua)->absent, ERR_NOT_FOUND, "%s", luaL_checkstring(lua, 1));
	return 0;
}

static int tell_incomplete(lua_State *lua)
{
	err_set(&parser_self(lua)->incomplete, ERR_PEER, "%s", luaL_checkstring(lua, 1));
	return 0;
}

static int tell_output(lua_State *lua)
{
	struct parser *p = parser_self(lua);
	struct str text;

	text.p = luaL_checklstring(lua, 1, &text.n);
	if (p->shown)
		buf_add(p->shown, text);
	return 0;
}

static bool run(struct parser *p, int arguments, int results)
{
	return lua_sandbox_call(p->lua, p->bounds.steps, arguments, results, &p->why);
}

static void push_report(struct parser *p)
{
	static const luaL_Reg functions[] = {
		{ "diagnostic", tell_diagnostic },
		{ "test", tell_test },
		{ "directory", tell_directory },
		{ "compiled", tell_compiled },
		{ "idle", tell_idle },
		{ "none", tell_none },
		{ "incomplete", tell_incomplete },
		{ "absent", tell_absent },
		{ "output", tell_output },
		{ "decode", lua_sandbox_decode },
		{ NULL, NULL },
	};

	lua_sandbox_functions(p->lua, functions, p);
}

static bool parser_load(struct parser *p, const char *path)
{
	if (!lua_sandbox_load(p->lua, path, p->bounds.steps, &p->why))
		return false;
	push_report(p);
	if (!run(p, 1, 2))
		return false;
	p->finish = lua_sandbox_keep(p->lua);
	p->line = lua_sandbox_keep(p->lua);
	return p->line != LUA_NOREF ||
	       err_set(&p->why, ERR_INVALID, "it does not return a function");
}

struct parser *parser_new(const char *dir, const char *name, const struct parser_bounds *b,
			  struct err *e)
{
	struct parser *p = mem_new(sizeof(*p));
	struct buf path SCOPED(buf_release) = BUF_INIT;

	*p = (struct parser){ .bounds = *b, .line = LUA_NOREF, .finish = LUA_NOREF };
	p->lua = lua_sandbox_new(dir, b->steps);
	p->diagnostics = json_array();
	p->failures = json_array();
	p->directories = json_array();
	p->compiled = json_array();
	if (*name == '/')
		buf_adds(&path, name);
	else
		buf_addf(&path, "%s/parsers/%s.lua", dir, name);
	if (!parser_load(p, path.p)) {
		err_set(e, p->why.code, "the parser %s: %s", name, p->why.msg);
		parser_free(p);
		p = NULL;
	}
	return p;
}

void parser_free(struct parser *p)
{
	if (!p)
		return;
	lua_close(p->lua);
	json_free(p->diagnostics);
	json_free(p->failures);
	json_free(p->directories);
	json_free(p->compiled);
	map_release(&p->known);
	map_release(&p->seen);
	free(p);
}

static void begin(struct parser *p, struct buf *shown)
{
	lua_settop(p->lua, 0);
	p->shown = shown;
}

bool parser_line(struct parser *p, struct str line, bool errout, struct buf *shown)
{
	bool kept;

	if (p->why.code)
		return false;
	begin(p, shown);
	lua_rawgeti(p->lua, LUA_REGISTRYINDEX, p->line);
	lua_pushlstring(p->lua, line.p, line.n);
	lua_pushboolean(p->lua, errout);
	kept = run(p, 2, 1) && lua_toboolean(p->lua, -1);
	p->shown = NULL;
	return kept;
}

void parser_finish(struct parser *p, struct buf *shown)
{
	if (p->why.code || p->finish == LUA_NOREF)
		return;
	begin(p, shown);
	lua_rawgeti(p->lua, LUA_REGISTRYINDEX, p->finish);
	run(p, 0, 0);
	p->shown = NULL;
}

struct parser_found parser_found(const struct parser *p)
{
	return (struct parser_found){ .diagnostics = p->diagnostics,
				      .failures = p->failures,
				      .errors = p->errors,
				      .beyond = p->beyond,
				      .passed = p->passed,
				      .failed = p->failed,
				      .ignored = p->ignored,
				      .directories = p->directories,
				      .compiled = p->compiled,
				      .idle = p->idle,
				      .none = p->none,
				      .absent = p->absent.code ? p->absent.msg : NULL,
				      .incomplete = p->incomplete.code ? p->incomplete.msg : NULL };
}

const char *parser_broken(const struct parser *p)
{
	return p->why.code ? p->why.msg : NULL;
}
