#include "location_rows.h"

#include <stdlib.h>

#include "../core/workspace.h"

static int by_file(const void *a, const void *b)
{
	const struct location *x = a, *y = b;
	int c = str_cmp(x->path, y->path);

	if (!c)
		c = x->range.from.line < y->range.from.line
			    ? -1
			    : x->range.from.line > y->range.from.line;
	if (!c)
		c = x->range.from.col < y->range.from.col ? -1
							  : x->range.from.col > y->range.from.col;
	return c;
}

void locations_sort(struct locations *l)
{
	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), by_file);
}

size_t locations_files(const struct locations *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += !i || !str_eq(l->v[i].path, l->v[i - 1].path);
	return n;
}

json *location_rows(struct call *c, const struct locations *l, enum pos_enc enc)
{
	json *list = json_array();
	struct places places;
	struct place at;

	places_init(&places, call_oxide(c));
	for (size_t i = 0; i < l->n; i++) {
		json *row = json_push(list, json_object());

		places_look(&places, l->v[i].path.p, &l->v[i].range, enc, &at);
		json_put(row, "file", json_str(call_shown(c, l->v[i].path.p)));
		place_put(row, &at);
		json_put(row, "snippet", json_str(at.text));
	}
	places_release(&places);
	return list;
}

json *location_flat(struct oxide *ox, const struct locations *l, enum pos_enc enc)
{
	struct buf text = BUF_INIT, out = BUF_INIT;
	struct flat flat = { 0 };
	struct places places;
	struct place at;

	places_init(&places, ox);
	for (size_t i = 0; i < l->n; i++) {
		places_look(&places, l->v[i].path.p, &l->v[i].range, enc, &at);
		flat_add(&flat, l->v[i].path.p, &at);
		if (i)
			buf_addc(&text, ',');
		json_quote(&text, at.text);
	}
	flat_begin(&flat, &out);
	buf_addf(&out, ",\"text\":[%s]}", buf_str(&text).p);
	places_release(&places);
	flat_release(&flat);
	buf_release(&text);
	return json_raw(&out);
}
