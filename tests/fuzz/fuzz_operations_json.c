#include "base/jscan.h"
#include "base/json.h"
#include "fuzz_operations.h"

/* Operations in JSON: an entry is read as it is when it stands alone, a list is refused where one
 * of its entries is, and carried out they give what the plan says. */
static void check_alone(struct str entry, const struct operations *ops, size_t *at, int of,
			bool *refused)
{
	struct operations one = { 0 };
	struct buf list = BUF_INIT;
	struct err e = ERR_INIT;

	buf_addc(&list, '[');
	buf_add(&list, entry);
	buf_addc(&list, ']');
	*refused = !operations_from_json(&one, buf_str(&list), fuzz_path, NULL, &e);
	if (*refused)
		must_say(&e);
	for (size_t i = 0; i < one.n && !*refused; i++, ++*at) {
		must(*at < ops->n && ops->v[*at].of == of && one.v[i].of == 0);
		fuzz_same_operation(&one.v[i], &ops->v[*at]);
	}
	operations_release(&one);
	buf_release(&list);
}

/* Whatever is no JSON is refused with the entry that it stands in, or behind the last. */
static void check_entries(struct str text, const struct operations *ops, bool ok)
{
	struct err e = ERR_INIT;
	struct jscan s = jscan_of(text, &e);
	bool refused = false;
	size_t at = 0;

	jscan_array(&s);
	for (int of = 0; !refused && jscan_item(&s); of++) {
		struct str entry = jscan_raw(&s);

		if (jscan_ok(&s))
			check_alone(entry, ops, &at, of, &refused);
	}
	must(ok == (!refused && jscan_end(&s)));
	must(!ok || at == ops->n);
}

/* What is taken as a list of operations is JSON. */
static void check_tree(struct str text, bool ok)
{
	struct err e = ERR_INIT;
	json *list = ok ? json_parse(text, &e) : NULL;

	if (ok && !list)
		fuzz_fail(__FILE__, __LINE__, e.msg);
	json_free(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = fuzz_input(data, size), text = fuzz_section(&rest);
	struct operations ops = { 0 };
	struct err e = ERR_INIT;
	bool ok = operations_from_json(&ops, text, fuzz_path, NULL, &e);

	check_entries(text, &ops, ok);
	check_tree(text, ok);
	fuzz_operations(&ops, ok, rest, &e);
	return 0;
}
