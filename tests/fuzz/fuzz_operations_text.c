#include "base/json.h"
#include "base/utf.h"
#include "fuzz_operations.h"

/* Operations in the text form: said in JSON they are the same, and carried out they give what the
 * plan says. */
static json *say(const struct operation *op)
{
	json *v = json_object();

	json_add(v, "edit_type", json_strz(operation_name(op->kind)));
	json_add(v, "file_path", json_strz(op->path));
	if (op->kind == OPERATION_REPLACE) {
		json_add(v, "old_string", json_str(op->find));
		json_add(v, "new_string", json_str(op->with));
		return v;
	}
	json_add(v, "line_number", json_int((int64_t)op->line));
	if (op->kind == OPERATION_INSERT)
		json_add(v, "content", json_str(op->with));
	else
		json_add(v, "line_count", json_int((int64_t)op->count));
	return v;
}

static void check_in_json(const struct operations *ops)
{
	struct operations again = { 0 };
	struct buf text = BUF_INIT;
	json *list = json_array();
	struct err e = ERR_INIT;

	for (size_t i = 0; i < ops->n; i++)
		json_push(list, say(&ops->v[i]));
	json_print(&text, list);
	if (!operations_from_json(&again, buf_str(&text), fuzz_path, NULL, &e))
		fuzz_fail(__FILE__, __LINE__, e.msg);
	must(again.n == ops->n);
	for (size_t i = 0; i < ops->n; i++) {
		must(again.v[i].of == ops->v[i].of);
		fuzz_same_operation(&again.v[i], &ops->v[i]);
	}
	operations_release(&again);
	buf_release(&text);
	json_free(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = fuzz_input(data, size), text = fuzz_section(&rest);
	struct operations ops = { 0 };
	struct err e = ERR_INIT;
	bool ok = operations_from_text(&ops, text, fuzz_path, NULL, &e);

	must(!ok || ops.n);
	/* JSON has no other texts. */
	if (ok && utf_clean(text) && !memchr(text.p, '\0', text.n))
		check_in_json(&ops);
	fuzz_operations(&ops, ok, rest, &e);
	return 0;
}
