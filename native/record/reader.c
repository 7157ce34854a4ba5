#include "reader_impl.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../core/lua_data_impl.h"
#include "../core/lua_sandbox.h"
#include "../io/loop.h"
#include "../text/diff.h"

#define READER_DEPTH 256 /* tables inside tables, in what it tells */

struct reader {
	lua_State *lua;
	size_t steps;
	int line, finish; /* in the registry of Lua; LUA_NOREF: none */
	struct reader_line lines;
	const struct reader_events *events;
	void *self;
	int64_t turn; /* 0: nothing has been told */
	bool live;
	struct err why; /* it does not work */
};

static struct reader *reader_self(lua_State *lua)
{
	return lua_sandbox_self(lua);
}

static json *told_table(lua_State *lua, struct err *e)
{
	if (lua_istable(lua, 1))
		return lua_data_value(lua, 1, READER_DEPTH, e);
	err_set(e, ERR_INVALID, "it expects a table");
	return NULL;
}

static int tell_row(lua_State *lua, enum record_row kind, const char *function)
{
	struct reader *r = reader_self(lua);
	struct err e = ERR_INIT;
	json *told = told_table(lua, &e), *row = told ? reader_row(kind, told, &e) : NULL;

	json_free(told);
	if (!row)
		return lua_sandbox_fail(lua, function, &e);
	r->turn = r->turn ? r->turn : 1;
	if (!json_get(row, "turn"))
		json_put(row, "turn", json_int(r->turn));
	r->events->row(r->self, kind, row);
	return 0;
}

static int tell_call(lua_State *lua)
{
	return tell_row(lua, RECORD_TOOL_CALL, "tool_call");
}

static int tell_operation(lua_State *lua)
{
	return tell_row(lua, RECORD_FILE_OPERATION, "file_operation");
}

static int tell_command(lua_State *lua)
{
	return tell_row(lua, RECORD_SHELL_COMMAND, "shell_command");
}

static int tell_message(lua_State *lua)
{
	return tell_row(lua, RECORD_MESSAGE, "message");
}

static int tell_session(lua_State *lua)
{
	struct reader *r = reader_self(lua);
	struct err e = ERR_INIT;
	json *told SCOPED(json_release) = told_table(lua, &e);

	if (!told)
		return lua_sandbox_fail(lua, "session", &e);
	if (json_get(told, "timestamp"))
		json_put(told, "timestamp", reader_time(json_get(told, "timestamp")));
	if (r->events->session)
		r->events->session(r->self, told);
	return 0;
}

static int tell_usage(lua_State *lua)
{
	struct reader *r = reader_self(lua);
	struct err e = ERR_INIT;
	json *told SCOPED(json_release) = told_table(lua, &e);

	if (!told)
		return lua_sandbox_fail(lua, "usage", &e);
	if (r->events->usage)
		r->events->usage(r->self, told);
	return 0;
}

static int tell_state(lua_State *lua)
{
	struct reader *r = reader_self(lua);
	const char *state = luaL_checkstring(lua, 1);

	if (strcmp(state, "working") != 0 && strcmp(state, "waiting") != 0 &&
	    strcmp(state, "idle") != 0)
		return luaL_error(lua, "report.state: it is \"%s\"", state);
	if (r->events->state)
		r->events->state(r->self, state);
	return 0;
}

static int present_turn(lua_State *lua)
{
	int64_t turn = reader_self(lua)->turn;

	lua_pushnumber(lua, (lua_Number)(turn ? turn : 1));
	return 1;
}

static int next_turn(lua_State *lua)
{
	reader_self(lua)->turn++;
	return present_turn(lua);
}

/* When the line is read; nil where what is read was recorded elsewhere. */
static int reader_now(lua_State *lua)
{
	if (!reader_self(lua)->live)
		return 0;
	lua_pushnumber(lua, (lua_Number)loop_wall_ms());
	return 1;
}

static int reader_encode(lua_State *lua)
{
	struct err e = ERR_INIT;
	json *v SCOPED(json_release) = lua_data_value(lua, 1, READER_DEPTH, &e);
	struct buf text SCOPED(buf_release) = BUF_INIT;

	if (!v)
		return lua_sandbox_fail(lua, "encode", &e);
	json_print(&text, v);
	lua_pushlstring(lua, text.p ? text.p : "", text.n);
	return 1;
}

static struct str text_argument(lua_State *lua, int at)
{
	struct str s = STR("");

	if (lua_isstring(lua, at))
		s.p = lua_tolstring(lua, at, &s.n);
	return s;
}

