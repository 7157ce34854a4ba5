#include <stdlib.h>

#include "change_signature_impl.h"

static json *signature_say_shown(const struct changing *c, const struct site_file *f)
{
	return json_str(call_shown(c->call, f->path));
}

static void count(const struct changing *c, json *r)
{
	size_t n[SITE_IMPORT + 1] = { 0 };

	for (size_t i = 0; i < c->spots.n; i++)
		for (size_t k = 0; k < c->spots.v[i]->n; k++)
			n[c->spots.v[i]->v[k].kind]++;
	json_put(r, "declarations", json_int((int64_t)n[SITE_DECLARATION]));
	json_put(r, "calls", json_int((int64_t)n[SITE_CALL]));
	json_put(r, "sites",
		 json_int((int64_t)(n[SITE_DECLARATION] + n[SITE_CALL] + n[SITE_IMPORT])));
}

static struct span whole_site(const struct site *s)
{
	return (struct span){ s->name.at, s->end > s->name.end ? s->end : s->name.end };
}

/* A call may be an argument of another one: what lies in it is no change of that. */
static bool is_of_inner_site(const struct site_file *f, size_t i, struct span edit)
{
	size_t end = whole_site(&f->v[i]).end;

	while (++i < f->n && f->v[i].name.at < end) {
		struct span inner = whole_site(&f->v[i]);

		if (edit.at >= inner.at && edit.end <= inner.end)
			return true;
	}
	return false;
}

/* How many sites of a file are changed. */
static size_t changed_in(const struct site_file *f, const struct edits *e)
{
	size_t n = 0, first = 0;

	for (size_t i = 0; i < f->n; i++) {
		struct span site = whole_site(&f->v[i]);
		bool changed = false;

		while (first < e->n && e->v[first].span.end < site.at)
			first++;
		for (size_t k = first; k < e->n && e->v[k].span.at <= site.end && !changed; k++)
			changed = !is_of_inner_site(f, i, e->v[k].span);
		n += changed;
	}
	return n;
}

size_t signature_changed_sites(const struct changing *c, const struct plan *p)
{
	size_t n = 0;

	for (size_t i = 0; i < plan_files(p); i++) {
		const struct plan_file *file = plan_file(p, i);
		const struct site_file *f = symbol_sites_file(&c->spots, file->path);

		n += f ? changed_in(f, &file->edits) : 0;
	}
	return n;
}

/* On one line, without its comments. */
static void add_line(struct str text, const struct language *lang, struct buf *out)
{
	struct lexer l = lex_from(lang, text, 0);
	size_t start = out->n;

	for (struct token t; (t = lex_next(&l)).kind != TOKEN_END;) {
		bool blank = t.kind == TOKEN_SPACE || t.kind == TOKEN_LINE_END ||
			     t.kind == TOKEN_COMMENT;

		if (!blank)
			buf_add(out, token_text(text, t));
		else if (out->n > start && out->p[out->n - 1] != ' ')
			buf_addc(out, ' ');
	}
	while (out->n > start && out->p[out->n - 1] == ' ')
		out->p[--out->n] = '\0';
}

/* `name(a, b)` */
static void add_present(const struct changing *c, struct buf *out)
{
	struct span inner = c->old.list.inner;

	buf_addf(out, "%.*s(", STR_ARG(c->name));
	add_line(str_sub(c->old.list.text, inner.at, inner.end), c->file->lang, out);
	buf_addc(out, ')');
}

static void add_future(const struct changing *c, struct buf *out)
{
	struct nested_edits plain = { .text = buf_str(&c->file->text) };
	struct buf list SCOPED(buf_release) = BUF_INIT;

	buf_addf(out, "%.*s(", STR_ARG(c->new_name));
	if (signature_declare(&c->signature, &c->old, &plain, true, &list, ERR_IGNORED))
		add_line(buf_str(&list), c->file->lang, out);
	buf_addc(out, ')');
}

static void put_signature(const struct changing *c, json *r)
{
	struct buf now = BUF_INIT;

	add_present(c, &now);
	json_put(r, "symbol", json_str(c->name));
	json_put(r, "action", json_strz("change_signature"));
	json_put(r, "server", json_strz(server_name(c->target->server)));
	json_put(r, "signature", json_take(&now));
}

json *signature_describe(const struct changing *c)
{
	json *r = json_object(), *list;

	put_signature(c, r);
	json_put(r, "file", signature_say_shown(c, c->file));
	json_put(r, "line", json_int((int64_t)site_line(c->file, c->site)));
	list = json_put(r, "parameters", json_array());
	for (size_t i = 0; i < params_count(&c->old); i++) {
		struct span code = c->old.list.v[c->old.first + i].code;
		json_push(list, json_of({ "from", json_int((int64_t)i) },
					{ "name", json_str(signature_old_name(&c->signature, i)) },
					{ "text", json_str(str_sub(c->old.list.text, code.at,
								   code.end)) }));
	}
	count(c, r);
	json_put(r, "success", json_bool(true));
	json_put(r, "files_changed", json_int(0));
	return r;
}

