#include <stdlib.h>

#include "../base/bytes.h"
#include "../tool/tool.h"
#include "front.h"

static bool put_bool(json *args, const struct param *p, struct str value, struct err *e)
{
	static const char *const yes[] = { "true", "yes", "on", "1", NULL };
	static const char *const no[] = { "false", "no", "off", "0", NULL };
	bool is = str_among(value, yes);

	if (!is && !str_among(value, no))
		return err_set(e, ERR_INVALID, "%s must be true or false, not \"%s\"", p->name,
			       value.p);
	json_put(args, p->name, json_bool(is));
	return true;
}

/* "1,2" or "1-2" for a list of numbers, beside JSON, whose text is looked at with the rest. */
static bool put_list(json *args, const struct param *p, struct str value, struct err *e)
{
	struct buf list SCOPED(buf_release) = BUF_INIT, text = BUF_INIT;
	size_t digits = 0;

	buf_addc(&list, '[');
	for (size_t i = 0; i < value.n; i++) {
		bool digit = value.p[i] >= '0' && value.p[i] <= '9';

		if (!digit && (!digits || (value.p[i] != ',' && value.p[i] != '-')))
			break;
		digits = digit ? digits + 1 : 0;
		buf_addc(&list, digit ? value.p[i] : ',');
	}
	buf_addc(&list, ']');
	if (digits && list.n == value.n + 2)
		json_put(args, p->name, json_str(buf_str(&list)));
	else if (*value.p == '[') {
		buf_add(&text, value);
		bytes_read_json(&text);
		json_put(args, p->name, json_take(&text));
	} else
		err_set(e, ERR_INVALID,
			"%s must be a JSON array, or numbers such as 1,2, not \"%s\"", p->name,
			value.p);
	return !e->code;
}

bool front_put_typed(json *args, const struct param *p, struct str value, struct err *e)
{
	struct buf text = BUF_INIT;
	char *end;

	if (p->type == P_INT || p->type == P_INDEX) {
		long n = strtol(value.p, &end, 10);

		if (!value.n || *end)
			return err_set(e, ERR_INVALID, "%s must be an integer, not \"%s\"", p->name,
				       value.p);
		json_put(args, p->name, json_int(n));
	} else if (p->type == P_BOOL) {
		return put_bool(args, p, value, e);
	} else if (p->type == P_LIST) {
		return put_list(args, p, value, e);
	} else { /* what an answer showed is taken back, and what is not UTF-8 stays as it is */
		buf_add(&text, value);
		bytes_read(&text);
		json_put(args, p->name, json_take(&text));
	}
	return true;
}
