#include <string.h>

#include "../base/plain.h"
#include "../record/record.h"
#include "../servers/servers.h"
#include "command.h"

/* `oxide records`: what models and agents did. */
static void cmd_records_put_line(const json *row)
{
	struct buf line SCOPED(buf_release) = BUF_INIT, plain SCOPED(buf_release) = BUF_INIT;

	buf_addf(&line, "%.*s  %.*s  %.*s  %.*s\n", STR_ARG(json_get_str(row, "timestamp")),
		 STR_ARG(json_get_str(row, "session_id")), STR_ARG(json_get_str(row, "agent.name")),
		 STR_ARG(json_get_str(row, "cwd")));
	plain_add(&plain, buf_str(&line));
	front_put(buf_str(&plain));
}

static int records_failed(const struct err *e)
{
	front_say("oxide: %s\n", e->msg);
	return 1;
}

static int show_records(bool as_json, const char *session)
{
	struct err e = ERR_INIT;
	json *v = session || as_json ? record_read(str_of(session ? session : ""), &e)
				     : record_list();

	if (!v)
		return records_failed(&e);
	if (session || as_json) {
		front_print_json(v);
		return 0;
	}
	json_each(row, v)
		cmd_records_put_line(row);
	json_free(v);
	return 0;
}

/* Writes it as one JSON file, and prints where. */
static int export_record(const struct oxide_options *o, const char *session, bool raw)
{
	struct err e = ERR_INIT;
	struct buf path SCOPED(buf_release) = BUF_INIT;
	struct oxide *ox = oxide_with_servers(o, &e);
	bool ok = ox && record_export(ox, str_of(session ? session : ""), raw, &path, &e);

	buf_addc(&path, '\n');
	if (ok)
		front_put(buf_str(&path));
	oxide_free(ox);
	return ok ? 0 : records_failed(&e);
}

int cmd_records(const struct oxide_options *o, bool as_json, int argc, char **argv)
{
	const char *session = NULL;
	bool raw = false, export = false;
	struct err e = ERR_INIT;

	for (int i = 0; i < argc; i++)
		if (!strcmp(argv[i], "--reader") || !strcmp(argv[i], "--kind"))
			return cmd_records_read(o, argc, argv);
	for (int i = 0; i < argc && !e.code; i++)
		if (!strcmp(argv[i], "--export"))
			export = true;
		else if (!strcmp(argv[i], "--raw"))
			raw = true;
		else if (argv[i][0] == '-')
			err_set(&e, ERR_INVALID, "unknown option %s", argv[i]);
		else if (session)
			err_set(&e, ERR_INVALID, "records takes one session, not %s and %s too",
				session, argv[i]);
		else
			session = argv[i];
	if (!e.code && raw && !export)
		err_set(&e, ERR_INVALID, "--raw needs --export");
	if (e.code)
		return front_refuse("records", &e);
	return export ? export_record(o, session, raw) : show_records(as_json, session);
}
