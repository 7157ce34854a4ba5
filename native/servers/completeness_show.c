#include <stdio.h>
#include <stdlib.h>

#include "../base/path.h"
#include "../core/workspace.h"
#include "completeness_impl.h"
#include "diagnose.h"
#include "trial.h"

static void show_go_on(struct completeness *r);

static bool complete_show_is_header(const char *path)
{
	struct str ext = path_ext(str_of(path));

	return ext.n && (*ext.p == 'h' || str_eq(ext, STR("inl")) || str_eq(ext, STR("inc")));
}

/* Who reads a file before its header has been shown reads the header of before. */
static int complete_show_in_order(const void *a, const void *b)
{
	const struct completeness_file *x = *(struct completeness_file *const *)a,
				       *y = *(struct completeness_file *const *)b;
	bool hx = complete_show_is_header(x->path), hy = complete_show_is_header(y->path);

	if (hx != hy)
		return hx ? -1 : 1;
	if (x->changed != y->changed)
		return x->changed > y->changed ? -1 : 1;
	return strcmp(x->path, y->path);
}

static void complete_show_tell(struct completeness *r, bool done)
{
	const struct editor *ed = &r->ox->editor;
	char title[200], message[60];

	if (!ed->progress)
		return;
	snprintf(title, sizeof(title), "%s: reading files with the name", server_name(r->server));
	snprintf(message, sizeof(message), "%zu of %zu", r->next - r->waiting, r->n_show);
	ed->progress(ed->self, NULL, "reach", str_of(title), str_of(message),
		     (int)((r->next - r->waiting) * 100 / r->n_show), done);
}

/* What is not known of a file stays so: the next one who asks has to see it too. */
static void note_read(struct completeness_file *f)
{
	struct server *s = f->of->server;
	struct buf message SCOPED(buf_release) = BUF_INIT;

	if (server_lacks_include(s, server_store(s), f->path, &message))
		f->lack = buf_detach(&message);
	else
		server_note_read(s, f->path, f->mark);
	completeness_forgive(f->of, f->path);
}

static void finish_file(struct completeness_file *f, bool read, const char *why)
{
	struct completeness *r = f->of;
	struct doc *d = workspace_known(r->ox->workspace, f->path);

	if (read)
		note_read(f);
	else if (!r->cancelled)
		completeness_missed(r, f->path, why);
	if (f->glanced && d)
		server_glanced(r->server, d);
	f->glanced = false;
	r->waiting--;
	show_go_on(r);
}

static void late_or(struct completeness_file *f, const char *what, const struct err *e)
{
	char why[300];

	snprintf(why, sizeof(why), "%s %s", server_name(f->of->server), what);
	finish_file(f, false, e->code && e->code != ERR_CANCELLED ? e->msg : why);
}

/* An answer about the file is given by who has taken its text. That it is an error does not
 * matter. */
static void on_show_answer(void *arg, struct msg *m, const struct err *e)
{
	struct completeness_file *f = arg;

	(void)m;
	f->asked = 0;
	if (!e->code || e->code == ERR_PEER)
		finish_file(f, true, NULL);
	else
		late_or(f, "timed out while answering for it (reach.wait_ms)", e);
}

static void ask_for_answer(struct completeness_file *f, struct doc *d)
{
	struct server *s = f->of->server;

	f->asked = server_ask(s, LSP_HOVER, proto_at(d, 0, server_encoding(s)),
			      completeness_left(f->of), on_show_answer, f);
}

/* Of a server whose diagnostics do not say which text they speak of, silence means nothing. */
static void on_show_read(void *arg, struct server *s, bool complete, const struct err *e)
{
	struct completeness_file *f = arg;
	struct doc *d = workspace_known(f->of->ox->workspace, f->path);

	f->waiting = NULL;
	if (complete && !e->code)
		finish_file(f, true, NULL);
	else if (!e->code && d && !completeness_stops(f->of) && !server_versioned(s) &&
		 server_can(s, LSP_HOVER))
		ask_for_answer(f, d);
	else
		late_or(f, "timed out while reading it (reach.wait_ms)", e);
}

static bool answer_has_some(const struct completeness_file *f)
{
	const struct completeness *r = f->of;

	for (size_t i = 0; i < r->n_mentions; i++)
		if (!strcmp(r->mention[i].path, f->path) && r->has(r->arg, &r->mention[i]))
			return true;
	return false;
}

/* Whether what it knows of a file comes of what it has diagnosed. Others take ten times as long to
 * check all of it as to read it: only what a change is in, for that is looked at next (gate.h). */
static bool is_to_be_diagnosed(const struct completeness_file *f)
{
	const struct server *s = f->of->server;

	return server_indexes_late(s) && server_versioned(s) &&
	       (!server_finds_files(s) || (f->of->overrides && answer_has_some(f)));
}

static void ask_about(struct completeness_file *f, struct doc *d)
{
	struct server *s = f->of->server;

	if (is_to_be_diagnosed(f))
		f->waiting = diagnose_shown(f->of->ox, s, false, f->path, false,
					    completeness_left(f->of), on_show_read, f);
	else
		ask_for_answer(f, d);
}

/* One that is open already may have been read with headers that have changed since. */
static void open_anew(struct completeness_file *f, struct doc *d)
{
	struct completeness *r = f->of;
	size_t room = (size_t)config_get(&r->ox->config, CFG_LSP_DOCUMENTS) / 2;
	const char *ft = workspace_filetype(r->ox->workspace, f->path);

	if (server_version(r->server, f->path) >= 0 && server_indexes_late(r->server))
		server_hide(r->server, d);
	if (r->opened < room || workspace_buffer_at(r->ox->workspace, f->path))
		server_show(r->server, d, ft);
	else
		f->glanced = server_glance(r->server, d, ft);
	r->opened++;
}

static void show_one(struct completeness_file *f)
{
	struct completeness *r = f->of;
	struct err e = ERR_INIT;
	struct doc *d = workspace_doc(r->ox->workspace, f->path, &e);

	r->waiting++;
	if (!d) {
		finish_file(f, e.code == ERR_NOT_FOUND, e.msg);
		return;
	}
	open_anew(f, d);
	server_flush(r->server);
	if (server_version(r->server, f->path) < 0)
		finish_file(f, false, "the server cannot open it");
	else if (!is_to_be_diagnosed(f) && !server_can(r->server, LSP_HOVER))
		finish_file(f, true, NULL);
	else
		ask_about(f, d);
}

static void show_over(struct completeness *r)
{
	complete_show_tell(r, true);
	completeness_done(r, true);
}

/* It counts as one that is waited for itself, so that what is answered at once ends nothing. */
static void show_go_on(struct completeness *r)
{
	size_t most = (size_t)config_get(&r->ox->config, CFG_REACH_AT_ONCE);

	if (r->filling)
		return;
	r->filling = true;
	while (r->next < r->n_show && r->waiting < most && !completeness_stops(r))
		show_one(r->show[r->next++]);
	r->filling = false;
	if (r->waiting)
		complete_show_tell(r, false);
	else
		show_over(r);
}

void completeness_show(struct completeness *r)
{
	qsort(r->show, r->n_show, sizeof(struct completeness_file *), complete_show_in_order);
	show_go_on(r);
}
