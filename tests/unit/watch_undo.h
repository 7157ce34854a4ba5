#ifndef OX_TEST_WATCH_UNDO_H
#define OX_TEST_WATCH_UNDO_H

/* The history's way back for what watch_rig.h has caught, carried out without an editor. Include
 * watch_rig.h first. */

/* What `undo` would do to the files, as a diff. */
static void undo(enum history_way way)
{
	struct plan *p = plan_new(workspace_source(ox->workspace, ox->root));
	struct history_turn t = { 0 };
	struct err e = ERR_INIT;
	size_t n;

	if (!history_turn(ox->history, ox->root, STR(""), way, p, &t, &e) || !plan_finish(p, &e))
		fail_msg("%s", e.msg);
	for (const struct txn_file *f = plan_states(p, &n); n; n--, f++) {
		if (!f->exists || f->was_link != (f->mode == MODE_LINK))
			unlink(f->path);
		if (f->exists && f->mode == MODE_LINK) {
			char *to = mem_dup(f->now.p, f->now.n);

			unlink(f->path);
			assert_int_equal(symlink(to, f->path), 0);
			free(to);
		} else if (f->exists) {
			struct buf text = BUF_INIT;
			FILE *out = fopen(f->path, "w");

			assert_non_null(out);
			if (f->edits)
				edits_apply(f->edits, f->was, &text);
			else
				buf_add(&text, f->now);
			fwrite(buf_str(&text).p, 1, text.n, out);
			fclose(out);
			if (f->mode)
				chmod(f->path, f->mode & 0777);
			buf_release(&text);
		}
	}
	history_turn_release(&t);
	plan_free(p);
}

#endif
