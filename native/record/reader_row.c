#include <time.h>

#include "../core/lua_data.h"
#include "reader_impl.h"

static bool reader_row_digits(struct str s, size_t at, size_t n, int64_t *value)
{
	*value = 0;
	for (size_t i = at; i < at + n; i++) {
		if (i >= s.n || s.p[i] < '0' || s.p[i] > '9')
			return false;
		*value = *value * 10 + (s.p[i] - '0');
	}
	return true;
}

/* Behind the seconds: a fraction, then "Z" or the distance to it. Minutes are to be taken away. */
static bool read_zone(struct str s, size_t at, int64_t *minutes)
{
	int64_t h, m;

	*minutes = 0;
	if (at + 1 == s.n && (s.p[at] | 0x20) == 'z')
		return true;
	if (at + 6 != s.n || !str_any("+-", s.p[at]) || !reader_row_digits(s, at + 1, 2, &h) ||
	    s.p[at + 3] != ':' || !reader_row_digits(s, at + 4, 2, &m))
		return false;
	*minutes = (h * 60 + m) * (s.p[at] == '-' ? -1 : 1);
	return true;
}

static json *time_of_text(struct str s)
{
	int64_t year, month, day, hour, minute, second, zone;
	size_t at = 19;
	struct tm tm;
	time_t t;

	if (!reader_row_digits(s, 0, 4, &year) || !reader_row_digits(s, 5, 2, &month) ||
	    !reader_row_digits(s, 8, 2, &day) || !reader_row_digits(s, 11, 2, &hour) ||
	    !reader_row_digits(s, 14, 2, &minute) || !reader_row_digits(s, 17, 2, &second))
		return json_null();
	if (at < s.n && s.p[at] == '.')
		for (at++; at < s.n && s.p[at] >= '0' && s.p[at] <= '9';)
			at++;
	if (!read_zone(s, at, &zone))
		return json_null();
	tm = (struct tm){ .tm_year = (int)year - 1900,
			  .tm_mon = (int)month - 1,
			  .tm_mday = (int)day,
			  .tm_hour = (int)hour,
			  .tm_min = (int)minute,
			  .tm_sec = (int)second };
	t = timegm(&tm) - (time_t)(zone * 60);
	gmtime_r(&t, &tm);
	return json_strf("%04d-%02d-%02dT%02d:%02d:%02d%.*sZ", tm.tm_year + 1900, tm.tm_mon + 1,
			 tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, at > 20 ? (int)(at - 19) : 0,
			 s.p + 19);
}

json *reader_time(const json *told)
{
	if (json_is(told, JSON_STRING))
		return time_of_text(json_text(told));
	if (json_is(told, JSON_NUMBER) && json_double(told) >= 0 && json_double(told) < 1e14)
		return record_time((int64_t)json_double(told));
	return json_null();
}

static json *printed(const json *v)
{
	struct buf text = BUF_INIT;

	json_print(&text, v);
	return json_take(&text);
}

/* A text, or null. */
static json *as_text(const json *v)
{
	return !v ? json_null() : json_is(v, JSON_STRING) ? json_str(json_text(v)) : printed(v);
}

static json *as_count(const json *v)
{
	return json_is(v, JSON_NUMBER) && json_double(v) >= 0 ? json_int(json_number(v)) : NULL;
}

static bool is_plain_word(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!str_named(s.p[i]) && !str_any("/.,:=@%+-", s.p[i]))
			return false;
	return s.n && !memchr(s.p, '$', s.n);
}

/* A list of words as a shell would be given it. */
static json *as_command(const json *v)
{
	struct buf line = BUF_INIT;

	if (!json_is(v, JSON_ARRAY))
		return as_text(v);
	json_each(word, v) {
		struct str rest = json_text(word);

		buf_adds(&line, line.n ? " " : "");
		if (is_plain_word(rest)) {
			buf_add(&line, rest);
			continue;
		}
		buf_addc(&line, '\'');
		for (; rest.n; rest = str_sub(rest, 1, rest.n))
			if (*rest.p == '\'')
				buf_adds(&line, "'\\''");
			else
				buf_addc(&line, *rest.p);
		buf_addc(&line, '\'');
	}
	return json_take(&line);
}

