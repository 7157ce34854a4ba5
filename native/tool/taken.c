#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../code/names.h"
#include "../code/outline.h"
#include "../core/workspace.h"
#include "places.h"
#include "taken_impl.h"
#include "target.h"

/*
 *     taken_start -> on_taken_searched -> fn;   taken_look -> taken_ask (taken_ask.c) -> fn
 */
struct taken_file *taken_add_file(struct taken *c, const char *path)
{
	struct taken_file *f = mem_new(sizeof(*f));

	f->path = mem_dup(path, strlen(path));
	mem_add(c->file, c->files, c->file_cap, f);
	return f;
}

static const struct language *language_at(const struct taken *c, const char *path)
{
	return language_of(workspace_filetype(call_oxide(c->call)->workspace, path));
}

static bool is_c(const struct taken *c, const char *path)
{
	enum dialect d = language_dialect(language_at(c, path));

	return d == DIALECT_C || d == DIALECT_CPP;
}

/* Where a byte of the text after was before; false: it is new. */
static bool byte_before(const struct plan_file *f, size_t now, size_t *was)
{
	const struct edit *last = NULL;

	for (size_t i = 0; i < f->edits.n && f->edits.v[i].new_at <= now; i++)
		last = &f->edits.v[i];
	*was = !last ? now
	       : now < last->new_at + last->with.n
		       ? last->span.at
		       : last->span.end + (now - last->new_at - last->with.n);
	return !last || now >= last->new_at + last->with.n;
}

/* What a name in a macro means is decided where the macro is used; servers cannot be asked. */
static void note_macro(struct taken *c, struct macros *in, size_t at)
{
	struct macro m;

	if (!c->macro && macros_using(in, at, &m))
		c->macro = mem_dup(in->text.p + m.name.at, m.name.end - m.name.at);
}

static bool taken_is_renamed(const struct taken *c, const struct plan_file *f,
			     struct taken_place *p)
{
	bool old = byte_before(f, p->now, &p->was);
	struct span word = target_word(f->was, p->was);

	p->was = word.at;
	return !old || !str_eq(str_sub(f->was, word.at, word.end), str_of(c->name));
}

static void add_place(struct taken *c, struct taken_file *f, struct macros *in,
		      const struct name_place *at)
{
	struct taken_place p = {
		.of = c, .file = f, .now = at->at, .was = at->at, .outside = at->outside
	};

	p.renamed = f->change && taken_is_renamed(c, f->change, &p);
	if (p.renamed) {
		mem_add(f->renamed, f->n_renamed, f->renamed_cap, at->at);
	}
	if (at->directive) {
		if (p.renamed)
			taken_note_body(c, in, at->at);
		else
			note_macro(c, in, at->at);
		return;
	}
	mem_add(c->place, c->places, c->place_cap, p);
}

static void taken_read_file(struct taken *c, struct taken_file *f, struct str text)
{
	struct macros in = macros_of(text);
	struct names names = { 0 };

	names_in_code(language_at(c, f->path), text, str_of(c->name), &names);
	for (size_t i = 0; i < names.n; i++)
		add_place(c, f, &in, &names.v[i]);
	free(names.v);
}

/* Whether a file has to be looked at where others need not be. */
static bool matters(const struct taken *c, const struct map *named, const char *path)
{
	return map_get(named, str_of(path)) || !strcmp(path, c->home) ||
	       language_header(str_of(path));
}

static size_t files_named(const struct taken *c, const char ***paths)
{
	return c->mentions ? word_search_all_files(c->mentions, paths)
			   : word_search_files_beside(c->searched, paths);
}

static void find_named(const struct taken *c, struct map *named)
{
	const char **path;
	size_t n = files_named(c, &path);

	for (size_t i = 0; i < n; i++)
		map_put(named, str_of(path[i]), named);
	free(path);
}

/* Other languages' servers look at a program as one: a part of the change is not a program. */
static enum taken_part part_of(const struct taken *c, const struct map *named)
{
	if (!c->most || plan_files(c->plan) <= c->most)
		return TAKEN_ALL;
	if (is_c(c, c->home))
		return TAKEN_SOME;
	return map_count(named) ? TAKEN_ALL : TAKEN_NONE;
}

/* The texts have to be whole; one that cannot be read again the gate refuses. */
static void read_plan(struct taken *c, const struct map *named)
{
	for (size_t i = 0; i < plan_files(c->plan); i++) {
		const struct plan_file *change = plan_file(c->plan, i);
		struct taken_file *f;

		if (!change->existed || !change->exists || plan_file_links(change) ||
		    (c->part == TAKEN_SOME && !matters(c, named, change->path)) ||
		    !plan_want(c->plan, i, ERR_IGNORED))
			continue;
		f = taken_add_file(c, plan_path_after(change));
		f->change = change;
		taken_read_file(c, f, change->now);
	}
}

