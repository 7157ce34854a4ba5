#include "diag_rows.h"

#include "places.h"

static void put_rows(struct call *c, const struct diag *const *v, size_t n, json *result)
{
	json *list = json_put(result, "diagnostics", json_array());
	struct places places;
	struct place at;

	places_init(&places, call_oxide(c));
	for (size_t i = 0; i < n; i++) {
		places_look(&places, v[i]->path, &v[i]->range, v[i]->enc, &at);
		json_push(list, place_diag(c, v[i], &at));
	}
	places_release(&places);
}

static void put_text(struct buf *list, struct str s)
{
	if (list->n)
		buf_addc(list, ',');
	json_quote(list, s);
}

static void put_flat(struct call *c, const struct diag *const *v, size_t n, json *result)
{
	struct buf severity = BUF_INIT, code = BUF_INIT, source = BUF_INIT, message = BUF_INIT,
		   out = BUF_INIT;
	const struct place nowhere = { 0 };
	struct flat flat = { 0 };
	struct places places;
	struct place at;

	places_init(&places, call_oxide(c));
	for (size_t i = 0; i < n; i++) {
		places_look(&places, v[i]->path, &v[i]->range, v[i]->enc, &at);
		flat_add(&flat, v[i]->path, v[i]->lineless ? &nowhere : &at);
		buf_addf(&severity, i ? ",%d" : "%d", (int)v[i]->severity);
		put_text(&code, v[i]->code);
		put_text(&source, v[i]->source);
		put_text(&message, v[i]->message);
	}
	flat_begin(&flat, &out);
	buf_addf(&out, ",\"severity\":[%s],\"code\":[%s],\"source\":[%s],\"message\":[%s]}",
		 buf_str(&severity).p, buf_str(&code).p, buf_str(&source).p, buf_str(&message).p);
	json_put(result, "flat", json_raw(&out));
	places_release(&places);
	flat_release(&flat);
	buf_release(&severity);
	buf_release(&code);
	buf_release(&source);
	buf_release(&message);
}

static json *counts_of(const struct diag_counts *counts)
{
	json *by = json_object();

	for (int s = DIAG_ERROR; s <= DIAG_HINT; s++)
		json_put(by, diag_severity_name((enum diag_severity)s),
			 json_int((int64_t)counts->of[s]));
	return by;
}

void diag_rows(struct call *c, const struct diag *const *v, size_t n, bool flat, json *result)
{
	struct buf summary = BUF_INIT;
	struct diag_counts counts;

	diag_count(v, n, &counts);
	diag_summary(&counts, &summary);
	if (flat)
		put_flat(c, v, n, result);
	else
		put_rows(c, v, n, result);
	json_put(result, "counts", counts_of(&counts));
	json_put(result, "summary", json_str(buf_str(&summary)));
	json_put(result, "files", json_int((int64_t)counts.files));
	buf_release(&summary);
}
