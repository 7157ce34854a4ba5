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
	p->refusals = src->exempt;
	p->name = src->name;
	if (src->exempt)
		exempt_add_all(&p->exempt, src->exempt);
	return p;
}

void plan_allow(struct plan *p, const char *path)
{
	exempt_add(&p->exempt, path);
}

void plan_lighten(struct plan *p)
{
	for (size_t i = 0; i < p->nodes; i++) {
		struct node *n = p->node[i];

		if (n->rested)
			plan_file_release(n->rested);
		buf_release(&n->was);
		buf_release(&n->now);
		edits_release(&n->edits);
	}
	for (size_t i = 0; i < p->files; i++)
		plan_file_release(&p->file[i]);
	buf_release(&p->scratch);
	buf_release(&p->spare);
	map_release(&p->now);
	map_release(&p->origin);
	map_release(&p->above);
	map_release(&p->gone);
	map_release(&p->shed);
	map_release(&p->folders);
}

void plan_free(struct plan *p)
{
	if (!p)
		return;
	plan_lighten(p);
	for (size_t i = 0; i < p->nodes; i++)
		free(p->node[i]);
	free(p->node);
	free(p->file);
	free(p->dir);
	free(p->made);
	free(p->state);
	map_release(&p->exempted);
	exempt_release(&p->exempt);
	arena_release(&p->arena);
	free(p);
}

static bool no_such(struct plan *p, const char *path, const char *what, struct err *e)
{
	return err_set(e, ERR_NOT_FOUND, "%s: no such %s", plan_shown(p, path), what);
}

static bool taken(struct plan *p, const char *path, enum fs_kind kind, struct err *e)
{
	return err_set(e, ERR_CONFLICT, "%s: %s", plan_shown(p, path),
		       kind == FS_FILE	? "already exists"
		       : kind == FS_DIR ? "is a directory"
					: "already exists, and is not a regular file");
}

static bool find_file(struct plan *p, const char *path, struct node **n, struct err *e)
{
	struct seen s;

	if (!overlay_look(p, path, &s, e))
		return false;
	*n = s.node;
	if (s.kind == FS_NONE)
		return no_such(p, path, "file", e);
	if (s.node && s.node->now_mode == MODE_LINK)
		return err_set(e, ERR_UNSUPPORTED,
			       "%s: is a symbolic link made or changed by an earlier operation, "
			       "and has no text",
			       plan_shown(p, path));
	if (s.kind == FS_FILE)
		return !s.node->rested || plan_wake(p, s.node, e);
	return err_set(e, ERR_UNSUPPORTED, "%s: is %s", plan_shown(p, path),
		       s.kind == FS_DIR ? "a directory" : "not a regular file");
}

bool plan_text(struct plan *p, const char *path, struct str *text, struct err *e)
{
	struct node *n;

	if (!find_file(p, path, &n, e))
		return false;
	*text = node_text(n);
	return true;
}

bool plan_edit(struct plan *p, const char *path, struct str was, struct edits *spans, struct err *e)
{
	struct op op = { .kind = OP_SPANS, .path = path, .spans = spans };
	struct str text;

	return plan_text(p, path, &text, e) &&
	       (str_eq(text, was) ||
		err_set(e, ERR_STALE, "%s: changed while the change was computed; try again",
			plan_shown(p, path))) &&
	       plan_add(p, &op, e);
}

bool plan_mode(struct plan *p, const char *path, unsigned *mode, struct err *e)
{
	struct node *n;

	if (!find_file(p, path, &n, e))
		return false;
	*mode = n->now_mode;
	return true;
}

/* A file cannot be made below a file. */
static bool room_for(struct plan *p, const char *path, struct err *e)
{
	struct str dir = path_dir(str_of(path));
	struct seen s = { .kind = FS_NONE };

	for (; dir.n > 1 && s.kind == FS_NONE; dir = path_dir(dir)) {
		char *name SCOPED(mem_release) = mem_dup(dir.p, dir.n);
		bool ok = overlay_look(p, name, &s, e);

		if (ok && s.kind != FS_NONE && s.kind != FS_DIR)
			ok = err_set(e, ERR_CONFLICT, "%s: %s is not a directory",
				     plan_shown(p, path), plan_shown(p, name));
		if (!ok)
			return false;
	}
	return true;
}

