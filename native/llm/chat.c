#include "chat.h"

#include <stdlib.h>

#include "../base/mem.h"

static const char *const role_names[] = { "person", "model", "tools" };
static const char *const kind_names[] = { "text", "shown", "thought", "call", "result" };

#define COUNT(v) (sizeof(v) / sizeof((v)[0]))

void chat_init(struct chat *c)
{
	*c = (struct chat){ 0 };
}

static void message_free(struct chat_message *m)
{
	arena_release(&m->texts);
	free(m->v);
	free(m);
}

void chat_cut(struct chat *c, size_t n)
{
	while (c->n > n)
		message_free(c->v[--c->n]);
}

void chat_release(struct chat *c)
{
	chat_cut(c, 0);
	free(c->v);
	chat_init(c);
}

struct chat_message *chat_add(struct chat *c, enum chat_role role)
{
	struct chat_message *m = mem_new(sizeof(*m));

	m->role = role;
	mem_add(c->v, c->n, c->cap, m);
	return m;
}

void chat_set_format(struct chat_message *m, struct str format)
{
	m->format = arena_str(&m->texts, format);
}

void chat_set_seen(struct chat_message *m, const json *seen)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;

	json_print(&text, seen);
	m->seen = arena_str(&m->texts, buf_str(&text));
}

void chat_put(struct chat_message *m, const struct chat_part *part)
{
	struct chat_part *p;

	m->v = mem_grow(m->v, &m->cap, m->n + 1, sizeof(*m->v));
	p = &m->v[m->n++];
	*p = *part;
	p->id = arena_str(&m->texts, part->id);
	p->name = arena_str(&m->texts, part->name);
	p->text = arena_str(&m->texts, part->text);
	p->kept = arena_str(&m->texts, part->kept);
}

static bool has_result(const struct chat_message *results, struct str id)
{
	for (size_t i = 0; results && i < results->n; i++)
		if (results->v[i].kind == CHAT_RESULT && str_eq(results->v[i].id, id))
			return true;
	return false;
}

/* The last message of the model, if nothing but results follows it; those are in *results. */
static const struct chat_message *last_calls(const struct chat *c, struct chat_message **results)
{
	size_t n = c->n;

	*results = n && c->v[n - 1]->role == CHAT_TOOLS ? c->v[--n] : NULL;
	return n && c->v[n - 1]->role == CHAT_MODEL ? c->v[n - 1] : NULL;
}

bool chat_is_waiting(const struct chat *c)
{
	struct chat_message *results;
	const struct chat_message *m = last_calls(c, &results);

	for (size_t i = 0; m && i < m->n; i++)
		if (m->v[i].kind == CHAT_CALL && !has_result(results, m->v[i].id))
			return true;
	return false;
}

void chat_answer_rest(struct chat *c, struct str text)
{
	struct chat_message *results;
	const struct chat_message *m = last_calls(c, &results);

	for (size_t i = 0; m && i < m->n; i++) {
		const struct chat_part *call = &m->v[i];

		if (call->kind != CHAT_CALL || has_result(results, call->id))
			continue;
		if (!results)
			results = chat_add(c, CHAT_TOOLS);
		chat_put(results, &(struct chat_part){ .kind = CHAT_RESULT,
						       .failed = true,
						       .id = call->id,
						       .name = call->name,
						       .text = text });
	}
}

static void chat_put_text(json *row, const char *key, struct str text)
{
	if (text.n)
		json_add(row, key, json_str(text));
}

json *chat_message_json(const struct chat_message *m)
{
	json *out = json_object(), *parts;

	json_add(out, "role", json_strz(role_names[m->role]));
	chat_put_text(out, "format", m->format);
	parts = json_add(out, "parts", json_array());
	for (size_t i = 0; i < m->n; i++) {
		const struct chat_part *p = &m->v[i];
		json *row = json_push(parts, json_object());

		json_add(row, "kind", json_strz(kind_names[p->kind]));
		chat_put_text(row, "id", p->id);
		chat_put_text(row, "name", p->name);
		chat_put_text(row, "text", p->text);
		chat_put_text(row, "kept", p->kept);
		if (p->failed)
			json_add(row, "failed", json_bool(true));
	}
	if (m->seen.n)
		json_add(out, "seen", json_parse(m->seen, ERR_IGNORED));
	return out;
}

static bool chat_read_name(struct str name, const char *const *names, size_t n, int *out,
			   struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		if (str_eq(name, str_of(names[i]))) {
			*out = (int)i;
			return true;
		}
	}
	return err_set(e, ERR_INVALID, "\"%.*s\" is not known here", STR_ARG(name));
}

static bool read_part(struct chat_message *m, const json *row, struct err *e)
{
	int kind = 0;

	if (!chat_read_name(json_get_str(row, "kind"), kind_names, COUNT(kind_names), &kind, e))
		return err_in(e, "kind of part %zu", m->n);
	chat_put(m, &(struct chat_part){ .kind = (enum chat_kind)kind,
					 .failed = json_get_bool(row, "failed", false),
					 .id = json_get_str(row, "id"),
					 .name = json_get_str(row, "name"),
					 .text = json_get_str(row, "text"),
					 .kept = json_get_str(row, "kept") });
	return true;
}

bool chat_read_message(struct chat *c, const json *message, struct err *e)
{
	struct chat_message *m;
	int role = 0;

	if (!chat_read_name(json_get_str(message, "role"), role_names, COUNT(role_names), &role, e))
		return err_in(e, "role of message %zu", c->n);
	m = chat_add(c, (enum chat_role)role);
	chat_set_format(m, json_get_str(message, "format"));
	if (json_get(message, "seen"))
		chat_set_seen(m, json_get(message, "seen"));
	json_each(part, json_get(message, "parts")) {
		if (!read_part(m, part, e)) {
			chat_cut(c, c->n - 1);
			return err_in(e, "message %zu", c->n);
		}
	}
	return true;
}
