/* Part of memfs.c: the calls that make, move and remove names. */

static bool m_exchange(void *self, const char *a, const char *b, struct err *e)
{
	struct memfs *m = self;
	struct mem_name *x, *y;
	struct node *swap;

	if (fails(m, "exchange", b, e))
		return false;
	if (m->no_exchange)
		return err_set(e, ERR_UNSUPPORTED, "%s: cannot be swapped", b);
	if (!one_dev(m, a, b, e))
		return false;
	x = find(m, str_of(a));
	y = find(m, str_of(b));
	if (!x || !y)
		return missing(x ? b : a, e);
	swap = x->node;
	x->node = y->node;
	y->node = swap;
	x->node->ctime = y->node->ctime = (int64_t)++m->clock;
	note_two(m, MEM_SWAP, a, b, y->node->ino, x->node->ino);
	return true;
}

static bool m_link(void *self, const char *from, const char *to, struct err *e)
{
	struct memfs *m = self;

	if (fails(m, "link", to, e))
		return false;
	if (m->no_link)
		return err_set(e, ERR_UNSUPPORTED, "%s: no hard links here", to);
	if (!node_at(m, from))
		return missing(from, e);
	if (!room(m, to, e) || !one_dev(m, from, to, e))
		return false;
	add_name(m, to, node_at(m, from));
	note_name(m, to, node_at(m, from));
	return true;
}

static bool m_replace(void *self, const char *from, const char *to, struct err *e)
{
	struct memfs *m = self;
	struct node *v;

	if (fails(m, "replace", to, e))
		return false;
	v = node_at(m, from);
	if (!v)
		return missing(from, e);
	if (!one_dev(m, from, to, e))
		return false;
	if (v == node_at(m, to)) /* as POSIX has it */
		return true;
	if (node_at(m, to))
		drop_name(m, find(m, str_of(to)));
	add_name(m, to, v);
	drop_name(m, find(m, str_of(from)));
	note_two(m, MEM_MOVE, from, to, v->ino, 0);
	return true;
}

static bool m_rename(void *self, const char *from, const char *to, struct err *e)
{
	struct memfs *m = self;

	if (fails(m, "rename", to, e))
		return false;
	if (!node_at(m, from))
		return missing(from, e);
	if (!room(m, to, e) || !one_dev(m, from, to, e))
		return false;
	add_name(m, to, node_at(m, from));
	drop_name(m, find(m, str_of(from)));
	note_two(m, MEM_MOVE, from, to, node_at(m, to)->ino, 0);
	return true;
}

static bool m_remove(void *self, const char *path, struct err *e)
{
	struct node *v;

	if (fails(self, "remove", path, e))
		return false;
	v = node_at(self, path);
	if (!v || v->kind != FS_FILE)
		return missing(path, e);
	note_two(self, MEM_DROP, path, NULL, v->ino, 0);
	memfs_take(self, path);
	return true;
}

static bool m_mkdir(void *self, const char *path, unsigned mode, struct err *e)
{
	struct node *v;

	if (fails(self, "mkdir", path, e) || !room(self, path, e))
		return false;
	v = new_node(self, FS_DIR, STR(""), mode & ~022u);
	add_name(self, path, v);
	note_name(self, path, v);
	return true;
}

static bool m_rmdir(void *self, const char *path, struct err *e)
{
	struct memfs *m = self;

	if (fails(m, "rmdir", path, e))
		return false;
	if (!node_at(m, path) || node_at(m, path)->kind != FS_DIR)
		return missing(path, e);
	for (size_t i = 0; i < m->n; i++)
		if (strcmp(m->name[i].path, path) != 0 &&
		    path_below(str_of(path), str_of(m->name[i].path)))
			return err_set(e, ERR_CONFLICT, "%s: not empty", path);
	note_two(m, MEM_DROP, path, NULL, node_at(m, path)->ino, 0);
	memfs_take(m, path);
	return true;
}
