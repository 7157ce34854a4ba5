#include "excerpt.h"

#include "../base/mem.h"
#include "../core/workspace.h"
#include "../text/doc.h"
#include "../text/line_numbers.h"

/* The lines `first` to `last` of it, with their ends; *n is how many lines the text has. */
static struct str some_lines(struct str text, size_t first, size_t last, size_t *n)
{
	struct str rest = text, line;
	size_t from = text.n, end = text.n, at = 0;

	for (*n = 0; at = text.n - rest.n, str_line(&rest, &line);) {
		++*n;
		if (*n == first)
			from = at;
		if (*n == last)
			end = text.n - rest.n;
	}
	return str_sub(text, from, end < from ? from : end);
}

static void put_heading(struct oxide *ox, struct buf *out, const struct excerpt *part,
			const struct doc *d, size_t first, size_t last)
{
	const struct buffer *b = workspace_buffer_at(ox->workspace, doc_path(d));
	const char *filetype = workspace_filetype(ox->workspace, doc_path(d));

	buf_add(out, workspace_shown(ox->workspace, part->path));
	if (part->first)
		buf_addf(out, ", lines %zu to %zu", first, last);
	if (filetype)
		buf_addf(out, ", %s", filetype);
	if (b && b->modified)
		buf_adds(out, ", unsaved changes");
}

/* What is shown to the end also shows where that is. */
static void excerpt_note(struct shown_texts *texts, struct doc *d, size_t first, size_t last,
			 size_t lines)
{
	shown_texts_note(texts, doc_path(d), doc_text(d), first, last < lines ? last : SHOWN_END);
}

bool excerpt_put(struct oxide *ox, struct shown_texts *texts, struct chat_message *m,
		 const struct excerpt *part, struct err *e)
{
	char *path SCOPED(mem_release) = workspace_named(ox->workspace, part->path);
	struct doc *d = workspace_doc(ox->workspace, path, e);
	size_t first = part->first ? part->first : 1, n;
	struct buf heading SCOPED(buf_release) = BUF_INIT, numbered SCOPED(buf_release) = BUF_INIT;
	struct str text;

	if (!d)
		return false;
	text = some_lines(doc_text(d), first, part->first ? part->last : SIZE_MAX, &n);
	if (part->first && (first > n || part->last < first))
		return err_set(e, ERR_INVALID, "%s has no lines %zu to %zu: it has %zu", part->path,
			       first, part->last, n);
	put_heading(ox, &heading, part, d, first, part->last < n ? part->last : n);
	number_lines(&numbered, text, first);
	excerpt_note(texts, d, first, part->first ? part->last : SHOWN_END, n);
	chat_put(m, &(struct chat_part){ .kind = CHAT_SHOWN,
					 .id = str_of(part->path),
					 .name = buf_str(&heading),
					 .text = buf_str(&numbered) });
	return true;
}
