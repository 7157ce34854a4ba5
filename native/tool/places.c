#include "places.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../core/workspace.h"
#include "../lsp/diag.h"

void places_init(struct places *p, struct oxide *ox)
{
	*p = (struct places){ .ox = ox };
}

void places_release(struct places *p)
{
	doc_free(p->own);
	free(p->path);
}

static struct doc *places_load(struct places *p, const char *path)
{
	const struct plan_source *src = workspace_source(p->ox->workspace, p->ox->root);
	struct buf text SCOPED(buf_release) = BUF_INIT;
	struct err e = ERR_INIT;
	struct doc *d = NULL;

	if (workspace_known(p->ox->workspace, path))
		return workspace_doc(p->ox->workspace, path, &e);
	if (src->read(src->self, path, &text, NULL, &e))
		d = p->own = doc_new(path, buf_str(&text));
	return d;
}

struct doc *places_doc(struct places *p, const char *path)
{
	if (!p->path || strcmp(p->path, path) != 0) {
		doc_free(p->own);
		free(p->path);
		p->own = NULL;
		p->path = mem_dup(path, strlen(path));
		p->doc = places_load(p, path);
	}
	return p->doc;
}

void places_look(struct places *p, const char *path, const struct range *r, enum pos_enc enc,
		 struct place *out)
{
	if (!places_doc(p, path)) {
		*out = (struct place){ r->from.line + 1, r->from.col + 1, r->to.line + 1,
				       r->to.col + 1, STR("") };
		return;
	}
	place_in(p->doc, r, enc, out);
}

void place_in(struct doc *d, const struct range *r, enum pos_enc enc, struct place *out)
{
	doc_where(d, doc_byte(d, r->from, enc), &out->line, &out->column);
	doc_where(d, doc_byte(d, r->to, enc), &out->end_line, &out->end_column);
	out->text = str_trim(doc_line(d, out->line));
}

json *place_diag(const struct call *c, const struct diag *d, const struct place *at)
{
	json *row = json_object();

	json_put(row, "file", json_str(call_shown(c, d->path)));
	if (at && !d->lineless)
		place_put(row, at);
	json_put(row, "severity", json_strz(diag_severity_name(d->severity)));
	json_put(row, "code", json_str(d->code));
	json_put(row, "source", json_str(d->source));
	json_put(row, "message", json_str(d->message));
	json_put(row, "fixes", json_array());
	return row;
}

void place_of_byte(struct doc *d, size_t byte, struct place *out)
{
	*out = (struct place){ 1, 1, 1, 1, STR("") };
	if (!d)
		return;
	doc_where(d, byte, &out->line, &out->column);
	out->text = str_trim(doc_line(d, out->line));
}

void place_put_line(json *row, struct str file, const struct place *at)
{
	json_put(row, "file", json_str(file));
	json_put(row, "line", json_int((int64_t)at->line));
	json_put(row, "column", json_int((int64_t)at->column));
	json_put(row, "text", json_str(at->text));
}

void place_put(json *row, const struct place *at)
{
	json_put(row, "line", json_int((int64_t)at->line));
	json_put(row, "column", json_int((int64_t)at->column));
	json_put(row, "end_line", json_int((int64_t)at->end_line));
	json_put(row, "end_column", json_int((int64_t)at->end_column));
}

static void put_lsp(struct places *p, const char *path, const struct range *r, enum pos_enc enc,
		    json *row)
{
	struct doc *d = places_doc(p, path);
	struct range at = *r;

	if (d)
		at = (struct range){ doc_pos(d, doc_byte(d, r->from, enc), POS_UTF16),
				     doc_pos(d, doc_byte(d, r->to, enc), POS_UTF16) };
	json_put(row, "line", json_int(at.from.line));
	json_put(row, "character", json_int(at.from.col));
	json_put(row, "end_line", json_int(at.to.line));
	json_put(row, "end_character", json_int(at.to.col));
}

void places_put(struct places *p, const char *path, const struct range *r, enum pos_enc enc,
		enum row_form form, json *row)
{
	struct place at;

	if (form == ROWS_LSP) {
		put_lsp(p, path, r, enc, row);
		return;
	}
	places_look(p, path, r, enc, &at);
	place_put(row, &at);
}

enum row_form call_form(const struct call *c)
{
	return call_context(c)->flat ? ROWS_FLAT : ROWS;
}

static void add_number(struct flat *f, struct buf *list, size_t n)
{
	char digits[24], *at = digits + sizeof(digits);

	do
		*--at = (char)('0' + n % 10);
	while (n /= 10);
	if (f->n)
		*--at = ',';
	buf_add(list, (struct str){ at, (size_t)(digits + sizeof(digits) - at) });
}

void flat_add(struct flat *f, const char *path, const struct place *at)
{
	if (!f->last || strcmp(f->last, path) != 0) {
		if (f->n_files++)
			buf_addc(&f->files, ',');
		json_quote(&f->files, str_of(path));
		free(f->last);
		f->last = mem_dup(path, strlen(path));
	}
	add_number(f, &f->file, f->n_files - 1);
	add_number(f, &f->line, at->line);
	add_number(f, &f->column, at->column);
	add_number(f, &f->end_line, at->end_line);
	add_number(f, &f->end_column, at->end_column);
	f->n++;
}

void flat_begin(struct flat *f, struct buf *out)
{
	buf_addf(out, "{\"files\":[%s],\"file\":[%s],\"line\":[%s],\"column\":[%s]",
		 buf_str(&f->files).p, buf_str(&f->file).p, buf_str(&f->line).p,
		 buf_str(&f->column).p);
	buf_addf(out, ",\"end_line\":[%s],\"end_column\":[%s]", buf_str(&f->end_line).p,
		 buf_str(&f->end_column).p);
}

void flat_release(struct flat *f)
{
	buf_release(&f->files);
	buf_release(&f->file);
	buf_release(&f->line);
	buf_release(&f->column);
	buf_release(&f->end_line);
	buf_release(&f->end_column);
	free(f->last);
}
