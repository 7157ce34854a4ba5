#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "call_lines.h"
#include "change_impl.h"

/* A client that makes a change knows it, and its answer shows the lines around: what that means for
 * the line numbers in its next calls (shown_texts.h). */
struct own_file {
	char *path, *before; /* after and before the change; NULL: there is none */
	struct buf was, lines;
	bool known; /* `was` is the text before */
	struct diff diff;
};

struct own_change {
	struct own_file *v;
	size_t n;
};

static char *copy_path(const char *path, bool is)
{
	return is ? mem_dup(path, strlen(path)) : NULL;
}

/* The plan itself may have given it up. */
static bool read_before(struct call *c, const struct plan_file *f, struct buf *out)
{
	const struct plan_source *src = call_source(c);

	return f->existed && shown_texts_has(call_shown_texts(c), f->path) &&
	       src->read(src->self, f->path, out, NULL, ERR_IGNORED) &&
	       hash_of(buf_str(out)) == f->was_hash;
}

static void keep_file(struct call *c, struct own_file *to, const struct plan_file *f)
{
	to->before = copy_path(f->path, f->existed);
	to->path = copy_path(plan_path_after(f), f->exists);
	to->known = read_before(c, f, &to->was);
	for (size_t i = 0; i < f->diff.n; i++)
		diff_add(&to->diff, f->diff.v[i]);
	buf_add(&to->lines, buf_str(&f->lines));
}

void change_keep_own(struct changing *c)
{
	size_t n = plan_files(c->ch.plan);

	if (!call_shown_texts(c->call))
		return;
	c->own = mem_new(sizeof(*c->own));
	c->own->v = mem_new((n + 1) * sizeof(*c->own->v));
	for (size_t i = 0; i < n; i++)
		keep_file(c->call, &c->own->v[c->own->n++], plan_file(c->ch.plan, i));
}

/* The text is that which there is now: a formatter may have had its say. */
static void note_file(struct call *c, const struct own_file *f)
{
	struct shown_texts *s = call_shown_texts(c);
	const struct plan_source *src = call_source(c);
	struct str was = buf_str(&f->was);
	struct buf now SCOPED(buf_release) = BUF_INIT;

	if (f->before && !f->path)
		shown_texts_forget(s, f->before);
	else if (f->before && strcmp(f->before, f->path) != 0)
		shown_texts_move(s, f->before, f->path);
	if (f->path && src->read(src->self, f->path, &now, NULL, ERR_IGNORED)) {
		if (f->before)
			shown_texts_changed(s, f->path,
					    &(struct shown_change){ f->known ? &was : NULL,
								    &f->diff, buf_str(&f->lines),
								    buf_str(&now) });
		else /* all of it is new, and the client's */
			shown_texts_note(s, f->path, buf_str(&now), 1, SHOWN_END);
	}
}

void change_note_own(struct changing *c, bool made)
{
	made = made && call_shown_texts(c->call);
	for (size_t i = 0; c->own && i < c->own->n; i++) {
		struct own_file *f = &c->own->v[i];

		if (made)
			note_file(c->call, f);
		free(f->path);
		free(f->before);
		buf_release(&f->was);
		buf_release(&f->lines);
		diff_release(&f->diff);
	}
	if (c->own)
		free(c->own->v);
	free(c->own);
	c->own = NULL;
}
