#include "proto.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "restore_bytes.h"
#include "scan.h"

json *proto_uri(const char *path)
{
	struct buf uri = BUF_INIT;

	uri_from_path(&uri, str_of(path));
	return json_take(&uri);
}

json *proto_doc(const char *path)
{
	return json_of({ "textDocument", json_of({ "uri", proto_uri(path) }) });
}

static json *position(struct pos pos)
{
	return json_of({ "line", json_int(pos.line) }, { "character", json_int(pos.col) });
}

json *proto_range(struct range r)
{
	return json_of({ "start", position(r.from) }, { "end", position(r.to) });
}

json *proto_survey(json *known)
{
	return json_of({ "previousResultIds", known },
		       { "partialResultToken", json_strz(SURVEY_TOKEN) });
}

json *proto_at(struct doc *d, size_t byte, enum pos_enc enc)
{
	json *params = proto_doc(doc_path(d));

	json_put(params, "position", position(doc_pos(d, byte, enc)));
	return params;
}

json *proto_references(struct doc *d, size_t byte, enum pos_enc enc, bool declaration)
{
	json *params = proto_at(d, byte, enc);

	json_put(params, "context", json_of({ "includeDeclaration", json_bool(declaration) }));
	return params;
}

json *proto_workspace_symbols(struct str query)
{
	return json_of({ "query", json_str(query) }, { "searchKind", json_strz("allSymbols") });
}

json *proto_selection(struct doc *d, size_t byte, enum pos_enc enc)
{
	json *params = proto_doc(doc_path(d));

	json_put(params, "positions", json_list(position(doc_pos(d, byte, enc))));
	return params;
}

json *proto_rename(struct doc *d, size_t byte, enum pos_enc enc, struct str name)
{
	json *params = proto_at(d, byte, enc);

	json_put(params, "newName", json_str(name));
	return params;
}

static void put_choice(json *options, const char *name, int choice)
{
	if (choice >= 0)
		json_put(options, name, json_bool(choice));
}

json *proto_format(struct doc *d, const struct span *range, enum pos_enc enc,
		   const struct format_style *style)
{
	json *params = proto_doc(doc_path(d)), *options;

	if (range)
		json_put(params, "range",
			 proto_range((struct range){ doc_pos(d, range->at, enc),
						     doc_pos(d, range->end, enc) }));
	options = json_put(params, "options",
			   json_of({ "tabSize", json_int(style->tab_size) },
				   { "insertSpaces", json_bool(style->spaces) }));
	put_choice(options, "trimTrailingWhitespace", style->trim);
	put_choice(options, "insertFinalNewline", style->final_newline);
	put_choice(options, "trimFinalNewlines", style->trim_newlines);
	return params;
}

/* One Location or LocationLink. */
static void add_location(struct jscan *s, struct scan_uri *last, struct locations *out,
			 size_t *foreign)
{
	enum { URI = 1, RANGE = 2, NAME = 4 };
	struct location at = { .path = STR("") };
	struct str key;
	int seen = 0;

	for (jscan_object(s); jscan_member(s, &key);) {
		bool name = str_eq(key, STR("targetSelectionRange"));

		if (str_eq(key, STR("uri")) || str_eq(key, STR("targetUri"))) {
			at.path = scan_path(s, last, &out->texts);
			seen |= URI;
		} else if (name || (!(seen & NAME) && (str_eq(key, STR("range")) ||
						       str_eq(key, STR("targetRange"))))) {
			at.range = scan_range(s);
			seen |= RANGE | (name ? NAME : 0);
		} else {
			jscan_skip(s);
		}
	}
	if (!(seen & URI) || !(seen & RANGE)) {
		scan_fail(s, ERR_PROTOCOL, "a location has no %s", seen & URI ? "range" : "URI");
	} else if (!at.path.n) {
		++*foreign;
	} else if (jscan_ok(s)) {
		mem_add(out->v, out->n, out->cap, at);
	}
}

bool proto_locations(struct str raw, struct locations *out, size_t *foreign, struct err *e)
{
	struct jscan s = jscan_of(raw, e);
	struct scan_uri last = { 0 };

	*out = (struct locations){ 0 };
	*foreign = 0;
	if (scan_null(&s))
		return scan_end(&s);
	if (jscan_peek(&s) == '{')
		add_location(&s, &last, out, foreign);
	else
		for (jscan_array(&s); jscan_item(&s);)
			add_location(&s, &last, out, foreign);
	if (scan_end(&s))
		return true;
	locations_release(out);
	return err_in(e, "locations");
}

void locations_release(struct locations *l)
{
	free(l->v);
	arena_release(&l->texts);
	*l = (struct locations){ 0 };
}

/* MarkupContent, or one MarkedString: a string, or a language with code in it. */
static void add_marked(struct jscan *s, struct buf *out)
{
	struct buf value SCOPED(buf_release) = BUF_INIT, language SCOPED(buf_release) = BUF_INIT;
	struct str key;

	if (jscan_peek(s) == '{')
		for (jscan_object(s); jscan_member(s, &key);)
			if (str_eq(key, STR("value")))
				jscan_str(s, &value);
			else if (str_eq(key, STR("language")))
				jscan_str(s, &language);
			else
				jscan_skip(s);
	else
		jscan_str(s, &value);
	if (value.n && out->n)
		buf_adds(out, "\n\n");
	if (value.n && language.n)
		buf_addf(out, "```%s\n%s\n```", language.p, value.p);
	else
		buf_add(out, buf_str(&value));
}

