#include "proto.h"
#include "wsedit.h"

static json *operation(json *changes, const char *kind)
{
	json *v = json_push(changes, json_object());

	json_put(v, "kind", json_strz(kind));
	return v;
}

static json *text_edits(json *changes, const char *path)
{
	json *v = json_push(changes, json_object()), *doc = json_object();

	json_put(doc, "uri", proto_uri(path));
	json_put(doc, "version", json_null());
	json_put(v, "textDocument", doc);
	return json_put(v, "edits", json_array());
}

static void put_edit(json *edits, struct range place, struct str with)
{
	json_push(edits, json_of({ "range", proto_range(place) }, { "newText", json_str(with) }));
}

static void put_edits(json *edits, const struct plan_file *f)
{
	struct line_table lines SCOPED(lines_release) = { 0 };

	lines_init(&lines, f->was, LINES_LSP);
	for (size_t i = 0; i < f->edits.n; i++) {
		const struct edit *e = &f->edits.v[i];
		struct range place = {
			pos_from_byte(&lines, f->was, e->span.at, POS_UTF16),
			pos_from_byte(&lines, f->was, e->span.end, POS_UTF16),
		};

		put_edit(edits, place, e->with);
	}
}

static void put_new(json *changes, const char *path, struct str text)
{
	json_put(operation(changes, "create"), "uri", proto_uri(path));
	put_edit(text_edits(changes, path), (struct range){ { 0, 0 }, { 0, 0 } }, text);
}

/* Another file of the plan was where this one goes: names that change places are gone and new,
 * since no order of renames leads there. */
static bool changes_places(const struct plan *p, const struct plan_file *f)
{
	for (size_t i = 0; f->new_path && i < plan_files(p); i++)
		if (plan_file(p, i)->existed && !strcmp(plan_file(p, i)->path, f->new_path))
			return true;
	return false;
}

static void put_kept(json *changes, const struct plan_file *f)
{
	json *v;

	if (f->new_path) {
		v = operation(changes, "rename");
		json_put(v, "oldUri", proto_uri(f->path));
		json_put(v, "newUri", proto_uri(f->new_path));
	}
	if (f->edits.n)
		put_edits(text_edits(changes, plan_path_after(f)), f);
}

json *wsedit_of(struct plan *p, struct err *e)
{
	json *v = json_object(), *changes = json_put(v, "documentChanges", json_array());

	for (size_t i = 0; i < plan_files(p); i++) {
		const struct plan_file *f = plan_file(p, i);

		if (!plan_want(p, i, e)) {
			json_free(v);
			return NULL;
		}
		if (f->existed && (!f->exists || changes_places(p, f)))
			json_put(operation(changes, "delete"), "uri", proto_uri(f->path));
	}
	for (size_t i = 0; i < plan_files(p); i++) {
		const struct plan_file *f = plan_file(p, i);

		if (f->exists && (!f->existed || changes_places(p, f)))
			put_new(changes, plan_path_after(f), f->now);
		else if (f->exists)
			put_kept(changes, f);
	}
	return v;
}