/* Whether all that is renamed is inside of one function, and none of it is a member. */
static bool is_local(const struct taken *c)
{
	const struct taken_file *f = c->file[0];
	struct str text = f->change->now;
	struct outline o SCOPED(outline_release) = { 0 };
	bool local = false;
	size_t first = f->n_renamed ? f->renamed[0] : 0, last = first;

	for (size_t i = 0; i < f->n_renamed; i++) {
		last = f->renamed[i];
		if (last && str_any(".>:", text.p[last - 1]))
			return false;
	}
	if (f->n_renamed && outline_of(language_at(c, f->path), text, &o, ERR_IGNORED))
		for (size_t i = 0; i < o.n; i++)
			local = local || (o.v[i].kind == OUTLINE_FUNCTION && !o.v[i].doubtful &&
					  o.v[i].name.end <= first && last < o.v[i].all.end);
	return local;
}

/* Whether no other file is read with those that change: what they have at the top level may still
 * become one with what another has there. */
static bool stays_inside(const struct taken *c)
{
	for (size_t i = 0; i < c->files; i++)
		if (!is_c(c, c->file[i]->path) || language_header(str_of(c->file[i]->path)))
			return false;
	return true;
}

static bool any_outside(const struct taken *c, size_t from)
{
	for (size_t i = from; i < c->places; i++)
		if (c->place[i].outside && (from || c->place[i].renamed))
			return true;
	return false;
}

/* Files that do not change, with the new name in their code. */
static void read_others(struct taken *c)
{
	struct oxide *ox = call_oxide(c->call);
	size_t most = (size_t)config_get(&ox->config, CFG_RENAME_COMPARED_FILES);
	bool top = stays_inside(c);
	struct places places SCOPED(places_release) = { 0 };
	const char **path;
	size_t n = files_named(c, &path);

	places_init(&places, ox);
	c->also = mem_new((n + 1) * sizeof(*c->also));
	for (size_t i = 0; i < n; i++) {
		struct doc *d =
			taken_file_at(c, str_of(path[i])) ? NULL : places_doc(&places, path[i]);
		size_t before = c->places;

		if (!d)
			continue;
		taken_read_file(c, taken_add_file(c, path[i]), doc_text(d));
		if (c->places == before || (top && !any_outside(c, before))) {
			c->places = before;
			continue;
		}
		if (c->n_also < most) {
			c->also[c->n_also++] = c->file[c->files - 1]->path;
			continue;
		}
		c->unseen++;
		c->places = before;
	}
	free(path);
}

static bool is_seen_elsewhere(const struct taken *c)
{
	if (!c->files || (c->files == 1 && is_local(c)))
		return false;
	return !stays_inside(c) || any_outside(c, 0);
}

static void on_taken_searched(void *arg)
{
	struct taken *c = arg;
	struct map named SCOPED(map_release) = MAP_INIT;

	if (!c->cancelled) {
		find_named(c, &named);
		c->part = part_of(c, &named);
	}
	if (!c->cancelled && c->part != TAKEN_NONE) {
		read_plan(c, &named);
		if (is_seen_elsewhere(c))
			read_others(c);
		taken_mark_bodies(c);
	}
	c->fn(c->arg);
}

struct taken *taken_start(struct call *call, const struct taken_spec *spec, void (*fn)(void *arg),
			  void *arg)
{
	struct taken *c = mem_new(sizeof(*c));
	struct workspace *w = call_oxide(call)->workspace;
	struct plan *p = spec->plan;
	const char *ft = plan_files(p) ? workspace_filetype(w, plan_file(p, 0)->path) : NULL;

	c->call = call;
	c->plan = p;
	c->name = mem_dup(spec->new_name.p, spec->new_name.n);
	c->most = spec->most;
	c->home = spec->home ? mem_dup(spec->home, strlen(spec->home)) : NULL;
	c->fn = fn;
	c->arg = arg;
	if (spec->searched && word_search_has_beside(spec->searched, spec->new_name, ft))
		c->searched = spec->searched;
	else
		c->mentions =
			word_search_start(call_oxide(call), call_root(call), spec->new_name, ft);
	word_search_wait(c->searched ? c->searched : c->mentions, on_taken_searched, c);
	return c;
}

enum taken_part taken_part(const struct taken *c)
{
	return c->part;
}

bool taken_looks(void *taken, const char *path)
{
	const struct taken *c = taken;

	return c->part == TAKEN_ALL || taken_file_at(c, str_of(path));
}

const char *const *taken_files(const struct taken *c, size_t *n)
{
	*n = c->n_also;
	return c->also;
}

struct taken_file *taken_file_at(const struct taken *c, struct str path)
{
	for (size_t i = 0; i < c->files; i++)
		if (str_eq(str_of(c->file[i]->path), path))
			return c->file[i];
	return NULL;
}

static void meanings_free(struct meanings *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->v[i].path);
	free(m->v);
}

void taken_free(struct taken *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->places; i++) {
		meanings_free(&c->place[i].after);
		meanings_free(&c->place[i].before);
		free(c->place[i].macro);
	}
	for (size_t i = 0; i < c->files; i++) {
		free(c->file[i]->path);
		free(c->file[i]->renamed);
		doc_free(c->file[i]->was);
		doc_free(c->file[i]->now);
		free(c->file[i]);
	}
	word_search_free(c->mentions);
	map_release(&c->bodies);
	free(c->also);
	free(c->place);
	free(c->file);
	free(c->macro);
	free(c->home);
	free(c->name);
	free(c);
}
