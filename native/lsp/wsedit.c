#include "wsedit.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "edit_groups.h"
#include "restore_bytes.h"
#include "scan.h"

struct annotation {
	struct str id; /* as it is between its quotes */
	char *label;
	bool confirm, told;
};

struct reader {
	struct plan *plan;
	const struct wsedit_context *ctx;
	struct wsedit_notes *notes;
	struct err *e;
	struct annotation *annotations;
	size_t annotations_n, annotations_cap;
	struct edit_groups gathered;
	int edits; /* so far: the tag of the next */
	struct buf tmp;
};

static void reader_release(struct reader *r)
{
	edit_groups_release(&r->gathered);
	for (size_t i = 0; i < r->annotations_n; i++)
		free(r->annotations[i].label);
	free(r->annotations);
	buf_release(&r->tmp);
}

static struct str wsedit_shown(const struct reader *r, const char *path)
{
	return path_shown(str_of(r->ctx->root), str_of(path));
}

static bool read_annotation(struct reader *r, struct jscan *s, struct str id)
{
	struct annotation a = { .id = id };
	struct buf label = BUF_INIT;
	struct str key;

	for (jscan_object(s); jscan_member(s, &key);)
		if (str_eq(key, STR("label")))
			jscan_str(s, &label);
		else if (str_eq(key, STR("needsConfirmation")) && !scan_null(s))
			a.confirm = jscan_bool(s);
		else if (!str_eq(key, STR("needsConfirmation")))
			jscan_skip(s);
	for (size_t i = 0; i < label.n; i++)
		if (label.p[i] == '\n' || label.p[i] == '\r')
			label.p[i] = ' ';
	a.label = buf_detach(&label);
	mem_add(r->annotations, r->annotations_n, r->annotations_cap, a);
	return jscan_ok(s);
}

/* An edit or operation refers to an annotation; empty: to none. */
static bool wsedit_note(struct reader *r, struct str id)
{
	if (!id.n)
		return true;
	for (size_t i = 0; i < r->annotations_n; i++) {
		struct annotation *a = &r->annotations[i];

		if (!str_eq(a->id, id))
			continue;
		if (a->confirm && !a->told)
			buf_addf(&r->notes->labels, "%s\n", a->label);
		a->told = true;
		r->notes->confirm = r->notes->confirm || a->confirm;
		return true;
	}
	return err_set(r->e, ERR_PROTOCOL, "annotation \"%.*s\" is not defined", STR_ARG(id));
}

static bool add_edits(struct reader *r, const char *path, struct str raw)
{
	struct jscan s = jscan_of(raw, r->e);
	struct edit_group *g = NULL;
	struct text_edit edit;

	for (jscan_array(&s); jscan_item(&s);) {
		if (!scan_edit(&s, &r->tmp, &edit))
			break;
		g = g ? g : edit_group_of(&r->gathered, path, r->e);
		if (!g || !wsedit_note(r, edit.annotation))
			return false;
		if (!edits_add_restoring(&g->edits, g->text,
					 range_span(edit.range, &g->lines, g->text, r->ctx->enc),
					 edit.text, r->edits++, r->e))
			return err_in(r->e, "%.*s", STR_ARG(wsedit_shown(r, path)));
	}
	return scan_end(&s) || err_in(r->e, "%.*s", STR_ARG(wsedit_shown(r, path)));
}

static bool check_version(struct reader *r, const char *path, int64_t version)
{
	int64_t ours = version < 0 || !r->ctx->version ? -1 : r->ctx->version(r->ctx->self, path);

	return ours == -1 || ours == version ||
	       err_set(r->e, ERR_STALE,
		       "%.*s: the edit is for version %lld, but the text is at version %lld; try "
		       "again",
		       STR_ARG(wsedit_shown(r, path)), (long long)version, (long long)ours);
}

/* One item of documentChanges: what it can have, its parts pointing into the JSON. */
struct item {
	struct str kind, annotation, edits;
	struct buf uri, new_uri; /* uri: also oldUri, and that of the document */
	int64_t version;	 /* -1: none given */
	struct op op;		 /* the options */
};

static void item_release(struct item *it)
{
	buf_release(&it->uri);
	buf_release(&it->new_uri);
}

static void read_uri(struct jscan *s, struct buf *out)
{
	buf_clear(out);
	jscan_str(s, out);
}

static void read_document(struct jscan *s, struct item *it)
{
	struct str key;

	for (jscan_object(s); jscan_member(s, &key);)
		if (str_eq(key, STR("uri")))
			read_uri(s, &it->uri);
		else if (str_eq(key, STR("version")) && !scan_null(s))
			it->version = jscan_int(s);
		else if (!str_eq(key, STR("version")))
			jscan_skip(s);
}

static void read_options(struct jscan *s, struct op *op)
{
	struct str key;

	if (scan_null(s))
		return;
	for (jscan_object(s); jscan_member(s, &key);)
		if (jscan_peek(s) != 't')
			jscan_skip(s);
		else if (str_eq(key, STR("overwrite")))
			op->overwrite = jscan_bool(s);
		else if (str_eq(key, STR("recursive")))
			op->recursive = jscan_bool(s);
		else if (str_eq(key, STR("ignoreIfExists")) ||
			 str_eq(key, STR("ignoreIfNotExists")))
			op->ignore = jscan_bool(s);
		else
			jscan_skip(s);
}