/* Of the two texts, the one that is nil is of a file that is not there. */
static int reader_diff(lua_State *lua)
{
	const char *before = lua_isstring(lua, 1) ? "a" : NULL,
		   *after = lua_isstring(lua, 2) ? "a" : NULL;
	struct buf diff SCOPED(buf_release) = BUF_INIT;
	struct diff_counts n = { 0 };
	ptrdiff_t hunk;

	if (before || after)
		n = diff_unified(&diff, before, after, text_argument(lua, 1), text_argument(lua, 2),
				 DIFF_CONTEXT);
	hunk = str_find(buf_str(&diff), STR("@@ "));
	lua_createtable(lua, 0, 3);
	if (hunk >= 0) {
		lua_pushlstring(lua, diff.p + hunk, diff.n - (size_t)hunk);
		lua_setfield(lua, -2, "diff");
	}
	lua_pushnumber(lua, (lua_Number)n.added);
	lua_setfield(lua, -2, "lines_added");
	lua_pushnumber(lua, (lua_Number)n.removed);
	lua_setfield(lua, -2, "lines_removed");
	return 1;
}

static const luaL_Reg report_functions[] = {
	{ "tool_call", tell_call },	   { "file_operation", tell_operation },
	{ "shell_command", tell_command }, { "message", tell_message },
	{ "session", tell_session },	   { "usage", tell_usage },
	{ "state", tell_state },	   { "turn", present_turn },
	{ "next_turn", next_turn },	   { "now", reader_now },
	{ "decode", lua_sandbox_decode },  { "encode", reader_encode },
	{ "diff", reader_diff },	   { NULL, NULL },
};

/* What its file returns is a table that has it, or is it. */
static bool push_function(struct reader *r, const char *path)
{
	if (!lua_sandbox_load(r->lua, path, r->steps, &r->why))
		return false;
	if (lua_istable(r->lua, -1))
		lua_getfield(r->lua, -1, "reader");
	return lua_isfunction(r->lua, -1) ||
	       err_set(&r->why, ERR_INVALID, "%s has no function `reader`", path);
}

static bool start_reader(struct reader *r, const char *path, const char *kind)
{
	if (!push_function(r, path))
		return false;
	lua_sandbox_functions(r->lua, report_functions, r);
	if (kind)
		lua_pushstring(r->lua, kind);
	else
		lua_pushnil(r->lua);
	if (!lua_sandbox_call(r->lua, r->steps, 2, 2, &r->why))
		return false;
	r->finish = lua_sandbox_keep(r->lua);
	r->line = lua_sandbox_keep(r->lua);
	return r->line != LUA_NOREF ||
	       err_set(&r->why, ERR_INVALID, "%s: `reader` does not return a function", path);
}

struct reader *reader_new(const struct oxide *ox, const struct reader_source *source,
			  const struct reader_events *events, void *self, struct err *e)
{
	struct reader *r = mem_new(sizeof(*r));

	*r = (struct reader){ .events = events, .self = self, .live = source->live };
	r->line = r->finish = LUA_NOREF;
	r->steps = (size_t)config_get(&ox->config, CFG_RUN_STEPS);
	r->lines.most = (size_t)config_get(&ox->config, CFG_RECORDS_LINE);
	r->lua = lua_sandbox_new(ox->data, r->steps);
	if (start_reader(r, source->path, source->kind))
		return r;
	*e = r->why;
	reader_free(r);
	return NULL;
}

void reader_free(struct reader *r)
{
	if (!r)
		return;
	lua_close(r->lua);
	reader_line_release(&r->lines);
	free(r);
}

static void read_line(struct reader *r, struct str line)
{
	if (str_ends(line, STR("\r")))
		line.n--;
	lua_settop(r->lua, 0);
	lua_rawgeti(r->lua, LUA_REGISTRYINDEX, r->line);
	lua_pushlstring(r->lua, line.p, line.n);
	lua_sandbox_call(r->lua, r->steps, 1, 0, &r->why);
}

void reader_feed(struct reader *r, struct str bytes)
{
	struct str line;

	while (!r->why.code && reader_line_take(&r->lines, &bytes, &line))
		read_line(r, line);
}

void reader_finish(struct reader *r, const json *exit)
{
	struct str line;

	if (!r->why.code && reader_line_last(&r->lines, &line))
		read_line(r, line);
	if (r->why.code || r->finish == LUA_NOREF)
		return;
	lua_settop(r->lua, 0);
	lua_rawgeti(r->lua, LUA_REGISTRYINDEX, r->finish);
	lua_sandbox_push(r->lua, exit);
	lua_sandbox_call(r->lua, r->steps, 1, 0, &r->why);
}

const char *reader_broken(const struct reader *r)
{
	return r->why.code ? r->why.msg : NULL;
}
