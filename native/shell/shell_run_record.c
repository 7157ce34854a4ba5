#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/log.h"
#include "../base/retry.h"
#include "../core/oxide.h"
#include "../front/front.h"
#include "../io/disk.h"
#include "shell_run.h"

static json *run_agent(const struct run *r)
{
	json *command = json_array();

	for (char **word = r->command; *word; word++)
		json_push(command, json_strz(*word));
	return json_of({ "name", json_strz(r->name) }, { "engine", json_strz("terminal") },
		       { "command", command });
}

/* What it prints and what it logs say the same: the first that says anything is believed. */
static void run_on_logged(void *self, struct str bytes)
{
	struct run *r = self;

	if (!collect_has_told(r->collect))
		collect_feed(r->logged, bytes);
}

static struct collect *run_collect(struct run *r, const char *reader, struct collect_source *source,
				   struct err *e)
{
	char *path SCOPED(mem_release) = agent_reader_path(r->ox, str_of(reader), e);

	source->reader = path;
	return path ? collect_new(r->ox, r->record, source, e) : NULL;
}

static void run_log_start(struct run *r)
{
	struct collect_source source = { NULL, "log", true, r->started_ms };
	struct session_log_spec spec = { .name = r->name,
					 .log = r->log,
					 .set = (const char *const *)r->preset.set,
					 .cwd = r->cwd,
					 .pid = pty_pid(r->pty),
					 .since_ms = r->started_ms,
					 .feed = run_on_logged,
					 .self = r };
	struct err e = ERR_INIT;

	if (!r->log)
		return;
	r->logged = run_collect(r, r->name, &source, &e);
	if (r->logged)
		r->session_log = session_log_new(r->ox, &spec);
	else
		log_line(LOG_WARN, "%s: its session log is not read: %s", r->name, e.msg);
}

/* By the agent's own reader; what is no agent is read as any program. */
static void run_reading_start(struct run *r)
{
	struct collect_source source = { .kind = "terminal", .live = true };
	struct err e = ERR_INIT;

	r->collect = run_collect(r, r->name, &source, &e);
	if (!r->collect && e.code == ERR_NOT_FOUND) {
		e = (struct err)ERR_INIT;
		r->collect = run_collect(r, "plain", &source, &e);
	}
	if (!r->collect)
		log_line(LOG_WARN, "%s: what it prints is not read: %s", r->name, e.msg);
}

void run_record_start(struct run *r)
{
	struct record_session session = { .id = r->session, .cwd = r->cwd };

	session.agent = run_agent(r);
	r->record = record_new(r->ox, &session);
	r->raw = record_open_raw(r->record);
	run_reading_start(r);
	run_log_start(r);
}

static void run_raw_end(struct run *r, const char *why)
{
	err_set(&r->raw_lost, ERR_IO, "its output is recorded up to byte %llu: %s",
		(unsigned long long)r->raw_bytes, why);
	log_line(LOG_WARN, "%s: %s", r->name, r->raw_lost.msg);
	close(r->raw);
	r->raw = -1;
}

static void run_raw_keep(struct run *r, struct str bytes)
{
	uint64_t most = (uint64_t)config_get(&r->ox->config, CFG_RECORDS_RAW);

	if (r->raw < 0)
		return;
	if (r->raw_bytes + bytes.n > most)
		run_raw_end(r, "it is longer than records.raw_bytes");
	else if (!disk_write_all(r->raw, bytes))
		run_raw_end(r, strerror(errno));
	else
		r->raw_bytes += bytes.n;
}

void run_record_output(struct run *r, struct str bytes)
{
	run_raw_keep(r, bytes);
	if (r->collect && !collect_has_told(r->logged))
		collect_feed(r->collect, bytes);
	session_log_stir(r->session_log);
}

static void run_reading_stop(struct run *r, struct collect **c)
{
	if (*c && collect_broken(*c))
		log_line(LOG_WARN, "%s: its reader has failed: %s", r->name, collect_broken(*c));
	collect_free(*c);
	*c = NULL;
}

static json *run_reading_end(struct run *r)
{
	json *members = json_of({ "exit", json_copy(r->exit) }), *agent;
	struct collect *said;

	said = collect_has_told(r->logged) ? r->logged : r->collect;
	if (said) {
		agent = run_agent(r);
		collect_end(said, r->exit, members, agent);
		json_put(members, "agent", agent);
	}
	run_reading_stop(r, &r->collect);
	run_reading_stop(r, &r->logged);
	return members;
}

void run_record_stop(struct run *r)
{
	session_log_finish(r->session_log);
	session_log_free(r->session_log);
	r->session_log = NULL;
}

static bool run_write_json(struct run *r, struct err *e)
{
	json *whole SCOPED(json_release) = record_whole(r->record, e);
	struct buf text SCOPED(buf_release) = BUF_INIT;
	struct stat st;
	bool ok;
	int fd;

	if (!whole)
		return false;
	json_print(&text, whole);
	buf_addc(&text, '\n');
	RETRY(fd, open(r->json_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
	ok = fd >= 0 && disk_write_all(fd, buf_str(&text));
	if (!ok)
		err_set(e, ERR_IO, "%s: %s; `oxide records --json` has the record", r->json_path,
			strerror(errno));
	if (!ok && fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
		unlink(r->json_path); /* half of it would be taken for a record */
	if (fd >= 0 && close(fd) && ok)
		ok = err_set(e, ERR_IO, "%s: %s", r->json_path, strerror(errno));
	return ok;
}

bool run_record_end(struct run *r, struct err *e)
{
	struct err exported = ERR_INIT;
	const char *why;
	bool ok;

	if (!r->record)
		return true;
	if (r->raw >= 0)
		close(r->raw);
	ok = record_end(r->record, run_reading_end(r), &exported);
	why = record_incomplete(r->record);
	if (why)
		front_say("oxide: its record is incomplete: %s\n", why);
	if (r->json_path && !run_write_json(r, e))
		ok = false;
	else if (!ok)
		*e = exported;
	record_free(r->record);
	r->record = NULL;
	return ok;
}
