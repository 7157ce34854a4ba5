/* Part of memfs.c: what has been done and is not on the disk yet. */

enum mem_op_kind { MEM_NAME, MEM_DROP, MEM_MOVE, MEM_SWAP, MEM_BYTES, MEM_MODE };

struct mem_op {
	enum mem_op_kind kind;
	const char *a, *b;   /* kept paths */
	bool a_safe, b_safe; /* their folders were synced since */
	uint64_t ino, ino_b; /* what `a`, and `b`, was before */
	struct buf text;     /* MEM_BYTES: all of it, or what was put `at` a place */
	size_t at;	     /* MEM_MODE: the bits */
	bool whole;
	bool safe;
};

struct mem_log {
	struct memfs base; /* what is on the disk for certain; the operations come on top */
	struct mem_op *op;
	size_t n, cap;
	struct node **node; /* all that were ever made since, by number */
	size_t nodes, node_cap;
};

struct mem_lock {
	const char *path;
	uint64_t *spot;
	size_t n;
	int id;
};

static void free_log(struct memfs *m)
{
	if (!m->log)
		return;
	for (size_t i = 0; i < m->log->n; i++)
		buf_release(&m->log->op[i].text);
	for (size_t i = 0; i < m->log->nodes; i++)
		free(m->log->node[i]);
	free(m->log->node);
	free(m->log->op);
	memfs_release(&m->log->base);
	free(m->log);
	m->log = NULL;
}

static struct mem_op *note(struct memfs *m, enum mem_op_kind kind, const char *a, const char *b)
{
	struct mem_log *log = m->log;

	if (!log)
		return NULL;
	log->op = mem_grow(log->op, &log->cap, log->n + 1, sizeof(*log->op));
	log->op[log->n] = (struct mem_op){ .kind = kind };
	log->op[log->n].a = a ? kept_path(str_of(a)) : NULL;
	log->op[log->n].b = b ? kept_path(str_of(b)) : NULL;
	return &log->op[log->n++];
}

static void note_two(struct memfs *m, enum mem_op_kind kind, const char *a, const char *b,
		     uint64_t ino, uint64_t ino_b)
{
	struct mem_op *op = note(m, kind, a, b);

	if (!op)
		return;
	op->ino = ino;
	op->ino_b = ino_b;
}

static void note_bytes(struct memfs *m, const struct node *v, struct str text, size_t at,
		       bool whole)
{
	struct mem_op *op = note(m, MEM_BYTES, NULL, NULL);

	if (!op)
		return;
	op->ino = v->ino;
	op->at = at;
	op->whole = whole;
	buf_add(&op->text, text);
}

static struct node *made_node(const struct mem_log *log, uint64_t ino);
static struct node *by_number(const struct memfs *m, uint64_t ino);

/* What a new file takes from another is not what this is about: it is never lost. */
static void note_mode(struct memfs *m, const struct node *v)
{
	struct node *made = m->log ? made_node(m->log, v->ino) : NULL;
	struct node *base = m->log ? by_number(&m->log->base, v->ino) : NULL;

	if (made)
		made->mode = v->mode;
	if (base)
		base->mode = v->mode;
}

static void note_chmod(struct memfs *m, const struct node *v)
{
	struct mem_op *op = note(m, MEM_MODE, NULL, NULL);

	if (!op)
		return;
	op->ino = v->ino;
	op->at = v->mode;
}

static void note_name(struct memfs *m, const char *path, const struct node *v)
{
	struct mem_op *op = note(m, MEM_NAME, path, NULL);
	struct node *copy;

	if (!op)
		return;
	op->ino = v->ino;
	copy = mem_copy(v, sizeof(*v));
	copy->text = (struct buf)BUF_INIT;
	m->log->node =
		mem_grow(m->log->node, &m->log->node_cap, m->log->nodes + 1, sizeof(struct node *));
	m->log->node[m->log->nodes++] = copy;
}

static void note_synced(struct memfs *m, const struct node *v)
{
	for (size_t i = 0; m->log && i < m->log->n; i++)
		if (m->log->op[i].kind >= MEM_BYTES && m->log->op[i].ino == v->ino)
			m->log->op[i].safe = true;
}

