#include "diag_rows.h"

#include "places.h"

/* LSP's number, as the seed of these tools has it; the name stays beside it. */
static void put_lsp(struct places *p, const struct diag *d, json *row)
{
	static const struct range none;

	json_put(row, "severity", json_int(d->severity));
	places_put(p, d->path, d->lineless ? &none : &d->range, d->enc, ROWS_LSP, row);
	json_put(row, "severity_name", json_strz(diag_severity_name(d->severity)));
}

json *diag_list_rows(struct call *c, const struct diag *const *v, size_t n, enum row_form form)
{
	json *list = json_array();
	struct places places SCOPED(places_release) = { 0 };
	struct place at;

	places_init(&places, call_oxide(c));
	for (size_t i = 0; i < n; i++) {
		if (form == ROWS_LSP) {
			put_lsp(&places, v[i], json_push(list, place_diag(c, v[i], NULL)));
			continue;
		}
		places_look(&places, v[i]->path, &v[i]->range, v[i]->enc, &at);
		json_push(list, place_diag(c, v[i], &at));
	}
	return list;
}

static void diag_rows_put_text(struct buf *list, struct str s)
{
	if (list->n)
		buf_addc(list, ',');
	json_quote(list, s);
}

static void put_flat(struct call *c, const struct diag *const *v, size_t n, json *result)
{
	struct buf severity SCOPED(buf_release) = BUF_INIT, code SCOPED(buf_release) = BUF_INIT;
	struct buf source SCOPED(buf_release) = BUF_INIT, message SCOPED(buf_release) = BUF_INIT;
	struct buf out = BUF_INIT;
	const struct place nowhere = { 0 };
	struct flat flat SCOPED(flat_release) = { 0 };
	struct places places SCOPED(places_release) = { 0 };
	struct place at;

	places_init(&places, call_oxide(c));
	for (size_t i = 0; i < n; i++) {
		places_look(&places, v[i]->path, &v[i]->range, v[i]->enc, &at);
		flat_add(&flat, v[i]->path, v[i]->lineless ? &nowhere : &at);
		buf_addf(&severity, i ? ",%d" : "%d", (int)v[i]->severity);
		diag_rows_put_text(&code, v[i]->code);
		diag_rows_put_text(&source, v[i]->source);
		diag_rows_put_text(&message, v[i]->message);
	}
	flat_begin(&flat, &out);
	buf_addf(&out, ",\"severity\":[%s],\"code\":[%s],\"source\":[%s],\"message\":[%s]}",
		 buf_str(&severity).p, buf_str(&code).p, buf_str(&source).p, buf_str(&message).p);
	json_put(result, "flat", json_raw(&out));
}

static json *counts_of(const struct diag_counts *counts)
{
	json *by = json_object();

	for (int s = DIAG_ERROR; s <= DIAG_HINT; s++)
		json_put(by, diag_severity_name((enum diag_severity)s),
			 json_int((int64_t)counts->of[s]));
	return by;
}

void diag_put_counts(const struct diag_counts *counts, json *result)
{
	struct buf summary = BUF_INIT;

	diag_summary(counts, &summary);
	json_put(result, "counts", counts_of(counts));
	json_put(result, "summary", json_take(&summary));
}

void diag_rows(struct call *c, const struct diag *const *v, size_t n, enum row_form form,
	       json *result)
{
	struct diag_counts counts;

	diag_count(v, n, &counts);
	if (form == ROWS_FLAT)
		put_flat(c, v, n, result);
	else
		json_put(result, "diagnostics", diag_list_rows(c, v, n, form));
	diag_put_counts(&counts, result);
	json_put(result, "files", json_int((int64_t)counts.files));
}
