#include "record_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/base64.h"
#include "../base/path.h"
#include "../io/disk.h"

#define RAW_MOST (64u << 20) /* bytes of output that go into JSON; more stay beside it */

bool record_write(const json *whole, struct str directory, const char *name, struct buf *path,
		  struct err *e)
{
	const struct fs *fs = disk_fs();
	struct buf text SCOPED(buf_release) = BUF_INIT;
	bool ok;

	buf_add(path, directory);
	if (path->n > 1 && path->p[path->n - 1] == '/')
		path->p[--path->n] = '\0';
	ok = oxide_make_dirs(path->p) ||
	     err_set(e, ERR_IO, "%s cannot be made: %s", path->p, strerror(errno));
	buf_addf(path, "/%s.json", name);
	json_print(&text, whole);
	buf_addc(&text, '\n');
	fs->remove(fs->self, path->p, ERR_IGNORED); /* an earlier one */
	return ok && fs->create(fs->self, path->p, buf_str(&text), 0600, e);
}

static bool add_raw(json *whole, const char *record, struct err *e)
{
	const struct fs *fs = disk_fs();
	char *path SCOPED(mem_release) = record_raw_path(record);
	struct buf raw SCOPED(buf_release) = BUF_INIT, text = BUF_INIT;
	struct fs_stat st;
	bool ok = fs->stat(fs->self, path, &st, e);

	if (ok && st.size > RAW_MOST)
		ok = err_set(e, ERR_LIMIT, "%s is larger than %u MB; it stays there", path,
			     RAW_MOST >> 20);
	ok = ok && fs->read(fs->self, path, &raw, NULL, e);
	if (ok) {
		base64_add(&text, buf_str(&raw));
		json_put(whole, "raw_output", json_take(&text));
	}
	return ok;
}

bool record_export(const struct oxide *ox, struct str session, bool raw, struct buf *path,
		   struct err *e)
{
	const struct fs *fs = disk_fs();
	struct str directory = json_get_str(ox->configuration, "records.directory"), name;
	char *from SCOPED(mem_release) = record_path(session, e), *bare SCOPED(mem_release) = NULL;
	struct buf text SCOPED(buf_release) = BUF_INIT;
	json *whole SCOPED(json_release) = NULL;

	if (from && fs->read(fs->self, from, &text, NULL, e))
		whole = record_of_lines(buf_str(&text));
	if (!whole || (raw && !add_raw(whole, from, e)))
		return false;
	name = path_base(str_of(from));
	bare = path_join("/", name.p);
	bare[strlen(bare) - strlen(".jsonl")] = '\0';
	return record_write(whole, directory.n ? directory : STR("."), bare + 1, path, e);
}
