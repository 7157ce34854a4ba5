#include <stddef.h>
#include <stdlib.h>

#include "../base/mem.h"
#include "../chat/excerpt.h"
#include "../core/lua_data.h"
#include "../io/loop.h"
#include "nvim_chat_impl.h"

static void chat_never(void *arg, json *result, const struct err *e)
{
	(void)arg;
	(void)result;
	(void)e;
}

struct nvim_chat *nvim_chat_numbered(struct nvim *n, int64_t number)
{
	struct nvim_chat *c;

	LIST_FOREACH(c, &n->chats, all)
		if (c->number == number && !c->closed)
			return c;
	return NULL;
}

void nvim_chat_answer_request(struct nvim *n, int64_t id, json *result, const struct err *e)
{
	json *v = !e->code ? json_of({ "result", result }) : result ? result : error_object(e);

	json_put(v, "id", json_int(id));
	nvim_event(n, "answer", v);
}

void nvim_chat_answer(struct nvim_chat *c, int64_t id, json *result, const struct err *e)
{
	nvim_chat_answer_request(c->nvim, id, result, e);
}

json *nvim_chat_model(const struct nvim_chat *c)
{
	const struct model *m = c->next.name ? &c->next : &c->model;

	if (nvim_chat_is_agent(c))
		return nvim_chat_about_agent(c);
	return json_of({ "model", json_strz(m->name) }, { "id", json_strz(m->id) },
		       { "window", json_int((int64_t)m->window) });
}

static void say_incomplete_record(const struct nvim_chat *c)
{
	const char *why = c->record ? record_incomplete(c->record) : NULL;
	struct buf text SCOPED(buf_release) = BUF_INIT;

	if (!why)
		return;
	buf_addf(&text,
		 "the record of this conversation is incomplete: %s; :w {file} in its window "
		 "writes what was said",
		 why);
	nvim_say(c->nvim, "warn", text.p);
}

static void chat_end_record(struct nvim_chat *c)
{
	struct err e = ERR_INIT;

	if (c->record && !record_end(c->record, conversation_usage(&c->talk), &e))
		nvim_say(c->nvim, "warn", e.msg);
	record_free(c->record);
}

void nvim_chat_free(struct nvim_chat *c)
{
	LIST_REMOVE(c, all);
	chat_end_record(c);
	nvim_chat_close_agent(c);
	conversation_release(&c->talk);
	model_release(&c->model);
	model_release(&c->next);
	json_free(c->held);
	chat_frames_release(&c->frames);
	timer_free(c->timer);
	free(c);
}

struct nvim_chat *nvim_chat_new(struct nvim *n, int64_t number)
{
	struct nvim_chat *c = mem_new(sizeof(*c));

	c->nvim = n;
	c->number = number;
	c->caller.id = -++n->last_other;
	c->caller.answer = chat_never;
	c->timer = timer_new(n->ox->loop, nvim_chat_flush, c);
	conversation_init(&c->talk, n->ox);
	c->talk.permissions = n->ox->permissions;
	c->talk.changes = nvim_chat_on_changes;
	c->talk.changes_self = c;
	c->talk.context.of = &c->caller;
	c->talk.context.last_project = &n->last_project;
	LIST_INSERT_HEAD(&n->chats, c, all);
	return c;
}

void nvim_chat_record(struct nvim_chat *c, json *agent)
{
	const struct record_session session = { .agent = agent, .cwd = c->nvim->ox->root };

	c->talk.record = c->record = record_new(c->nvim->ox, &session);
}

bool nvim_chat_load(struct nvim_chat *c, const json *v, struct err *e)
{
	json_each(text, json_get(v, "messages")) {
		json *message SCOPED(json_release) = json_parse(json_text(text), e);

		if (!message || !chat_read_message(&c->talk.chat, message, e))
			return err_in(e, "the conversation cannot be resumed");
	}
	c->told = c->talk.chat.n;
	c->talk.resumed = true;
	chat_answer_rest(&c->talk.chat, STR("not known: the conversation was interrupted"));
	return true;
}

void nvim_chat_close(struct nvim_chat *c)
{
	struct turn *turn = c->turn;
	struct err e = ERR_INIT;

	c->closed = true;
	if (c->opening)
		nvim_chat_answer(c, c->opening, NULL, (err_set(&e, ERR_CANCELLED, "closed"), &e));
	c->opening = 0;
	if (!turn) {
		nvim_chat_free(c);
		return;
	}
	turn_cancel(turn);
	turn_cancel(turn); /* nobody is there for a review */
}

