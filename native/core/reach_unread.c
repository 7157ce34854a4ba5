#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../text/lex.h"
#include "reach_impl.h"
#include "workspace.h"

/*
 * What has the name, and is read by no server (unread.h). A file that others include may mean
 * whatever the name is for them, a string what it is in its own file; the others see only what is
 * known outside of one source file.
 */
static bool is_open_to_others(const struct reach *r, const struct mention *m)
{
	struct err e = ERR_INIT;
	struct doc *d;

	if (language_header(str_of(m->path)))
		return true;
	d = workspace_doc(r->ox->workspace, m->path, &e);
	return d && doc_hash(d) == m->text && reach_global(doc_text(d), m->at);
}

/* Whether what was asked about has a place in a header, or is one for the whole program. */
static bool is_known_outside(const struct reach *r)
{
	for (size_t i = 0; i < r->n_mentions; i++)
		if (r->has(r->arg, &r->mention[i]) && is_open_to_others(r, &r->mention[i]))
			return true;
	return false;
}

static bool is_beside(const struct reach *r, const struct mention *m)
{
	for (size_t i = 0; i < r->n_mentions; i++)
		if (!strcmp(r->mention[i].path, m->path) && r->has(r->arg, &r->mention[i]))
			return true;
	return false;
}

bool reach_has_unread(const struct reach *r)
{
	size_t n;
	struct mention *v = mentions_unread(r->mentions, &n);
	bool any = false;

	for (size_t i = 0; !any && i < n; i++)
		any = !r->has(r->arg, &v[i]);
	free(v);
	return any;
}

void reach_note_unread(struct reach *r)
{
	size_t n;
	struct mention *v = mentions_unread(r->mentions, &n);
	bool outside = n && is_known_outside(r);
	char why[200];

	for (size_t i = 0; i < n; i++) {
		if (r->has(r->arg, &v[i]) || !(outside || v[i].included || is_beside(r, &v[i])))
			continue;
		snprintf(why, sizeof(why), "line %zu has the name, and %s does not read that",
			 v[i].line, server_name(r->server));
		reach_missed(r, v[i].path, why);
	}
	free(v);
}
