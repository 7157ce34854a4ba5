#include "recovery.h"

#include <stdlib.h>

#include "../base/log.h"
#include "../base/path.h"
#include "../io/disk.h"
#include "oxide.h"

char *recovery_home(void)
{
	char *state = oxide_state_dir(), *home = state ? path_join(state, "journal") : NULL;

	free(state);
	return home;
}

void recovery_say(struct buf *out, const struct recover_note *n)
{
	switch (n->is) {
	case RECOVER_COMPLETED:
	case RECOVER_TAKEN_BACK:
		buf_addf(out, "%s an interrupted change of %zu file%s in %s",
			 n->is == RECOVER_COMPLETED ? "completed" : "took back", n->files,
			 n->files == 1 ? "" : "s", n->what);
		break;
	case RECOVER_DROPPED:
		buf_addf(out, "dropped %s: it %s", n->what, n->why);
		break;
	case RECOVER_LEFT:
		buf_addf(out, "left %s alone: %s", n->what, n->why);
		break;
	}
}

void recovery_log(const struct recover_report *r)
{
	for (size_t i = 0; i < r->notes; i++) {
		struct buf line = BUF_INIT;

		recovery_say(&line, &r->note[i]);
		log_line(LOG_WARN, "recovery: %s", line.p);
		buf_release(&line);
	}
}

void recovery_run(const char *home, bool wait, struct recover_report *r)
{
	recover_all(disk_fs(), home, wait, NULL, r);
	recovery_log(r);
}

json *recovery_json(const struct recover_report *r)
{
	static const char *const names[] = { [RECOVER_COMPLETED] = "completed",
					     [RECOVER_TAKEN_BACK] = "taken_back",
					     [RECOVER_DROPPED] = "dropped" };
	json *v = json_object(), *done = json_put(v, "recovered", json_array()),
	     *left = json_put(v, "left", json_array());

	for (size_t i = 0; i < r->notes; i++) {
		const struct recover_note *n = &r->note[i];
		bool stays = n->is == RECOVER_LEFT;
		json *row = json_push(stays ? left : done, json_object());

		if (!stays)
			json_put(row, "result", json_strz(names[n->is]));
		json_put(row, stays || n->is == RECOVER_DROPPED ? "path" : "root",
			 json_strz(n->what));
		if (n->is == RECOVER_COMPLETED || n->is == RECOVER_TAKEN_BACK)
			json_put(row, "files", json_int((int64_t)n->files));
		if (n->why)
			json_put(row, "reason", json_strz(n->why));
	}
	return v;
}
