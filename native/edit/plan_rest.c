#include "../base/hash.h"
#include "../base/mem.h"
#include "plan_impl.h"

/* Files that have given up their texts. */

/* Where there are more bytes of text to a change, only the lines around the changes are kept. */
#define SPARSE 1024

static bool may_rest(const struct node *n)
{
	return n->was_path && n->now_path && !strcmp(n->was_path, n->now_path) && n->changed &&
	       n->rewrites == 1 && n->now_mode == n->was_mode && n->was_mode != MODE_LINK &&
	       n->seen.kind == FS_FILE;
}

static uint64_t hash_edited(const struct edits *set, struct str text)
{
	struct str *piece SCOPED(mem_release) = mem_new(edits_pieces(set) * sizeof(*piece));

	edits_lay_out(set, text, piece);
	return hash_pieces(piece, edits_pieces(set));
}

/* Of the old text at most what the diff shows stays, if that is little of it. */
static void shorten(struct plan *p, struct node *n, struct plan_file *f)
{
	if (!f->diff.n || f->was.n / f->diff.n < SPARSE)
		return;
	edits_invert(&f->edits, f->was, &f->back);
	buf_clear(&p->scratch);
	diff_excerpt(&f->diff, f->was, DIFF_CONTEXT, &p->scratch);
	f->was = arena_str(&p->arena, buf_str(&p->scratch));
	buf_release(&p->spare);
	p->spare = n->was;
	buf_clear(&p->spare);
	n->was = (struct buf)BUF_INIT;
	f->part = true;
}

void plan_rest(struct plan *p, const char *path)
{
	struct node *n = map_get(&p->now, str_of(path));
	struct plan_file *f;
	uint64_t hash;

	if (!n || n->rested || !may_rest(n))
		return;
	hash = hash_edited(&n->edits, buf_str(&n->was));
	if (hash == n->was_hash)
		return;
	n->rested = f = arena_new(&p->arena, sizeof(*f));
	*f = (struct plan_file){ .path = n->was_path,
				 .existed = true,
				 .exists = true,
				 .was = buf_str(&n->was),
				 .now = STR(""),
				 .rested = n,
				 .was_mode = n->was_mode,
				 .now_mode = n->now_mode,
				 .was_hash = n->was_hash,
				 .now_hash = hash,
				 .seen = n->seen,
				 .edits = n->edits,
				 .now_n = edits_result(&n->edits, n->was.n) };
	n->edits = (struct edits)EDITS_INIT;
	plan_compare(f);
	shorten(p, n, f);
	buf_release(&n->now);
	n->unmade = true;
}

/* The text that it had when it went to rest. */
static bool plan_rest_read_again(struct plan *p, const struct plan_file *f, struct err *e)
{
	struct node *n = f->rested;
	struct buf text = BUF_INIT;

	if (!f->part)
		return true;
	if (p->src->read(p->src->self, f->path, &text, &n->seen, e) &&
	    (hash_of(buf_str(&text)) == f->was_hash ||
	     err_set(e, ERR_STALE, "%s: changed while the change was computed; try again",
		     plan_shown(p, f->path)))) {
		n->was = text;
		return true;
	}
	buf_release(&text);
	return false;
}

bool plan_wake(struct plan *p, struct node *n, struct err *e)
{
	if (!plan_rest_read_again(p, n->rested, e))
		return false;
	n->edits = n->rested->edits;
	n->rested->edits = (struct edits)EDITS_INIT;
	plan_file_release(n->rested);
	n->rested = NULL;
	return true;
}

bool plan_want(struct plan *p, size_t i, struct err *e)
{
	struct plan_file *f = &p->file[i];
	struct node *n = f->rested;

	if (!n)
		return true;
	if (!plan_rest_read_again(p, f, e))
		return false;
	edits_apply(&f->edits, buf_str(&n->was), &n->now);
	edits_release(&f->back);
	f->was = buf_str(&n->was);
	f->now = buf_str(&n->now);
	f->seen = n->seen;
	f->rested = NULL;
	f->part = false;
	plan_compare(f);
	return true;
}

void plan_file_release(struct plan_file *f)
{
	edits_release(&f->edits);
	edits_release(&f->back);
	diff_release(&f->diff);
	buf_release(&f->lines);
}