static bool is_in(const char *path, const char *dir)
{
	return !path || str_eq(path_dir(str_of(path)), str_of(dir));
}

static void note_dir_synced(struct memfs *m, const char *dir)
{
	for (size_t i = 0; m->log && i < m->log->n; i++) {
		struct mem_op *op = &m->log->op[i];

		if (op->kind >= MEM_BYTES)
			continue;
		op->a_safe = op->a_safe || is_in(op->a, dir);
		op->b_safe = op->b_safe || is_in(op->b, dir);
		op->safe = op->a_safe && (!op->b || op->b_safe);
	}
}

size_t memfs_pending(const struct memfs *m)
{
	size_t n = 0;

	for (size_t i = 0; m->log && i < m->log->n; i++)
		n += !m->log->op[i].safe;
	return n;
}

static struct node *by_number(const struct memfs *m, uint64_t ino)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->name[i].node->ino == ino)
			return m->name[i].node;
	return NULL;
}

static struct node *made_node(const struct mem_log *log, uint64_t ino)
{
	for (size_t i = 0; i < log->nodes; i++)
		if (log->node[i]->ino == ino)
			return log->node[i];
	return NULL;
}

/* A folder on the disk says which name is which file, so that is what an operation leaves there,
 * also where another one before it was lost. */
static void redo_is(struct memfs *m, struct node **all, size_t n, const char *path, uint64_t ino)
{
	struct mem_name *v = find(m, str_of(path)), *dir = find(m, path_dir(str_of(path)));

	if (!dir || dir->node->kind != FS_DIR || (v && v->node->kind == FS_DIR))
		return;
	for (size_t i = 0; i < n; i++)
		if (all[i]->ino == ino) {
			if (v)
				drop_name(m, v);
			add_name(m, path, all[i]);
			return;
		}
}

/* A folder was empty when it went, whatever of that is on the disk. */
static void redo_gone(struct memfs *m, const char *path, uint64_t ino)
{
	struct mem_name *v = find(m, str_of(path));

	if (!v || v->node->ino != ino)
		return;
	for (size_t i = m->n; i--;)
		if (path_below(str_of(path), str_of(m->name[i].path)) &&
		    strcmp(path, m->name[i].path) != 0)
			drop_name(m, &m->name[i]);
	drop_name(m, find(m, str_of(path)));
}

/* Puts bytes into a text, from `at` on. */
static void put_bytes(struct buf *text, size_t at, struct str bytes)
{
	while (text->n < at + bytes.n)
		buf_addc(text, '\0');
	if (bytes.n)
		memcpy(text->p + at, bytes.p, bytes.n);
}

static void redo_bytes(struct node **all, size_t n, const struct mem_op *op, bool half)
{
	struct str bytes = buf_str(&op->text);

	for (size_t i = 0; i < n; i++) {
		if (all[i]->ino != op->ino)
			continue;
		/* Half: what stood behind it still does. */
		if (half)
			bytes.n /= 2;
		else if (op->whole)
			buf_clear(&all[i]->text);
		put_bytes(&all[i]->text, op->at, bytes);
	}
}

static void redo_mode(struct node **all, size_t n, const struct mem_op *op)
{
	for (size_t i = 0; i < n; i++)
		if (all[i]->ino == op->ino)
			all[i]->mode = (unsigned)op->at;
}

static void redo(struct memfs *m, struct node **all, size_t n, const struct mem_op *op, int lost)
{
	if (lost == 1)
		return;
	switch (op->kind) {
	case MEM_NAME:
		redo_is(m, all, n, op->a, op->ino);
		break;
	case MEM_DROP:
		redo_gone(m, op->a, op->ino);
		break;
	case MEM_MOVE:
		redo_is(m, all, n, op->b, op->ino);
		redo_gone(m, op->a, op->ino);
		break;
	case MEM_SWAP:
		redo_is(m, all, n, op->a, op->ino_b);
		redo_is(m, all, n, op->b, op->ino);
		break;
	case MEM_BYTES:
		redo_bytes(all, n, op, lost == 2);
		break;
	case MEM_MODE:
		redo_mode(all, n, op);
		break;
	}
}

