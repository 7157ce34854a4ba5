#include "symbol.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "scan.h"

static const char *const kinds[] = {
	"symbol",   "file",	      "module",	     "namespace", "package",
	"class",    "method",	      "property",    "field",	  "constructor",
	"enum",	    "interface",      "function",    "variable",  "constant",
	"string",   "number",	      "boolean",     "array",	  "object",
	"key",	    "null",	      "enum member", "struct",	  "event",
	"operator", "type parameter", "macro",	     "heading",	  "target",
};

const char *symbol_kind_name(int kind)
{
	size_t n = sizeof(kinds) / sizeof(*kinds);

	return kinds[kind > 0 && (size_t)kind < n ? kind : 0];
}

struct reader {
	struct jscan s;
	struct symbols *out;
	struct scan_uri last;
	struct buf tmp;
	struct str path; /* of the document that was asked about; empty for a workspace */
};

static struct str symbol_read_text(struct reader *r)
{
	return scan_null(&r->s) ? STR("") : arena_str(&r->out->texts, scan_str(&r->s, &r->tmp));
}

/* A Location, or only { uri } as workspace symbols may have it. */
static bool read_location(struct reader *r, struct symbol *sym)
{
	bool uri = false;
	struct str key;

	for (jscan_object(&r->s); jscan_member(&r->s, &key);)
		if (str_eq(key, STR("uri"))) {
			sym->path = scan_path(&r->s, &r->last, &r->out->texts);
			uri = true;
		} else if (str_eq(key, STR("range"))) {
			sym->range = sym->name_range = scan_range_loose(&r->s);
		} else {
			jscan_skip(&r->s);
		}
	return uri || scan_fail(&r->s, ERR_PROTOCOL, "the location of a symbol has no URI");
}

enum { HAS_NAME = 1, HAS_RANGE = 2, HAS_NAME_RANGE = 4, HAS_LOCATION = 8 };

static void read_symbol(struct reader *r, unsigned depth);

/* One member of either shape; returns what it was. */
static int symbol_read_member(struct reader *r, struct str key, struct symbol *sym, unsigned depth)
{
	struct jscan *s = &r->s;

	if (str_eq(key, STR("name"))) {
		sym->name = symbol_read_text(r);
		return HAS_NAME;
	}
	if (str_eq(key, STR("detail"))) {
		sym->detail = symbol_read_text(r);
	} else if (str_eq(key, STR("containerName"))) {
		sym->container = symbol_read_text(r);
	} else if (str_eq(key, STR("kind"))) {
		sym->kind = (int)jscan_int(s);
	} else if (str_eq(key, STR("range"))) {
		sym->range = scan_range_loose(s);
		return HAS_RANGE;
	} else if (str_eq(key, STR("selectionRange"))) {
		sym->name_range = scan_range_loose(s);
		return HAS_NAME_RANGE;
	} else if (str_eq(key, STR("location"))) {
		read_location(r, sym);
		return HAS_LOCATION;
	} else if (str_eq(key, STR("children")) && !scan_null(s)) {
		for (jscan_array(s); jscan_item(s);)
			read_symbol(r, depth + 1);
	} else if (!str_eq(key, STR("children"))) {
		jscan_skip(s);
	}
	return 0;
}

/* Takes its place before its children take theirs. */
static void read_symbol(struct reader *r, unsigned depth)
{
	struct symbols *out = r->out;
	struct symbol sym = { .name = STR(""),
			      .detail = STR(""),
			      .container = STR(""),
			      .path = r->path,
			      .depth = depth };
	size_t at = out->n;
	struct str key;
	int has = 0;

	if (depth > SYMBOL_DEPTH_MOST) {
		scan_fail(&r->s, ERR_LIMIT, "symbols are nested deeper than %d levels",
			  SYMBOL_DEPTH_MOST);
		return;
	}
	mem_add(out->v, out->n, out->cap, sym);
	for (jscan_object(&r->s); jscan_member(&r->s, &key);)
		has |= symbol_read_member(r, key, &sym, depth);
	if (!(has & HAS_NAME) || !(has & (HAS_RANGE | HAS_LOCATION)))
		scan_fail(&r->s, ERR_PROTOCOL, "a symbol has no %s",
			  has & HAS_NAME ? "range" : "name");
	if (!(has & HAS_NAME_RANGE))
		sym.name_range = sym.range;
	if (!sym.path.n && r->path.n)
		sym.path = r->path;
	out->v[at] = sym;
	if (!sym.path.n) /* lies in no local file: nothing can be done with it */
		out->n = at;
}

/* "A/B" out of the names above, for those that the server nested. Parents are before their
 * children, so one walk with the path of each depth is enough. */
static void name_containers(struct symbols *out, struct buf *tmp)
{
	struct str above[SYMBOL_DEPTH_MOST + 1];

	for (size_t i = 0; i < out->n; i++) {
		struct symbol *sym = &out->v[i];

		if (sym->depth)
			sym->container = above[sym->depth - 1];
		if (i + 1 == out->n || out->v[i + 1].depth <= sym->depth)
			continue;
		buf_clear(tmp);
		if (sym->depth) {
			buf_add(tmp, sym->container);
			buf_addc(tmp, '/');
		}
		buf_add(tmp, sym->name);
		above[sym->depth] = arena_str(&out->texts, buf_str(tmp));
	}
}

static bool symbol_read_all(struct str raw, struct str path, struct symbols *out, struct err *e)
{
	struct reader r = { .s = jscan_of(raw, e), .out = out };

	*out = (struct symbols){ 0 };
	if (scan_null(&r.s))
		return scan_end(&r.s);
	r.path = path.n ? arena_str(&out->texts, path) : STR("");
	for (jscan_array(&r.s); jscan_item(&r.s);)
		read_symbol(&r, 0);
	if (scan_end(&r.s))
		name_containers(out, &r.tmp);
	buf_release(&r.tmp);
	if (jscan_ok(&r.s))
		return true;
	symbols_release(out);
	return err_in(e, "symbols");
}

bool symbols_of_document(struct str raw, const char *path, struct symbols *out, struct err *e)
{
	return symbol_read_all(raw, str_of(path), out, e);
}

bool symbols_of_workspace(struct str raw, struct symbols *out, struct err *e)
{
	return symbol_read_all(raw, STR(""), out, e);
}

void symbols_release(struct symbols *s)
{
	free(s->v);
	arena_release(&s->texts);
	*s = (struct symbols){ 0 };
}
