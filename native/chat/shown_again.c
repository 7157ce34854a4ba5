#include "../base/mem.h"
#include "../core/workspace.h"
#include "../text/doc.h"
#include "../tool/shown_texts.h"
#include "turn_impl.h"

/*
 * What the numbers of a resumed conversation mean. Each message has what was shown of files since
 * the one before it, as hashes and lines (shown_texts_kept()): a file that still has the text needs
 * no reading, any other one does.
 */
/* Whether it shows a file, and nobody knows which text. */
static bool shown_is_doubtful(const struct chat_message *m)
{
	for (size_t i = 0; i < m->n && !m->seen.n; i++)
		if (m->v[i].kind == CHAT_RESULT || (m->v[i].kind == CHAT_SHOWN && m->v[i].id.n))
			return true;
	return false;
}

void conversation_keep_shown(struct conversation *c)
{
	struct chat_message *m = c->chat.v[c->chat.n - 1];
	json *seen SCOPED(json_release) = NULL;

	if (c->runner) /* another core has the texts */
		return;
	seen = shown_texts_kept(c->shown, c->shown_kept);
	c->shown_kept = shown_texts_now(c->shown);
	if (json_len(seen) || shown_is_doubtful(m))
		chat_set_seen(m, seen);
}

/* Row by file: the last one of each is what holds. */
static void merge_seen(struct conversation *c, const struct chat_message *m, struct map *files)
{
	json *seen SCOPED(json_release) = m->seen.n ? json_parse(m->seen, ERR_IGNORED) : NULL;

	if (shown_is_doubtful(m))
		shown_texts_doubt(c->shown);
	json_each(row, seen)
		json_free(map_put(files, json_get_str(row, "file"), json_copy(row)));
}

static void restore_seen(struct conversation *c, struct map *files)
{
	map_each(it, files) {
		char *path SCOPED(mem_release) = mem_dup(it.key.p, it.key.n);
		struct doc *d = workspace_doc(c->ox->workspace, path, ERR_IGNORED);
		struct str now = d ? doc_text(d) : STR("");
		json *row = it.value;

		shown_texts_restore(c->shown, path, row, d ? &now : NULL);
		json_free(row);
	}
	map_release(files);
	*files = (struct map)MAP_INIT;
}

/* The last one may be sent again. */
static size_t last_of_person(const struct chat *chat)
{
	size_t n = chat->n;

	while (n && chat->v[n - 1]->role != CHAT_PERSON)
		n--;
	return n ? n - 1 : 0;
}

void conversation_recall_shown(struct conversation *c)
{
	struct map files = MAP_INIT;
	size_t last = last_of_person(&c->chat);

	if (!c->resumed)
		return;
	c->resumed = false;
	for (size_t i = 0; i < c->chat.n; i++) {
		if (i == last) {
			restore_seen(c, &files);
			shown_texts_mark(c->shown, last);
		}
		merge_seen(c, c->chat.v[i], &files);
		if (i == last) {
			restore_seen(c, &files);
			shown_texts_mark(c->shown, last + 1);
		}
	}
	restore_seen(c, &files);
	c->shown_kept = shown_texts_now(c->shown);
}
