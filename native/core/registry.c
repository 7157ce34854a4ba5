#include "registry.h"

#include <stdlib.h>

#include "../base/hash.h"
#include "../base/map.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "projects.h"
#include "workspace.h"

#define SLUG_MOST 60

struct registry {
	struct oxide *ox;
	struct registered **v; /* oldest first */
	size_t n, cap;
	LIST_HEAD(, waiting) waiting;
	struct map names;    /* given by registry_name() -> uint64_t, whose they are */
	struct map outdated; /* ids of those that a change outdated -> char *, the file */
	uint64_t told;	     /* stands for the list that the front-end knows */
	bool telling;
};

struct registry *registry_new(struct oxide *ox)
{
	struct registry *r = mem_new(sizeof(*r));

	r->ox = ox;
	return r;
}

void registered_free(struct registered *a)
{
	if (!a)
		return;
	plan_free(a->plan);
	actions_release(&a->action);
	free(a->id);
	free(a->title);
	free(a->kind);
	free(a->about);
	free(a->labels);
	free(a->new_name);
	free(a->home);
	free(a->path);
	free(a);
}

void registry_free(struct registry *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++)
		registered_free(r->v[i]);
	map_release_values(&r->names);
	map_release_values(&r->outdated);
	free(r->v);
	free(r);
}

/* The same whatever the order. */
static uint64_t sum_of_ids(const struct registry *r)
{
	const struct waiting *w;
	uint64_t sum = 0;

	for (size_t i = 0; i < r->n; i++)
		sum += hash_of(str_of(r->v[i]->id));
	LIST_FOREACH(w, &r->waiting, all)
		sum += hash_of(str_of(w->id)) * 3;
	return sum;
}

static void tell_editor(void *arg)
{
	struct registry *r = arg;
	const struct editor *ed = &r->ox->editor;
	uint64_t sum = sum_of_ids(r);

	r->telling = false;
	if (sum != r->told && ed->actions)
		ed->actions(ed->self);
	r->told = sum;
}

/* What goes and comes again within one turn of the loop has not changed. */
static void list_changed(struct registry *r)
{
	if (!r->telling)
		oxide_soon(r->ox, tell_editor, r);
	r->telling = true;
}

static struct registered *remove_at(struct registry *r, size_t i)
{
	struct registered *a = r->v[i];

	list_changed(r);
	memmove(&r->v[i], &r->v[i + 1], (--r->n - i) * sizeof(*r->v));
	return a;
}

static size_t bytes_of(const struct registered *a)
{
	size_t sum = a->action.n ? a->action.v[0].raw.n : 0;

	for (size_t i = 0; a->plan && i < plan_files(a->plan); i++) {
		const struct plan_file *f = plan_file(a->plan, i);

		sum += f->was.n + f->now.n + f->lines.n;
	}
	return sum;
}

/* The newest stays, whatever its size: somebody is about to name it. */
static void registry_make_room(struct registry *r)
{
	const struct config *config = &r->ox->config;
	size_t most = (size_t)config_get(config, CFG_ACTIONS_KEPT);
	size_t room = (size_t)config_get(config, CFG_ACTIONS_BYTES), keep = 1;
	size_t sum = bytes_of(r->v[r->n - 1]);

	for (; keep < r->n && keep < most; keep++) {
		sum += bytes_of(r->v[r->n - 1 - keep]);
		if (sum > room)
			break;
	}
	while (r->n > keep)
		registered_free(remove_at(r, 0));
}

static ptrdiff_t find_id(const struct registry *r, struct str id)
{
	for (size_t i = 0; i < r->n; i++)
		if (str_eq(str_of(r->v[i]->id), id))
			return (ptrdiff_t)i;
	return -1;
}

void registry_put(struct registry *r, struct registered *a)
{
	ptrdiff_t old = find_id(r, str_of(a->id));

	if (old >= 0)
		registered_free(remove_at(r, (size_t)old));
	free(map_take(&r->outdated, str_of(a->id)));
	mem_add(r->v, r->n, r->cap, a);
	registry_make_room(r);
	list_changed(r);
}

const char *registered_path(const struct registered *a)
{
	return a->plan && plan_files(a->plan) ? plan_file(a->plan, 0)->path
	       : a->path		      ? a->path
					      : "";
}

/* Whether the file is still what the action was made for. Only to compare it, no document is made
 * of a file. */
static bool is_still(struct registry *r, const char *path, bool existed, uint64_t hash)
{
	struct workspace *w = r->ox->workspace;
	const struct plan_source *src = workspace_source(w, r->ox->root);
	struct buf text SCOPED(buf_release) = BUF_INIT;
	struct doc *d = workspace_known(w, path) ? workspace_doc(w, path, ERR_IGNORED) : NULL;
	bool is = d || src->read(src->self, path, &text, NULL, ERR_IGNORED);
	uint64_t now = d ? doc_hash(d) : hash_of(buf_str(&text));

	return is == existed && (!existed || now == hash);
}

/* Of what is not text there is no document: the transaction looks at it. */
static bool registry_is_text(const struct plan_file *f)
{
	return f->was_mode != MODE_LINK && f->now_mode != MODE_LINK;
}

/* The file that has changed; NULL: none has. */
static const char *changed_file(struct registry *r, const struct registered *a)
{
	if (!a->plan)
		return is_still(r, a->path, true, a->hash) ? NULL : a->path;
	for (size_t i = 0; i < plan_files(a->plan); i++) {
		const struct plan_file *f = plan_file(a->plan, i);

		if (registry_is_text(f) && !is_still(r, f->path, f->existed, f->was_hash))
			return f->path;
	}
	return NULL;
}

