#include <stdarg.h>
#include <string.h>

#include "../base/mem.h"
#include "../tool/answer_text.h"
#include "../tool/decide_turn.h"
#include "turn_impl.h"

/*
 * The draft of a turn, and its review: at the turn's end, or before a tool runs that sees real
 * files alone. turn_review_start -> (the tool `turn`) on_turn_settled, on_review_answered ->
 * t->reviewed; in the other order where the user accepts or rejects it by other means.
 */
#define TITLE_BYTES 60

void turn_title(struct str words, struct buf *out)
{
	struct str line = STR("");
	bool cut;

	words = str_trim(words);
	str_line(&words, &line);
	cut = words.n || line.n > TITLE_BYTES;
	buf_add(out, line.n ? str_cut(line, TITLE_BYTES) : STR("changes of a model"));
	buf_adds(out, cut ? "..." : "");
}

/* What the person asked for last. */
static struct str last_words(const struct chat *chat)
{
	for (size_t i = chat->n; i--;) {
		const struct chat_part *words = turn_words(chat->v[i]);

		if (words && str_trim(words->text).n)
			return words->text;
	}
	return STR("");
}

void turn_own_title(const struct turn *t, struct buf *out)
{
	turn_title(last_words(&t->of->chat), out);
}

static bool is_reviewed_now(const struct turn *t, const struct turn_changes *what)
{
	return t && t->reviewing && !strcmp(t->of->turn, what->turn);
}

/* As news, or into the result of the call that waited for it. */
static void put_fate(struct conversation *c, struct turn_call *held, bool shown, const char *fmt,
		     ...)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	buf_addv(&text, fmt, ap);
	va_end(ap);
	if (held)
		buf_add(&held->result, buf_str(&text));
	else
		conversation_put_news(c, shown, buf_str(&text));
}

static void put_left_out(struct conversation *c, struct turn_call *held, const json *report)
{
	json *left SCOPED(json_release) =
		json_of({ "left_out", json_copy(json_get(report, "left_out")) });
	struct buf text SCOPED(buf_release) = BUF_INIT;

	answer_text_result(&text, left);
	put_fate(c, held, false, "%s", text.p);
}

static void put_fates(struct conversation *c, struct turn_call *held,
		      const struct turn_changes *what)
{
	struct str changed = json_get_str(what->report, "changed_by_user");

	switch (what->fate) {
	case TURN_ACCEPTED:
		put_fate(c, held, true,
			 "The user has accepted your changes: the files are changed.\n");
		break;
	case TURN_ACCEPTED_IN_PART:
		put_fate(c, held, true,
			 "The user has accepted your changes in part; the rest of them was "
			 "not made:\n");
		put_left_out(c, held, what->report);
		break;
	case TURN_REJECTED:
		put_fate(c, held, true,
			 "The user has rejected your changes: none was made, the files are as "
			 "they were before.\n");
		break;
	case TURN_UNDECIDED:
		put_fate(c, held, true,
			 "Your changes wait for the user's review; the files are still as they "
			 "were before: %s\n",
			 what->why->msg);
		break;
	case TURN_LOST:
		put_fate(c, held, true,
			 "Your changes are not waiting for a review any more: %s. Read the "
			 "files before you go on.\n",
			 what->why->msg);
		break;
	}
	if (!changed.n)
		return;
	put_fate(c, held, true,
		 "The user has changed what you wrote before accepting it. This is the "
		 "difference from your text to what is in the files now; build on it, and "
		 "do not change it back:\n");
	put_fate(c, held, false, "%.*s", STR_ARG(changed));
}

static void review_over(void *arg)
{
	struct turn *t = arg;
	void (*then)(struct turn * t) = t->reviewed;

	t->reviewing = false;
	if (t->fate != TURN_UNDECIDED)
		t->draft = NULL;
	else
		t->draft->busy = t->held;
	then(t);
}

