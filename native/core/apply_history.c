#include <string.h>

#include "apply_impl.h"

void apply_record(struct apply *a)
{
	struct history_about about = { a->root,	   a->origin,	a->title,     a->turn,
				       a->time_ms, a->projects, a->n_projects };

	/* What is undone can be made again by the record of that; a turn by the texts it keeps. */
	if (!a->redoes && !strchr(a->undoes, '\n') && plan_files(a->plan))
		history_record(&a->record, a->plan, &about);
}

void apply_remember(struct apply *a)
{
	struct err e = ERR_INIT;

	if (!a->ox->history)
		buf_adds(apply_warning(a),
			 "this change cannot be undone: no directory for the history; "
			 "set XDG_STATE_HOME to a writable directory");
	else if (a->record.n &&
		 !history_add(a->ox->history, buf_str(&a->record), a->root, a->time_ms, &a->id, &e))
		buf_addf(apply_warning(a), "this change cannot be undone: %s", e.msg);
}

void apply_mark_undone(struct apply *a)
{
	struct str rest = str_of(a->undoes), id;
	struct err kept = ERR_INIT;

	if (a->record.n && !history_add_redo(a->ox->history, rest, buf_str(&a->record), &kept))
		buf_addf(apply_warning(a), "this cannot be redone: %s", kept.msg);
	while (str_line(&rest, &id)) {
		struct err e = ERR_INIT;

		if (!history_mark(a->ox->history, id, !a->redoes, &e))
			buf_addf(apply_warning(a), "%s", e.msg);
	}
}

void apply_forget(struct apply *a)
{
	struct err kept = ERR_INIT;

	if (a->ahead)
		buf_clear(&a->warning); /* that it cannot be undone */
	if (a->id.n && !history_remove(a->ox->history, buf_str(&a->id), &kept))
		buf_addf(apply_warning(a), "%s stays in the history: %s", a->id.p, kept.msg);
	buf_clear(&a->id);
}
