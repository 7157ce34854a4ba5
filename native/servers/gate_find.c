#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../core/workspace.h"
#include "../lsp/diag_compare.h"
#include "gate_impl.h"
#include "unchecked.h"

/* What one server said of one file, as it was and on trial. */
struct pair {
	struct gate *g;
	const struct server *server;
	struct gate_file *file; /* NULL: a file that nobody asked about */
	struct doc *was, *now;
	const struct diff *moved;
	const struct diag **before, **after;
	size_t n_before, n_after;
};

/* The file as this server was asked about it, else as any other was. */
static struct gate_file *file_at(struct gate *g, const char *path, const struct server *s)
{
	struct gate_file *any = NULL;

	for (size_t i = 0; i < g->files; i++)
		if (!strcmp(g->file[i]->path, path) && (!any || g->file[i]->server == s))
			any = g->file[i];
	return any;
}

static size_t said_by(const struct diag_store *s, const char *path, const char *server,
		      const struct diag ***out)
{
	size_t n = diag_list(s, path, DIAG_WARNING, out), kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!strcmp((*out)[i]->server, server))
			(*out)[kept++] = (*out)[i];
	return kept;
}

/* Whether a line speaks of a file that comes with the change. A server that looks for files on the
 * disk does not find that one yet, and cannot know better. */
static bool speaks_of_new(const struct gate *g, struct str line)
{
	for (size_t i = 0; i < g->files; i++) {
		const struct plan_file *change = g->file[i]->change;
		struct str name = path_base(str_of(g->file[i]->path));
		const char *dot = name.n ? memchr(name.p + 1, '.', name.n - 1) : NULL;

		if (!change || (change->existed && !change->new_path))
			continue;
		if (str_find(line, dot ? str_sub(name, 0, (size_t)(dot - name.p)) : name) >= 0)
			return true;
	}
	return false;
}

/* Whether it is at something that the change itself has written. */
static bool is_written(const struct pair *p, const struct diag *d)
{
	const struct plan_file *change = p->file ? p->file->change : NULL;
	size_t from = doc_byte(p->now, d->range.from, d->enc);
	size_t to = doc_byte(p->now, d->range.to, d->enc);

	for (size_t i = 0; change && i < change->edits.n; i++) {
		const struct edit *e = &change->edits.v[i];

		if (e->new_at <= to && from <= e->new_at + e->with.n)
			return true;
	}
	return false;
}

/* A warning that counts as an error does so where the change left the text alone: what it has
 * written may lack only what a server is not shown, as a header by another name of it. */
static bool is_error(const struct pair *p, const struct diag *d)
{
	return d->severity == DIAG_ERROR || (server_errs(p->server, d) && !is_written(p, d));
}

/* The server may say more of the file while the finding is still looked at: it is copied. */
static void add_fresh(struct pair *p, const struct diag *d)
{
	struct gate *g = p->g;
	size_t line, column;
	struct gate_diag *fresh;
	int kind = !is_error(p, d);

	doc_where(p->now, doc_byte(p->now, d->range.from, d->enc), &line, &column);
	if (!kind && speaks_of_new(g, doc_line(p->now, line))) {
		kind = 1;
		g->lacks |= LACK_NEW;
	}
	g->fresh[kind] = mem_grow(g->fresh[kind], &g->fresh_cap[kind], g->n_fresh[kind] + 1,
				  sizeof(struct gate_diag));
	fresh = &g->fresh[kind][g->n_fresh[kind]++];
	*fresh = (struct gate_diag){ .diag = diag_copy(&g->texts, d), .doc = p->now };
}

static void gate_find_compare(struct pair *p)
{
	struct diag_side before = { p->before, p->n_before, p->was };
	struct diag_side after = { p->after, p->n_after, p->now };
	bool *fresh SCOPED(mem_release) = mem_new(p->n_after + 1);

	diag_compare(&before, &after, p->moved, fresh);
	for (size_t i = 0; i < p->n_after; i++)
		if (fresh[i])
			add_fresh(p, p->after[i]);
}

/* Servers also speak of files that nobody asked about; those count that they spoke of before. */
static bool find_texts(struct pair *p, const char *path, const struct server *s)
{
	static const struct diff unmoved = { 0 };
	struct workspace *w = p->g->ox->workspace;
	struct err e = ERR_INIT;
	int64_t version;

	p->moved = &unmoved;
	p->file = file_at(p->g, path, s);
	if (p->file && p->file->server == s && p->file->shown && !p->file->unasked) {
		p->was = p->file->was;
		p->now = p->file->now;
		if (p->file->change)
			p->moved = &p->file->change->diff;
		return true;
	}
	if (p->file || map_get(&p->g->left, str_of(path)) ||
	    !diag_seen(server_store(s), server_key(s), path, &version))
		return false;
	p->was = p->now = workspace_doc(w, path, &e);
	return p->now;
}

static void compare_file(struct gate *g, const char *path, const struct server *s)
{
	struct pair p = { .g = g, .server = s };

	if (!find_texts(&p, path, s))
		return;
	p.n_after = said_by(g->said, path, server_key(s), &p.after);
	if (p.was)
		p.n_before = said_by(p.file && server_answers(s) ? g->was : server_store(s),
				     doc_path(p.was), server_key(s), &p.before);
	gate_find_compare(&p);
	free(p.before);
	free(p.after);
}

