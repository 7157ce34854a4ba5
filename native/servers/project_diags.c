#include <stdio.h>
#include <stdlib.h>

#include "../base/hash.h"
#include "../base/map.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../core/workspace.h"
#include "../io/disk.h"
#include "../io/loop.h"
#include "client.h"
#include "completeness.h"
#include "diag_cache.h"
#include "pool.h"
#include "presets.h"
#include "project_diags_impl.h"

#define PROGRESS "oxide/diagnostics"

/*
 * start -> (the ones before are over) project_diags_begin -> on_project_diags_tree
 *     -> batch -> go_on -> batch ... -> project_diags_finish
 */

void project_diags_free(struct project_diags *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->n; i++) {
		free(w->v[i]->path);
		free(w->v[i]->missing);
		free(w->v[i]);
	}
	free(w->v);
	for (size_t i = 0; i < w->servers; i++)
		project_diags_server_free(w->server[i]);
	free(w->server);
	free(w);
}

static void project_diags_begin(void *arg);

static void tell_progress(struct project_diags *w, bool over)
{
	int percent = w->files ? (int)(100 * w->done / w->files) : 100;
	char message[60];

	if (!w->ox->editor.progress || w->spec.known ||
	    (over ? w->percent < 0 : percent == w->percent))
		return;
	w->percent = percent;
	snprintf(message, sizeof(message), "%zu of %zu files", w->done, w->files);
	w->ox->editor.progress(w->ox->editor.self, NULL, PROGRESS, STR("diagnostics"),
			       str_of(message), percent, over);
}

/* What others said of a file before is out of date; what one of its servers could not say of it is
 * asked for again. */
static void diags_settle(struct project_diags *w, const struct project_diags_file *f)
{
	struct diag_cache *cache = w->ox->findings;

	if (f->state != SWEEP_DONE || f->known || f->buffer || w->spec.known || w->cancelled)
		return;
	if (f->missing)
		diag_cache_doubt(cache, f->path);
	else if (!f->beside)
		diag_cache_settle(cache, f->path, f->texts);
}

/* Of files that a server has answered for at once nothing but that is kept. */
static void note_told(struct project_diags *w)
{
	for (size_t i = 0; i < w->n; i++) {
		struct project_diags_file *f = w->v[i];

		if (f->server && f->server->told && !f->buffer && !f->missing)
			diag_cache_keep(w->ox->findings, NULL, f->path,
					server_key(f->server->server), f->texts, true);
	}
	for (size_t i = 0; i < w->n; i++)
		diags_settle(w, w->v[i]);
}

static void project_diags_finish(void *arg)
{
	struct project_diags *w = arg, **at = &w->ox->sweeps;

	note_told(w);
	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	if (w->ox->sweeps && !w->ox->sweeps->started)
		loop_soon(w->ox->loop, project_diags_begin, w->ox->sweeps);
	tell_progress(w, true);
	w->fn(w->arg, &w->why);
}

static void project_diags_end(struct project_diags *w)
{
	if (w->over)
		return;
	w->over = true;
	if (w->cancelled)
		err_set(&w->why, ERR_CANCELLED, "cancelled");
	loop_soon(w->ox->loop, project_diags_finish, w);
}

static bool surveying(const struct project_diags *w)
{
	for (size_t i = 0; i < w->servers; i++)
		if (w->server[i]->asked)
			return true;
	return false;
}

/* One that a server died of, perhaps, comes alone and behind the others. */
static struct project_diags_file *diags_next_file(struct project_diags *w)
{
	while (w->at < w->n && w->v[w->at]->state == SWEEP_DONE)
		w->at++;
	for (size_t i = w->at; i < w->n; i++)
		if (w->v[i]->state == SWEEP_TODO && !w->v[i]->ended)
			return w->v[i];
	for (size_t i = w->at; i < w->n && !w->busy; i++)
		if (w->v[i]->state == SWEEP_TODO)
			return w->v[i];
	return NULL;
}

static void batch(struct project_diags *w)
{
	size_t most = (size_t)config_get(&w->ox->config, CFG_DIAGNOSTIC_AT_ONCE);
	struct project_diags_file *f;

	while (w->busy < most && (f = diags_next_file(w))) {
		w->busy++;
		project_diags_file_start(f);
	}
}

void project_diags_go_on(struct project_diags *w)
{
	if (w->busy)
		return;
	if (!w->cancelled)
		batch(w);
	if (!w->busy && !surveying(w))
		project_diags_end(w);
}

void project_diags_file_done(struct project_diags_file *f)
{
	struct project_diags *w = f->of;

	w->busy--;
	w->done += f->state == SWEEP_DONE && !f->beside;
	tell_progress(w, false);
	project_diags_go_on(w);
}

/* What the answers for files of one language may depend on. */
struct language {
	const struct server_spec *spec;
	uint64_t texts;
};

struct languages {
	struct language *v;
	size_t n, cap;
};