static bool chat_show(struct nvim_chat *c, struct chat_message *m, const json *shown, struct err *e)
{
	struct excerpt part = { .first = (size_t)json_get_int(shown, "first", 0),
				.last = (size_t)json_get_int(shown, "last", 0) };
	struct str path = json_get_str(shown, "path");
	char *name SCOPED(mem_release) = NULL;

	if (!path.n) {
		chat_put(m, &(struct chat_part){ .kind = CHAT_SHOWN,
						 .name = json_get_str(shown, "heading"),
						 .text = json_get_str(shown, "text") });
		return true;
	}
	part.path = name = mem_dup(path.p, path.n);
	return excerpt_put(c->nvim->ox, c->talk.shown, m, &part, e);
}

static bool chat_say(struct nvim_chat *c, const json *v, struct err *e)
{
	struct chat_message *m;
	bool ok = true;

	shown_texts_mark(c->talk.shown, c->talk.chat.n);
	m = chat_add(&c->talk.chat, CHAT_PERSON);
	chat_put(m, &(struct chat_part){ .kind = CHAT_TEXT, .text = json_get_str(v, "words") });
	json_each(shown, json_get(v, "shown"))
		ok = ok && chat_show(c, m, shown, e);
	if (!ok)
		conversation_cut(&c->talk, c->talk.chat.n - 1);
	return ok;
}

/* What is said already is told again: it has another turn now, and perhaps news. */
static void chat_say_again(struct nvim_chat *c)
{
	const struct chat *chat = &c->talk.chat;

	if (chat->v[chat->n - 1]->role == CHAT_PERSON)
		c->told = chat->n - 1;
}

static bool chat_may_ask(const struct nvim_chat *c, struct err *e)
{
	const struct chat *chat = &c->talk.chat;

	return (chat->n && chat->v[chat->n - 1]->role != CHAT_MODEL) ||
	       err_set(e, ERR_INVALID, "there is nothing to answer");
}

static void chat_take_next_model(struct nvim_chat *c)
{
	if (!c->next.name)
		return;
	model_release(&c->model);
	c->model = c->next;
	c->next = (struct model){ 0 };
}

static bool chat_begin_turn(struct nvim_chat *c, const json *v, struct err *e)
{
	int64_t keep = json_get_int(v, "keep", -1);
	bool never = str_eq(json_get_str(v, "confirm"), STR("never"));
	bool goes_back = keep >= 0 && (size_t)keep < c->talk.chat.n;

	if (nvim_chat_is_agent(c) && (goes_back || !json_get(v, "words")))
		return err_set(
			e, ERR_UNSUPPORTED,
			"%s remembers what was said: nothing of it can be taken back; say it "
			"in another way, or begin a new conversation",
			conversation_who(&c->talk));
	conversation_recall_shown(&c->talk);
	if (goes_back)
		conversation_cut(&c->talk, (size_t)keep);
	c->told = c->told < c->talk.chat.n ? c->told : c->talk.chat.n;
	if (json_get(v, "words") ? !chat_say(c, v, e) : !chat_may_ask(c, e))
		return false;
	if (!json_get(v, "words"))
		chat_say_again(c);
	conversation_tell_news(&c->talk);
	conversation_keep_shown(&c->talk);
	nvim_chat_tell_messages(c);
	c->question = 0;
	c->talk.context.confirm = never ? CONFIRM_NEVER : CONFIRM_ALWAYS;
	c->turn = turn_start(&c->talk, &nvim_chat_events, c);
	return true;
}

static void chat_send(struct nvim_chat *c, int64_t id, const json *v)
{
	struct err e = ERR_INIT;

	if (c->turn || c->held) {
		err_set(&e, ERR_CONFLICT, "a turn is in progress");
		nvim_chat_answer(c, id, NULL, &e);
		return;
	}
	c->request = id;
	if (c->nvim->attaching)
		c->held = json_copy(v);
	else if (!chat_begin_turn(c, v, &e))
		nvim_chat_answer(c, id, NULL, &e);
}

void nvim_chats_run_held(struct nvim *n)
{
	struct nvim_chat *c;

	LIST_FOREACH(c, &n->chats, all) {
		struct err e = ERR_INIT;
		json *v = c->held;

		c->held = NULL;
		if (v && !chat_begin_turn(c, v, &e))
			nvim_chat_answer(c, c->request, NULL, &e);
		json_free(v);
	}
}

static void chat_cancel(struct nvim_chat *c)
{
	struct err e = ERR_INIT;

	if (c->turn)
		turn_cancel(c->turn);
	else if (c->held)
		nvim_chat_answer(c, c->request, NULL,
				 (err_set(&e, ERR_CANCELLED, "cancelled"), &e));
	json_free(c->held);
	c->held = NULL;
}

static json *chat_set_model(struct nvim_chat *c, const json *v, struct err *e)
{
	struct model model = { 0 };

	if (!model_find(c->nvim->ox, json_get_str(v, "model"), &model, e)) {
		model_release(&model);
		return nvim_chat_no_model(c->nvim, e);
	}
	model_release(&c->next);
	c->next = model;
	if (!c->turn)
		chat_take_next_model(c);
	return nvim_chat_model(c);
}

