#include "presets.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../io/spawn.h"

struct preset {
	struct server_spec spec;
	json *config; /* what spec borrows from */
	bool own;     /* the user's */
	struct arena lists;
};

struct presets {
	struct preset **v;
	size_t n, cap;
	const struct filetypes *filetypes;
};

static void preset_free(struct preset *p)
{
	json_free(p->config);
	arena_release(&p->lists);
	free(p);
}

static bool read_list(struct preset *p, const char *member, bool needed, const char *const **out,
		      struct err *e)
{
	const json *list = json_get(p->config, member);

	if (needed && !json_len(list))
		return err_set(e, ERR_INVALID, "%s is missing", member);
	return lua_data_strings(&p->lists, list, member, out, e);
}

/* A name that is in no list of its own is a group by itself. */
static bool read_markers(struct preset *p, struct err *e)
{
	static const char member[] = "root_markers";
	const json *list = json_get(p->config, member);
	const char *const **group = arena_new(&p->lists, (json_len(list) + 1) * sizeof(*group));
	size_t n = 0;

	json_each(row, list) {
		const char **lone = arena_new(&p->lists, 2 * sizeof(*lone));

		group[n++] = lone;
		if (json_is(row, JSON_STRING))
			lone[0] = json_text(row).p;
		else if (!json_is(row, JSON_ARRAY))
			return err_set(e, ERR_INVALID,
				       "%s contains %s; it must be a list of strings and of lists "
				       "of strings",
				       member, json_type_name(json_type_of(row)));
		else if (!lua_data_strings(&p->lists, row, member, &group[n - 1], e))
			return false;
	}
	p->spec.root_markers = group;
	return true;
}

static bool preset_read(struct preset *p, struct err *e)
{
	struct server_spec *s = &p->spec;

	s->last_resort = json_get_bool(p->config, "last_resort", false);
	s->settings = json_get(p->config, "settings");
	s->init_options = json_get(p->config, "init_options");
	s->language_ids = json_get(p->config, "language_ids");
	s->unchecked = json_get(p->config, "unchecked");
	s->install = json_get_str(p->config, "install").p;
	s->runs = json_get(p->config, "runs") ? json_get_str(p->config, "runs").p : NULL;
	s->ready_on_refresh = str_eq(json_get_str(p->config, "ready"), STR("refresh"));
	s->ready_on_diagnostics =
		s->ready_on_refresh || str_eq(json_get_str(p->config, "ready"), STR("diagnostics"));
	s->ready_on_status = str_eq(json_get_str(p->config, "ready"), STR("status"));
	s->check = json_is(json_get(p->config, "check"), JSON_STRING)
			   ? json_get_str(p->config, "check").p
			   : NULL;
	s->sees_unsaved = json_is(json_get(p->config, "sees_unsaved"), JSON_STRING)
				  ? json_get_str(p->config, "sees_unsaved").p
				  : NULL;
	s->only_utf8 = str_eq(json_get_str(p->config, "names"), STR("utf-8"));
	s->rename_limit = json_is(json_get(p->config, "rename_limit"), JSON_STRING)
				  ? json_get_str(p->config, "rename_limit").p
				  : NULL;
	s->clang_formats = str_eq(json_get_str(p->config, "style"), STR(".clang-format"));
	s->staged_diagnostics = str_eq(json_get_str(p->config, "diagnostics"), STR("staged"));
	return read_list(p, "cmd", true, &s->argv, e) &&
	       read_list(p, "cmd_options", false, &s->options, e) &&
	       read_list(p, "runs_not_env", false, &s->kept_from_it, e) &&
	       read_list(p, "diagnostics_command", false, &s->diagnostics_command, e) &&
	       read_list(p, "errors", false, &s->errors, e) &&
	       read_list(p, "include_errors", false, &s->include_errors, e) &&
	       read_list(p, "filetypes", true, &s->filetypes, e) && read_markers(p, e);
}

