/* Part of memfs.c: the calls that journals and their temporaries need, and links. */

static bool m_peek(void *self, const char *path, int lock, uint64_t at, size_t n, struct buf *out,
		   struct err *e)
{
	struct node *v;

	(void)lock;
	if (fails(self, "peek", path, e))
		return false;
	v = node_at(self, path);
	if (!v || v->kind != FS_FILE)
		return missing(path, e);
	if (at < v->text.n)
		buf_add(out, str_sub(buf_str(&v->text), (size_t)at,
				     v->text.n - at < n ? v->text.n : (size_t)at + n));
	return true;
}

static bool m_patch(void *self, const char *path, int lock, uint64_t at, const struct str *piece,
		    size_t n, enum fs_sync sync, struct err *e)
{
	struct memfs *m = self;
	bool bad = fails(m, "patch", path, e);
	struct node *v = node_at(m, path);
	struct buf all = BUF_INIT;

	(void)lock;
	if (bad && !torn(m))
		return false;
	if (!v)
		return missing(path, e);
	for (size_t i = 0; i < n; i++)
		buf_add(&all, piece[i]);
	/* The head is small enough to be written whole. */
	if (bad)
		all.n = all.n > 64 ? all.n / 2 : 0;
	put_bytes(&v->text, (size_t)at, buf_str(&all));
	note_bytes(m, v, buf_str(&all), (size_t)at, false);
	buf_release(&all);
	if (!bad && sync == FS_NOW)
		note_synced(m, v);
	return !bad;
}

bool memfs_is_blank(struct str text)
{
	while (text.n && !text.p[text.n - 1])
		text.n--;
	return !text.n;
}

static bool m_fill(void *self, const char *path, const struct str *piece, size_t n,
		   const char *like, const struct fs_stat *is, struct fs_stat *now, struct err *e)
{
	struct memfs *m = self;
	struct buf all = BUF_INIT;
	struct node *v;

	(void)is;
	if (fails(m, "fill", path, e))
		return false;
	v = node_at(m, path);
	if (!v)
		return missing(path, e);
	if (v->kind != FS_FILE || !memfs_is_blank(buf_str(&v->text)) || v->links != 1 ||
	    v->mode != 0600)
		return err_set(e, ERR_CONFLICT, "%s: is not free", path);
	if (!node_at(m, like))
		return err_set(e, ERR_IO, "%s: not there", like);
	for (size_t i = 0; i < n; i++)
		buf_add(&all, piece[i]);
	set_text(m, v, buf_str(&all));
	buf_release(&all);
	v->mode = node_at(m, like)->mode;
	note_mode(m, v);
	*now = describe(m, path, v);
	return true;
}

static bool m_blank(void *self, const char *path, struct err *e)
{
	struct memfs *m = self;
	struct buf zeros = BUF_INIT;
	struct node *v;

	if (fails(m, "blank", path, e))
		return false;
	v = node_at(m, path);
	if (!v)
		return missing(path, e);
	if (m->no_blank || v->links != 1)
		return err_set(e, ERR_IO, "%s: somebody has it open", path);
	put_bytes(&zeros, v->text.n, STR("")); /* its place on the disk is kept */
	set_text(m, v, buf_str(&zeros));
	buf_release(&zeros);
	v->mode = 0600;
	note_mode(m, v);
	return true;
}

static bool overlap(const struct mem_lock *held, const uint64_t *spot, size_t n)
{
	if (!held->n || !n)
		return true;
	for (size_t i = 0; i < held->n; i++)
		for (size_t k = 0; k < n; k++)
			if (held->spot[i] == spot[k])
				return true;
	return false;
}

/* Nobody else goes on meanwhile, so that there is nothing to wait for. */
static bool hold(struct memfs *m, const char *path, const uint64_t *spot, size_t n, int id,
		 struct err *e)
{
	for (size_t i = 0; i < m->n_locks; i++)
		if (!strcmp(m->locks[i].path, path) && overlap(&m->locks[i], spot, n))
			return err_set(e, ERR_CONFLICT, "%s: is held", path);
	m->locks = mem_grow(m->locks, &m->lock_cap, m->n_locks + 1, sizeof(*m->locks));
	m->locks[m->n_locks++] = (struct mem_lock){ kept_path(str_of(path)),
						    mem_copy(spot, n * sizeof(*spot)), n, id };
	return true;
}

static bool m_lock(void *self, const char *path, const uint64_t *spot, size_t n, bool wait,
		   int *lock, struct err *e)
{
	struct memfs *m = self;
	struct node *v;

	(void)wait;
	if (fails(m, "lock", path, e))
		return false;
	if (!node_at(m, path)) {
		if (!room(m, path, e))
			return false;
		v = new_node(m, FS_FILE, STR(""), 0600);
		add_name(m, path, v);
		note_name(m, path, v);
	}
	*lock = (int)++m->unique;
	return hold(m, path, spot, n, *lock, e);
}

static bool m_relock(void *self, const char *path, const uint64_t *spot, size_t n, bool wait,
		     int lock, struct err *e)
{
	(void)wait;
	if (fails(self, "relock", path, e))
		return false;
	return node_at(self, path) ? hold(self, path, spot, n, lock, e) : missing(path, e);
}

static bool m_open(void *self, const char *path, int *lock, struct err *e)
{
	struct memfs *m = self;

	if (fails(m, "open", path, e))
		return false;
	*lock = (int)++m->unique;
	return node_at(m, path) || missing(path, e);
}

static void m_unlock(void *self, int lock)
{
	struct memfs *m = self;

	for (size_t i = 0; i < m->n_locks; i++)
		if (m->locks[i].id == lock) {
			free(m->locks[i].spot);
			m->locks[i] = m->locks[--m->n_locks];
			return;
		}
}

static bool m_symlink(void *self, struct str leads_to, const char *path, struct err *e)
{
	struct node *v;

	if (fails(self, "symlink", path, e) || !room(self, path, e))
		return false;
	v = new_node(self, FS_FILE, STR(""), 0777);
	snprintf(v->leads_to, sizeof(v->leads_to), "%.*s", STR_ARG(leads_to));
	add_name(self, path, v);
	note_name(self, path, v);
	return true;
}

static bool m_readlink(void *self, const char *path, struct buf *out, struct err *e)
{
	struct node *v;

	if (fails(self, "readlink", path, e))
		return false;
	v = node_of(self, path, true);
	if (!v)
		return missing(path, e);
	if (!is_link(v))
		return err_set(e, ERR_INVALID, "%s: is no link", path);
	buf_adds(out, v->leads_to);
	return true;
}

static bool m_chmod(void *self, const char *path, unsigned mode, struct err *e)
{
	struct memfs *m = self;
	struct node *v;

	if (fails(m, "chmod", path, e))
		return false;
	v = node_at(m, path);
	if (!v || is_link(v))
		return missing(path, e);
	v->mode = mode;
	v->ctime = (int64_t)++m->clock;
	note_chmod(m, v);
	return true;
}
