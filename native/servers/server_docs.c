#include <stdlib.h>

#include "../base/mem.h"
#include "../base/utf.h"
#include "../core/workspace.h"
#include "server_impl.h"

bool server_takes(const struct server *s, const char *path, struct err *e)
{
	return !s->spec->only_utf8 || utf_clean(str_of(path)) ||
	       err_set(e, ERR_UNSUPPORTED, "%s cannot open a file whose name is not UTF-8",
		       s->spec->name);
}

static void doc_moved(void *arg, struct doc *d, const struct doc_change *c)
{
	(void)d;
	(void)c;
	server_wake(arg);
}

void server_open_docs(struct server *s)
{
	for (size_t i = 0; i < s->n_docs; i++) {
		session_open(s->session, s->docs[i].doc, s->docs[i].filetype);
		s->docs[i].number = ++s->pool->readings;
	}
}

/* The program, its arguments, and the optional ones that it has not refused before. */
/* Those beyond the bound that were not used for longest; not while anybody waits, for it may be for
 * a word about one of them, and none that the server still reads: clangd's index would keep the
 * text before, which may have been one on trial. */
static void close_oldest(struct server *s)
{
	int64_t room = config_get(&s->ox->config, CFG_LSP_DOCUMENTS);

	for (size_t i = s->n_docs; i-- && !s->users && !s->trial;) {
		struct doc *d = s->docs[i].doc;

		if (!workspace_buffer_at(s->ox->workspace, doc_path(d)) && --room < 0 &&
		    server_work(s, doc_path(d)) != WORK_BUSY)
			server_hide(s, d);
	}
}

bool server_reads(struct server *s)
{
	bool tells = false, done = true;

	server_flush(s);
	for (size_t i = 0; i < s->n_docs; i++) {
		enum sync_work work = server_work(s, doc_path(s->docs[i].doc));

		if (s->docs[i].glance)
			continue;
		tells = tells || work != WORK_UNKNOWN;
		done = done && work == WORK_DONE;
	}
	return s->rereading || (tells && !done);
}

static struct server_doc *find_doc(struct server *s, const struct doc *d)
{
	for (size_t i = 0; i < s->n_docs; i++)
		if (s->docs[i].doc == d)
			return &s->docs[i];
	return NULL;
}

static void open_doc(struct server *s, struct doc *d, const char *filetype, bool glance)
{
	if (!server_takes(s, doc_path(d), ERR_IGNORED))
		return;
	mem_add(s->docs, s->n_docs, s->cap_docs,
		(struct server_doc){ d, mem_dup(filetype, strlen(filetype)), glance,
				     ++s->pool->readings });
	doc_listen(d, doc_moved, s);
	close_oldest(s);
	if (s->session)
		session_open(s->session, d, filetype);
	server_wake(s);
}

/* The documents are in the order of their use. */
void server_show(struct server *s, struct doc *d, const char *filetype)
{
	struct server_doc *open = find_doc(s, d);

	if (open) {
		struct server_doc used = *open;

		used.glance = false;
		memmove(open, open + 1, (size_t)(s->docs + s->n_docs - open - 1) * sizeof(*open));
		s->docs[s->n_docs - 1] = used;
	} else {
		open_doc(s, d, filetype, false);
	}
}

bool server_had_open(const struct server *s, const char *path, uint64_t asked)
{
	for (size_t i = 0; i < s->n_docs; i++)
		if (!strcmp(doc_path(s->docs[i].doc), path))
			return s->docs[i].number <= asked && server_version(s, path) >= 0;
	return false;
}

bool server_glance(struct server *s, struct doc *d, const char *filetype)
{
	if (find_doc(s, d))
		return false;
	open_doc(s, d, filetype, true);
	return true;
}

bool server_glances(struct server *s, const struct doc *d)
{
	const struct server_doc *open = find_doc(s, d);

	return open && open->glance;
}

bool server_glanced(struct server *s, struct doc *d)
{
	struct server_doc *open = find_doc(s, d);

	if (!open || !open->glance)
		return false;
	server_hide(s, d);
	return true;
}

void server_hide(struct server *s, struct doc *d)
{
	struct server_doc *open = find_doc(s, d);

	if (!open)
		return;
	doc_unlisten(d, doc_moved, s);
	free(open->filetype);
	s->n_docs--;
	memmove(open, open + 1, (size_t)(s->docs + s->n_docs - open) * sizeof(*open));
	if (s->session)
		session_close(s->session, d);
	server_wake(s);
}

void server_hide_all(struct server *s)
{
	for (size_t i = 0; i < s->n_docs; i++) {
		doc_unlisten(s->docs[i].doc, doc_moved, s);
		free(s->docs[i].filetype);
	}
	free(s->docs);
	s->docs = NULL;
	s->n_docs = s->cap_docs = 0;
}