/* A directory with nothing left in it goes, where a file is to come. */
static bool make_way(struct plan *p, const char *path, struct seen *s, struct err *e)
{
	bool empty;

	if (s->kind != FS_DIR || s->link)
		return true;
	if (!overlay_emptied(p, path, &empty, e))
		return false;
	if (!empty)
		return true;
	s->kind = FS_NONE;
	return overlay_expand(p, path, e);
}

static bool add_create(struct plan *p, const struct op *op, struct err *e)
{
	struct seen s;
	struct buf empty = BUF_INIT;
	bool file;

	if (!overlay_look(p, op->path, &s, e) || !make_way(p, op->path, &s, e))
		return false;
	file = s.kind == FS_FILE && s.node->now_mode != MODE_LINK;
	if (file && !op->overwrite && op->ignore)
		return true;
	if ((s.kind != FS_NONE || (s.link && op->straight)) && !(file && op->overwrite))
		return taken(p, op->path, s.link ? FS_FILE : s.kind, e);
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

static bool add_link(struct plan *p, const struct op *op, struct err *e)
{
	struct buf to = BUF_INIT;
	struct seen s;

	if (!op->leads_to.n || memchr(op->leads_to.p, '\0', op->leads_to.n))
		return err_set(e, ERR_INVALID, "%s: not a valid target of a symbolic link",
			       plan_shown(p, op->path));
	if (!overlay_name(p, op->path, &s, e) || !make_way(p, op->path, &s, e))
		return false;
	if (s.kind != FS_NONE && !(s.link && op->overwrite))
		return taken(p, op->path, s.kind, e);
	if (s.kind == FS_NONE) {
		if (!room_for(p, op->path, e))
			return false;
		s.node = overlay_add(p, op->path);
	}
	s.node->now_mode = MODE_LINK;
	buf_add(&to, op->leads_to);
	node_set(s.node, &to);
	return true;
}

static bool add_mode(struct plan *p, const struct op *op, struct err *e)
{
	unsigned mode = op->mode;
	struct node *n;

	if (!find_file(p, op->path, &n, e))
		return false;
	if (mode == MODE_FILE)
		n->now_mode &= ~0111u;
	else if (mode == MODE_EXEC)
		n->now_mode |= (n->now_mode & 0444) >> 2;
	else
		n->now_mode = 0100000 | (mode & MODE_BITS);
	return true;
}

static bool rename_folder(struct plan *p, const char *from, const char *to, struct err *e)
{
	if (!overlay_expand(p, from, e))
		return false;
	for (size_t i = 0; i < p->nodes; i++) {
		struct node *n = p->node[i];
		struct buf path SCOPED(buf_release) = BUF_INIT;

		if (!n->now_path || !path_below(str_of(from), str_of(n->now_path)))
			continue;
		buf_addf(&path, "%s%s", to, n->now_path + strlen(from));
		overlay_move(p, n, path.p);
	}
	return true;
}

/* What it leaves may be what it needs: a directory, or the place of one. */
static bool rename_file(struct plan *p, struct node *n, const char *to, struct seen *there,
			struct err *e)
{
	const char *from = n->now_path;
	bool ok;

	overlay_move(p, n, NULL);
	ok = make_way(p, to, there, e) &&
	     (there->kind == FS_NONE || taken(p, to, there->kind, e)) && room_for(p, to, e);
	overlay_move(p, n, ok ? to : from);
	return ok;
}

static bool add_rename(struct plan *p, const struct op *op, struct err *e)
{
	const char *to = op->new_path;
	struct seen from, there;

	if (!overlay_name(p, op->path, &from, e) || !overlay_name(p, to, &there, e))
		return false;
	if (from.kind == FS_NONE)
		return no_such(p, op->path, "file or directory", e);
	if (from.kind == FS_OTHER)
		return err_set(e, ERR_UNSUPPORTED, "%s: is neither a file nor a directory",
			       plan_shown(p, op->path));
	if (!strcmp(op->path, to))
		return true;
	if (there.kind != FS_NONE && !op->overwrite && op->ignore)
		return true;
	if (there.kind == FS_FILE && from.kind == FS_FILE && op->overwrite) {
		overlay_move(p, there.node, NULL);
		there.kind = FS_NONE;
	}
	if (from.kind == FS_FILE)
		return rename_file(p, from.node, to, &there, e);
	if (there.kind != FS_NONE)
		return taken(p, to, there.kind, e);
	if (path_below(str_of(op->path), str_of(to)))
		return err_set(e, ERR_INVALID, "%s: cannot be moved into itself",
			       plan_shown(p, op->path));
	return room_for(p, to, e) && rename_folder(p, op->path, to, e);
}

static bool must_be_empty(struct plan *p, const char *dir, struct err *e)
{
	struct seen s = { .kind = map_get(&p->above, str_of(dir)) ? FS_FILE : FS_NONE };
	struct buf names SCOPED(buf_release) = BUF_INIT;
	bool ok = s.kind != FS_NONE || p->src->list(p->src->self, dir, &names, e);

	for (size_t at = 0; ok && s.kind == FS_NONE && at < names.n;
	     at += strlen(names.p + at) + 1) {
		char *path SCOPED(mem_release) = path_join(dir, names.p + at);

		ok = overlay_look(p, path, &s, e);
	}
	if (!ok)
		return false;
	return s.kind == FS_NONE ||
	       err_set(e, ERR_CONFLICT, "%s: the directory is not empty", plan_shown(p, dir));
}

static bool add_remove(struct plan *p, const struct op *op, struct err *e)
{
	struct seen s;

	if (!overlay_name(p, op->path, &s, e))
		return false;
	if (s.kind == FS_NONE)
		return op->ignore || no_such(p, op->path, "file or directory", e);
	if (s.kind == FS_OTHER)
		return err_set(e, ERR_UNSUPPORTED, "%s: is neither a file nor a directory",
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
	return err_set(e, ERR_CONFLICT, "%s: two edits overlap at line %zu, so none was made",
		       plan_shown(p, path), line);
}

static bool add_spans(struct plan *p, const struct op *op, struct err *e)
{
	struct edits *set = op->spans;
	struct edit_clash why;
	struct node *n;
	struct str old;

	if (!find_file(p, op->path, &n, e))
		return false;
	old = node_text(n);
	if (n->was_path) /* what a new file gets is a part of its creation */
		p->asked += set->n;
	if (!edits_check(set, old.n, &why))
		return overlapping(p, op->path, set, old, e);
	if (!op->exact)
		eol_convert(set, old, n);
	/* Conversion moves where things begin in the result; the spans stay in order. */
	edits_check(set, old.n, &why);
	edits_reduce(set, old);
	if (set->n)
		node_edit(n, set);
	edits_release(set);
	return true;
}

/* The file itself is looked at where its text matters. */
static bool must_be_straight(struct plan *p, const struct op *op, struct err *e)
{
	bool text = op->kind == OP_SPANS || op->kind == OP_CREATE || op->kind == OP_MODE;
	struct str to = { NULL, 0 };

	if (!overlay_straight(p, op->path, e) ||
	    (op->new_path && !overlay_straight(p, op->new_path, e)) ||
	    (text && !plan_link(p, op->path, &to, e)))
		return false;
	return !to.p || err_set(e, ERR_DENIED, "%s: is a symbolic link", plan_shown(p, op->path));
}

bool plan_add(struct plan *p, const struct op *op, struct err *e)
{
	if (p->finished)
		BUG("an operation after plan_finish()");
	if (op->straight && !must_be_straight(p, op, e))
		return false;
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
	case OP_LINK:
		return add_link(p, op, e);
	case OP_MODE:
		return add_mode(p, op, e);
	}
	BUG("an operation of an unknown kind");
}
