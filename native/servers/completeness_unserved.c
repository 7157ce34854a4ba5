#include <stdio.h>
#include <string.h>

#include "../code/lex.h"
#include "../core/workspace.h"
#include "completeness_impl.h"
#include "unserved_sources.h"

/*
 * What has the name, and is read by no server (unserved_sources.h). A file that others include may
 * mean whatever the name is for them, a string what it is in its own file; the others see only what
 * is known outside of one source file. Of other languages a file that imports what has the name
 * means that; whether one that does not import it gets it by another way nobody can tell from its
 * text.
 */
static bool is_open_to_others(const struct completeness *r, const struct word_use *m)
{
	struct err e = ERR_INIT;
	struct doc *d;

	if (language_header(str_of(m->path)))
		return true;
	d = workspace_doc(r->ox->workspace, m->path, &e);
	return d && doc_hash(d) == m->text && completeness_global(doc_text(d), m->at);
}

/* Whether what was asked about has a place in a header, or is one for the whole program. */
static bool is_known_outside(const struct completeness *r)
{
	for (size_t i = 0; i < r->n_mentions; i++)
		if (r->has(r->arg, &r->mention[i]) && is_open_to_others(r, &r->mention[i]))
			return true;
	return false;
}

static bool is_beside(const struct completeness *r, const struct word_use *m)
{
	for (size_t i = 0; i < r->n_mentions; i++)
		if (!strcmp(r->mention[i].path, m->path) && r->has(r->arg, &r->mention[i]))
			return true;
	return false;
}

bool completeness_has_unread(const struct completeness *r)
{
	size_t n;
	struct word_use *v SCOPED(mem_release) = word_search_unread(r->mentions, &n);
	bool any = false;

	for (size_t i = 0; !any && i < n; i++)
		any = !r->has(r->arg, &v[i]);
	return any;
}

static const struct language *language_at(const struct completeness *r)
{
	return language_of(workspace_filetype(r->ox->workspace, r->path));
}

static bool imports_it(const struct completeness *r, const struct unserved_kind *kind,
		       const char *path, const struct map *places)
{
	struct err e = ERR_INIT;
	struct doc *d = workspace_doc(r->ox->workspace, path, &e);

	return !d || unserved_imports(kind, language_at(r), path, doc_text(d), places);
}

static void say_unread(struct completeness *r, const struct word_use *m, bool must)
{
	struct str shown = workspace_shown(r->ox->workspace, m->path);
	char why[200];

	snprintf(why, sizeof(why), "line %zu contains the name, but %s does not analyze it",
		 m->line, server_name(r->server));
	if (must)
		completeness_missed(r, m->path, why);
	else
		completeness_doubt(r, false, "%.*s: %s", STR_ARG(shown), why);
}

/* The first place of each file. */
static void note_importing(struct completeness *r, const struct word_use *v, size_t n)
{
	struct map places SCOPED(map_release) = MAP_INIT;
	const char *last = NULL;

	/* Files in which the answer has a place; keys alone. */
	for (size_t i = 0; i < r->n_mentions; i++)
		if (r->has(r->arg, &r->mention[i]))
			map_put(&places, str_of(r->mention[i].path), &places);
	for (size_t i = 0; i < n; i++) {
		const struct unserved_kind *kind = unserved_kind(language_at(r), v[i].path);

		if (!kind || (last && !strcmp(last, v[i].path)) || r->has(r->arg, &v[i]))
			continue;
		last = v[i].path;
		say_unread(r, &v[i], kind->refuses && imports_it(r, kind, last, &places));
	}
}

static void note_of_c(struct completeness *r, const struct word_use *v, size_t n)
{
	bool outside = n && is_known_outside(r);

	for (size_t i = 0; i < n; i++)
		if (!r->has(r->arg, &v[i]) && (outside || v[i].included || is_beside(r, &v[i])))
			say_unread(r, &v[i], true);
}

void completeness_note_unread(struct completeness *r)
{
	size_t n;
	struct word_use *v SCOPED(mem_release) = word_search_unread(r->mentions, &n);

	if (language_has_macros(language_at(r)))
		note_of_c(r, v, n);
	else
		note_importing(r, v, n);
}
