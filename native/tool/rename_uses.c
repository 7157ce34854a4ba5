#include "rename_uses.h"

#include "../lsp/scan.h"
#include "location_rows.h"

struct renaming {
	struct str from, to;
	enum pos_enc enc;
	struct plan *plan;
};

static bool rename_uses_add_file(const struct renaming *r, const struct location *l, size_t n,
				 struct err *e)
{
	struct edits spans = EDITS_INIT;
	struct op op = { .kind = OP_SPANS, .path = l->path.p, .spans = &spans };
	struct line_table lines SCOPED(lines_release) = { 0 };
	struct str text;
	bool ok;

	if (!plan_text(r->plan, l->path.p, &text, e))
		return false;
	lines_init(&lines, text, LINES_LSP);
	for (size_t i = 0; i < n; i++) {
		struct span at = range_span(l[i].range, &lines, text, r->enc);

		if (str_eq(str_sub(text, at.at, at.end), r->from))
			edits_add(&spans, at, r->to, 0);
	}
	ok = !spans.n || plan_add(r->plan, &op, e);
	edits_release(&spans);
	return ok;
}

static bool rename_uses_add_all(const struct renaming *r, const struct locations *l, struct err *e)
{
	for (size_t from = 0, to; from < l->n; from = to) {
		for (to = from + 1; to < l->n && str_eq(l->v[to].path, l->v[from].path); to++)
			;
		if (!rename_uses_add_file(r, &l->v[from], to - from, e))
			return false;
	}
	return true;
}

bool rename_uses_add(struct target *t, struct str raw, struct str old_name, struct str new_name,
		     struct plan *plan, struct err *e)
{
	struct renaming r = { old_name, new_name, server_encoding(t->server), plan };
	struct locations l SCOPED(locations_release) = { 0 };
	size_t foreign = 0;
	bool ok = proto_locations(raw, &l, &foreign, e);

	if (ok && foreign)
		ok = err_set(e, ERR_UNSUPPORTED, "%.*s is used in something that is not a file",
			     STR_ARG(old_name));
	if (ok) {
		locations_join_names(call_oxide(t->call), &l);
		locations_sort(&l);
		ok = rename_uses_add_all(&r, &l, e);
	}
	return ok;
}
