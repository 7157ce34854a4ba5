#include "../base/mem.h"
#include "../io/loop.h"
#include "turn_impl.h"

static json *turn_number(const struct turn *t)
{
	return json_int(t->of->turns);
}

static void record_text(const struct turn *t, const char *role, const struct buf *text)
{
	if (text->n)
		record_add(t->of->record, RECORD_MESSAGE,
			   json_of({ "role", json_strz(role) }, { "text", json_str(buf_str(text)) },
				   { "turn", turn_number(t) }));
}

/* The results of tools are rows of their own. */
void turn_record_message(const struct turn *t, const struct chat_message *m)
{
	struct buf text SCOPED(buf_release) = BUF_INIT, thought SCOPED(buf_release) = BUF_INIT;

	if (!t->of->record || m->role == CHAT_TOOLS)
		return;
	for (size_t i = 0; i < m->n; i++)
		if (m->v[i].kind == CHAT_TEXT && !m->v[i].name.n) /* said by who is told */
			buf_add(&text, m->v[i].text);
		else if (m->v[i].kind == CHAT_THOUGHT)
			buf_add(&thought, m->v[i].text);
	record_text(t, "thought", &thought);
	record_text(t, m->role == CHAT_PERSON ? "user" : "assistant", &text);
}

static const char *status_of(const struct turn_call *c, const json *answer)
{
	if (!c->ended)
		return "interrupted";
	if (c->code == ERR_CANCELLED)
		return c->of->cancelled ? "interrupted" : "denied"; /* in its review */
	if (c->code == ERR_DENIED || c->code == ERR_NEEDS_CONFIRMATION ||
	    (!c->failed && json_get_bool(answer, "needs_confirmation", false)))
		return "denied";
	return c->failed ? "failed" : "completed";
}

/* What is not an object is told as it is. */
static json *arguments_row(const struct turn_call *c)
{
	json *args = json_parse(c->part->text.n ? c->part->text : STR("{}"), ERR_IGNORED);

	if (json_is(args, JSON_OBJECT))
		return args;
	json_free(args);
	return json_str(c->part->text);
}

static const char *root_of(const struct turn_call *c)
{
	const char *shown = c->of->of->context.shown_root;

	return shown ? shown : c->request.root ? c->request.root : c->of->of->ox->root;
}

/* A file that was read, or those that were changed. */
static void record_operations(const struct turn_call *c, const json *answer)
{
	const struct conversation *of = c->of->of;
	struct str read = json_get_str(answer, "file");
	struct record_change change = {
		.root = root_of(c), .call = c->part->id, .turn = of->turns, .report = answer
	};

	if (!c->failed && read.n && json_get(answer, "content"))
		record_add(of->record, RECORD_FILE_OPERATION,
			   json_of({ "operation", json_strz("read") },
				   { "path", record_change_path(root_of(c), read) },
				   { "tool_call_id", json_str(c->part->id) },
				   { "turn", turn_number(c->of) }));
	record_change(of->record, &change);
}

/* What a turn had drafted was made. */
void turn_record_changes(const struct conversation *c, const json *report)
{
	struct record_change change = {
		.root = c->context.shown_root ? c->context.shown_root : c->ox->root,
		.turn = c->turns,
		.report = report,
	};

	if (c->record)
		record_change(c->record, &change);
}

void turn_record_past(const struct turn *t, const char *root, const json *report)
{
	int64_t took = (int64_t)(loop_now(t->of->ox->loop) - t->began);
	struct record_change change = { .root = root,
					.turn = t->of->turns,
					.report = report,
					.since_ms = loop_wall_ms() - took };

	if (t->of->record)
		record_change_past(t->of->record, &change);
}

/* The commands of a project that were run: how the last of them ended that failed. */
static void record_commands(const struct turn_call *c, const json *answer)
{
	const json *runs = json_get(answer, "runs"), *failed = NULL;
	int64_t now = loop_wall_ms(), signal;

	if (!json_len(runs))
		return;
	json_each(run, runs)
		if (!json_get_bool(run, "success", false))
			failed = run;
	signal = json_get_int(failed, "signal", 0);
	record_add(
		c->of->of->record, RECORD_SHELL_COMMAND,
		json_of({ "command", json_str(buf_str(&c->commands)) },
			{ "exit_code",
			  signal ? json_null() : json_int(json_get_int(failed, "exit_status", 0)) },
			{ "signal", signal ? json_int(signal) : json_null() },
			{ "output", json_str(json_get_str(answer, "output")) },
			{ "truncated", json_bool(true) }, /* the tool tells its end alone */
			{ "timestamp", record_time(c->began_ms) },
			{ "duration_ms", json_int(now - c->began_ms) },
			{ "tool_call_id", json_str(c->part->id) }, { "turn", turn_number(c->of) }));
}

void turn_record_call(const struct turn_call *c, const json *answer)
{
	int64_t now = loop_wall_ms(), began = c->began_ms ? c->began_ms : now, took = now - began;

	if (!c->of->of->record)
		return;
	record_add(c->of->of->record, RECORD_TOOL_CALL,
		   json_of({ "id", json_str(c->part->id) }, { "name", json_str(c->part->name) },
			   { "arguments", arguments_row(c) },
			   { "result", json_str(buf_str(&c->result)) },
			   { "status", json_strz(status_of(c, answer)) },
			   { "timestamp", record_time(began) },
			   { "duration_ms", json_int(took > 0 ? took : 0) },
			   { "turn", turn_number(c->of) }));
	record_operations(c, answer);
	record_commands(c, answer);
}

static json *tokens(int64_t n)
{
	return n < 0 ? json_null() : json_int(n);
}

json *conversation_usage(const struct conversation *c)
{
	double cost = c->engine->cost(c);
	json *usage = json_of({ "input_tokens", tokens(c->usage.input) },
			      { "output_tokens", tokens(c->usage.output) },
			      { "cost", cost < 0 ? json_null() : json_num(cost) });

	return json_of({ "usage", usage });
}
