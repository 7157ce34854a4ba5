/* Part of tests of plans: memfs.c's tree as their source, below /r, where everything may be
 * written. */

static bool may_write_all(void *self, const char *path, bool itself, struct exemptions *exempt,
			  struct buf *by, struct err *why)
{
	(void)self, (void)path, (void)itself, (void)exempt, (void)by, (void)why;
	return true;
}

static struct plan_source memfs_source(struct memfs *m)
{
	return (struct plan_source){ .self = m,
				     .root = "/r",
				     .stat = m->fs.stat,
				     .read = m->fs.read,
				     .list = m->fs.list,
				     .allowed = may_write_all,
				     .readlink = m->fs.readlink,
				     .resolve = m->fs.resolve };
}
