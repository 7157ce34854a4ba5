#include "prompt.h"

/*
 * prompt_build -> copy_messages (old_result) -> [copy_messages (0)] -> [leave_out] -> check_size
 */
#define MISSING_RESULT "This call was interrupted: it has no result."

static size_t message_bytes(const struct chat_message *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		n += m->v[i].id.n + m->v[i].name.n + m->v[i].text.n + m->v[i].kept.n + 32;
	return n;
}

static size_t tokens_of(size_t bytes, const struct prompt_limits *limits)
{
	double each =
		limits->bytes_per_token > 0 ? limits->bytes_per_token : PROMPT_BYTES_PER_TOKEN;

	return (size_t)((double)bytes / each) + 1;
}

static void count_tokens(struct prompt *p, const struct prompt_limits *limits)
{
	p->bytes = p->system.n + limits->tool_bytes;
	for (size_t i = 0; i < p->chat.n; i++)
		p->bytes += message_bytes(p->chat.v[i]);
	p->tokens = tokens_of(p->bytes, limits);
}

static bool prompt_fits(struct prompt *p, const struct prompt_limits *limits)
{
	count_tokens(p, limits);
	return !limits->window || p->tokens + limits->answer <= limits->window;
}

/* The person's last message; c->n where there is none. */
static size_t last_of_person(const struct chat *c)
{
	size_t i = c->n;

	while (i-- > 0)
		if (c->v[i]->role == CHAT_PERSON)
			return i;
	return c->n;
}

static void prompt_put_text(struct chat_message *to, struct buf *text)
{
	chat_put(to, &(struct chat_part){ .kind = CHAT_TEXT, .text = buf_str(text) });
	buf_release(text);
}

/* The words first, so that what changes from message to message comes last. */
static void copy_current(struct chat_message *to, const struct chat_message *from)
{
	for (size_t i = 0; i < from->n; i++)
		if (from->v[i].kind != CHAT_SHOWN)
			chat_put(to, &from->v[i]);
	for (size_t i = 0; i < from->n; i++) {
		const struct chat_part *shown = &from->v[i];
		struct buf text = BUF_INIT;

		if (shown->kind != CHAT_SHOWN)
			continue;
		buf_addf(&text, "%.*s:\n", STR_ARG(shown->name));
		buf_add(&text, shown->text);
		prompt_put_text(to, &text);
	}
}

static void copy_earlier(struct chat_message *to, const struct chat_message *from)
{
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < from->n; i++) {
		if (from->v[i].kind != CHAT_SHOWN)
			chat_put(to, &from->v[i]);
		else
			buf_addf(&text, "%s%.*s",
				 text.n ? "; " : "[Was shown here: ", STR_ARG(from->v[i].name));
	}
	if (text.n) {
		buf_addc(&text, ']');
		prompt_put_text(to, &text);
	}
}

static const struct chat_part *result_of(const struct chat_message *results, struct str id)
{
	for (size_t i = 0; results && i < results->n; i++)
		if (results->v[i].kind == CHAT_RESULT && str_eq(results->v[i].id, id))
			return &results->v[i];
	return NULL;
}

/* One line for a result, where that is shorter. */
static bool put_short(struct chat_message *to, const struct chat_part *result)
{
	struct chat_part line = *result;
	struct buf text SCOPED(buf_release) = BUF_INIT;
	bool shorter;

	buf_addf(&text, "[%zu lines, left out by now: call %.*s again to see them]",
		 str_count(result->text, '\n') + 1, STR_ARG(result->name));
	line.text = buf_str(&text);
	shorter = text.n < result->text.n;
	if (shorter)
		chat_put(to, &line);
	return shorter;
}

static void copy_results(struct prompt *p, const struct chat_message *calls,
			 const struct chat_message *results, size_t most)
{
	struct chat_message *to = NULL;

	for (size_t i = 0; i < calls->n; i++) {
		const struct chat_part *call = &calls->v[i], *result;

		if (call->kind != CHAT_CALL)
			continue;
		to = to ? to : chat_add(&p->chat, CHAT_TOOLS);
		result = result_of(results, call->id);
		if (!result)
			chat_put(to, &(struct chat_part){ .kind = CHAT_RESULT,
							  .failed = true,
							  .id = call->id,
							  .name = call->name,
							  .text = STR(MISSING_RESULT) });
		else if (result->text.n > most && put_short(to, result))
			p->old_results++;
		else
			chat_put(to, result);
	}
}