static void fold(uint64_t *into, const void *bytes, size_t n)
{
	struct str pieces[] = { { (const char *)into, sizeof(*into) }, { bytes, n } };

	*into = hash_pieces(pieces, 2) | 1; /* 0 is none */
}

static void fold_stat(uint64_t *into, const struct fs_stat *st)
{
	uint64_t seen[] = { st->dev, st->ino, st->size, (uint64_t)st->mtime_ns,
			    (uint64_t)st->ctime_ns };

	fold(into, seen, sizeof(seen));
}

/* Settings of the server, and which files there are to it. */
static void fold_markers(uint64_t *into, const char *root, const char *const *markers)
{
	const struct fs *fs = disk_fs();

	for (; *markers; markers++) {
		char *path SCOPED(mem_release) = path_join(root, *markers);
		struct fs_stat st;

		if (fs->stat(fs->self, path, &st, ERR_IGNORED) && st.kind == FS_FILE)
			fold_stat(into, &st);
	}
}

/* One that comes has yet to be asked. */
static void fold_client(uint64_t *into, const struct server *c)
{
	bool mute = server_mute(c);

	fold(into, server_key(c), strlen(server_key(c)));
	fold(into, &mute, sizeof(mute));
}

static struct language *diags_language_of(struct project_diags *w, struct languages *all,
					  const char *path)
{
	const char *filetype = workspace_filetype(w->ox->workspace, path);
	const struct server_spec *spec = presets_next(w->ox->presets, filetype, NULL);
	const struct server *c = NULL;
	struct language *made;

	for (size_t i = 0; i < all->n; i++)
		if (all->v[i].spec == spec)
			return &all->v[i];
	all->v = mem_grow(all->v, &all->cap, all->n + 1, sizeof(*all->v));
	made = &all->v[all->n++];
	*made = (struct language){ spec, 1 };
	for (size_t i = 0; spec && spec->root_markers[i]; i++)
		fold_markers(&made->texts, w->spec.project->root, spec->root_markers[i]);
	while ((c = client_next(w->ox->pool, path, filetype, c)))
		fold_client(&made->texts, c);
	return made;
}

static void read_languages(struct project_diags *w, struct languages *all, const struct tree *t)
{
	struct workspace *ws = w->ox->workspace;

	for (size_t i = 0; i < t->n; i++) {
		struct language *l = diags_language_of(w, all, t->v[i].path);

		fold(&l->texts, t->v[i].path, strlen(t->v[i].path));
		if (!workspace_buffer_at(ws, t->v[i].path))
			fold_stat(&l->texts, &t->v[i].stat);
	}
	for (size_t i = 0; i < workspace_buffers(ws); i++) {
		struct doc *d = workspace_buffer_number(ws, i)->doc;
		struct language *l = diags_language_of(w, all, doc_path(d));
		uint64_t hash = doc_hash(d);

		fold(&l->texts, &hash, sizeof(hash));
	}
}

struct project_diags_file *project_diags_add(struct project_diags *w, const char *path,
					     uint64_t texts, struct server *beside)
{
	struct project_diags_file *f = mem_new(sizeof(*f));

	*f = (struct project_diags_file){
		.of = w, .beside = beside, .path = mem_dup(path, strlen(path)), .texts = texts
	};
	w->files += !beside;
	return mem_add(w->v, w->n, w->cap, f);
}

static bool is_shown(const struct project_diags *w, const char *path)
{
	struct doc *d = workspace_known(w->ox->workspace, path);

	return d && pool_shows(w->ox->pool, d);
}

/* Of one that a server has open it may have said more by now. */
static bool diags_is_known(struct project_diags *w, struct project_diags_file *f)
{
	enum finding known = diag_cache_know(w->ox->findings, f->path, f->texts);

	if (known == FINDING_NONE || is_shown(w, f->path) ||
	    (known == FINDING_OLD && !w->spec.known))
		return false;
	w->complete = w->complete && known == FINDING_COMPLETE;
	return true;
}

static void add_source(struct project_diags *w, const struct project_source *t, uint64_t texts)
{
	const struct config *c = &w->ox->config;
	struct project_diags_file *f;

	if (w->n >= (size_t)config_get(c, CFG_DIAGNOSTIC_FILES)) {
		w->beyond++;
		w->complete = false;
		return;
	}
	f = project_diags_add(w, t->path, texts, NULL);
	f->known = diags_is_known(w, f);
	if (!f->known && t->stat.size > (uint64_t)config_get(c, CFG_DIAGNOSTIC_BYTES))
		project_diags_file_missing(f, "it is larger than diagnostics.file_bytes");
	else if (!f->known && w->spec.known && !is_shown(w, f->path))
		project_diags_file_missing(f, "it has not been checked yet");
	if (f->known || f->missing) {
		f->state = SWEEP_DONE;
		w->done++;
	}
}

static void add_apart(struct project_diags *w, const char *folder)
{
	struct project_diags_file *f = project_diags_add(w, folder, 0, NULL);

	project_diags_file_missing(
		f, "it is a separate repository, whose files git does not list with "
		   "the project");
	f->state = SWEEP_DONE;
	w->done++;
}

