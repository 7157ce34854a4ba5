#include "../agent/record.h"
#include "../base/plain.h"
#include "front.h"

/* `oxide records`: what models and agents did. */
static void put_line(const json *row)
{
	struct buf line = BUF_INIT, plain = BUF_INIT;

	buf_addf(&line, "%.*s  %.*s  %.*s  %.*s\n", STR_ARG(json_get_str(row, "timestamp")),
		 STR_ARG(json_get_str(row, "session_id")), STR_ARG(json_get_str(row, "agent.name")),
		 STR_ARG(json_get_str(row, "cwd")));
	plain_add(&plain, buf_str(&line));
	front_put(buf_str(&plain));
	buf_release(&line);
	buf_release(&plain);
}

int front_records(bool as_json, const char *session)
{
	struct err e = ERR_INIT;
	json *v = session || as_json ? record_read(str_of(session), &e) : record_list();

	if (!v) {
		front_say("oxide: %s\n", e.msg);
		return 1;
	}
	if (session || as_json) {
		front_print_json(v);
		return 0;
	}
	json_each(row, v)
		put_line(row);
	json_free(v);
	return 0;
}
