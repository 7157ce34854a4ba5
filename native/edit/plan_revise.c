#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "plan_impl.h"

/* A text that a person has written in the place of one that was planned. */

static bool is_text_file(const struct plan *p, const struct plan_file *f, struct err *e)
{
	if (!f->exists)
		return err_set(e, ERR_INVALID, "%s is deleted: there is no text to change",
			       plan_shown(p, f->path));
	if (plan_file_links(f))
		return err_set(e, ERR_INVALID, "%s is a symbolic link: there is no text to change",
			       plan_shown(p, f->path));
	return true;
}

static bool is_another(const struct plan *p, const struct plan_file *f, struct err *e)
{
	return err_set(e, ERR_STALE, "%s was changed since this review was made",
		       plan_shown(p, f->path));
}

/* The file is as it was when the plan was made. */
static bool is_current(struct plan *p, const struct plan_file *f, struct err *e)
{
	const struct plan_source *src = p->src;
	struct fs_stat st = { .kind = FS_NONE };
	struct buf text SCOPED(buf_release) = BUF_INIT;
	bool same;

	if (!f->existed)
		return src->stat(src->self, f->path, &st, e) &&
		       (st.kind == FS_NONE || is_another(p, f, e));
	if (!src->read(src->self, f->path, &text, NULL, e))
		return false;
	same = hash_of(buf_str(&text)) == f->was_hash;
	return same || is_another(p, f, e);
}

static bool changes(const struct plan_file *f, struct str text)
{
	return !f->existed || f->new_path || f->was_mode != f->now_mode || !str_eq(text, f->was);
}

static void count_places(struct plan *p)
{
	p->asked = 0;
	for (size_t i = 0; i < p->files; i++)
		p->asked += p->file[i].edits.n ? p->file[i].edits.n : 1;
}

/* The first one counts. */
static void keep_planned(struct plan *p, const struct plan_file *f)
{
	struct revised *r;

	for (r = p->revised; r; r = r->next)
		if (!strcmp(r->path, f->path))
			return;
	r = arena_new(&p->arena, sizeof(*r));
	*r = (struct revised){ p->revised, arena_str(&p->arena, str_of(f->path)).p,
			       arena_str(&p->arena, f->now) };
	p->revised = r;
}

bool plan_revise(struct plan *p, size_t i, struct str text, struct err *e)
{
	struct plan_file *f = &p->file[i];
	struct edits set = { .checked = true };

	if (!is_text_file(p, f, e) || !is_current(p, f, e) || !plan_want(p, i, e))
		return false;
	if (!changes(f, text))
		return err_set(e, ERR_INVALID,
			       "%s would be as it was: leave the file out of the change instead",
			       plan_shown(p, f->path));
	keep_planned(p, f);
	if (f->existed)
		diff_edits(&set, f->was, text);
	plan_set_text(p, f, &set, text);
	count_places(p);
	return true;
}

static const struct revised *planned_of(const struct plan *p, const struct plan_file *f)
{
	for (const struct revised *r = p->revised; r; r = r->next)
		if (!strcmp(r->path, f->path))
			return r;
	return NULL;
}

bool plan_is_revised(const struct plan *p, size_t i)
{
	const struct revised *r = planned_of(p, &p->file[i]);

	return r && !str_eq(r->planned, p->file[i].now);
}

void plan_revisions(const struct plan *p, struct buf *out)
{
	for (size_t i = 0; i < p->files; i++) {
		const struct plan_file *f = &p->file[i];
		const char *name = plan_shown(p, plan_path_after(f));

		if (plan_is_revised(p, i))
			diff_unified(out, name, name, planned_of(p, f)->planned, f->now,
				     DIFF_CONTEXT);
	}
}
