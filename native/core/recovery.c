#include "recovery.h"

#include <time.h>

#include "../base/log.h"
#include "../base/path.h"
#include "../edit/history.h"
#include "../io/disk.h"
#include "oxide.h"

char *recovery_home(void)
{
	char *state SCOPED(mem_release) = oxide_state_dir();

	return state ? path_join(state, "journal") : NULL;
}

void recovery_say(struct buf *out, const struct recover_note *n)
{
	switch (n->is) {
	case RECOVER_COMPLETED:
	case RECOVER_TAKEN_BACK:
		buf_addf(out, "%s an interrupted change of %zu file%s in %s",
			 n->is == RECOVER_COMPLETED ? "completed" : "rolled back", n->files,
			 n->files == 1 ? "" : "s", n->what);
		if (n->why)
			buf_addf(out, ": %s", n->why);
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
		struct buf line SCOPED(buf_release) = BUF_INIT;

		recovery_say(&line, &r->note[i]);
		log_line(LOG_WARN, "recovery: %s", line.p);
	}
}

static void remember(void *arg, const struct recover_note *n)
{
	struct history *h = arg;
	const struct history_entry *last = history_last(h, n->what);
	struct buf id SCOPED(buf_release) = BUF_INIT;
	struct err e = ERR_INIT;

	/* Its core, or a recovery that was cut short, may have come to do so itself. */
	if (!(last && last->time_ms == n->time_ms) &&
	    !history_add(h, n->record, n->what, n->time_ms, &id, &e))
		log_line(LOG_WARN, "recovery: cannot be rolled back: %s", e.msg);
	if (id.n)
		history_prune(h);
}

void recovery_remember(const struct recover_report *r, struct history *h)
{
	for (size_t i = 0; h && i < r->notes; i++)
		if (r->note[i].record.n)
			remember(h, &r->note[i]);
}

/* A journal that is held is another's, and finished by him; but one who was killed is not gone as
 * soon as he seems to be. */
#define NAP_MS 5

void recovery_wait(const char *home, int wait_ms, struct recover_report *r)
{
	uint64_t busy = 0;
	struct err e = ERR_INIT;

	for (; recover_look(disk_fs(), home, 0, true, &busy, &e) && busy && wait_ms > 0;
	     wait_ms -= NAP_MS)
		nanosleep(&(struct timespec){ .tv_nsec = NAP_MS * 1000000L }, NULL);
	for (unsigned i = 0; i < WAL_SLOTS && !e.code; i++)
		if (busy >> i & 1) {
			struct buf path SCOPED(buf_release) = BUF_INIT;

			buf_addf(&path, "%s/%u.journal", home, i);
			recover_say(r, RECOVER_LEFT, buf_str(&path), 0,
				    "another Oxide process is working on this change");
		}
}

void recovery_run(const char *home, struct history *h, bool wait, struct recover_report *r)
{
	r->keep = h ? remember : NULL;
	r->keep_arg = h;
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