static void copy_model(struct prompt *p, const struct chat_message *m,
		       const struct chat_message *next, size_t most)
{
	struct chat_message *to;

	if (!m->n)
		return;
	to = chat_add(&p->chat, CHAT_MODEL);
	chat_set_format(to, m->format);
	for (size_t i = 0; i < m->n; i++)
		chat_put(to, &m->v[i]);
	copy_results(p, m, next && next->role == CHAT_TOOLS ? next : NULL, most);
}

static void copy_person(struct prompt *p, const struct chat_message *m, bool is_current,
			struct str note)
{
	struct chat_message *to = chat_add(&p->chat, CHAT_PERSON);

	if (note.n)
		chat_put(to, &(struct chat_part){ .kind = CHAT_TEXT, .text = note });
	(is_current ? copy_current : copy_earlier)(to, m);
}

/* `note`: what the first of them begins with; empty: nothing. */
static void copy_messages(struct prompt *p, const struct chat *c, size_t from, size_t old_result,
			  struct str note)
{
	size_t last = last_of_person(c);

	chat_cut(&p->chat, 0);
	p->old_results = 0;
	for (size_t i = from; i < c->n; i++) {
		const struct chat_message *m = c->v[i], *next = i + 1 < c->n ? c->v[i + 1] : NULL;

		if (i == last)
			p->now = p->chat.n;
		if (m->role == CHAT_MODEL)
			copy_model(p, m, next, i < last ? old_result : SIZE_MAX);
		else if (m->role == CHAT_PERSON)
			copy_person(p, m, i == last, i == from ? note : STR(""));
	}
}

/* Starts with the messages that the summary does not cover, and then with later turns. */
static bool prompt_leave_out(struct prompt *p, const struct chat *c,
			     const struct prompt_limits *limits)
{
	size_t last = last_of_person(c);

	for (size_t from = 1; from <= last && last < c->n; from++) {
		struct buf note SCOPED(buf_release) = BUF_INIT;

		if (c->v[from]->role != CHAT_PERSON || from < limits->summed)
			continue;
		buf_addf(&note, "[%zu earlier messages were left out.%s%.*s]", from,
			 limits->summary.n ? " A summary of them: " : "", STR_ARG(limits->summary));
		copy_messages(p, c, from, 0, buf_str(&note));
		p->left_out = from;
		if (prompt_fits(p, limits))
			return true;
	}
	return false;
}

/* Names the largest part of what has to be sent whole. */
static bool say_too_large(const struct prompt *p, const struct prompt_limits *limits, struct err *e)
{
	const struct chat_part *largest = NULL;
	struct str rest, line = STR("");

	for (size_t i = p->now; i < p->chat.n; i++)
		for (size_t k = 0; k < p->chat.v[i]->n; k++) {
			const struct chat_part *part = &p->chat.v[i]->v[k];

			if (!largest || part->text.n > largest->text.n)
				largest = part;
		}
	if (!largest)
		return err_set(
			e, ERR_LIMIT,
			"the instructions and tools alone are larger than the model's window of "
			"%zu tokens",
			limits->window);
	rest = largest->text;
	str_line(&rest, &line);
	return err_set(
		e, ERR_LIMIT,
		"about %zu tokens do not fit the model's window of %zu, with %zu left for the "
		"answer; the largest part is %s%.*s of %zu bytes: \"%.*s\"; show less of it, or "
		"use a model with a larger window",
		p->tokens, limits->window, limits->answer,
		largest->kind == CHAT_RESULT ? "a result of " : "a text", STR_ARG(largest->name),
		largest->text.n, (int)(line.n < 60 ? line.n : 60), line.p);
}

bool prompt_build(struct prompt *p, const struct chat *c, struct str system,
		  const struct prompt_limits *limits, struct err *e)
{
	*p = (struct prompt){ .system = system };
	chat_init(&p->chat);
	copy_messages(p, c, 0, limits->old_result, STR(""));
	if (prompt_fits(p, limits))
		return true;
	copy_messages(p, c, 0, 0, STR(""));
	if (prompt_fits(p, limits) || prompt_leave_out(p, c, limits))
		return true;
	return say_too_large(p, limits, e);
}

void prompt_release(struct prompt *p)
{
	chat_release(&p->chat);
}