/* Its name is kept, to say why it is gone. */
static void forget_outdated(struct registry *r, struct registered *a, const char *changed)
{
	size_t most = (size_t)config_get(&r->ox->config, CFG_ACTIONS_KEPT);

	if (map_count(&r->outdated) >= most)
		map_release_values(&r->outdated);
	free(map_put(&r->outdated, str_of(a->id), mem_dup(changed, strlen(changed))));
	registered_free(a);
}

static bool is_outdated(const struct registry *r, struct str id, struct err *e)
{
	const char *changed = map_get(&r->outdated, id);

	if (changed)
		err_set(e, ERR_STALE,
			"%.*s has changed since %.*s was offered; list_code_actions with its "
			"file_path, or refresh_code_actions, finds what is on offer now",
			STR_ARG(projects_shown(r->ox->projects, changed)), STR_ARG(id));
	return changed;
}

static bool registry_not_found(const struct registry *r, struct str id, struct err *e)
{
	const char *near = NULL;
	size_t least = id.n / 4 + 1;

	for (size_t i = 0; i < r->n; i++) {
		size_t d = str_distance(id, str_of(r->v[i]->id), least);

		if (d < least) {
			least = d;
			near = r->v[i]->id;
		}
	}
	return err_set(e, ERR_NOT_FOUND,
		       "unknown action %.*s%s%s%s; actions expire when applied, when their files "
		       "change, or when the core exits: list_code_actions lists them",
		       STR_ARG(id), near ? " (did you mean " : "", near ? near : "",
		       near ? "?)" : "");
}

static bool is_waiting(const struct registry *r, struct str id, struct err *e)
{
	const struct waiting *w;

	LIST_FOREACH(w, &r->waiting, all)
		if (str_eq(str_of(w->id), id)) {
			err_set(e, ERR_CONFLICT,
				"%s is waiting for the user to confirm it%s%s: only they can "
				"accept or decline",
				w->id, w->who ? " on behalf of " : "", w->who ? w->who : "");
			return true;
		}
	return false;
}

struct registered *registry_take(struct registry *r, struct str id, struct err *e)
{
	ptrdiff_t at = find_id(r, id);
	struct registered *a;
	const char *changed;

	if (is_waiting(r, id, e) || is_outdated(r, id, e))
		return NULL;
	if (at < 0) {
		registry_not_found(r, id, e);
		return NULL;
	}
	a = remove_at(r, (size_t)at);
	changed = changed_file(r, a);
	if (!changed)
		return a;
	forget_outdated(r, a, changed);
	is_outdated(r, id, e);
	return NULL;
}

void registry_sweep(struct registry *r)
{
	for (size_t i = 0; i < r->n;) {
		const char *changed = changed_file(r, r->v[i]);

		if (changed)
			forget_outdated(r, remove_at(r, i), changed);
		else
			i++;
	}
}

uint64_t registry_diag(const struct diag *d)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;
	uint64_t hash;

	buf_addf(&text, "%s\n%s\n%u:%u-%u:%u\n%.*s\n%.*s", d->server, d->path, d->range.from.line,
		 d->range.from.col, d->range.to.line, d->range.to.col, STR_ARG(d->code),
		 STR_ARG(d->message));
	hash = hash_of(buf_str(&text));
	return hash | 1;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void registry_keep_fixes(struct registry *r, const struct diag *const *v, size_t n)
{
	uint64_t *wrong SCOPED(mem_release) = mem_new((n + 1) * sizeof(*wrong));

	for (size_t i = 0; i < n; i++)
		wrong[i] = registry_diag(v[i]);
	qsort(wrong, n, sizeof(*wrong), by_number);
	for (size_t i = 0; i < r->n;)
		if (r->v[i]->diag && !bsearch(&r->v[i]->diag, wrong, n, sizeof(*wrong), by_number))
			registered_free(remove_at(r, i));
		else
			i++;
}

void registry_wait(struct registry *r, struct waiting *w)
{
	LIST_INSERT_HEAD(&r->waiting, w, all);
	list_changed(r);
}

void registry_waited(struct registry *r, struct waiting *w)
{
	LIST_REMOVE(w, all);
	list_changed(r);
}

const struct waiting *registry_waiting(const struct registry *r)
{
	return LIST_FIRST(&r->waiting);
}

void registry_name(struct registry *r, struct str name, uint64_t hash, struct buf *out)
{
	struct buf id SCOPED(buf_release) = BUF_INIT;
	const uint64_t *whose;

	buf_add(&id, name);
	for (size_t n = 2; (whose = map_get(&r->names, buf_str(&id))) && *whose != hash; n++) {
		buf_clear(&id);
		buf_addf(&id, "%.*s_%zu", STR_ARG(name), n);
	}
	if (!whose)
		map_put(&r->names, buf_str(&id), mem_copy(&hash, sizeof(hash)));
	buf_add(out, buf_str(&id));
}

void registry_forget_below(struct registry *r, const char *root)
{
	for (size_t i = 0; i < r->n;)
		if (path_below(str_of(root), str_of(registered_path(r->v[i]))))
			registered_free(remove_at(r, i));
		else
			i++;
}

size_t registry_count(const struct registry *r)
{
	return r->n;
}

const struct registered *registry_at(const struct registry *r, size_t i)
{
	return r->v[i];
}

void registry_slug(struct str text, struct buf *out)
{
	size_t start = out->n;

	for (size_t i = 0; i < text.n && out->n - start < SLUG_MOST; i++) {
		char c = text.p[i];

		if ((unsigned char)c < 0x80 && (str_named(c) || c == '.') && c != '$')
			buf_addc(out, c);
		else if (out->n > start && out->p[out->n - 1] != '-')
			buf_addc(out, '-');
	}
	while (out->n > start && out->p[out->n - 1] == '-')
		out->p[--out->n] = '\0';
}
