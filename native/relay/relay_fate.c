
#include "../core/recovery.h"
#include "../servers/servers.h"
#include "relay.h"

json *relay_answer(const struct relay_result *r, struct err *e)
{
	json *v = json_parse(r->answer, e);

	if (v && r->failed)
		err_set(e, err_from_name(json_get_str(v, "error.code").p), "%s",
			json_get_str(v, "error.message").p);
	return v;
}

/* The entry of the change in the history; NULL: there is none. */
static const struct history_entry *find_change(struct oxide *ox, const struct relay_result *r)
{
	const struct history_entry *entry;
	struct err e = ERR_INIT;
	size_t n = 0;

	if (!ox->history || !history_list(ox->history, ox->root, &entry, &n, &e))
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (entry[i].time_ms >= r->written_ms && str_eq(entry[i].title, str_of(r->title)))
			return &entry[i];
	return NULL;
}

/* The editor starts its core again at once, which may be at it this moment. */
static void wait_for_others(void)
{
	struct recover_report left SCOPED(recover_report_release) = { 0 };
	char *home SCOPED(mem_release) = recovery_home();

	if (home)
		recovery_wait(home, RECOVERY_WAIT_MS, &left);
}

json *relay_fate(const struct relay_result *r, struct err *e)
{
	struct oxide_options o = { .root = r->root, .origin = "cli" };
	const struct history_entry *made;
	struct oxide *ox;
	json *v;

	wait_for_others();
	ox = oxide_with_servers(&o, ERR_IGNORED); /* finishes what was left half done */
	made = ox ? find_change(ox, r) : NULL;
	if (made)
		err_set(e, ERR_IO,
			"%s before it answered; the change was made: %s, transaction %.*s",
			r->why.msg, r->title, STR_ARG(made->id));
	else
		err_set(e, ERR_IO,
			"%s while it was writing: %s; it is not in the history, so check the "
			"files before you try again",
			r->why.msg, r->title);
	v = error_object(e);
	if (made)
		json_put(v, "transaction", json_str(made->id));
	if (ox && ox->recovered.notes)
		json_put(v, "recovery", recovery_json(&ox->recovered));
	oxide_free(ox);
	return v;
}
