#include "completeness_impl.h"

#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../core/workspace.h"
#include "../io/loop.h"
#include "diagnose.h"
#include "pool.h"
#include "trial.h"

/*
 *     completeness_look -+-> (files are to be shown) look_local -+-> show -> fn(again)
 *                 |                                       +-> (known in there alone) check
 *                 +-> (the answer grew) fn(again)
 *                 +-> check -> fn(that is all)
 */
#define LOOKS_MOST 8

static uint64_t complete_text_of(const struct completeness *r)
{
	struct doc *d = workspace_doc(r->ox->workspace, r->path, ERR_IGNORED);

	return d ? doc_hash(d) : 0;
}

struct completeness *completeness_new(struct oxide *ox, struct word_search *m, const char *path,
				      size_t byte)
{
	struct completeness *r = mem_new(sizeof(*r));

	r->ox = ox;
	r->mentions = m;
	r->path = mem_dup(path, strlen(path));
	r->byte = byte;
	r->text = complete_text_of(r);
	r->readings = pool_readings(ox->pool);
	return r;
}

void completeness_overrides(struct completeness *r, completeness_has *too)
{
	r->overrides = true;
	r->too = too;
}

void completeness_leaves_bodies(struct completeness *r)
{
	r->leaves_bodies = true;
}

void completeness_keeps(struct completeness *r, completeness_has *keeps)
{
	r->keeps = keeps;
}

void completeness_free(struct completeness *r)
{
	if (!r)
		return;
	map_each(it, &r->files) {
		struct completeness_file *f = it.value;

		free(f->path);
		free(f->lack);
		free(f);
	}
	for (size_t i = 0; i < r->reasons; i++) {
		free(r->reason[i].path);
		free(r->reason[i].why);
	}
	map_release(&r->files);
	map_release(&r->stale);
	timer_free(r->deadline);
	free(r->reason);
	free(r->mention);
	free(r->expansion);
	free(r->show);
	free(r->place);
	free(r->path);
	free(r);
}

uint64_t completeness_left(const struct completeness *r)
{
	uint64_t now = loop_now(r->ox->loop);

	return now < r->until ? r->until - now : 1;
}

bool completeness_stops(const struct completeness *r)
{
	return r->late || r->cancelled;
}

static bool misses_any(const struct completeness *r)
{
	for (size_t i = 0; i < r->n_mentions; i++)
		if (completeness_asks(r, &r->mention[i]))
			return true;
	return false;
}

/* What was to be shown, or asked, when the time was over. */
static void note_late(struct completeness *r)
{
	for (; !r->local && r->next < r->n_show; r->next++)
		completeness_missed(r, r->show[r->next]->path,
				    "timed out before it could be opened (reach.wait_ms)");
	if (r->checking && misses_any(r))
		completeness_doubt(
			r, true,
			"timed out before %s was asked about places that it did not list "
			"(reach.wait_ms)",
			server_name(r->server));
}

void completeness_done(struct completeness *r, bool again)
{
	completeness_said *fn = r->fn;

	if (r->late && !r->cancelled)
		note_late(r);

	if (r->using)
		server_leave(r->server);
	r->using = false;
	if (r->deadline)
		timer_set(r->deadline, UINT64_MAX);
	for (size_t i = 0; i < r->n_show; i++)
		r->show[i]->listed = false;
	map_release(&r->stale);
	free(r->mention);
	free(r->expansion);
	free(r->place);
	r->mention = r->expansion = NULL;
	r->place = NULL;
	r->n_mentions = r->n_expansions = r->places = r->n_show = r->next = 0;
	r->checking = false;
	r->readings = pool_readings(r->ox->pool);
	r->fn = NULL;
	fn(r->arg, again && !r->cancelled);
}

static void completeness_stop(struct completeness *r)
{
	if (r->pick)
		pool_unpick(r->pick);
	if (r->asked)
		server_cancel(r->server, r->asked);
	map_each(it, &r->files) {
		struct completeness_file *f = it.value;

		if (f->waiting)
			diagnose_cancel(f->waiting);
		else if (f->asked)
			server_cancel(r->server, f->asked);
	}
	for (size_t i = 0; i < r->places; i++)
		if (r->place[i].asked)
			server_cancel(r->server, r->place[i].asked);
	completeness_cancel_override(r);
}

