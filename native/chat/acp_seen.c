#include <stdlib.h>

#include "../base/mem.h"
#include "../text/merge.h"
#include "acp_impl.h"

/*
 * What an agent takes the files for that it reads and writes through us: texts as it was given them
 * in this turn, or has written them itself. It writes whole files, so that what has changed in one
 * since, by the user or another agent, would be lost; as a change of what the agent knew it is made
 * in the text of now.
 */
#define SEEN_MOST 33554432 /* bytes, of all files; what is beyond that is not kept */

void acp_seen_forget(struct acp_program *p)
{
	map_each(it, &p->seen) {
		struct buf *text = it.value;

		buf_release(text);
		free(text);
	}
	map_release(&p->seen);
	p->seen_bytes = 0;
}

static void seen_drop(struct acp_program *p, struct str path)
{
	struct buf *text SCOPED(mem_release) = map_take(&p->seen, path);

	if (!text)
		return;
	p->seen_bytes -= text->n;
	buf_release(text);
}

void acp_seen_note(struct acp_program *p, struct str path, struct str text)
{
	struct buf *kept;

	seen_drop(p, path);
	if (p->seen_bytes + text.n > SEEN_MOST)
		return;
	kept = mem_new(sizeof(*kept));
	*kept = (struct buf)BUF_INIT;
	buf_add(kept, text);
	p->seen_bytes += kept->n;
	map_put(&p->seen, path, kept);
}

bool acp_seen_has(const struct acp_program *p, struct str path)
{
	return map_get(&p->seen, path) != NULL;
}

bool acp_seen_merge(const struct acp_program *p, struct str path, struct str now, struct buf *text,
		    struct err *e)
{
	const struct buf *base = map_get(&p->seen, path);
	struct buf merged = BUF_INIT, where SCOPED(buf_release) = BUF_INIT;
	struct merge m SCOPED(merge_release) = MERGE_INIT;
	bool ok = true;

	if (!base || str_eq(buf_str(base), now) || str_eq(buf_str(base), buf_str(text)))
		return true;
	ok = merge_texts(&m, buf_str(base), buf_str(text), now);
	if (ok) {
		edits_apply(&m.edits, now, &merged);
		buf_release(text);
		*text = merged;
	} else {
		merge_describe(&m, &where);
		err_set(e, ERR_STALE,
			"nothing was written: %.*s has been changed since it was read (%.*s); read "
			"it again",
			STR_ARG(path), STR_ARG(buf_str(&where)));
	}
	return ok;
}
