#include <stdlib.h>

#include "../base/mem.h"
#include "acp_client_impl.h"

static const char *const kinds[] = { "other",  "read",	  "edit",  "delete", "move",
				     "search", "execute", "think", "fetch",  "switch_mode" };
static const char *const statuses[] = { "pending", "in_progress", "completed", "failed" };

static void acp_read_name(struct str name, const char *const *names, size_t n, int *out)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(name, str_of(names[i])))
			*out = (int)i;
}

#define READ_NAME(of, update, member, names)                                                       \
	do {                                                                                       \
		int at_ = (int)(of);                                                               \
		acp_read_name(json_get_str(update, member), names,                                 \
			      sizeof(names) / sizeof((names)[0]), &at_);                           \
		of = at_;                                                                          \
	} while (0)

static void acp_free_call(struct acp_call *c)
{
	free((char *)c->id.p);
	buf_release(&c->title);
	buf_release(&c->name);
	json_free(c->content);
	json_free(c->locations);
	json_free(c->input);
	json_free(c->output);
	free(c);
}

void acp_forget_calls(struct acp *a)
{
	struct acp_call *c;

	while ((c = acp_call_at(a, 0))) {
		map_take(&a->calls, c->id);
		acp_free_call(c);
	}
	for (size_t i = 0; i < a->n; i++)
		a->requests[i]->call = NULL;
}

struct acp_call *acp_call_at(const struct acp *a, size_t at)
{
	map_each(it, &a->calls)
		if (!at--)
			return it.value;
	return NULL;
}

static struct acp_call *acp_new_call(struct acp *a, struct str id)
{
	struct acp_call *c;

	if (map_count(&a->calls) >= a->limits.calls)
		return NULL;
	c = mem_new(sizeof(*c));
	c->id = (struct str){ mem_dup(id.p, id.n), id.n };
	map_put(&a->calls, id, c);
	return c;
}

/* null and what is left out stay as they were: agents send both for "as before". */
static void acp_take_member(json **into, const json *update, const char *member)
{
	const json *v = json_get(update, member);

	if (!v || json_is(v, JSON_NULL))
		return;
	json_free(*into);
	*into = json_copy(v);
}

static void acp_take_str(struct buf *into, struct str text)
{
	if (!text.n)
		return;
	buf_clear(into);
	buf_add(into, text);
}

struct acp_call *acp_merge_call(struct acp *a, const json *update)
{
	struct str id = json_get_str(update, "toolCallId");
	struct acp_call *c = id.n ? map_get(&a->calls, id) : NULL;

	if (!c && id.n)
		c = acp_new_call(a, id);
	if (!c)
		return NULL;
	acp_take_str(&c->title, json_get_str(update, "title"));
	acp_take_str(&c->name, json_get_str(update, "_meta.claudeCode.toolName"));
	acp_take_str(&c->name, json_get_str(update, "name"));
	READ_NAME(c->kind, update, "kind", kinds);
	READ_NAME(c->status, update, "status", statuses);
	acp_take_member(&c->content, update, "content");
	acp_take_member(&c->locations, update, "locations");
	acp_take_member(&c->input, update, "rawInput");
	acp_take_member(&c->output, update, "rawOutput");
	c->ended = c->ended || c->status >= ACP_COMPLETED;
	return c;
}

void acp_add_content(struct acp_call *c, const json *update)
{
	const json *piece = json_get(update, "content");

	if (!piece)
		return;
	if (!c->content)
		c->content = json_array();
	json_push(c->content, json_copy(piece));
}

static void acp_add_line(struct buf *out, struct str text)
{
	if (out->n && text.n && out->p[out->n - 1] != '\n')
		buf_addc(out, '\n');
	buf_add(out, text);
}

/* A string, or a list of content blocks, or an object with one of the usual members. */
static void add_output(const json *v, struct buf *out)
{
	static const char *const members[] = { "output", "stdout", "text", "content" };

	if (json_is(v, JSON_STRING))
		acp_add_line(out, json_text(v));
	if (json_is(v, JSON_ARRAY))
		json_each(part, v)
			acp_add_line(out, json_get_str(part, "text"));
	if (json_is(v, JSON_OBJECT))
		for (size_t i = 0; i < 4; i++)
			acp_add_line(out, json_get_str(v, members[i]));
}

void acp_call_text(const struct acp_call *c, struct buf *out)
{
	json_each(part, c->content)
		acp_add_line(out, json_get_str(part, "content.text"));
	if (!out->n)
		add_output(c->output, out);
}

struct str acp_call_command(const struct acp_call *c)
{
	struct str command = json_get_str(c->input, "command");

	if (command.n || c->kind != ACP_EXECUTE)
		return command;
	command = buf_str(&c->title);
	if (command.n > 2 && command.p[0] == '`' && command.p[command.n - 1] == '`')
		command = str_sub(command, 1, command.n - 1);
	return command;
}
