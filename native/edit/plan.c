#include "plan.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "plan_impl.h"

struct plan *plan_new(const struct plan_source *src)
{
	struct plan *p = mem_new(sizeof(*p));

	p->src = src;
	p->root = str_of(src->root);
	return p;
}

void plan_free(struct plan *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->nodes; i++) {
		buf_release(&p->node[i]->was);
		buf_release(&p->node[i]->now);
		edits_release(&p->node[i]->edits);
		free(p->node[i]);
	}
	for (size_t i = 0; i < p->files; i++) {
		edits_release(&p->file[i].edits);
		diff_release(&p->file[i].diff);
	}
	free(p->node);
	free(p->file);
	free(p->dir);
	free(p->state);
	map_release(&p->now);
	map_release(&p->origin);
	map_release(&p->above);
	map_release(&p->gone);
	arena_release(&p->arena);
	free(p);
}

static bool no_such(struct plan *p, const char *path, const char *what, struct err *e)
{
	return err_set(e, ERR_NOT_FOUND, "%s: there is no such %s", plan_shown(p, path), what);
}

static bool taken(struct plan *p, const char *path, enum fs_kind kind, struct err *e)
{
	return err_set(e, ERR_CONFLICT, "%s: %s", plan_shown(p, path),
		       kind == FS_FILE	? "is there already"
		       : kind == FS_DIR ? "is a folder"
					: "is there already, and is no regular file");
}

static bool find_file(struct plan *p, const char *path, struct node **n, struct err *e)
{
	struct seen s;

	if (!overlay_look(p, path, &s, e))
		return false;
	*n = s.node;
	if (s.kind == FS_NONE)
		return no_such(p, path, "file", e);
	return s.kind == FS_FILE || err_set(e, ERR_UNSUPPORTED, "%s: is %s", plan_shown(p, path),
					    s.kind == FS_DIR ? "a folder" : "not a regular file");
}

bool plan_text(struct plan *p, const char *path, struct str *text, struct err *e)
{
	struct node *n;

	if (!find_file(p, path, &n, e))
		return false;
	*text = node_text(n);
	return true;
}

/* A file cannot be made below a file. */
static bool room_for(struct plan *p, const char *path, struct err *e)
{
	struct str dir = path_dir(str_of(path));
	struct seen s = { .kind = FS_NONE };

	for (; dir.n > 1 && s.kind == FS_NONE; dir = path_dir(dir)) {
		char *name = mem_dup(dir.p, dir.n);
		bool ok = overlay_look(p, name, &s, e);

		if (ok && s.kind != FS_NONE && s.kind != FS_DIR)
			ok = err_set(e, ERR_CONFLICT, "%s: %s is no folder", plan_shown(p, path),
				     plan_shown(p, name));
		free(name);
		if (!ok)
			return false;
	}
	return true;
}

static bool add_create(struct plan *p, const struct op *op, struct err *e)
{
	struct seen s;
	struct buf empty = BUF_INIT;

	if (!overlay_look(p, op->path, &s, e))
		return false;
	if (s.kind == FS_FILE && !op->overwrite && op->ignore)
		return true;
	if (s.kind != FS_NONE && !(s.kind == FS_FILE && op->overwrite))
		return taken(p, op->path, s.kind, e);
	if (s.kind == FS_NONE) {
		if (!room_for(p, op->path, e))
			return false;
		overlay_add(p, op->path);
		return true;
	}
	s.node->rewrites = 2;
	node_set(s.node, &empty);
	return true;
}

static bool rename_file(struct plan *p, struct node *n, const char *to, struct err *e)
{
	if (n->link)
		return err_set(e, ERR_UNSUPPORTED,
			       "%s: is a symbolic link, which cannot be renamed here; rename it "
			       "yourself first",
			       plan_shown(p, n->now_path));
	overlay_move(p, n, to);
	return true;
}

static bool rename_folder(struct plan *p, const char *from, const char *to, struct err *e)
{
	bool ok = overlay_expand(p, from, e);

	for (size_t i = 0; i < p->nodes && ok; i++) {
		struct node *n = p->node[i];
		struct buf path = BUF_INIT;

		if (!n->now_path || !path_below(str_of(from), str_of(n->now_path)))
			continue;
		buf_addf(&path, "%s%s", to, n->now_path + strlen(from));
		ok = rename_file(p, n, path.p, e);
		buf_release(&path);
	}
	return ok;
}

