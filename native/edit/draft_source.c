#include <string.h>

#include "../base/path.h"
#include "draft_impl.h"

/* Whether some drafted file lies below this directory. */
static bool is_above(const struct draft *d, const char *path)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->v[i]->to && path_below(str_of(path), str_of(d->v[i]->to)))
			return true;
	return false;
}

static bool draft_source_is_link(const struct draft_file *f)
{
	return f && f->to_mode == MODE_LINK;
}

char *draft_leads_to(const struct draft_file *f)
{
	struct buf out = BUF_INIT;
	char *dir SCOPED(mem_release) = path_join(f->to, "..");

	path_normal(&out, dir, buf_str(&f->text));
	return buf_detach(&out);
}

/* Whether a path is a link that leads to the file of this name. */
static bool leads(const struct draft *d, const char *name, const char *path)
{
	struct fs_stat st;

	return strcmp(name, path) != 0 && d->real->stat(d->real->self, path, &st, ERR_IGNORED) &&
	       st.link;
}

static bool draft_stat(void *self, const char *path, struct fs_stat *out, struct err *e)
{
	struct draft *d = self;
	const struct draft_file *f = draft_at(d, path);
	bool ok = true;

	if (draft_source_is_link(f)) {
		char *to SCOPED(mem_release) = draft_leads_to(f);

		ok = d->real->stat(d->real->self, to, out, e);
		out->link = true;
	} else if (f) {
		*out = (struct fs_stat){ .kind = FS_FILE,
					 .mode = f->to_mode,
					 .links = 1,
					 .size = f->text.n,
					 .link = leads(d, f->to, path) };
	} else if ((f = draft_from(d, path))) {
		*out = (struct fs_stat){ .kind = FS_NONE, .link = leads(d, f->from, path) };
	} else {
		ok = d->real->stat(d->real->self, path, out, e);
		if (ok && out->kind == FS_NONE && is_above(d, path))
			*out = (struct fs_stat){ .kind = FS_DIR, .mode = 0755, .links = 1 };
	}
	return ok;
}

static const char *draft_name(void *self, const char *path, const struct fs_stat *st)
{
	struct draft *d = self;

	return draft_at(d, path) || draft_from(d, path) ? NULL : d->name(d->real->self, path, st);
}

static bool draft_read(void *self, const char *path, struct buf *out, struct fs_stat *seen,
		       struct err *e)
{
	struct draft *d = self;
	const struct draft_file *f = draft_at(d, path);
	bool ok = true;

	if (draft_source_is_link(f)) {
		char *to SCOPED(mem_release) = draft_leads_to(f);

		ok = draft_at(d, to) == f ? err_set(e, ERR_IO, "%s leads to itself", path)
					  : draft_read(d, to, out, seen, e);
	} else if (f) {
		buf_add(out, buf_str(&f->text));
	} else {
		ok = d->real->read(d->real->self, path, out, seen, e);
	}
	return ok;
}

static bool has_name(const struct buf *names, struct str name)
{
	for (size_t at = 0; at < names->n; at += strlen(names->p + at) + 1)
		if (str_eq(str_of(names->p + at), name))
			return true;
	return false;
}

/* Files that are drafted there, and the directories on the way to them. */
static void add_names(const struct draft *d, const char *dir, struct buf *names)
{
	for (size_t i = 0; i < d->n; i++) {
		struct str rest = str_of(d->v[i]->to), name;
		const char *slash;

		if (rest.n <= strlen(dir) || !path_below(str_of(dir), rest))
			continue;
		rest = str_sub(rest, strlen(dir) + (dir[1] ? 1 : 0), rest.n);
		slash = memchr(rest.p, '/', rest.n);
		name = slash ? str_sub(rest, 0, (size_t)(slash - rest.p)) : rest;
		if (has_name(names, name))
			continue;
		buf_add(names, name);
		buf_addc(names, '\0');
	}
}

static bool draft_list(void *self, const char *dir, struct buf *names, struct err *e)
{
	struct draft *d = self;
	struct buf real SCOPED(buf_release) = BUF_INIT;
	bool ok = d->real->list(d->real->self, dir, &real, e);

	if (!ok && e->code == ERR_NOT_FOUND && is_above(d, dir))
		ok = true;
	for (size_t at = 0; ok && at < real.n; at += strlen(real.p + at) + 1) {
		char *path SCOPED(mem_release) = path_join(dir, real.p + at);

		if (draft_at(d, path) || !draft_from(d, path)) {
			buf_adds(names, real.p + at);
			buf_addc(names, '\0');
		}
	}
	if (ok)
		add_names(d, dir, names);
	return ok;
}

static bool draft_allowed(void *self, const char *path, bool itself, struct exemptions *exempt,
			  struct buf *by, struct err *e)
{
	struct draft *d = self;

	return d->real->allowed(d->real->self, path, itself, exempt, by, e);
}

static bool draft_readlink(void *self, const char *path, struct buf *out, struct err *e)
{
	struct draft *d = self;
	const struct draft_file *f = draft_at(d, path);

	if (!draft_source_is_link(f))
		return d->real->readlink(d->real->self, path, out, e);
	buf_add(out, buf_str(&f->text));
	return true;
}

const struct plan_source *draft_source(struct draft *d, const char *root)
{
	d->name = d->real->name;
	d->source = (struct plan_source){ .self = d,
					  .root = root,
					  .stat = draft_stat,
					  .name = d->name ? draft_name : NULL,
					  .read = draft_read,
					  .list = draft_list,
					  .allowed = draft_allowed,
					  .readlink = draft_readlink,
					  .exempt = d->real->exempt };
	return &d->source;
}

struct doc *draft_doc(struct draft *d, const char *path, bool *gone)
{
	struct draft_file *f = draft_at(d, path);

	*gone = !f && draft_from(d, path);
	if (!f || draft_source_is_link(f))
		return NULL;
	if (!f->doc)
		f->doc = doc_new(path, buf_str(&f->text));
	return f->doc;
}
