/* Part of memfs.c: symbolic links, and modes. */

static bool is_link(const struct node *v)
{
	return v && v->leads_to[0];
}

/* The first link in a path: puts what it leads to in its place. False: there is none. */
static bool follow_one(const struct memfs *m, struct buf *path)
{
	struct str all = buf_str(path);

	for (size_t n = 1; n <= all.n; n++) {
		struct mem_name *v =
			n == all.n || all.p[n] == '/' ? find(m, str_sub(all, 0, n)) : NULL;
		struct buf whole = BUF_INIT, dir = BUF_INIT;

		if (!v || !is_link(v->node))
			continue;
		buf_addf(&whole, "%s%.*s", v->node->leads_to, (int)(all.n - n), all.p + n);
		buf_add(&dir, path_dir(str_sub(all, 0, n)));
		buf_clear(path);
		path_normal(path, dir.p, buf_str(&whole));
		buf_release(&whole);
		buf_release(&dir);
		return true;
	}
	return false;
}

static void resolve_all(const struct memfs *m, struct buf *path)
{
	for (int links = 0; links < 40 && follow_one(m, path); links++)
		;
}

/* What a name stands for: of a link what it leads to, unless `itself`. */
static struct node *node_of(const struct memfs *m, const char *path, bool itself)
{
	struct buf real = BUF_INIT;
	struct node *v;

	if (!path[1])
		return node_at(m, path);
	buf_add(&real, itself ? path_dir(str_of(path)) : str_of(path));
	resolve_all(m, &real);
	if (itself)
		buf_addf(&real, "%s%s", real.n > 1 ? "/" : "", path_base(str_of(path)).p);
	v = node_at(m, real.p);
	buf_release(&real);
	return is_link(v) && !itself ? NULL : v;
}
