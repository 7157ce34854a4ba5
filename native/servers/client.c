#include "client.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "presets.h"

void client_free(struct client *c)
{
	if (!c)
		return;
	json_free(c->about);
	free((char *)(uintptr_t)c->spec.name);
	free(c);
}

/* The same server among the presets: by its name, or by the program. */
static const struct server_spec *preset_of(const struct presets *ps, const json *about)
{
	struct str program = path_base(json_get_str(about, "program"));
	const struct server_spec *s = presets_find(ps, json_get_str(about, "name").p);

	json_each(type, json_get(about, "filetypes")) {
		const struct server_spec *t = NULL;

		while (!s && (t = presets_next(ps, json_text(type).p, t)))
			if (str_eq(path_base(str_of(t->argv[0])), program))
				s = t;
	}
	return s;
}

static struct client *client_new(const struct presets *ps, const json *about)
{
	static const char *const none[] = { NULL }, *const *const no_groups[] = { NULL };
	struct client *c = mem_new(sizeof(*c));
	struct str name = json_get_str(about, "name");

	c->id = json_get_int(about, "id", 0);
	c->about = json_copy(about);
	c->preset = preset_of(ps, about);
	if (c->preset)
		c->spec = *c->preset;
	else
		c->spec = (struct server_spec){ .argv = none,
						.options = none,
						.filetypes = none,
						.root_markers = no_groups,
						.kept_from_it = none,
						.errors = none,
						.include_errors = none,
						.diagnostics_command = none,
						.install = "" };
	c->spec.name = mem_dup(name.p, name.n);
	c->spec.settings = c->spec.init_options = NULL; /* the editor has given it its own */
	c->spec.names_trials = true;
	c->spec.ready_on_refresh = false;
	c->spec.ready_on_status = false; /* it need not have asked for that, */
	c->spec.check = NULL;		 /* and its progress is not heard here */
	return c;
}

static void to_editor(void *self, struct str bytes)
{
	struct server *s = self;

	s->ox->editor.client(s->ox->editor.self, s->client->id, bytes);
}

static void client_begin(struct pool *p, const json *about)
{
	struct client *c = client_new(p->ox->presets, about);
	struct server *s = server_new(p, &c->spec, json_get_str(about, "root").p, c);
	struct peer_io_spec ls = server_open(s, &codec_lines);

	s->link = peer_io_through(p->ox->loop, &ls, to_editor);
	server_greet(s);
}

void client_end(struct server *s)
{
	if (client_is_gone(s))
		return;
	if (!s->why.code)
		err_set(&s->why, ERR_NO_SERVER, "%s, which Neovim started, has exited",
			s->spec->name);
	server_lost(s);
	s->state = SERVER_ENDED;
	server_tell(s, "stopped", "");
	pool_stir(s->pool, NULL);
}

bool client_is_gone(const struct server *s)
{
	return s->client && s->state == SERVER_ENDED;
}

static const json *entry_of(const json *list, int64_t id)
{
	json_each(about, list)
		if (json_get_int(about, "id", 0) == id)
			return about;
	return NULL;
}

static struct server *client_find(const struct pool *p, int64_t id)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i]->client && p->v[i]->client->id == id)
			return p->v[i];
	return NULL;
}

void clients_are(struct pool *p, const json *list)
{
	for (size_t i = 0; i < p->n; i++) {
		struct client *c = p->v[i]->client;
		const json *about = c ? entry_of(list, c->id) : NULL;

		if (about) {
			json_free(c->about);
			c->about = json_copy(about);
		} else if (c) {
			client_end(p->v[i]);
		}
	}
	json_each(about, list)
		if (!p->stopping && !client_find(p, json_get_int(about, "id", 0)))
			client_begin(p, about);
	pool_stir(p, NULL);
}

void client_said(struct pool *p, int64_t id, struct str lines)
{
	struct server *s = client_find(p, id);

	if (!s || !s->link)
		return;
	server_heard(s);
	peer_io_read(s->link, lines);
}

static bool has_argument(const struct client *c, const char *name)
{
	json_each(item, json_get(c->about, "argv")) {
		struct str rest = json_text(item);

		if (str_skip(&rest, str_of(name)) && (!rest.n || rest.p[0] == '='))
			return true;
	}
	return false;
}

static bool has_option(const struct client *c, const json *option)
{
	json_each(own, json_get(c->about, "init_options")) {
		struct buf a SCOPED(buf_release) = BUF_INIT, b SCOPED(buf_release) = BUF_INIT;

		if (strcmp(json_key(own), json_key(option)) != 0)
			continue;
		json_print(&a, own);
		json_print(&b, option);
		return str_eq(buf_str(&a), buf_str(&b));
	}
	return false;
}

bool client_is_blind(const struct server *s)
{
	const struct server_spec *preset = s->client->preset;

	if (!preset || !preset->sees_unsaved)
		return false;
	json_each(option, preset->init_options)
		if (!has_option(s->client, option))
			return true;
	return !has_argument(s->client, preset->sees_unsaved);
}

static bool client_holds(const json *list, const char *text)
{
	json_each(item, list)
		if (str_eq(json_text(item), str_of(text)))
			return true;
	return false;
}

static bool is_in_place(const struct server *s, const char *path)
{
	return s->client && !client_is_gone(s) && *s->root &&
	       path_below(str_of(s->root), str_of(path));
}

/* The editor has shown it the file, or files of this type in this place. */
static bool is_shown(const struct server *s, const char *path, const char *filetype)
{
	const json *about = s->client ? s->client->about : NULL;

	if (!about || client_is_gone(s))
		return false;
	return client_holds(json_get(about, "paths"), path) ||
	       (is_in_place(s, path) && client_holds(json_get(about, "filetypes"), filetype));
}

/* A server that Oxide would start for files of this type runs as a client for others of its types:
 * two of them would each see a half of what changes. */
static bool takes_as_preset(const struct pool *p, const struct server *s, const char *path,
			    const char *filetype)
{
	const struct server_spec *preset = s->client ? s->client->preset : NULL;

	if (!preset || !is_in_place(s, path) || !str_among(str_of(filetype), preset->filetypes))
		return false;
	for (size_t i = 0; i < p->n; i++)
		if (is_shown(p->v[i], path, filetype) && p->v[i]->client->preset == preset)
			return false;
	return true;
}

static bool client_takes(const struct pool *p, const struct server *s, const char *path,
			 const char *filetype)
{
	return is_shown(s, path, filetype) || takes_as_preset(p, s, path, filetype);
}

struct server *client_next(const struct pool *p, const char *path, const char *filetype,
			   const struct server *after)
{
	bool passed = !after;

	for (size_t i = 0; i < p->n; i++) {
		if (passed && client_takes(p, p->v[i], path, filetype))
			return p->v[i];
		passed |= p->v[i] == after;
	}
	return NULL;
}

bool client_runs(const struct pool *p, const char *path, const char *filetype,
		 const struct server_spec *preset)
{
	for (size_t i = 0; i < p->n; i++)
		if (client_takes(p, p->v[i], path, filetype) && p->v[i]->client->preset == preset)
			return true;
	return false;
}