static void out_of_time(void *arg)
{
	struct completeness *r = arg;

	r->late = true;
	completeness_stop(r);
}

void completeness_cancel(void *completeness)
{
	struct completeness *r = completeness;

	r->cancelled = true;
	word_search_cancel(r->mentions);
	if (r->fn)
		completeness_stop(r);
	else if (r->pick)
		pool_unpick(r->pick);
}

static void on_completeness_picked(void *arg, struct server *s, bool settled, const struct err *e)
{
	struct completeness *r = arg;

	(void)settled;
	r->pick = NULL;
	if (!s) {
		if (e->code != ERR_CANCELLED)
			completeness_doubt(r, true, "%s", e->msg);
		completeness_done(r, false);
		return;
	}
	r->server = s;
	server_use(s);
	r->using = true;
	r->then(r);
}

void completeness_pick(struct completeness *r, void (*then)(struct completeness *r))
{
	if (r->using) {
		then(r);
		return;
	}
	r->then = then;
	r->pick = pool_pick_named(r->ox->pool, r->path, str_of(server_name(r->server)),
				  LSP_FEATURES, POOL_OPEN, on_completeness_picked, r);
}

/* In another text the place may be of another name. */
static void on_completeness_server(void *arg, struct server *s, bool settled, const struct err *why)
{
	struct completeness *r = arg;
	struct err e = *why;

	(void)settled;
	r->pick = NULL;
	if (s && complete_text_of(r) != r->text)
		err_set(&e, ERR_STALE, "%.*s has changed meanwhile; try again",
			STR_ARG(workspace_shown(r->ox->workspace, r->path)));
	r->picked(r->picked_arg, e.code ? NULL : s, &e);
}

void completeness_server(struct completeness *r, struct server *s, enum lsp_feature f,
			 enum pool_need need, completeness_picked *fn, void *arg)
{
	r->picked = fn;
	r->picked_arg = arg;
	r->pick = pool_pick_named(r->ox->pool, r->path, str_of(server_name(s)), f, need,
				  on_completeness_server, r);
}

uint64_t completeness_mark(const struct word_search *m, uint64_t text)
{
	uint64_t both[] = { text, word_search_headers(m) };

	return hash_of((struct str){ (const char *)both, sizeof(both) });
}

static uint64_t mark_of(const struct completeness *r, uint64_t text)
{
	return completeness_mark(r->mentions, text);
}

static void complete_add_file(struct completeness *r, const char *path, uint64_t mark,
			      int64_t changed)
{
	size_t most = (size_t)config_get(&r->ox->config, CFG_REACH_FILES);
	struct completeness_file *f = map_get(&r->files, str_of(path));
	struct err e = ERR_INIT;

	if (!server_takes(r->server, path, &e)) {
		completeness_missed(r, path, e.msg);
		return;
	}
	if (!f && map_count(&r->files) >= most) {
		completeness_missed(r, path, "the limit reach.files was reached");
		return;
	}
	if (!f) {
		f = mem_new(sizeof(*f));
		f->of = r;
		f->path = mem_dup(path, strlen(path));
		map_put(&r->files, str_of(path), f);
	}
	if (f->listed || f->lack) /* as it is read now it is read always */
		return;
	if (f->tries++ >= 2) {
		completeness_missed(r, path, "it changed while it was read");
		return;
	}
	f->listed = true;
	f->mark = mark;
	f->changed = changed;
	mem_add(r->show, r->n_show, r->show_cap, f);
}

void completeness_reread(struct completeness *r, const char *path)
{
	map_put(&r->stale, str_of(path), r);
}

/* The answer has not all of it. Where others had the server read it since that was asked, it only
 * has to be asked again. */
static void collect_file(struct completeness *r, const char *path, uint64_t mark, int64_t changed)
{
	enum text_read read = server_read(r->server, path, mark, r->readings);

	if (read == READ_NEVER)
		complete_add_file(r, path, mark, changed);
	r->overtaken |= read == READ_LATER;
}

static void add_stale(struct completeness *r, const char *path)
{
	struct err e = ERR_INIT;
	struct doc *d = workspace_doc(r->ox->workspace, path, &e);

	if (d)
		collect_file(r, path, mark_of(r, doc_hash(d)), 0);
}

