#include <stdio.h>

#include "../base/mem.h"
#include "../tool/change_result.h"
#include "turn_impl.h"

/*
 * What a model is told with the person's next message of what has become of its changes. It is kept
 * in the messages: with the person's words are the ids of the turns that they began, with what was
 * told of a turn its id and how many of its changes were undone then. So it is known again when the
 * conversation is resumed, and forgotten with messages that are taken back.
 */
#define NAME_SHOWN   STR("news")
#define NAME_DETAILS STR("details")

static struct chat_message *news_of(struct conversation *c)
{
	return c->news.n ? c->news.v[0] : chat_add(&c->news, CHAT_PERSON);
}

void conversation_put_news(struct conversation *c, bool shown, struct str text)
{
	chat_put(news_of(c), &(struct chat_part){ .kind = CHAT_TEXT,
						  .name = shown ? NAME_SHOWN : NAME_DETAILS,
						  .text = text });
}

struct chat_part *turn_words(const struct chat_message *m)
{
	for (size_t i = 0; m->role == CHAT_PERSON && i < m->n; i++)
		if (m->v[i].kind == CHAT_TEXT && !m->v[i].name.n)
			return &m->v[i];
	return NULL;
}

/* How many of a turn's changes the model knows to be undone. */
static struct str known_undone(const struct chat *chat, struct str turn)
{
	struct str known = STR("0");

	for (size_t i = 0; i < chat->n; i++)
		for (size_t k = 0; k < chat->v[i]->n; k++) {
			const struct chat_part *p = &chat->v[i]->v[k];
			struct str rest = p->id, id;

			if (p->kind == CHAT_TEXT && str_eq(p->name, NAME_SHOWN) &&
			    str_line(&rest, &id) && str_eq(id, turn))
				known = rest;
		}
	return known;
}

struct undone {
	struct conversation *c;
	const struct history_entry *v;
	size_t n;
	bool is_last; /* the next one that is looked at */
};

static void tell_undone(struct undone *u, const struct chat_part *words, struct str turn,
			size_t made, size_t undone)
{
	struct buf what SCOPED(buf_release) = BUF_INIT, text SCOPED(buf_release) = BUF_INIT,
			id SCOPED(buf_release) = BUF_INIT;

	buf_adds(&what, "your changes");
	if (!u->is_last) {
		buf_adds(&what, " for \"");
		turn_title(words->text, &what);
		buf_adds(&what, "\"");
	}
	if (!undone)
		buf_addf(&text, "The user has made %s again that were undone.\n", what.p);
	else if (undone == made)
		buf_addf(&text,
			 "The user has undone %s: the files are as they were before them, but for "
			 "what was changed since.\n",
			 what.p);
	else
		buf_addf(&text,
			 "The user has undone a part of %s. Read the files before you go on.\n",
			 what.p);
	buf_addf(&id, "%.*s\n%zu", STR_ARG(turn), undone);
	chat_put(news_of(u->c), &(struct chat_part){ .kind = CHAT_TEXT,
						     .id = buf_str(&id),
						     .name = NAME_SHOWN,
						     .text = buf_str(&text) });
}

static void look_at_turn(struct undone *u, const struct chat_part *words, struct str turn)
{
	size_t made = 0, undone = 0;
	char count[24];

	for (size_t i = 0; i < u->n; i++)
		if (str_eq(u->v[i].turn, turn)) {
			made++;
			undone += u->v[i].undone;
		}
	snprintf(count, sizeof(count), "%zu", undone);
	if (made && !str_eq(str_of(count), known_undone(&u->c->chat, turn)))
		tell_undone(u, words, turn, made, undone);
	u->is_last = false;
}

/* What the user has taken back, or made again, of any turn: no call of the model tells it. */
static void look_for_undone(struct conversation *c)
{
	const char *root = c->context.shown_root ? c->context.shown_root : c->ox->root;
	struct undone u = { .c = c, .is_last = true };

	if (!c->ox->history || !history_list(c->ox->history, root, &u.v, &u.n, ERR_IGNORED))
		return;
	for (size_t i = c->chat.n; i--;) {
		const struct chat_part *words = turn_words(c->chat.v[i]);
		struct str ids = words ? words->id : STR(""), id;

		while (str_line(&ids, &id))
			look_at_turn(&u, words, id);
	}
}

/* Whether the last turn, behind message `from`, ended with changes that wait for a review, by what
 * its tools have answered: one that sees real files alone ran behind their review. */
static bool left_waiting(const struct chat *chat, size_t from)
{
	bool waits = false;

	for (size_t i = from + 1; i < chat->n; i++)
		for (size_t k = 0; k < chat->v[i]->n; k++) {
			const struct chat_part *p = &chat->v[i]->v[k];
			const struct tool *tool = p->kind == CHAT_RESULT && !p->failed
							  ? tool_find(p->name, ERR_IGNORED)
							  : NULL;

			if (tool && !(tool->flags & TOOL_TEXT))
				waits = false;
			if (tool && tool->flags & TOOL_DRAFTS)
				waits = waits || str_find(p->text, STR(CHANGE_KEPT)) >= 0;
		}
	return waits;
}

/* Of a turn that another core was left with, before the one that is about to begin: what has become
 * of its changes was told to nobody. The history has them, or they were not made. */
static void look_for_left(struct conversation *c)
{
	const char *root = c->context.shown_root ? c->context.shown_root : c->ox->root;
	const struct history_entry *v = NULL;
	const struct chat_part *words = NULL;
	size_t n = 0, made = 0, before = c->chat.n - 1; /* the last one is about to begin its own */
	struct str ids, id;

	while (!words && before)
		words = turn_words(c->chat.v[--before]);
	if (!words || !left_waiting(&c->chat, before))
		return;
	if (c->ox->history && !history_list(c->ox->history, root, &v, &n, ERR_IGNORED))
		return;
	for (ids = words->id; str_line(&ids, &id);)
		for (size_t k = 0; k < n; k++)
			made += str_eq(v[k].turn, id);
	conversation_put_news(
		c, true,
		made ? STR("The user has accepted your changes, or a part of them. Read the files "
			   "before you go on.\n")
		     : STR("None of your changes was made: they were rejected, or the editor ended "
			   "before they were reviewed. The files are as they were before.\n"));
}

/* The turn that they begin. */
static void mark_words(struct conversation *c, struct chat_message *m)
{
	struct chat_part *words = turn_words(m);
	struct buf ids SCOPED(buf_release) = BUF_INIT;

	if (!words)
		return;
	buf_add(&ids, words->id);
	buf_addf(&ids, "%s%s", ids.n ? "\n" : "", c->next);
	words->id = arena_str(&m->texts, buf_str(&ids));
}

void conversation_tell_news(struct conversation *c)
{
	struct chat_message *m = c->chat.n ? c->chat.v[c->chat.n - 1] : NULL;

	if (*c->next)
		return;
	if (m && m->role == CHAT_PERSON) {
		if (!*c->turn)
			look_for_left(c);
		look_for_undone(c);
		for (size_t i = 0; c->news.n && i < c->news.v[0]->n; i++)
			chat_put(m, &c->news.v[0]->v[i]);
		chat_cut(&c->news, 0);
	}
	turn_new_id(c->ox, c->next);
	if (m)
		mark_words(c, m);
}