static int presets_in_order(const void *a, const void *b)
{
	const struct preset *x = *(struct preset *const *)a, *y = *(struct preset *const *)b;

	if (x->own != y->own)
		return x->own ? -1 : 1;
	if (x->spec.last_resort != y->spec.last_resort)
		return x->spec.last_resort ? 1 : -1;
	return strcmp(x->spec.name, y->spec.name);
}

/* Takes `config`. */
static bool presets_add_row(struct presets *ps, const char *name, json *config, bool own,
			    struct err *e)
{
	struct preset *p = mem_new(sizeof(*p));
	size_t at = 0;

	p->config = config;
	p->own = own;
	p->spec.name = arena_str(&p->lists, str_of(name)).p;
	if (!json_is(config, JSON_OBJECT) || !preset_read(p, e)) {
		preset_free(p);
		if (!e->code)
			err_set(e, ERR_INVALID, "not a table");
		return err_in(e, "server %s", name);
	}
	while (at < ps->n && strcmp(ps->v[at]->spec.name, name) != 0)
		at++;
	if (at == ps->n)
		ps->v = mem_grow(ps->v, &ps->cap, ++ps->n, sizeof(struct preset *));
	else
		preset_free(ps->v[at]);
	ps->v[at] = p;
	qsort(ps->v, ps->n, sizeof(struct preset *), presets_in_order);
	return true;
}

bool presets_add(struct presets *p, const char *name, const json *config, struct err *e)
{
	const struct server_spec *was = presets_find(p, name);
	const json *preset = NULL;

	for (size_t i = 0; was && i < p->n; i++)
		if (&p->v[i]->spec == was)
			preset = p->v[i]->config;
	return presets_add_row(p, name, lua_data_merge(config, preset), true, e);
}

bool presets_add_all(struct presets *p, const json *servers, struct err *e)
{
	json_each(server, servers)
		if (!presets_add(p, json_key(server), server, e))
			return false;
	return true;
}

static bool found(void *arg, const char *name, json *config, struct err *e)
{
	return presets_add_row(arg, name, config, false, e);
}

struct presets *presets_new(struct lua_data *s, const struct filetypes *types, const char *data_dir,
			    struct err *e)
{
	struct presets *p = mem_new(sizeof(*p));
	char *dir SCOPED(mem_release) = path_join(data_dir, "servers");
	bool ok = lua_data_directory(s, dir, found, p, e);

	p->filetypes = types;
	if (ok)
		return p;
	presets_free(p);
	return NULL;
}

void presets_free(struct presets *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		preset_free(p->v[i]);
	free(p->v);
	free(p);
}

const struct server_spec *presets_next(const struct presets *p, const char *filetype,
				       const struct server_spec *after)
{
	bool passed = !after;

	for (size_t i = 0; i < p->n; i++) {
		const struct server_spec *s = &p->v[i]->spec;

		if (passed && str_among(str_of(filetype), s->filetypes))
			return s;
		passed |= s == after;
	}
	return NULL;
}

const struct server_spec *presets_find(const struct presets *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->v[i]->spec.name, name))
			return &p->v[i]->spec;
	return NULL;
}

bool presets_installed(const struct server_spec *s)
{
	struct buf path SCOPED(buf_release) = BUF_INIT;

	return spawn_find(s->argv[0], &path);
}

static void add_extensions(const struct presets *p, const struct server_spec *s, struct map *out)
{
	for (const char *const *type = s->filetypes; *type; type++)
		filetypes_extensions(p->filetypes, *type, out);
}

void presets_extensions(const struct presets *p, const char *filetype, struct map *out)
{
	const struct server_spec *s = presets_next(p, filetype, NULL);

	if (s)
		add_extensions(p, s, out);
}

void presets_served(const struct presets *p, struct map *out)
{
	for (size_t i = 0; i < p->n; i++)
		if (presets_installed(&p->v[i]->spec))
			add_extensions(p, &p->v[i]->spec, out);
}
