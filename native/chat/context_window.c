#include "context_window.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "turn.h"

/* The parts of the window that are filled where turns are left out, so that it is not the next turn
 * that has to be summed again. */
#define FILLED(window)	       ((window) / 4 * 3)
#define LEFT_TO_ANSWER(window) ((window) / 8) /* where the model's row does not say */

/* What a token may have, whatever a server counts. */
#define LEAST_BYTES 1.0
#define MOST_BYTES  8.0

static const char ask_for_summary[] =
	"Summarize our conversation so far for yourself: your summary will be all that you know of "
	"it. Keep what I asked for, what was decided and why, which files were changed and how, "
	"and what is still to be done. Do not call tools; answer with the summary alone.";

void window_release(struct window *w)
{
	buf_release(&w->summary);
	*w = (struct window){ 0 };
}

struct prompt_limits window_limits(const struct conversation *c, size_t tool_bytes)
{
	const struct model *m = c->model;
	size_t answer = m->max_tokens > 0 ? (size_t)m->max_tokens : LEFT_TO_ANSWER(m->window);

	return (struct prompt_limits){
		.window = m->window,
		.answer = answer,
		.old_result = (size_t)config_get(&c->ox->config, CFG_CHAT_OLD_RESULT),
		.tool_bytes = tool_bytes,
		.bytes_per_token = c->window.bytes_per_token,
		.summary = buf_str(&c->window.summary),
		.summed = c->window.summed,
	};
}

size_t window_to_sum(const struct conversation *c, const struct prompt *p, size_t tool_bytes)
{
	const struct window *w = &c->window;
	struct prompt_limits limits = window_limits(c, tool_bytes);
	size_t n = p->left_out;
	struct prompt less SCOPED(prompt_release) = { 0 };

	if (n <= w->summed || n <= w->not_summed)
		return 0;
	limits.window = FILLED(limits.window);
	if (prompt_build(&less, &c->chat, p->system, &limits, ERR_IGNORED))
		n = less.left_out;
	return n;
}

bool window_sum_prompt(const struct conversation *c, size_t n, size_t tool_bytes,
		       struct prompt *ask, struct err *e)
{
	struct prompt_limits limits = window_limits(c, tool_bytes);
	struct chat said = { .n = n + 1 }, last SCOPED(chat_release) = { 0 };
	struct chat_message *words;
	bool ok;

	chat_init(&last);
	words = chat_add(&last, CHAT_PERSON);
	chat_put(words, &(struct chat_part){ .kind = CHAT_TEXT, .text = str_of(ask_for_summary) });
	said.v = mem_new((n + 1) * sizeof(struct chat_message *));
	for (size_t i = 0; i < n; i++)
		said.v[i] = c->chat.v[i];
	said.v[n] = words;
	ok = prompt_build(ask, &said, buf_str(&c->system), &limits, e);
	free(said.v);
	return ok;
}

void window_not_summed(struct conversation *c, size_t n)
{
	c->window.not_summed = n;
}

void window_summed(struct conversation *c, size_t n, const struct reply *reply)
{
	struct window *w = &c->window;
	struct buf text SCOPED(buf_release) = BUF_INIT;

	for (size_t i = 0; i < reply->n; i++)
		if (reply->v[i].kind == LLM_TEXT)
			buf_add(&text, buf_str(&reply->v[i].text));
	window_not_summed(c, n);
	if (str_trim(buf_str(&text)).n) {
		buf_clear(&w->summary);
		buf_add(&w->summary, str_trim(buf_str(&text)));
		w->summed = n;
	}
}

void window_counted(struct conversation *c, size_t bytes, const struct llm_usage *usage)
{
	double each = usage->input > 0 ? (double)bytes / (double)usage->input : 0;

	if (each > 0)
		c->window.bytes_per_token = each < LEAST_BYTES	? LEAST_BYTES
					    : each > MOST_BYTES ? MOST_BYTES
								: each;
}

void window_cut(struct conversation *c, size_t n)
{
	struct window *w = &c->window;

	chat_cut(&c->chat, n);
	if (w->summed > n) {
		buf_clear(&w->summary);
		w->summed = 0;
	}
	w->not_summed = w->not_summed > n ? 0 : w->not_summed;
}
