#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/path.h"
#include "recover_impl.h"
#include "txn.h"

/* What the editor has done of a change that it had been asked for (txn.h), and what follows. */

#define LONGEST 16 /* bytes of a claim that are looked at */

bool recover_is_left(const struct recovering *r, size_t i)
{
	return r->hands_off && r->j.file[i].way == WAY_EDITOR;
}

/* Whole or not at all: half a word would say nothing. */
static bool take_claim(struct recovering *r, const char *path, struct err *e)
{
	const struct fs *fs = r->fs;
	struct buf fresh SCOPED(buf_release) = BUF_INIT;
	bool ok;

	buf_addf(&fresh, "%s~", path);
	fs->remove(fs->self, fresh.p, ERR_IGNORED);
	ok = fs->create(fs->self, fresh.p, STR(CLAIM_TAKEN), 0600, e) &&
	     fs->rename(fs->self, fresh.p, path, e);
	if (!ok)
		fs->remove(fs->self, fresh.p, ERR_IGNORED);
	return ok;
}

/* It lives: what it has written counts, or it will find what is written here. */
static bool ask_claim(struct recovering *r, struct err *e)
{
	char *path SCOPED(mem_release) =
		wal_claim_path(r->wal->home, r->j.here.unique, &r->j.editor.process);
	struct buf text SCOPED(buf_release) = BUF_INIT;
	bool taken = take_claim(r, path, e), ok = taken;

	if (!taken && e->code == ERR_CONFLICT) {
		ok = r->fs->peek(r->fs->self, path, FS_UNHELD, 0, LONGEST, &text, e);
		taken = str_starts(buf_str(&text), STR(CLAIM_BACK)) ||
			str_starts(buf_str(&text), STR(CLAIM_TAKEN));
		if (ok && !taken && !str_starts(buf_str(&text), STR(CLAIM_DONE)))
			ok = err_set(e, ERR_CONFLICT,
				     "Neovim (process %" PRIu64 ") is still making this change",
				     r->j.editor.process.pid);
	}
	if (!ok)
		return false;
	/* It stays taken for as long as the editor may still come to what it was asked. */
	r->keep_claim = taken;
	r->mark = taken ? MARK_BACK : MARK_BEGUN;
	return !taken || wal_mark(r->wal, MARK_BACK, true, e);
}

/* Neovim moves a file out of the way, and writes it under its name: a file that is missing while
 * its backup is there was cut off right between. */
static char *backup_of(const struct recovering *r, size_t i)
{
	struct buf path = BUF_INIT;

	buf_addf(&path, "%s~", r->path[i]);
	return buf_detach(&path);
}

static bool find_backup(struct recovering *r, size_t i, char **path, struct err *e)
{
	enum text_is is;
	bool ok;

	*path = backup_of(r, i);
	ok = recover_text_at(r, i, *path, &is, e);
	if (ok && is == IS_OLD)
		return true;
	free(*path);
	*path = NULL;
	return ok;
}

/* The name goes to the disk before the file is written: else its new text might come to light under
 * the other name. */
static bool put_back(struct recovering *r, size_t i, const char *backup, bool absent, struct err *e)
{
	const struct fs *fs = r->fs;
	const char *dir = arena_str(&r->arena, path_dir(str_of(backup))).p;

	return (absent ? fs->rename : fs->replace)(fs->self, backup, r->path[i], e) &&
	       fs->sync_dir(fs->self, dir, e);
}

bool recover_from_backup(struct recovering *r, size_t i, enum text_is *is, struct err *e)
{
	char *backup;
	bool ok = true;

	if (*is != IS_NONE && *is != IS_TORN)
		return true;
	if (!find_backup(r, i, &backup, e))
		return false;
	if (backup) {
		ok = put_back(r, i, backup, *is == IS_NONE, e);
		*is = IS_OLD;
	}
	free(backup);
	return ok;
}

