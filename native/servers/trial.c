#include "trial.h"

#include "../base/mem.h"
#include "../core/workspace.h"
#include "server_impl.h"

bool server_in_use(const struct server *s)
{
	return server_ready(s) && (s->users || s->trial);
}

void server_try(struct server *s, struct diag_store *said)
{
	s->trial = said;
}

bool server_on_trial(const struct server *s, const struct diag_store *said)
{
	return s->trial == said;
}

bool server_try_text(struct server *s, struct doc *d, struct str text, const struct edits *edits,
		     bool among)
{
	bool shown = s->session && session_try(s->session, d, text, edits, among);

	server_wake(s);
	return shown;
}

bool server_untry_text(struct server *s, struct doc *d)
{
	bool told = s->session && session_untry(s->session, d);

	server_wake(s);
	return told;
}

void server_untry(struct server *s)
{
	s->trial = NULL;
	pool_stir(s->pool, NULL);
}

/* Whether what it said of a document as it is has gone to the trial alone. */
static bool is_unheard(struct server *s, const struct diag_store *said, const struct doc *d)
{
	int64_t now = server_version(s, doc_path(d)), tried, heard;

	diag_seen(said, s->key, doc_path(d), &tried);
	diag_seen(server_store(s), s->key, doc_path(d), &heard);
	return now >= 0 && tried == now && heard != now;
}

static void hear(struct server *s, struct diag_store *said, struct doc *d)
{
	struct oxide *ox = s->ox;

	if (!s->client) {
		server_hide(s, d);
		server_show(s, d, workspace_filetype(ox->workspace, doc_path(d)));
		return;
	}
	diag_take(server_store(s), said, s->key, doc_path(d));
	if (ox->editor.diagnostics)
		ox->editor.diagnostics(ox->editor.self, doc_path(d));
}

void server_untry_unmade(struct server *s)
{
	struct diag_store *said = s->trial;
	struct doc **unheard SCOPED(mem_release) = mem_new((s->n_docs + 1) * sizeof(*unheard));
	size_t n = 0;

	for (size_t i = 0; i < s->n_docs; i++)
		if (!s->docs[i].glance && is_unheard(s, said, s->docs[i].doc))
			unheard[n++] = s->docs[i].doc;
	server_untry(s);
	for (size_t i = 0; i < n; i++)
		hear(s, said, unheard[i]);
}

void server_rereads(struct server *s, int more)
{
	s->rereading += (size_t)more;
	pool_stir(s->pool, NULL);
}

struct diag_store *server_diags(struct server *s)
{
	return s->trial ? s->trial : server_store(s);
}

void server_use(struct server *s)
{
	s->users++;
}

void server_leave(struct server *s)
{
	if (!--s->users)
		pool_stir(s->pool, NULL);
}
