#include <stdint.h>
#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "plan_impl.h"

const char *plan_shown(const struct plan *p, const char *path)
{
	return path_shown(p->root, str_of(path)).p;
}

struct str node_text(struct node *n)
{
	if (n->unmade)
		edits_apply(&n->edits, buf_str(&n->was), &n->now);
	n->unmade = false;
	return buf_str(n->changed ? &n->now : &n->was);
}

void node_set(struct node *n, struct buf *text)
{
	buf_release(&n->now);
	n->now = *text;
	*text = (struct buf)BUF_INIT;
	n->changed = true;
	n->unmade = false;
}

/* Most files are edited once, and nobody asks for the text that comes of it. */
void node_edit(struct node *n, struct edits *set)
{
	struct buf text = BUF_INIT;

	if (n->changed) {
		edits_apply(set, node_text(n), &text);
		node_set(n, &text);
	}
	n->unmade = !n->changed;
	n->changed = true;
	edits_release(&n->edits);
	n->edits = *set;
	*set = (struct edits)EDITS_INIT;
	n->rewrites++;
}

static const char *plan_overlay_keep(struct plan *p, struct str path)
{
	return arena_str(&p->arena, path).p;
}

/* Directories on the disk need no counting: only those that exist because something was put there.
 */
static bool counted(const struct node *n)
{
	return n->now_path && (!n->was_path || strcmp(n->was_path, n->now_path) != 0);
}

void overlay_move(struct plan *p, struct node *n, const char *path)
{
	if (counted(n))
		path_count_above(&p->above, n->now_path, -1);
	if (n->now_path) {
		map_take(&p->now, str_of(n->now_path));
		if (n->was_mode == MODE_LINK)
			map_put(&p->shed, str_of(n->now_path), n);
	}
	n->now_path = path ? plan_overlay_keep(p, str_of(path)) : NULL;
	if (path)
		map_put(&p->now, str_of(path), n);
	if (counted(n))
		path_count_above(&p->above, n->now_path, 1);
}

static struct node *node_new(struct plan *p)
{
	struct node *n = mem_new(sizeof(*n));

	mem_add(p->node, p->nodes, p->node_cap, n);
	return n;
}

struct node *overlay_add(struct plan *p, const char *path)
{
	struct node *n = map_get(&p->origin, str_of(path));
	struct buf empty = BUF_INIT;

	/* What was removed and comes again is the same file with another text. */
	if (!n || n->now_path)
		n = node_new(p);
	overlay_move(p, n, path);
	n->rewrites = 2;
	/* Whoever could not read the old one will not read the new one. */
	n->now_mode = n->was_path && n->was_mode != MODE_LINK ? n->was_mode & ~0111u : MODE_FILE;
	n->link = false;
	node_set(n, &empty);
	return n;
}

struct node *overlay_load(struct plan *p, const char *path)
{
	struct node *n = node_new(p);

	n->was_path = plan_overlay_keep(p, str_of(path));
	map_put(&p->origin, str_of(path), n);
	overlay_move(p, n, path);
	return n;
}

/* Room for a text of about this size. */
static struct buf take_room(struct plan *p, uint64_t size)
{
	struct buf room = BUF_INIT;

	if (size < p->spare.cap && p->spare.cap / 2 <= size) {
		room = p->spare;
		p->spare = (struct buf)BUF_INIT;
	}
	return room;
}

static bool plan_overlay_load(struct plan *p, const char *path, const struct fs_stat *st,
			      struct seen *out, struct err *e)
{
	struct fs_stat seen = { .kind = FS_NONE };
	struct buf text = take_room(p, st->size);
	struct node *n;

	if (!p->src->read(p->src->self, path, &text, &seen, e)) {
		buf_release(&text);
		return false;
	}
	n = overlay_load(p, path);
	n->was = text;
	n->was_hash = seen.hash ? seen.hash : hash_of(buf_str(&text));
	n->seen = seen;
	n->was_mode = n->now_mode = 0100000 | (st->mode & MODE_BITS);
	n->link = st->link;
	out->node = n;
	return true;
}

/* A link that is gone leads nowhere. */
static bool is_shed(const struct plan *p, struct str path)
{
	for (path = path_dir(path); path.n > 1; path = path_dir(path))
		if (map_get(&p->shed, path))
			return true;
	return false;
}

bool overlay_known(struct plan *p, const char *path, struct seen *out)
{
	struct str key = str_of(path);
	struct node *n = map_get(&p->now, key);

	*out = (struct seen){ .kind = FS_NONE };
	if (n)
		*out = (struct seen){ FS_FILE, n, n->link || n->now_mode == MODE_LINK };
	else if (map_get(&p->above, key))
		out->kind = FS_DIR;
	else
		return map_get(&p->origin, key) || map_get(&p->gone, key) ||
		       (map_count(&p->shed) && is_shed(p, key));
	return true;
}

