#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "../agent/agent_preset.h"
#include "../base/retry.h"
#include "../record/collect.h"
#include "../servers/servers.h"
#include "command.h"

#define READ_PART 65536

/* `oxide records --reader AGENT [--kind KIND] FILE`: the record of what an agent printed, logged or
 * told its hooks elsewhere. */
struct records_read {
	const char *reader, *kind, *file; /* as they were asked for */
	struct oxide *ox;
};

/* All of the file, as it comes. */
static bool feed_file(struct collect *c, const char *file, struct err *e)
{
	static char part[READ_PART];
	bool std = !strcmp(file, "-");
	int fd = std ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
	ssize_t n = 0;

	while (fd >= 0) {
		RETRY(n, read(fd, part, sizeof(part)));
		if (n <= 0)
			break;
		collect_feed(c, (struct str){ part, (size_t)n });
	}
	if (fd < 0 || n < 0)
		err_set(e, ERR_IO, "%s: %s", file, strerror(errno));
	if (fd >= 0 && !std)
		close(fd);
	return !e->code;
}

/* `agent` is taken. */
static bool print_record(struct record *record, struct collect *c, json *agent, struct err *e)
{
	json *members = json_object(), *whole;

	collect_end(c, NULL, members, agent);
	json_put(members, "agent", agent);
	record_know(record, members);
	whole = record_whole(record, e);
	if (whole)
		front_print_json(whole);
	if (collect_broken(c) && !e->code)
		err_set(e, ERR_INVALID, "the reader has failed: %s", collect_broken(c));
	return whole;
}

static bool read_record(struct records_read *r, struct err *e)
{
	char *path SCOPED(mem_release) = agent_reader_path(r->ox, str_of(r->reader), e);
	struct collect_source source = { .reader = path, .kind = r->kind };
	json *agent =
		json_of({ "name", json_strz(r->reader) }, { "engine", json_strz("terminal") });
	struct record_session session = { "unknown", json_copy(agent), "", true };
	struct record *record = record_new(r->ox, &session);
	struct collect *c = path ? collect_new(r->ox, record, &source, e) : NULL;

	if (c && feed_file(c, r->file, e))
		print_record(record, c, agent, e);
	else
		json_free(agent);
	collect_free(c);
	record_free(record);
	return !e->code;
}

static bool is_kind(const char *kind)
{
	static const char *const kinds[] = {
		"stream", "log", "hooks", "dialogue", "terminal", NULL
	};

	return str_among(str_of(kind), kinds);
}

static bool read_words(struct records_read *r, int argc, char **argv, struct err *e)
{
	for (int i = 0; i < argc; i++) {
		bool reader = !strcmp(argv[i], "--reader"), kind = !strcmp(argv[i], "--kind");

		if ((reader || kind) && i + 1 == argc)
			return err_set(e, ERR_INVALID, "%s needs a value", argv[i]);
		if (reader)
			r->reader = argv[++i];
		else if (kind)
			r->kind = argv[++i];
		else if (argv[i][0] == '-' && argv[i][1])
			return err_set(e, ERR_INVALID, "unknown option %s, or not with --reader",
				       argv[i]);
		else if (r->file)
			return err_set(e, ERR_INVALID, "--reader takes one file, not %s and %s too",
				       r->file, argv[i]);
		else
			r->file = argv[i];
	}
	if (r->kind && !is_kind(r->kind))
		return err_set(e, ERR_INVALID,
			       "--kind must be stream, log, hooks, dialogue or terminal, not %s",
			       r->kind);
	if (!r->reader)
		return err_set(e, ERR_INVALID, "--kind needs --reader");
	return r->file || err_set(e, ERR_INVALID, "--reader needs a file, or - for standard input");
}

int cmd_records_read(const struct oxide_options *o, int argc, char **argv)
{
	struct records_read r = { 0 };
	struct err e = ERR_INIT;
	bool ok;

	if (!read_words(&r, argc, argv, &e))
		return front_refuse("records", &e);
	r.ox = oxide_with_servers(o, &e);
	ok = r.ox && read_record(&r, &e);
	if (e.code)
		front_say("oxide: %s\n", e.msg);
	oxide_free(r.ox);
	return ok ? 0 : 1;
}