/* A server that died has taken what it said before with it: there is nothing to compare. */
static void compare_all(struct gate *g)
{
	const struct diag **all;
	size_t n = diag_list(g->said, NULL, DIAG_WARNING, &all);

	for (size_t k = 0; k < g->servers; k++) {
		const char *key = server_key(g->server[k]), *last = NULL;

		if (!server_on_trial(g->server[k], g->said))
			continue;
		for (size_t i = 0; i < n; i++) {
			if (strcmp(all[i]->server, key) != 0 ||
			    (last && !strcmp(last, all[i]->path)))
				continue;
			last = all[i]->path;
			compare_file(g, last, g->server[k]);
		}
	}
	free(all);
}

/* What a file uses of others nobody has looked at where these were not found. NULL: they were. */
static const char *lacks_include(struct gate_file *f)
{
	struct buf why SCOPED(buf_release) = BUF_INIT;

	if ((f->change && plan_files(f->gate->plan) == 1) ||
	    !server_lacks_include(f->server, f->gate->said, f->path, &why))
		return NULL;
	buf_addf(&why, ", so that %s cannot tell what the change means for this file",
		 server_name(f->server));
	return f->why = buf_detach(&why);
}

/* Why a file was not looked at; NULL: it was. */
static const char *missed(struct gate_file *f)
{
	char why[200];

	if (f->why)
		return f->why;
	if (f->shown && f->answered && server_on_trial(f->server, f->gate->said))
		return lacks_include(f);
	if (f->shown && !server_on_trial(f->server, f->gate->said))
		snprintf(why, sizeof(why), "%s exited while checking the change",
			 server_name(f->server));
	else
		snprintf(why, sizeof(why), "%s timed out",
			 f->server   ? server_name(f->server)
			 : f->beside ? server_name(f->beside)
				     : "its server");
	return f->why = mem_dup(why, strlen(why));
}

static void add_why(struct gate *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add_why(struct gate *g, const char *fmt, ...)
{
	struct buf text = BUF_INIT;
	va_list args;

	if (g->reasons == GATE_WHYS)
		return;
	va_start(args, fmt);
	buf_addv(&text, fmt, args);
	va_end(args);
	g->reason[g->reasons++] = buf_detach(&text);
}

/* A server may have spoken before it was done, or know too little of the project. */
static void say_unfinished(struct gate *g, const struct server *s)
{
	const struct gate_file *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < g->files; i++) {
		const struct gate_file *f = g->file[i];

		if ((f->complete && f->uses_complete) || f->why || f->server != s)
			continue;
		first = first ? first : f;
		n++;
	}
	if (first && first->answered && server_checks(first->server))
		add_why(g,
			"%s has checked it, but its check of saved files cannot see a change that "
			"is not applied yet",
			server_name(first->server));
	else if (first)
		add_why(g, "%s may not have finished with %.*s%s", server_name(first->server),
			STR_ARG(workspace_shown(g->ox->workspace, first->path)),
			n > 1 ? " and others" : "");
}

/* Silence means less there: once for each server. */
static void say_unchecked(struct gate *g, const struct server *s)
{
	for (size_t i = 0; i < g->files; i++) {
		const struct gate_file *f = g->file[i];
		const char *what = f->server == s && f->now && !f->why
					   ? unchecked_by(s, f->path, f->now)
					   : NULL;

		if (!what)
			continue;
		g->lacks |= LACK_CHECKS;
		add_why(g, "%s does not look at %s (%.*s)", server_name(s), what,
			STR_ARG(workspace_shown(g->ox->workspace, f->path)));
		return;
	}
}

static void say_why(struct gate *g)
{
	const struct config *c = &g->ox->config;

	if (g->late)
		add_why(g, "the servers did not finish within %llu ms",
			(unsigned long long)g->patience_ms);
	if (g->lacks & LACK_MOVED)
		add_why(g, "servers cannot preview that a file is deleted or renamed");
	if (g->lacks & LACK_MANY)
		add_why(g, "more than %lld files use the changed symbols (gate.files)",
			(long long)config_get(c, CFG_GATE_FILES));
	if (g->lacks & LACK_NEW)
		add_why(g, "servers do not find a file that the change creates");
	for (size_t i = 0; i < g->servers && !g->late; i++)
		say_unfinished(g, g->server[i]);
	/* A rename's places come from the server itself: few checks leave none of them out. */
	for (size_t i = 0; i < g->servers && !g->alone; i++)
		say_unchecked(g, g->server[i]);
}

void gate_find(struct gate *g)
{
	bool complete = true;
	size_t looked = 0;

	g->found = true;
	for (size_t i = 0; i < g->files; i++) {
		struct gate_file *f = g->file[i];
		const char *why;

		if (f->unasked)
			continue;
		why = missed(f);
		complete = complete && !why && f->complete && f->uses_complete;
		looked += !why;
		if (!why)
			continue;
		mem_add(g->skip, g->skips, g->skip_cap, (struct gate_skip){ f->path, why });
	}
	compare_all(g);
	say_why(g);
	g->finding = (struct gate_finding){ .error = g->fresh[0],
					    .warning = g->fresh[1],
					    .errors = g->n_fresh[0],
					    .warnings = g->n_fresh[1],
					    .skip = g->skip,
					    .skips = g->skips,
					    .looked = looked,
					    .complete = complete && !g->late && !g->lacks,
					    .why = (const char *const *)g->reason,
					    .whys = g->reasons,
					    .late = g->late };
}
