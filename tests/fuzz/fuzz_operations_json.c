#include "fuzz_operations.h"

/* Operations in JSON: an entry is read as it is when it stands alone, a list is refused where one
 * of its entries is, and carried out they give what the plan says. */
static void check_alone(const json *entry, const struct operations *ops, size_t *at, int of,
			bool *refused)
{
	struct operations one = { 0 };
	json *list = json_array();
	struct err e = ERR_INIT;

	json_push(list, json_copy(entry));
	*refused = !operations_from_json(&one, list, fuzz_path, NULL, &e);
	if (*refused)
		must_say(&e);
	for (size_t i = 0; i < one.n && !*refused; i++, ++*at) {
		must(*at < ops->n && ops->v[*at].of == of && one.v[i].of == 0);
		fuzz_same_operation(&one.v[i], &ops->v[*at]);
	}
	operations_release(&one);
	json_free(list);
}

static void check_entries(const json *list, const struct operations *ops, bool ok)
{
	bool refused = false;
	size_t at = 0;
	int of = 0;

	json_each(entry, list)
	{
		if (refused)
			break;
		check_alone(entry, ops, &at, of++, &refused);
	}
	must(ok == !refused);
	must(!ok || at == ops->n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = fuzz_input(data, size), text = fuzz_section(&rest);
	struct operations ops = { 0 };
	struct err e = ERR_INIT;
	json *list = json_parse(text, &e);
	bool ok = list && operations_from_json(&ops, list, fuzz_path, NULL, &e);

	if (list)
		check_entries(list, &ops, ok);
	fuzz_operations(&ops, ok, rest, &e);
	json_free(list);
	return 0;
}