bool overlay_look(struct plan *p, const char *path, struct seen *out, struct err *e)
{
	struct fs_stat st = { 0 };
	const char *name;

	if (overlay_known(p, path, out))
		return true;
	if (!p->src->stat(p->src->self, path, &st, e))
		return false;
	name = p->name ? p->name(p->src->self, path, &st) : NULL;
	if (name)
		return overlay_look(p, name, out, e);
	out->kind = st.kind;
	out->link = st.link;
	return st.kind != FS_FILE || plan_overlay_load(p, path, &st, out, e);
}

static bool odd(struct plan *p, const char *path, struct err *e)
{
	return err_set(e, ERR_UNSUPPORTED,
		       "%s: is neither a file nor a directory, so it could not be restored; "
		       "remove it yourself first",
		       plan_shown(p, path));
}

static bool expand(struct plan *p, const char *dir, size_t *files, struct err *e);

static bool expand_one(struct plan *p, const char *path, size_t *files, struct err *e)
{
	struct seen s;

	if (!overlay_name(p, path, &s, e))
		return false;
	if (s.kind == FS_OTHER)
		return odd(p, path, e);
	if (s.kind == FS_DIR)
		return expand(p, path, files, e);
	if (s.kind == FS_FILE && ++*files > PLAN_FOLDER_FILES)
		return err_set(e, ERR_LIMIT, "more than %d files", PLAN_FOLDER_FILES);
	return true;
}

/* The listing is the disk's; files that were put there meanwhile are found by their paths. */
static bool expand(struct plan *p, const char *dir, size_t *files, struct err *e)
{
	struct buf names SCOPED(buf_release) = BUF_INIT;
	struct fs_stat st = { 0 };
	bool ok = p->src->stat(p->src->self, dir, &st, e);
	size_t at = 0;

	if (ok && st.kind == FS_DIR && !map_get(&p->gone, str_of(dir)))
		ok = p->src->list(p->src->self, dir, &names, e);
	while (ok && at < names.n) {
		const char *name = names.p + at;
		struct buf path SCOPED(buf_release) = BUF_INIT;

		at += strlen(name) + 1;
		buf_addf(&path, "%s/%s", dir, name);
		ok = expand_one(p, path.p, files, e);
	}
	if (ok && st.kind == FS_DIR)
		map_put(&p->gone, str_of(dir), p);
	return ok;
}

bool overlay_expand(struct plan *p, const char *dir, struct err *e)
{
	size_t files = 0;

	if (expand(p, dir, &files, e))
		return true;
	return e->code == ERR_LIMIT && files > PLAN_FOLDER_FILES
		       ? err_in(e, "%s", plan_shown(p, dir))
		       : false;
}

static char most_used(struct str text)
{
	size_t lf = 0, crlf = 0;

	for (const char *at = text.p, *end = text.p + text.n;
	     at < end && (at = memchr(at, '\n', (size_t)(end - at))); at++)
		if (at > text.p && at[-1] == '\r')
			crlf++;
		else
			lf++;
	return (char)(crlf > lf ? 'c' : lf ? 'l' : 0);
}

/* Whether byte i of what is put in is a CR that ends a line with the LF behind it. */
static bool half_crlf(const struct edit *e, struct str text, size_t i)
{
	if (e->with.p[i] != '\r')
		return false;
	if (i + 1 < e->with.n)
		return e->with.p[i + 1] == '\n';
	return e->span.end < text.n && text.p[e->span.end] == '\n';
}

static bool bare_lf(const struct edit *e, struct str text, size_t i)
{
	if (e->with.p[i] != '\n')
		return false;
	if (i)
		return e->with.p[i - 1] != '\r';
	return !e->span.at || text.p[e->span.at - 1] != '\r';
}

static void convert_one(struct edits *set, struct edit *e, struct str text, bool crlf)
{
	bool (*wrong)(const struct edit *, struct str, size_t) = crlf ? bare_lf : half_crlf;
	struct buf out = BUF_INIT;
	size_t kept = 0, i;
	const char *hit;

	for (i = 0; i < e->with.n; i++) {
		hit = memchr(e->with.p + i, crlf ? '\n' : '\r', e->with.n - i);
		if (!hit)
			break;
		i = (size_t)(hit - e->with.p);
		if (!wrong(e, text, i))
			continue;
		buf_add(&out, str_sub(e->with, kept, i));
		if (crlf)
			buf_addc(&out, '\r');
		kept = crlf ? i : i + 1;
	}
	if (out.p) {
		buf_add(&out, str_sub(e->with, kept, e->with.n));
		e->with = arena_str(&set->texts, buf_str(&out));
		buf_release(&out);
	}
}

void eol_convert(struct edits *set, struct str text, struct node *n)
{
	bool any = false;

	for (size_t i = 0; i < set->n && !any; i++)
		any = memchr(set->v[i].with.p, '\n', set->v[i].with.n) ||
		      memchr(set->v[i].with.p, '\r', set->v[i].with.n);
	if (!any)
		return;
	if (!n->eol)
		n->eol = most_used(text);
	for (size_t i = 0; n->eol && i < set->n; i++)
		convert_one(set, &set->v[i], text, n->eol == 'c');
}