void nvim_chat_turn_over(struct nvim_chat *c)
{
	say_incomplete_record(c);
	if (c->closed)
		nvim_chat_free(c);
	else
		chat_take_next_model(c);
}

void nvim_chat_request(struct nvim *n, const json *params)
{
	const json *id = json_first(params);
	struct err e = ERR_INIT;
	json *v SCOPED(json_release) = id ? json_parse(json_text(json_next(id)), &e) : NULL;
	json *result = NULL;
	struct str what = json_get_str(v, "what");
	struct nvim_chat *c = nvim_chat_numbered(n, json_get_int(v, "chat", 0));
	bool answered = false;

	if (str_eq(what, STR("open"))) {
		answered = nvim_chat_open(n, json_number(id), v, &result, &e);
	} else if (str_eq(what, STR("rules"))) {
		result = nvim_chat_rules(n, v, &e);
	} else if (!c) {
		err_set(&e, ERR_NOT_FOUND, "this conversation is not open");
	} else if (str_eq(what, STR("send"))) {
		chat_send(c, json_number(id), v);
		answered = true;
	} else if (str_eq(what, STR("model")) && !nvim_chat_is_agent(c)) {
		result = chat_set_model(c, v, &e);
	} else if (str_eq(what, STR("model")) || str_eq(what, STR("option"))) {
		answered = nvim_chat_set_option(c, json_number(id), v, &e);
	} else if (str_eq(what, STR("authenticate"))) {
		answered = nvim_chat_authenticate(c, json_number(id), v, &e);
	} else if (str_eq(what, STR("session"))) {
		answered = nvim_chat_take_session(c, json_number(id), v, &e);
	} else if (str_eq(what, STR("cancel"))) {
		chat_cancel(c);
		result = json_object();
	} else if (str_eq(what, STR("close"))) {
		chat_cancel(c);
		nvim_chat_close(c);
		result = json_object();
	} else {
		err_set(&e, ERR_INVALID, "\"%.*s\" is not known here", STR_ARG(what));
	}
	if (!answered)
		nvim_chat_answer_request(n, json_number(id), result, &e);
}

bool nvim_chat_put_caller(struct pending_call *p, int64_t question, json *v)
{
	struct nvim_chat *c;

	if (!p || p->answer != chat_never)
		return false;
	c = (struct nvim_chat *)((char *)p - offsetof(struct nvim_chat, caller));
	c->question = question;
	json_put(v, "call", json_int(p->id));
	json_put(v, "who", json_strz(conversation_who(&c->talk)));
	json_put(v, "chat", json_int(c->number));
	return true;
}

void nvim_chats_end(struct nvim *n)
{
	struct nvim_chat *c, *next;

	nvim_chat_end_look(n);
	for (c = LIST_FIRST(&n->chats); c; c = next) {
		next = LIST_NEXT(c, all);
		if (!c->closed)
			nvim_chat_close(c);
	}
}

void nvim_chats_release(struct nvim *n)
{
	while (!LIST_EMPTY(&n->chats))
		nvim_chat_free(LIST_FIRST(&n->chats));
	http_free(n->http);
	permissions_unshare(n->ox);
}

/* Row by row: those of Neovim's settings come first. */
static void chat_put_permissions(json *all, const json *own)
{
	const json *chat = json_get(all, "chat");
	json *merged = chat ? json_copy(chat) : json_object();

	if (json_len(own))
		json_put(merged, "permissions", lua_data_merge(own, json_get(chat, "permissions")));
	json_put(all, "chat", merged);
}

void nvim_chat_configure(struct nvim *n, const json *v)
{
	struct err e = ERR_INIT;
	json *all = n->configuration ? json_copy(n->configuration) : json_object();
	const json *models = json_get(all, "models");
	struct str model = json_get_str(v, "model");

	if (json_len(json_get(v, "models")))
		json_put(all, "models", lua_data_merge(json_get(v, "models"), models));
	if (model.n)
		json_put(all, "model", json_str(model));
	if (json_len(json_get(v, "agents")))
		json_put(all, "agents",
			 lua_data_merge(json_get(v, "agents"), json_get(all, "agents")));
	if (json_len(json_get(v, "local_servers")))
		json_put(all, "local_servers", json_copy(json_get(v, "local_servers")));
	chat_put_permissions(all, json_get(v, "permissions"));
	json_free(n->ox->configuration);
	n->ox->configuration = all;
	if (n->ox->permissions &&
	    !permissions_read(n->ox->permissions, json_get(v, "permissions"), &e))
		nvim_say(n, "error", e.msg);
}