/* All that there is and was, each held once so that it lasts. */
static struct node **hold_all(struct memfs *m, const struct mem_log *log, size_t *n)
{
	struct node **all = mem_new((m->n + log->nodes + 1) * sizeof(*all));

	*n = 0;
	for (size_t i = 0; i < m->n + log->nodes; i++) {
		const struct node *v = i < m->n ? m->name[i].node : log->node[i - m->n];
		bool known = false;

		for (size_t k = 0; k < *n; k++)
			known = known || all[k]->ino == v->ino;
		if (known)
			continue;
		all[*n] = i < m->n ? m->name[i].node : mem_copy(v, sizeof(*v));
		if (i >= m->n)
			all[*n]->links = 0;
		all[(*n)++]->links++;
	}
	return all;
}

static void let_go(struct node **all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!--all[i]->links) {
			buf_release(&all[i]->text);
			free(all[i]);
		}
	free(all);
}

void memfs_kill(struct memfs *m)
{
	for (size_t i = 0; i < m->n_locks; i++)
		free(m->locks[i].spot);
	m->n_locks = 0;
	m->stop_at = 0;
	m->calls = 0;
}

/* Names and nodes alone. */
static void copy_tree(struct memfs *to, const struct memfs *from)
{
	to->n = to->cap = 0;
	to->name = mem_grow(NULL, &to->cap, from->n, sizeof(*to->name));
	for (size_t i = 0; i < from->n; i++) {
		const struct node *v = from->name[i].node;
		struct node *twin = by_number(to, v->ino);

		if (!twin) {
			twin = mem_copy(v, sizeof(*v));
			twin->links = 0;
			twin->text = (struct buf)BUF_INIT;
			buf_add(&twin->text, buf_str(&v->text));
		}
		to->name[to->n++] = (struct mem_name){ from->name[i].path, twin };
		twin->links++;
	}
}

static void start_log(struct memfs *m)
{
	m->log = mem_new(sizeof(*m->log));
	m->log->base.next_ino = m->next_ino;
	copy_tree(&m->log->base, m);
}

void memfs_record(struct memfs *m)
{
	free_log(m);
	start_log(m);
}

void memfs_crash(struct memfs *m, int (*lose)(void *arg, size_t i), void *arg)
{
	struct mem_log *log = m->log;
	struct memfs left = *m;
	struct node **all;
	size_t may = 0, n;

	m->log = NULL;
	copy_tree(&left, &log->base);
	left.log = NULL;
	all = hold_all(&left, log, &n);
	for (size_t i = 0; i < log->n; i++)
		redo(&left, all, n, &log->op[i], log->op[i].safe ? 0 : lose(arg, may++));
	let_go(all, n);
	while (m->n)
		drop_name(m, &m->name[m->n - 1]);
	free(m->name);
	m->name = left.name;
	m->n = left.n;
	m->cap = left.cap;
	m->clock = left.clock;
	m->log = log;
	memfs_kill(m);
	m->boot++;
	memfs_record(m);
}

static void copy_ops(struct mem_log *to, const struct mem_log *from)
{
	to->op = mem_grow(NULL, &to->cap, from->n, sizeof(*to->op));
	for (; to->n < from->n; to->n++) {
		to->op[to->n] = from->op[to->n];
		to->op[to->n].text = (struct buf)BUF_INIT;
		buf_add(&to->op[to->n].text, buf_str(&from->op[to->n].text));
	}
	to->node = mem_grow(NULL, &to->node_cap, from->nodes, sizeof(*to->node));
	for (; to->nodes < from->nodes; to->nodes++)
		to->node[to->nodes] = mem_copy(from->node[to->nodes], sizeof(struct node));
}

void memfs_copy(struct memfs *to, const struct memfs *from)
{
	*to = *from;
	to->fs.self = to;
	to->locks = NULL;
	to->n_locks = to->lock_cap = 0;
	to->log = NULL;
	copy_tree(to, from);
	if (!from->log)
		return;
	to->log = mem_new(sizeof(*to->log));
	copy_tree(&to->log->base, &from->log->base);
	copy_ops(to->log, from->log);
}
