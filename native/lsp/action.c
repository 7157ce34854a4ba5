#include "action.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "scan.h"

json *actions_ask(const struct diag *d)
{
	json *params = proto_doc(d->path);
	struct buf as_given = BUF_INIT;
	json *context;

	buf_add(&as_given, d->raw);
	json_put(params, "range", proto_range(d->range));
	context = json_put(params, "context", json_object());
	json_push(json_put(context, "diagnostics", json_array()), json_raw(&as_given));
	json_push(json_put(context, "only", json_array()), json_strz("quickfix"));
	return params;
}

static void add_action(struct jscan *s, struct actions *out, struct buf *tmp)
{
	struct action a = { STR(""), STR(""), false };
	bool titled = false, disabled = false;
	struct str key;

	for (jscan_object(s); jscan_member(s, &key);)
		if (str_eq(key, STR("title"))) {
			a.title = arena_str(&out->texts, scan_str(s, tmp));
			titled = true;
		} else if (str_eq(key, STR("kind")) && !scan_null(s)) {
			a.kind = arena_str(&out->texts, scan_str(s, tmp));
		} else if (str_eq(key, STR("isPreferred")) && !scan_null(s)) {
			a.preferred = jscan_bool(s);
		} else if (str_eq(key, STR("disabled")) && !scan_null(s)) {
			disabled = true;
			jscan_skip(s);
		} else if (!str_eq(key, STR("kind")) && !str_eq(key, STR("isPreferred")) &&
			   !str_eq(key, STR("disabled"))) {
			jscan_skip(s);
		}
	if (!titled)
		scan_fail(s, ERR_PROTOCOL, "an action lacks its title");
	if (disabled)
		return;
	out->v = mem_grow(out->v, &out->cap, out->n + 1, sizeof(*out->v));
	out->v[out->n++] = a;
}

bool actions_read(struct str raw, struct actions *out, struct err *e)
{
	struct jscan s = jscan_of(raw, e);
	struct buf tmp = BUF_INIT;

	*out = (struct actions){ 0 };
	for (bool any = !scan_null(&s) && jscan_array(&s); any && jscan_item(&s);)
		add_action(&s, out, &tmp);
	buf_release(&tmp);
	if (scan_end(&s))
		return true;
	actions_release(out);
	return err_in(e, "code actions");
}

void actions_release(struct actions *a)
{
	free(a->v);
	arena_release(&a->texts);
	*a = (struct actions){ 0 };
}