static void read_item(struct jscan *s, struct item *it)
{
	struct str key;

	*it = (struct item){
		.kind = STR(""), .annotation = STR(""), .edits = STR(""), .version = -1
	};
	for (jscan_object(s); jscan_member(s, &key);)
		if (str_eq(key, STR("textDocument")))
			read_document(s, it);
		else if (str_eq(key, STR("edits")))
			it->edits = jscan_raw(s);
		else if (str_eq(key, STR("kind")))
			it->kind = jscan_quoted(s);
		else if (str_eq(key, STR("uri")) || str_eq(key, STR("oldUri")))
			read_uri(s, &it->uri);
		else if (str_eq(key, STR("newUri")))
			read_uri(s, &it->new_uri);
		else if (str_eq(key, STR("options")))
			read_options(s, &it->op);
		else if (str_eq(key, STR("annotationId")))
			it->annotation = jscan_quoted(s);
		else
			jscan_skip(s);
}

/* Whether the item is a file operation that we know; a text edit has no kind. */
static bool wsedit_read_kind(const struct item *it, enum op_kind *kind)
{
	static const struct {
		struct str name;
		enum op_kind kind;
	} known[] = { { { "create", 6 }, OP_CREATE },
		      { { "rename", 6 }, OP_RENAME },
		      { { "delete", 6 }, OP_REMOVE } };

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (str_eq(it->kind, known[i].name)) {
			*kind = known[i].kind;
			return true;
		}
	return false;
}

static bool add_operation(struct reader *r, struct item *it, const char *path)
{
	struct buf new_path SCOPED(buf_release) = BUF_INIT;
	bool ok = true;

	it->op.path = path;
	if (!wsedit_read_kind(it, &it->op.kind))
		return err_set(r->e, ERR_UNSUPPORTED, "unknown file operation \"%.*s\"",
			       STR_ARG(it->kind));
	if (it->op.kind == OP_RENAME)
		ok = uri_to_path(&new_path, buf_str(&it->new_uri), r->e);
	it->op.new_path = it->op.kind == OP_RENAME ? new_path.p : NULL;
	return ok && wsedit_note(r, it->annotation) && edit_groups_flush(&r->gathered, r->e) &&
	       plan_add(r->plan, &it->op, r->e);
}

static bool add_item(struct reader *r, struct item *it)
{
	struct buf path SCOPED(buf_release) = BUF_INIT;
	bool ok;

	if (!it->kind.n && !it->edits.n)
		return err_set(r->e, ERR_PROTOCOL,
			       "a document change has neither edits nor a kind");
	if (!it->uri.n)
		return err_set(r->e, ERR_PROTOCOL, "a document change does not name a document");
	ok = uri_to_path(&path, buf_str(&it->uri), r->e);
	if (ok && it->kind.n)
		ok = add_operation(r, it, path.p);
	else if (ok)
		ok = check_version(r, path.p, it->version) && add_edits(r, path.p, it->edits);
	return ok;
}

static bool add_items(struct reader *r, struct str raw)
{
	struct jscan s = jscan_of(raw, r->e);
	bool ok = true;

	for (jscan_array(&s); ok && jscan_item(&s);) {
		struct item it SCOPED(item_release) = { 0 };

		read_item(&s, &it);
		ok = jscan_ok(&s) && add_item(r, &it);
	}
	return ok && scan_end(&s) && edit_groups_flush(&r->gathered, r->e);
}

/* The older shape: { uri: edits }. */
static bool add_map(struct reader *r, struct str raw)
{
	struct jscan s = jscan_of(raw, r->e);
	struct buf path SCOPED(buf_release) = BUF_INIT;
	struct str key;
	bool ok = true;

	for (jscan_object(&s); ok && jscan_member(&s, &key);) {
		struct str uri = scan_key(&s, key, &r->tmp);

		buf_clear(&path);
		ok = jscan_ok(&s) && uri_to_path(&path, uri, r->e) &&
		     add_edits(r, path.p, jscan_raw(&s));
	}
	return ok && scan_end(&s) && edit_groups_flush(&r->gathered, r->e);
}

static bool read_annotations(struct reader *r, struct str raw)
{
	struct jscan s = jscan_of(raw, r->e);
	struct str key;

	for (jscan_object(&s); jscan_member(&s, &key);)
		if (!read_annotation(r, &s, key))
			break;
	return scan_end(&s);
}

/* Members that are null count as absent; the parts are looked into later, in the order needed. */
static bool wsedit_split(struct str raw, struct str *items, struct str *map,
			 struct str *annotations, struct err *e)
{
	struct jscan s = jscan_of(raw, e);
	struct str key;

	*items = *map = *annotations = STR("");
	if (scan_null(&s))
		return scan_end(&s);
	for (jscan_object(&s); jscan_member(&s, &key);)
		if (scan_null(&s))
			continue;
		else if (str_eq(key, STR("documentChanges")))
			*items = jscan_raw(&s);
		else if (str_eq(key, STR("changes")))
			*map = jscan_raw(&s);
		else if (str_eq(key, STR("changeAnnotations")))
			*annotations = jscan_raw(&s);
		else
			jscan_skip(&s);
	return scan_end(&s);
}

bool wsedit_add(struct plan *p, struct str raw, const struct wsedit_context *ctx,
		struct wsedit_notes *notes, struct err *e)
{
	struct reader r SCOPED(reader_release) = {
		.plan = p, .ctx = ctx, .notes = notes, .e = e, .gathered = { .plan = p }
	};
	struct str items, map, annotations;
	bool ok;

	if (!wsedit_split(raw, &items, &map, &annotations, e))
		return err_in(e, "workspace edit");
	ok = !annotations.n || read_annotations(&r, annotations);
	if (ok && items.n)
		ok = add_items(&r, items);
	else if (ok && map.n)
		ok = add_map(&r, map);
	return ok;
}

void wsedit_notes_release(struct wsedit_notes *notes)
{
	buf_release(&notes->labels);
	notes->confirm = false;
}