static bool add_rename(struct plan *p, const struct op *op, struct err *e)
{
	const char *to = op->new_path;
	struct seen from, there;

	if (!overlay_look(p, op->path, &from, e) || !overlay_look(p, to, &there, e))
		return false;
	if (from.kind == FS_NONE)
		return no_such(p, op->path, "file or folder", e);
	if (from.kind == FS_OTHER || (from.kind == FS_DIR && from.link))
		return err_set(e, ERR_UNSUPPORTED, "%s: is neither a file nor a folder",
			       plan_shown(p, op->path));
	if (!strcmp(op->path, to))
		return true;
	if (there.kind != FS_NONE && !op->overwrite && op->ignore)
		return true;
	if (there.kind == FS_FILE && from.kind == FS_FILE && op->overwrite)
		overlay_move(p, there.node, NULL);
	else if (there.kind != FS_NONE)
		return taken(p, to, there.kind, e);
	if (from.kind == FS_DIR && path_below(str_of(op->path), str_of(to)))
		return err_set(e, ERR_INVALID, "%s: cannot be moved into itself",
			       plan_shown(p, op->path));
	if (!room_for(p, to, e))
		return false;
	return from.kind == FS_DIR ? rename_folder(p, op->path, to, e)
				   : rename_file(p, from.node, to, e);
}

static bool must_be_empty(struct plan *p, const char *dir, struct err *e)
{
	struct seen s = { .kind = map_get(&p->above, str_of(dir)) ? FS_FILE : FS_NONE };
	struct buf names = BUF_INIT;
	bool ok = s.kind != FS_NONE || p->src->list(p->src->self, dir, &names, e);

	for (size_t at = 0; ok && s.kind == FS_NONE && at < names.n;
	     at += strlen(names.p + at) + 1) {
		char *path = path_join(dir, names.p + at);

		ok = overlay_look(p, path, &s, e);
		free(path);
	}
	buf_release(&names);
	if (!ok)
		return false;
	return s.kind == FS_NONE ||
	       err_set(e, ERR_CONFLICT, "%s: the folder is not empty", plan_shown(p, dir));
}

static bool add_remove(struct plan *p, const struct op *op, struct err *e)
{
	struct seen s;

	if (!overlay_look(p, op->path, &s, e))
		return false;
	if (s.kind == FS_NONE && !s.link)
		return op->ignore || no_such(p, op->path, "file or folder", e);
	if (s.kind == FS_OTHER || (s.link && s.kind != FS_FILE))
		return err_set(e, ERR_UNSUPPORTED, "%s: is neither a file nor a folder",
			       plan_shown(p, op->path));
	if (s.kind == FS_FILE) {
		overlay_move(p, s.node, NULL);
		return true;
	}
	if (!op->recursive && !must_be_empty(p, op->path, e))
		return false;
	if (!overlay_expand(p, op->path, e))
		return false;
	for (size_t i = 0; i < p->nodes; i++) {
		struct node *n = p->node[i];

		if (n->now_path && path_below(str_of(op->path), str_of(n->now_path)))
			overlay_move(p, n, NULL);
	}
	return true;
}

static bool overlapping(struct plan *p, const char *path, const struct edits *set, struct str text,
			struct err *e)
{
	size_t line = 1, i = 1, far = 0;

	/* The check has sorted them: the first that begins inside one before it. */
	for (; i < set->n; i++) {
		far = set->v[i - 1].span.end > far ? set->v[i - 1].span.end : far;
		if (set->v[i].span.at < far)
			break;
	}
	for (size_t at = 0; i < set->n && at < set->v[i].span.at; at++)
		line += text.p[at] == '\n';
	return err_set(e, ERR_CONFLICT, "%s: two edits overlap at line %zu, so none is made",
		       plan_shown(p, path), line);
}

static bool add_spans(struct plan *p, const struct op *op, struct err *e)
{
	struct edits *set = op->spans;
	struct edit_clash why;
	struct buf text = BUF_INIT;
	struct node *n;
	struct str old;

	if (!find_file(p, op->path, &n, e))
		return false;
	old = node_text(n);
	p->asked += set->n;
	if (!edits_check(set, old.n, &why))
		return overlapping(p, op->path, set, old, e);
	if (!op->exact)
		eol_convert(set, old, n);
	/* Conversion moves where things begin in the result; the spans stay in order. */
	edits_check(set, old.n, &why);
	edits_reduce(set, old);
	if (set->n) {
		edits_apply(set, old, &text);
		edits_release(&n->edits);
		n->edits = *set;
		*set = (struct edits)EDITS_INIT;
		n->rewrites++;
		node_set(n, &text);
	}
	edits_release(set);
	return true;
}

bool plan_add(struct plan *p, const struct op *op, struct err *e)
{
	if (p->finished)
		BUG("an operation after plan_finish()");
	if (op->kind != OP_SPANS)
		p->asked++;
	switch (op->kind) {
	case OP_SPANS:
		return add_spans(p, op, e);
	case OP_CREATE:
		return add_create(p, op, e);
	case OP_RENAME:
		return add_rename(p, op, e);
	case OP_REMOVE:
		return add_remove(p, op, e);
	}
	BUG("an operation of no kind");
}