static void on_turn_settled(void *arg, const struct turn_changes *what)
{
	struct conversation *c = arg;
	struct turn *t = c->going;
	bool now = is_reviewed_now(t, what);

	put_fates(c, now ? t->held : NULL, what);
	turn_record_changes(c, what->report);
	if (c->changes)
		c->changes(c->changes_self, what);
	if (!now) {
		if (t && what->fate != TURN_UNDECIDED && !strcmp(c->turn, what->turn))
			t->draft = NULL; /* the user decided between two calls, elsewhere */
		return;
	}
	t->settled = true;
	t->fate = what->fate;
	if (!t->review && !t->review_elsewhere)
		oxide_soon(c->ox, review_over, t);
}

/* It may have been cancelled by one who decides in its place. */
static void on_review_answered(void *arg, json *result, const struct err *e)
{
	struct turn *t = arg;
	struct turn_changes what = { .turn = t->of->turn, .fate = TURN_UNDECIDED, .why = e };

	json_free(result);
	t->review = NULL;
	t->review_elsewhere = NULL;
	if (t->settled)
		oxide_soon(t->of->ox, review_over, t);
	else if (!t->draft->review)
		on_turn_settled(t->of, &what);
}

static void turn_review_start(struct turn *t, void (*then)(struct turn *t))
{
	struct call_context context = t->of->context;

	context.origin = "chat";
	if (!t->asks)
		context.confirm = CONFIRM_NEVER;
	t->draft->busy = false;
	t->reviewing = true;
	t->settled = false;
	t->reviewed = then;
	if (t->events.review)
		t->events.review(t->self);
	if (t->draft->elsewhere) {
		context.draft = t->draft;
		t->review_elsewhere =
			t->of->runner->start(t->of->runner_self, &tool_turn,
					     json_of({ "action", json_strz("accept") },
						     { "turn", json_strz(t->of->turn) }),
					     &context, on_review_answered, t);
	} else {
		t->review = turn_review(t->of->ox, t->draft, &context, on_review_answered, t);
	}
}

bool turn_cancel_review(struct turn *t)
{
	if (t->review)
		call_cancel(t->review);
	else if (t->review_elsewhere)
		t->of->runner->cancel(t->of->runner_self, t->review_elsewhere);
	else
		return false;
	return true;
}

bool turn_has_draft(const struct turn *t)
{
	return t->draft && (t->draft->elsewhere || draft_files(t->draft->draft));
}

void turn_draft_for(struct turn *t, const struct tool *tool, struct call_context *context)
{
	struct buf title = BUF_INIT;
	struct turn_draft_about about = { t->of->turn, NULL, conversation_who(t->of) };

	context->turn = t->of->turn;
	if (config_get(&t->of->ox->config, CFG_CHAT_APPLY) ||
	    !(tool->flags & (TOOL_TEXT | TOOL_DRAFTS)))
		return;
	if (!t->draft) {
		turn_own_title(t, &title);
		about.title = title.p;
		t->draft = turn_draft_new(t->of->ox, &about, on_turn_settled, t->of);
		buf_release(&title);
	}
	t->settled = false;
	if (tool->flags & TOOL_DRAFTS)
		t->asks = t->asks || context->confirm != CONFIRM_NEVER;
	context->draft = t->draft;
}

static void on_held_reviewed(struct turn *t)
{
	struct turn_call *c = t->held;

	t->held = NULL;
	turn_resume_call(c, t->fate != TURN_UNDECIDED);
}

void turn_hold_call(struct turn_call *c)
{
	c->of->held = c;
	turn_review_start(c->of, on_held_reviewed);
}

void turn_review_end(struct turn *t, void (*then)(struct turn *t))
{
	struct err e = ERR_INIT;
	struct turn_changes what = { .turn = t->of->turn, .fate = TURN_UNDECIDED, .why = &e };

	if (turn_has_draft(t) && !t->unreviewed) {
		turn_review_start(t, then);
		return;
	}
	if (turn_has_draft(t))
		t->draft->busy = false;
	if (turn_has_draft(t) && t->draft->elsewhere)
		t->of->runner->leave(t->of->runner_self, t->draft);
	if (turn_has_draft(t) && !t->settled) {
		err_set(&e, ERR_CANCELLED, "cancelled");
		on_turn_settled(t->of, &what);
	} else if (!turn_has_draft(t) && t->draft) {
		turn_draft_free(t->draft);
	}
	then(t);
}