static void signature_say_put_complete(const struct changing *c, json *report)
{
	if (!c->settled)
		reasons_add(report, "%s was still indexing", server_name(c->target->server));
	if (c->n_refused)
		reasons_add(report,
			    c->n_refused == 1
				    ? "%zu place cannot be rewritten and stays as it is"
				    : "%zu places cannot be rewritten and stay as they are",
			    c->n_refused);
	completeness_report(c->reach, report);
}

static int signature_say_by_place(const void *a, const void *b)
{
	const struct refusal *x = a, *y = b;
	int files = strcmp(x->file->path, y->file->path);

	if (files)
		return files;
	return x->site.name.at < y->site.name.at ? -1 : x->site.name.at > y->site.name.at;
}

static struct span signature_say_line(const struct refusal *f)
{
	size_t line = lines_find(&f->file->lines, f->site.name.at);

	return lines_span(&f->file->lines, buf_str(&f->file->text), line);
}

static struct str signature_say_line_of(const struct refusal *f)
{
	struct span s = signature_say_line(f);

	return str_trim(str_sub(buf_str(&f->file->text), s.at, s.end));
}

/* The same places as rows [{file, line, column, text, why}]. */
static json *signature_unreached(struct changing *c)
{
	json *list = json_array();

	if (c->n_refused)
		qsort(c->refused, c->n_refused, sizeof(*c->refused), signature_say_by_place);
	for (size_t i = 0; i < c->n_refused; i++) {
		const struct refusal *f = &c->refused[i];
		size_t column = f->site.name.at - signature_say_line(f).at + 1;

		json_push(list, json_of({ "file", signature_say_shown(c, f->file) },
					{ "line", json_int((int64_t)site_line(f->file, &f->site)) },
					{ "column", json_int((int64_t)column) },
					{ "text", json_str(signature_say_line_of(f)) },
					{ "why", json_str(f->why) }));
	}
	return list;
}

json *signature_report(struct changing *c)
{
	json *r = json_object();
	struct buf future = BUF_INIT;

	put_signature(c, r);
	add_future(c, &future);
	json_put(r, "new_signature", json_take(&future));
	count(c, r);
	if (json_len(c->warnings))
		json_put(r, "warnings", json_copy(c->warnings));
	if (c->n_refused)
		json_put(r, "unreached", signature_unreached(c));
	signature_say_put_complete(c, r);
	return r;
}

json *signature_missing(const struct changing *c, const struct err *e)
{
	json *object = error_object(e);

	error_put(object, "missing", json_str(c->missing));
	return object;
}

json *signature_refusal(struct changing *c, struct err *e)
{
	json *list = signature_unreached(c), *object;
	const struct refusal *first = c->refused;
	bool person = call_context(c->call)->overrule;

	err_set(e, ERR_CONFLICT,
		"%zu place%s of %.*s cannot be rewritten, and nothing was changed: "
		"%.*s:%zu: %.*s: %.*s; %s leaves them as they are",
		c->n_refused, c->n_refused == 1 ? "" : "s", STR_ARG(c->name),
		STR_ARG(call_shown(c->call, first->file->path)),
		site_line(first->file, &first->site), STR_ARG(first->why),
		STR_ARG(signature_say_line_of(first)),
		person ? ":Oxide! signature" : "`unreachable`: \"allow\"");
	object = error_object(e);
	error_put(object, "file", signature_say_shown(c, first->file));
	error_put(object, "line", json_int((int64_t)site_line(first->file, &first->site)));
	error_put(object, "sites", list);
	return object;
}

void signature_label_unreached(const struct changing *c, struct buf *labels)
{
	for (size_t i = 0; i < c->n_refused; i++) {
		const struct refusal *f = &c->refused[i];

		buf_addf(labels, "%.*s:%zu: left as it is: %.*s\n",
			 STR_ARG(call_shown(c->call, f->file->path)), site_line(f->file, &f->site),
			 STR_ARG(f->why));
	}
}

static bool signature_say_is_known(void *arg, const char *path, size_t line)
{
	const struct changing *c = arg;
	const struct site_file *f = symbol_sites_file(&c->spots, path);

	for (size_t i = 0; f && i < f->n; i++)
		if (site_line(f, &f->v[i]) == line)
			return true;
	return false;
}

void signature_mentions(struct changing *c, const struct plan *p, json *report)
{
	size_t total = 0;
	json *list = str_eq(c->name, c->new_name)
			     ? word_search_unknown(c->mentions, signature_say_is_known, c, &total)
			     : word_search_left(c->mentions, p, &total);

	json_put(report, "mentions", list);
	json_put(report, "mentions_total", json_int((int64_t)total));
}

void signature_put_cut(const struct changing *c, const struct plan *p, json *report)
{
	size_t sites = (size_t)json_get_int(report, "sites", 0);
	size_t kept = signature_changed_sites(c, p);
	size_t cut = kept < c->changed_sites ? c->changed_sites - kept : 0;

	if (json_get(report, "left_out"))
		json_put(report, "sites_changed", json_int((int64_t)(sites - cut)));
}