/* Findings about files that are no longer the project's. */
static void drop_gone(struct project_diags *w, const struct tree *t)
{
	struct map there SCOPED(map_release) = MAP_INIT;

	for (size_t i = 0; i < t->n; i++)
		map_put(&there, str_of(t->v[i].path), w);
	diag_cache_retain(w->ox->findings, w->spec.project->root, &there);
}

static bool diags_is_ours(const struct project_diags *w, const char *path)
{
	return projects_home(w->ox->projects, path) == w->spec.project;
}

static void on_project_diags_tree(void *arg, const struct tree *t)
{
	struct project_diags *w = arg;
	struct workspace *ws = w->ox->workspace;
	struct languages all = { 0 };

	w->walk = NULL;
	w->complete = w->complete && !t->cut;
	if (!t->cut)
		drop_gone(w, t);
	read_languages(w, &all, t);
	for (size_t i = 0; i < workspace_buffers(ws); i++) {
		const char *path = doc_path(workspace_buffer_number(ws, i)->doc);

		if (diags_is_ours(w, path))
			project_diags_add(w, path, 0, NULL)->buffer = true;
	}
	for (size_t i = 0; i < t->n; i++)
		if (!workspace_buffer_at(ws, t->v[i].path))
			add_source(w, &t->v[i], diags_language_of(w, &all, t->v[i].path)->texts);
	for (size_t i = 0; i < t->aparts; i++)
		add_apart(w, t->apart[i]);
	free(all.v);
	project_diags_go_on(w);
}

static void project_diags_begin(void *arg)
{
	struct project_diags *w = arg;

	w->started = true;
	if (w->cancelled)
		project_diags_end(w);
	else
		w->walk = project_sources_walk(w->ox, w->spec.project->root, on_project_diags_tree,
					       w);
}

struct project_diags *project_diags_start(struct oxide *ox, const struct project_diags_spec *spec,
					  project_diags_done *fn, void *arg)
{
	struct project_diags *w = mem_new(sizeof(*w)), **at = &ox->sweeps;

	*w = (struct project_diags){
		.ox = ox, .spec = *spec, .fn = fn, .arg = arg, .percent = -1, .complete = true
	};
	while (*at)
		at = &(*at)->next;
	*at = w;
	if (ox->sweeps == w)
		loop_soon(ox->loop, project_diags_begin, w);
	return w;
}

void project_diags_cancel(struct project_diags *w)
{
	w->cancelled = true;
	if (w->walk)
		project_sources_abandon(w->walk);
	w->walk = NULL;
	for (size_t i = 0; i < w->n; i++)
		project_diags_file_cancel(w->v[i]);
	for (size_t i = 0; i < w->servers; i++)
		project_diags_survey_cancel(w->server[i]);
	if (w->started && !w->busy && !surveying(w))
		project_diags_end(w);
}

size_t project_diags_list(const struct project_diags *w, enum diag_severity worst,
			  const struct diag ***out)
{
	size_t n = diag_cache_list(w->ox->findings, w->ox, worst, out), kept = 0;

	for (size_t i = 0; i < n; i++)
		if (diags_is_ours(w, (*out)[i]->path))
			(*out)[kept++] = (*out)[i];
	return kept;
}

static json *missing_rows(const struct project_diags *w, size_t *missed)
{
	size_t most = (size_t)config_get(&w->ox->config, CFG_DIAGNOSTIC_MISSING);
	json *list = json_array();

	for (size_t i = 0; i < w->n; i++) {
		if (!w->v[i]->missing || (*missed)++ >= most)
			continue;
		json_push(list, json_of({ "file", json_str(path_shown(str_of(w->spec.project->root),
								      str_of(w->v[i]->path))) },
					{ "reason", json_strz(w->v[i]->missing) }));
	}
	return list;
}

void project_diags_complete(const struct project_diags *w, json *result)
{
	size_t missed = 0;

	for (size_t i = 0; i < w->n; i++)
		missed += w->v[i]->missing != NULL;
	json_put(result, "complete", json_bool(w->complete));
	if (!w->complete)
		reasons_add(result, missed || w->beyond
					    ? "not all files of the project were checked"
					    : "the servers timed out before the whole project was "
					      "checked");
}

void project_diags_report(const struct project_diags *w, json *result)
{
	size_t asked = 0, known = 0, missed = 0;
	json *missing = missing_rows(w, &missed);

	for (size_t i = 0; i < w->n; i++) {
		known += w->v[i]->known;
		asked += !w->v[i]->beside && !w->v[i]->known && !w->v[i]->missing;
	}
	project_diags_complete(w, result);
	json_put(result, "asked", json_int((int64_t)asked));
	json_put(result, "known", json_int((int64_t)known));
	if (w->beyond)
		json_put(result, "beyond", json_int((int64_t)w->beyond));
	if (missed)
		json_put(result, "missed", json_int((int64_t)missed));
	json_put(result, "missing", missing);
}
