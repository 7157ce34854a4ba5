#include "../base/path.h"
#include "../text/diff.h"
#include "../text/merge.h"
#include "../text/patch.h"
#include "acp_impl.h"

/*
 * What an agent would change itself, as it tells before it does, as a change of what the user sees:
 * the buffer's text, saved or not.
 */
static size_t places_of(struct str text, struct str part, size_t *at)
{
	size_t n = 0;
	ptrdiff_t found;

	for (size_t from = 0; part.n && n < 2; n++, from = *at + part.n) {
		found = str_find(str_sub(text, from, text.n), part);
		if (found < 0)
			break;
		*at = from + (size_t)found;
	}
	return n;
}

static void replace_at(struct str text, size_t at, size_t n, struct str by, struct buf *out)
{
	buf_add(out, str_sub(text, 0, at));
	buf_add(out, by);
	buf_add(out, str_sub(text, at + n, text.n));
}

/* What would become of `text`: appended to `whole`. The agent names whole texts, or fragments that
 * are in one place, or the whole text of a file that has unsaved changes, which are kept. */
static bool texts_after(const char *path, const json *part, struct str text, struct buf *whole)
{
	struct str old = json_get_str(part, "oldText"), now = json_get_str(part, "newText");
	struct merge m = MERGE_INIT;
	size_t at = 0;
	bool ok = true;

	if (str_eq(old, text) || !old.n) {
		buf_add(whole, now);
	} else if (places_of(text, old, &at) == 1) {
		replace_at(text, at, old.n, now, whole);
	} else {
		ok = acp_disk_has_text(path, old) && merge_texts(&m, old, now, text);
		if (ok)
			edits_apply(&m.edits, text, whole);
		merge_release(&m);
	}
	return ok;
}

bool acp_fragment_whole(const char *path, struct str old, struct str now, struct buf *whole_old,
			struct buf *whole_now)
{
	struct buf disk SCOPED(buf_release) = BUF_INIT;
	struct str text;
	size_t at = 0;
	bool made, ok;

	ok = old.n && acp_disk_text(path, &disk);
	text = buf_str(&disk);
	made = ok && places_of(text, now, &at) == 1;
	ok = made || (ok && places_of(text, old, &at) == 1);
	if (ok) {
		replace_at(text, at, made ? now.n : old.n, old, whole_old);
		replace_at(text, at, made ? now.n : old.n, now, whole_now);
	}
	return ok;
}

static bool patch_text_after(struct str hunks, struct str text, struct buf *whole)
{
	struct patch_failure why = { 0 };
	struct edits edits SCOPED(edits_release) = EDITS_INIT;
	struct edit_clash clash;
	struct patch p;
	enum match how;
	bool ok = patch_parse_of_one(&p, hunks, ERR_IGNORED);

	if (!ok)
		return false;
	ok = p.files == 1 && patch_locate(&p, &p.file[0], text, &edits, &how, &why, ERR_IGNORED) &&
	     edits_check(&edits, text.n, &clash);
	if (ok)
		edits_apply(&edits, text, whole);
	candidates_release(&why.near);
	patch_release(&p);
	return ok;
}

/* Hunks of what is on the disk, which the user may have unsaved changes of. */
static bool hunks_after(const char *path, struct str hunks, struct str text, struct buf *whole)
{
	struct buf disk SCOPED(buf_release) = BUF_INIT, after SCOPED(buf_release) = BUF_INIT;
	struct merge m SCOPED(merge_release) = MERGE_INIT;
	bool ok = acp_disk_text(path, &disk) && patch_text_after(hunks, buf_str(&disk), &after) &&
		  merge_texts(&m, buf_str(&disk), buf_str(&after), text);

	if (ok)
		edits_apply(&m.edits, text, whole);
	return ok;
}

static bool plan_texts(struct plan *p, const char *path, const json *part)
{
	struct op create = { .kind = OP_CREATE, .path = path };
	struct edits edits SCOPED(edits_release) = EDITS_INIT;
	struct op spans = { .kind = OP_SPANS, .path = path, .spans = &edits, .exact = true };
	struct str hunks = json_get_str(part, "patch"), text;
	struct buf whole SCOPED(buf_release) = BUF_INIT;
	bool ok = true;

	if (!plan_text(p, path, &text, ERR_IGNORED)) {
		ok = !json_get_str(part, "oldText").n && !hunks.n &&
		     plan_add(p, &create, ERR_IGNORED);
		text = STR("");
	}
	ok = ok && (hunks.n ? hunks_after(path, hunks, text, &whole)
			    : texts_after(path, part, text, &whole));
	if (ok)
		diff_edits(&edits, text, buf_str(&whole));
	return ok && plan_add(p, &spans, ERR_IGNORED);
}

bool acp_plan_part(struct acp_program *of, struct plan *p, const json *part)
{
	struct buf path SCOPED(buf_release) = BUF_INIT, to SCOPED(buf_release) = BUF_INIT;
	struct op remove = { .kind = OP_REMOVE }, rename = { .kind = OP_RENAME };
	bool ok = true;

	path_normal(&path, of->cwd, json_get_str(part, "path"));
	remove.path = rename.path = path.p;
	if (json_get_bool(part, "gone", false))
		ok = plan_add(p, &remove, ERR_IGNORED);
	else if (!json_get_str(part, "newPath").n || json_get_str(part, "patch").n)
		ok = plan_texts(p, path.p, part);
	if (ok && json_get_str(part, "newPath").n) {
		path_normal(&to, of->cwd, json_get_str(part, "newPath"));
		rename.new_path = to.p;
		ok = plan_add(p, &rename, ERR_IGNORED);
	}
	return ok;
}