/* Counts what is on the disk of the files that it was to write. */
static bool count(struct recovering *r, size_t *foreign, size_t *written, struct err *e)
{
	enum text_is is;

	for (size_t i = 0; i < r->j.files; i++) {
		char *backup = NULL;

		if (r->j.file[i].way != WAY_EDITOR)
			continue;
		if (!recover_text_at(r, i, r->path[i], &is, e) ||
		    (is == IS_NONE && !find_backup(r, i, &backup, e)))
			return false;
		*written += is == IS_NEW;
		if (is == IS_FOREIGN || (is == IS_NONE && !backup)) {
			++*foreign;
			recover_say(r->report, RECOVER_LEFT, str_of(r->path[i]), 1,
				    "was changed by another program, and was left alone");
		}
		free(backup);
	}
	return true;
}

/* It is dead, and its buffers with it: files that it has not written yet are written for it, if
 * that makes the change whole; else all goes back. Asked again, as after a recovery that was cut
 * short, this says the same. */
static bool go_by_disk(struct recovering *r, struct err *e)
{
	size_t foreign = 0, written = 0;

	if (!count(r, &foreign, &written, e))
		return false;
	r->mark = r->j.editor.alone || (foreign && !written) ? MARK_BACK : MARK_BEGUN;
	if (r->j.editor.alone)
		r->why = "Neovim ended before everything was saved; unsaved text may be in its "
			 "swap files, see :help recovery";
	return true;
}

bool recover_editor(struct recovering *r, struct err *e)
{
	const struct fs_process *editor = &r->j.editor.process;
	bool lives = editor->pid && !r->rebooted && r->fs->lives(r->fs->self, editor);
	enum journal_mark mark = r->mark;

	/* Before it was asked and once its part is done for good its files are nobody's but the
	 * person's. That it was asked may have been lost when the machine stopped. */
	r->hands_off =
		lives || !editor->pid || (mark == MARK_BACK ? !r->rebooted : mark != MARK_EDITOR);
	r->asked = mark == MARK_EDITOR;
	r->keep_claim = lives && mark == MARK_BACK;
	if (!r->asked)
		return true;
	return lives ? ask_claim(r, e) : go_by_disk(r, e);
}

struct str recover_record(struct recovering *r)
{
	char *path SCOPED(mem_release) =
		wal_record_path(r->wal->home, r->j.here.unique, &r->j.editor.process);
	struct buf text SCOPED(buf_release) = BUF_INIT;
	struct str record = STR("");

	if (r->asked && r->fs->read(r->fs->self, path, &text, NULL, ERR_IGNORED))
		record = arena_str(&r->report->arena, buf_str(&text));
	return record;
}

void recover_drop_claim(struct recovering *r)
{
	const struct fs_process *editor = &r->j.editor.process;
	char *claim SCOPED(mem_release) = wal_claim_path(r->wal->home, r->j.here.unique, editor);
	char *record SCOPED(mem_release) = wal_record_path(r->wal->home, r->j.here.unique, editor);

	if (editor->pid)
		r->fs->remove(r->fs->self, record, ERR_IGNORED);
	if (editor->pid && !r->keep_claim)
		r->fs->remove(r->fs->self, claim, ERR_IGNORED);
}

void recover_clear_claims(const struct fs *fs, const char *home)
{
	struct buf names SCOPED(buf_release) = BUF_INIT;
	struct fs_process editor;

	if (!fs->list(fs->self, home, &names, ERR_IGNORED))
		names.n = 0;
	for (size_t at = 0; at < names.n; at += strlen(names.p + at) + 1) {
		struct buf path SCOPED(buf_release) = BUF_INIT;

		if (!wal_is_editors(names.p + at, &editor) || fs->lives(fs->self, &editor))
			continue;
		buf_addf(&path, "%s/%s", home, names.p + at);
		fs->remove(fs->self, path.p, ERR_IGNORED);
	}
}