static bool row_text(const json *told, const char *member, struct err *e)
{
	return json_get_str(told, member).n ||
	       err_set(e, ERR_INVALID, "%s must be a string that is not empty", member);
}

static json *call_id(const json *told)
{
	const json *id = json_get(told, "tool_call_id");

	return id ? as_text(id) : NULL;
}

static json *as_arguments(const json *v)
{
	return !v ? json_object() : json_is(v, JSON_OBJECT) ? json_copy(v) : as_text(v);
}

static json *call_row(const json *told, struct err *e)
{
	static const char *const statuses[] = { "completed", "failed", "denied", "interrupted",
						NULL };

	if (!json_get(told, "id")) {
		err_set(e, ERR_INVALID, "id is missing");
		return NULL;
	}
	if (!row_text(told, "name", e) || !lua_data_word(told, "status", statuses, e))
		return NULL;
	return json_of({ "id", as_text(json_get(told, "id")) },
		       { "name", json_str(json_get_str(told, "name")) },
		       { "arguments", as_arguments(json_get(told, "arguments")) },
		       { "result", as_text(json_get(told, "result")) },
		       { "status", json_str(json_get_str(told, "status")) });
}

static json *change_of(const json *told)
{
	const json *change = json_get(told, "change");
	struct str diff = json_get_str(change, "diff"), to = json_get_str(change, "new_path");

	if (!json_is(change, JSON_OBJECT))
		return NULL;
	return json_of({ "diff", diff.n ? json_str(diff) : NULL },
		       { "new_path", to.n ? json_str(to) : NULL },
		       { "lines_added", as_count(json_get(change, "lines_added")) },
		       { "lines_removed", as_count(json_get(change, "lines_removed")) });
}

static json *operation_row(const json *told, struct err *e)
{
	static const char *const operations[] = { "read",   "create", "modify", "write",
						  "delete", "rename", NULL };

	if (!lua_data_word(told, "operation", operations, e) || !row_text(told, "path", e))
		return NULL;
	return json_of({ "operation", json_str(json_get_str(told, "operation")) },
		       { "path", json_str(json_get_str(told, "path")) },
		       { "change", change_of(told) }, { "tool_call_id", call_id(told) });
}

static json *command_row(const json *told, struct err *e)
{
	const json *code = json_get(told, "exit_code"), *signal = json_get(told, "signal");

	if (!json_get(told, "command")) {
		err_set(e, ERR_INVALID, "command is missing");
		return NULL;
	}
	return json_of({ "command", as_command(json_get(told, "command")) },
		       { "exit_code", json_is_int(code) ? json_copy(code) : json_null() },
		       { "signal", signal ? json_copy(signal) : NULL },
		       { "output", as_text(json_get(told, "output")) },
		       { "truncated", json_bool(json_get_bool(told, "truncated", false)) },
		       { "tool_call_id", call_id(told) });
}

static json *message_row(const json *told, struct err *e)
{
	static const char *const roles[] = { "user", "assistant", "thought", NULL };

	if (!lua_data_word(told, "role", roles, e))
		return NULL;
	return json_of({ "role", json_str(json_get_str(told, "role")) },
		       { "text", json_str(json_get_str(told, "text")) });
}

json *reader_row(enum record_row kind, const json *told, struct err *e)
{
	static json *(*const of[])(const json *told, struct err *e) = {
		[RECORD_TOOL_CALL] = call_row,
		[RECORD_FILE_OPERATION] = operation_row,
		[RECORD_SHELL_COMMAND] = command_row,
		[RECORD_MESSAGE] = message_row,
	};
	json *row = of[kind](told, e), *took;

	if (!row)
		return NULL;
	json_put(row, "timestamp", reader_time(json_get(told, "timestamp")));
	took = kind == RECORD_TOOL_CALL || kind == RECORD_SHELL_COMMAND
		       ? as_count(json_get(told, "duration_ms"))
		       : NULL;
	if (took)
		json_put(row, "duration_ms", took);
	if (json_get_int(told, "turn", 0) > 0)
		json_put(row, "turn", json_int(json_get_int(told, "turn", 1)));
	return row;
}
