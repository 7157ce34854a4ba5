#ifndef OX_READER_H
#define OX_READER_H

#include "record.h"

/*
 * What an agent prints, logs, or tells its hooks, read as it comes by the function `reader` of its
 * data file (agent_preset.h). It is given `report` and what it reads, and returns a function for
 * each line, and perhaps one for the end, which gets the exit of the program ({ code, signal })
 * where that is known:
 *
 *     reader = function(report, kind)
 *       return function(line) ... end, function(exit) ... end
 *     end
 *
 *     report.tool_call { id, name, arguments, result, status, timestamp, duration_ms, turn }
 *     report.file_operation { operation, path, change, timestamp, tool_call_id, turn }
 *     report.shell_command { command, exit_code, signal, output, truncated, timestamp, ... }
 *     report.message { role, text, timestamp, turn }
 *                          rows of the record, as record.h has them; a call when it has ended. A
 *                          timestamp may be text or milliseconds, a command a list of words, the
 *                          result anything; without a `turn` it is the present one
 *     report.next_turn()   from here on it is another, or the first where no row was told before;
 *                          returns its number, as report.turn() does
 *     report.now()         milliseconds, where what is read happens now; else nil
 *     report.session { id, timestamp, cwd, model, version, engine }    what is known, as it is
 *     report.usage { input_tokens, output_tokens, cost }               of all so far
 *     report.state(state)  'working', 'waiting' (for the user) or 'idle'
 *     report.decode(text)  JSON as Lua's values, nil where it is none; null is nil, but what is
 *                          reported unchanged has it still
 *     report.encode(value) the other way
 *     report.diff(old, new)    a change: { diff, lines_added, lines_removed }; nil: not there
 *
 * `kind` is "stream" (standard output), "log" (a session log), "hooks", "dialogue" (both sides of a
 * protocol, a line { dir = "agent"|"client", msg }) or "terminal" (the text of a screen); nil where
 * nobody said. A string in a line of JSON that is longer than READER_TEXT is cut in its middle, and
 * a line that is too long even then is passed over.
 *
 * Each reader is a Lua of its own, bounded as parsers are (lua_sandbox.h; reader_row.c checks what
 * it tells, reader_line.c cuts the lines). One that fails is not called again, and reader_broken()
 * says why.
 *
 *     reader_new -> reader_feed, with bytes in any pieces -> reader_finish -> reader_free
 */
struct reader;

#define READER_TEXT (1u << 20)

struct reader_events {
	void (*row)(void *self, enum record_row kind, json *row); /* the row is taken */
	/* NULL: nobody wants to know. */
	void (*session)(void *self, const json *what);
	void (*usage)(void *self, const json *usage);
	void (*state)(void *self, const char *state);
};

struct reader_source {
	const char *path; /* of its file: agent_reader_path() in the floor above */
	const char *kind; /* NULL: it is found out */
	bool live;	  /* it happens now: a call without a time begins when its line is read */
};

struct reader *reader_new(const struct oxide *ox, const struct reader_source *source,
			  const struct reader_events *events, void *self, struct err *e);
void reader_free(struct reader *r);
void reader_feed(struct reader *r, struct str bytes);
void reader_finish(struct reader *r, const json *exit); /* once; NULL: it is not known */
const char *reader_broken(const struct reader *r);	/* NULL: it is not */

#endif
