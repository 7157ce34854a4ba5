#include "../core/style.h"
#include "../core/workspace.h"
#include "../lsp/scan.h"
#include "../servers/completeness.h"
#include "lsp_edit_impl.h"

struct span lsp_edit_bytes(struct editing *ed, struct range r)
{
	struct doc *d = ed->target->doc;

	return range_span(r, doc_lines(d, LINES_LSP), doc_text(d), ed->enc);
}

struct decl lsp_edit_declaration(struct editing *ed)
{
	struct span none = { 0, 0 };

	return decl_in(ed->target->doc, target_language(ed->target),
		       lsp_edit_bytes(ed, ed->symbol->range),
		       ed->blocked ? lsp_edit_bytes(ed, ed->block) : none);
}

/* Whether both are declared by one statement, as `int a, b;` does. Of symbols without a range for
 * the name it cannot be told which are in which. */
static bool goes_along(struct editing *ed, const struct decl *d, const struct symbol *other)
{
	const struct symbol *own = ed->symbol;
	struct span name = lsp_edit_bytes(ed, other->name_range),
		    all = lsp_edit_bytes(ed, other->range);

	return other->depth == own->depth && str_eq(other->container, own->container) &&
	       !str_eq(other->name, own->name) && !str_starts(other->name, STR("(")) &&
	       (name.at != all.at || name.end != all.end) && name.at >= d->whole.at &&
	       name.at < d->whole.end;
}

static bool declared_alone(struct editing *ed, const struct decl *d, struct err *e)
{
	for (size_t i = 0; i < ed->symbols.n; i++)
		if (goes_along(ed, d, &ed->symbols.v[i]))
			return err_set(e, ERR_CONFLICT,
				       "it is declared together with %.*s; use edit_file",
				       STR_ARG(ed->symbols.v[i].name));
	return true;
}

/* A level of indentation, as the file has it. */
static void add_step(struct editing *ed, struct buf *out)
{
	const struct format_style *editor = call_context(ed->call)->style;
	struct format_style guess, style;

	if (!editor)
		style_guess(doc_text(ed->target->doc), &guess);
	style_for(ed->target->path, editor ? editor : &guess, &style);
	for (unsigned i = 0; style.spaces && i < style.tab_size; i++)
		buf_addc(out, ' ');
	if (!style.spaces)
		buf_addc(out, '\t');
}

static bool splice(struct editing *ed, const struct decl *d, struct decl_splice *out, struct err *e)
{
	const json *args = call_args(ed->call);
	struct buf step SCOPED(buf_release) = BUF_INIT;
	struct decl_edit edit = { ed->action->action,
				  json_get_str(args, "content"),
				  { 0 },
				  json_get_bool(args, "allow_signature_change", false) };
	bool whole = edit.action == DECL_REPLACE || edit.action == DECL_DELETE;
	bool beside = edit.action == DECL_INSERT_BEFORE || edit.action == DECL_INSERT_AFTER;

	if (doc_version(ed->target->doc) != ed->version)
		return err_set(e, ERR_STALE,
			       "the text changed while the server was working; try again");
	if (!beside && !call_about(ed->call, str_sub(d->text, d->whole.at, d->whole.end), e))
		return false;
	add_step(ed, &step);
	edit.step = buf_str(&step);
	return (!whole || declared_alone(ed, d, e)) && decl_splice(d, &edit, out, e);
}

static bool lsp_edit_change_make_plan(struct editing *ed, const struct decl_splice *s,
				      struct plan *plan, struct err *e)
{
	struct edits set SCOPED(edits_release) = EDITS_INIT;

	edits_add(&set, s->span, buf_str(&s->with), 0);
	return plan_edit(plan, ed->target->path, doc_text(ed->target->doc), &set, e) &&
	       plan_finish(plan, e) &&
	       workspace_still(call_oxide(ed->call)->workspace, plan, ed->moves, e);
}

static void put_fallback(struct editing *ed, json *report)
{
	json_put(report, "fallback",
		 json_of({ "tool", json_strz(tool_edit_file.name) },
			 { "reason", json_strz(ed->unserved.msg) }));
	reasons_add(report, "no language server checked it: %s", ed->unserved.msg);
}

static json *report_of(struct editing *ed, const struct decl *d, const struct decl_splice *s,
		       struct str path)
{
	json *r = json_of({ "symbol", json_str(path) },
			  { "kind", json_strz(symbol_kind_name(ed->symbol->kind)) },
			  { "action", json_strz(ed->action->name) });

	if (ed->target->server)
		json_put(r, "server", json_strz(server_name(ed->target->server)));
	else
		put_fallback(ed, r);
	if (ed->action->action == DECL_REPLACE_BODY)
		json_put(r, "body",
			 json_strz(d->told     ? "selection range"
				   : d->closed ? "brackets"
					       : "indentation"));
	if (!str_eq(s->from, buf_str(&s->to))) {
		json_put(r, "shifted",
			 json_of({ "from", json_str(s->from) },
				 { "to", json_str(buf_str(&s->to)) }));
	}
	return r;
}

void lsp_edit_finish(struct editing *ed)
{
	struct server *server = ed->target->server;
	struct change ch = { .plan = plan_new(call_source(ed->call)),
			     .server = server ? server_name(server) : NULL,
			     .unverified = server ? NULL : "no language server looked at it",
			     .notes = server ? NULL
					     : "found in the text alone, and not verified\n" };
	struct decl_splice s SCOPED(decl_splice_release) = { 0 };
	struct buf path SCOPED(buf_release) = BUF_INIT, title SCOPED(buf_release) = BUF_INIT;
	struct decl d = lsp_edit_declaration(ed);
	struct err e = ERR_INIT;

	symbol_path(ed->symbol, &path);
	if (splice(ed, &d, &s, &e) && lsp_edit_change_make_plan(ed, &s, ch.plan, &e)) {
		buf_addf(&title, "%s %s", ed->action->name, path.p);
		ch.title = title.p;
		ch.report = report_of(ed, &d, &s, buf_str(&path));
		ch.verify = server && json_get_bool(call_args(ed->call), "verify", true);
		ch.dry_run = json_get_bool(call_args(ed->call), "dry_run", false);
		call_change(ed->call, &ch);
		lsp_edit_free(ed);
	} else {
		err_in(&e, "%.*s: %s", STR_ARG(call_shown(ed->call, ed->target->path)), path.p);
		plan_free(ch.plan);
		lsp_edit_fail(ed, &e);
	}
}