/* Files of which the answer does not have all, and which the server has not read as they are. */
static void collect_of(struct completeness *r, const struct word_use *v, size_t n)
{
	const char *last = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct word_use *m = &v[i];

		if ((last && !strcmp(last, m->path)) || r->has(r->arg, m))
			continue;
		last = m->path;
		collect_file(r, m->path, mark_of(r, m->text), m->changed);
	}
}

static void completeness_collect(struct completeness *r)
{
	map_each(it, &r->stale)
		add_stale(r, it.key.p);
	collect_of(r, r->mention, r->n_mentions);
	collect_of(r, r->expansion, r->n_expansions);
}

static void ask_again(void *arg)
{
	completeness_done(arg, true);
}

void completeness_is_all(void *arg)
{
	completeness_done(arg, false);
}

static void after_local(struct completeness *r)
{
	r->checking = r->local || !r->n_show;
	if (completeness_stops(r))
		completeness_done(r, false);
	else if (r->checking)
		completeness_check(r);
	else
		completeness_show(r);
}

static void look_local(struct completeness *r)
{
	completeness_look_local(r, after_local);
}

/* What the search for the name could not do. */
static void note_search(struct completeness *r)
{
	const struct map *passed = word_search_passed(r->mentions);

	if (word_search_gap(r->mentions))
		completeness_doubt(r, true, "%s", word_search_gap(r->mentions));
	if (!word_search_macros_whole(r->mentions))
		completeness_doubt(r, true,
				   "more macros contain the name than are searched for "
				   "(rename.macros)");
	map_each(it, passed)
		completeness_missed(r, it.key.p, it.value);
}

static void completeness_begin(struct completeness *r)
{
	uint64_t now = loop_now(r->ox->loop);

	if (!r->deadline) {
		r->until = now + (uint64_t)config_get(&r->ox->config, CFG_REACH_WAIT);
		r->deadline = timer_new(r->ox->loop, out_of_time, r);
		note_search(r);
	}
	timer_set(r->deadline, r->until > now ? r->until : now);
}

static void tell_headers(struct completeness *r)
{
	for (size_t i = 0; word_search_only_c(r->mentions) && i < r->n_mentions; i++)
		if (str_eq(path_ext(str_of(r->mention[i].path)), STR("h")) &&
		    server_c_header(r->server, r->mention[i].path))
			completeness_reread(r, r->mention[i].path);
}

static void look_searched(void *arg)
{
	struct completeness *r = arg;
	struct server *s = r->server;
	bool grown = r->grown;

	if (r->cancelled) {
		completeness_done(r, false);
		return;
	}
	r->mention = word_search_code(r->mentions, &r->n_mentions);
	r->expansion = word_search_expansions(r->mentions, &r->n_expansions);
	if (server_health_error(s))
		completeness_doubt(r, false, "%s reports a problem: %s", server_name(s),
				   server_health_error(s));
	if (server_health_warning(s))
		completeness_doubt(r, false, "%s warns: %s", server_name(s),
				   server_health_warning(s));
	if (!config_get(&r->ox->config, CFG_REACH_FILES)) {
		completeness_doubt(r, false, "no file was opened in %s for it (reach.files is 0)",
				   server_name(s));
		loop_soon(r->ox->loop, completeness_is_all, r);
		return;
	}
	completeness_begin(r);
	tell_headers(r);
	if (!r->late && !r->local)
		completeness_collect(r);
	r->checking = !r->n_show;
	if (grown && r->looks >= LOOKS_MOST)
		completeness_doubt(r, true, "the answer of %s still changed after %d requests",
				   server_name(s), LOOKS_MOST);
	if (r->n_show || (r->looks == 1 && !r->late && completeness_has_unread(r)))
		completeness_pick(r, look_local);
	else if ((grown || r->overtaken) && r->looks < LOOKS_MOST)
		loop_soon(r->ox->loop, ask_again, r);
	else if (r->late || r->local)
		loop_soon(r->ox->loop, completeness_is_all, r);
	else
		completeness_check(r);
}

void completeness_look(struct completeness *r, struct server *s, size_t found,
		       completeness_has *has, completeness_said *fn, void *arg)
{
	r->grown = r->looks && found != r->found;
	r->overtaken = false;
	r->server = s;
	r->has = has;
	r->fn = fn;
	r->arg = arg;
	r->found = found;
	r->looks++;
	word_search_wait(r->mentions, look_searched, r);
}
