#include "../base/hash.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "plan_impl.h"

/* Paths as names: links that are themselves what is meant, and directories that have become empty.
 */

static bool read_link(struct plan *p, struct node *n, const char *path, struct err *e)
{
	struct buf to = BUF_INIT;

	if (!p->src->readlink(p->src->self, path, &to, e)) {
		buf_release(&to);
		return false;
	}
	buf_release(&n->was);
	n->was = to;
	n->was_hash = hash_of(buf_str(&to));
	n->was_mode = n->now_mode = MODE_LINK;
	n->link = false;
	return true;
}

/* What was only looked at through the link is of no concern any more. */
static bool to_itself(struct plan *p, struct node *n, struct err *e)
{
	if (n->changed || n->now_mode != n->was_mode)
		return err_set(
			e, ERR_UNSUPPORTED,
			"%s: is edited through a symbolic link that the same change moves or "
			"deletes; make two changes",
			plan_shown(p, n->now_path));
	return read_link(p, n, n->was_path, e);
}

bool overlay_name(struct plan *p, const char *path, struct seen *out, struct err *e)
{
	struct fs_stat st;

	if (!overlay_known(p, path, out)) {
		if (!p->src->stat(p->src->self, path, &st, e))
			return false;
		if (!st.link)
			return overlay_look(p, path, out, e);
		*out = (struct seen){ FS_FILE, overlay_load(p, path), true };
		return read_link(p, out->node, path, e);
	}
	return !out->node || !out->node->link || to_itself(p, out->node, e);
}

static bool emptied(struct plan *p, const char *dir, bool *yes, struct err *e)
{
	struct buf names SCOPED(buf_release) = BUF_INIT;
	bool ok = p->src->list(p->src->self, dir, &names, e);

	*yes = ok && names.n;
	for (size_t at = 0; ok && *yes && at < names.n; at += strlen(names.p + at) + 1) {
		char *path SCOPED(mem_release) = path_join(dir, names.p + at);
		struct seen s;

		ok = overlay_name(p, path, &s, e);
		if (ok && s.kind == FS_DIR)
			ok = emptied(p, path, yes, e);
		else
			*yes = s.kind == FS_NONE;
	}
	return ok;
}

bool overlay_emptied(struct plan *p, const char *dir, bool *yes, struct err *e)
{
	*yes = false;
	return map_get(&p->above, str_of(dir)) || emptied(p, dir, yes, e);
}

static bool plan_names_is_link(struct plan *p, const char *path, bool *link, struct err *e)
{
	struct seen s;
	struct fs_stat st;

	*link = false;
	if (overlay_known(p, path, &s)) {
		*link = s.link;
		return true;
	}
	if (!p->src->stat(p->src->self, path, &st, e))
		return false;
	*link = st.link;
	return true;
}

bool overlay_straight(struct plan *p, const char *path, struct err *e)
{
	struct str dir = path_dir(str_of(path));

	for (; dir.n > 1 && !str_eq(dir, p->root) && !map_get(&p->folders, dir);
	     dir = path_dir(dir)) {
		char *name SCOPED(mem_release) = mem_dup(dir.p, dir.n);
		bool link, ok = plan_names_is_link(p, name, &link, e);

		if (ok && link)
			ok = err_set(e, ERR_DENIED, "%s: is inside the symbolic link %s",
				     plan_shown(p, path), plan_shown(p, name));
		map_put(&p->folders, dir, p);
		if (!ok)
			return false;
	}
	return true;
}

bool plan_link(struct plan *p, const char *path, struct str *leads_to, struct err *e)
{
	struct seen s;
	bool link;

	*leads_to = (struct str){ NULL, 0 };
	if (!plan_names_is_link(p, path, &link, e))
		return false;
	if (!link)
		return true;
	if (!overlay_name(p, path, &s, e))
		return false;
	*leads_to = node_text(s.node);
	return true;
}

bool plan_identity(struct plan *p, const char *path, struct plan_identity *out)
{
	const struct node *n = map_get(&p->origin, str_of(path));
	struct fs_stat st;

	if (n && n->seen.kind == FS_FILE && n->seen.ino) { /* it has been read from there */
		*out = (struct plan_identity){ n->seen.dev, n->seen.ino, n->link };
		return true;
	}
	if (!p->src->stat(p->src->self, path, &st, ERR_IGNORED) || st.kind != FS_FILE || !st.ino)
		return false;
	*out = (struct plan_identity){ st.dev, st.ino, st.link };
	return true;
}