bool proto_hover(struct str raw, struct buf *out, struct err *e)
{
	struct jscan s = jscan_of(raw, e);
	struct buf text SCOPED(buf_release) = BUF_INIT;
	struct str key;

	if (scan_null(&s))
		return scan_end(&s);
	for (jscan_object(&s); jscan_member(&s, &key);)
		if (!str_eq(key, STR("contents")))
			jscan_skip(&s);
		else if (jscan_peek(&s) != '[')
			add_marked(&s, &text);
		else
			for (jscan_array(&s); jscan_item(&s);)
				add_marked(&s, &text);
	if (scan_end(&s))
		buf_add(out, buf_str(&text));
	return jscan_ok(&s) || err_in(e, "hover");
}

#define SELECTIONS_MOST 200 /* of ranges in ranges */

struct selections {
	struct range *v;
	size_t n, cap;
};

/* Takes its place before its parents take theirs. */
static void read_selection(struct jscan *s, struct selections *out)
{
	size_t at = out->n;
	struct range range = { 0 };
	struct str key;

	if (at == SELECTIONS_MOST) {
		scan_fail(s, ERR_LIMIT, "selection ranges are nested deeper than %d levels",
			  SELECTIONS_MOST);
		return;
	}
	out->v = mem_grow(out->v, &out->cap, ++out->n, sizeof(*out->v));
	for (jscan_object(s); jscan_member(s, &key);)
		if (str_eq(key, STR("range")))
			range = scan_range(s);
		else if (str_eq(key, STR("parent")) && !scan_null(s))
			read_selection(s, out);
		else if (!str_eq(key, STR("parent")))
			jscan_skip(s);
	out->v[at] = range;
}

bool proto_selections(struct str raw, struct range **out, size_t *n, struct err *e)
{
	struct jscan s = jscan_of(raw, e);
	struct selections all = { 0 };

	if (scan_null(&s)) {
		*out = NULL;
		*n = 0;
		return scan_end(&s);
	}
	for (jscan_array(&s); jscan_item(&s);)
		if (!all.n && jscan_peek(&s) == '{')
			read_selection(&s, &all);
		else
			jscan_skip(&s);
	if (!scan_end(&s)) {
		free(all.v);
		all = (struct selections){ 0 };
	}
	*out = all.v;
	*n = all.n;
	return jscan_ok(&s) || err_in(e, "selection ranges");
}

/* The members of all three shapes: Range itself, a range with a placeholder, or a promise that the
 * word at the cursor will do. */
static void read_prepared(struct jscan *s, struct prepared *out)
{
	struct str key, whole = jscan_raw(s);
	struct jscan again = jscan_of(whole, s->e);
	bool bare = false, word = false;

	if (s->bad)
		return;
	for (jscan_object(&again); jscan_member(&again, &key);)
		if (str_eq(key, STR("range"))) {
			out->range = scan_range(&again);
			out->ranged = true;
		} else if (str_eq(key, STR("placeholder"))) {
			jscan_str(&again, &out->placeholder);
		} else if (str_eq(key, STR("defaultBehavior"))) {
			out->refused = !jscan_bool(&again);
			word = true;
		} else {
			bare = bare || str_eq(key, STR("start")) || str_eq(key, STR("end"));
			jscan_skip(&again);
		}
	if (bare && !out->ranged && jscan_ok(&again)) {
		again = jscan_of(whole, s->e);
		out->range = scan_range(&again);
		out->ranged = true;
	}
	if (!out->ranged && !word)
		scan_fail(&again, ERR_PROTOCOL, "the answer has no range");
	s->bad = again.bad;
}

bool proto_prepared(struct str raw, struct prepared *out, struct err *e)
{
	struct jscan s = jscan_of(raw, e);

	*out = (struct prepared){ 0 };
	if (scan_null(&s)) {
		out->refused = true;
		return scan_end(&s);
	}
	read_prepared(&s, out);
	if (scan_end(&s))
		return true;
	buf_release(&out->placeholder);
	return err_in(e, "prepareRename");
}

bool proto_edits(struct str raw, const struct line_table *lines, struct str text, enum pos_enc enc,
		 struct edits *out, struct err *e)
{
	struct jscan s = jscan_of(raw, e);
	struct buf decoded SCOPED(buf_release) = BUF_INIT;
	struct text_edit edit;

	bool ok = true;

	if (scan_null(&s))
		return scan_end(&s);
	for (jscan_array(&s); ok && jscan_item(&s);)
		if (scan_edit(&s, &decoded, &edit))
			ok = edits_add_restoring(out, text,
						 range_span(edit.range, lines, text, enc),
						 edit.text, (int)out->n, e);
	return ok && (scan_end(&s) || err_in(e, "text edits"));
}
