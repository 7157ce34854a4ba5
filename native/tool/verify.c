#include "verify.h"

#include <stdarg.h>

#include "../servers/completeness.h"
#include "fixes.h"
#include "places.h"

static void verify_place_of(const struct gate_diag *g, struct place *at)
{
	place_in(g->doc, &g->diag.range, g->diag.enc, at);
}

static json *fixes_of(const struct actions *all)
{
	json *list = json_array();

	for (size_t i = 0; all && i < all->n; i++)
		json_push(list, fix_row(&all->v[i]));
	return list;
}

/* As lsp_diagnostic lists them, with the line as it would be. */
static json *verify_rows_of(struct call *c, const struct gate_diag *v, size_t n)
{
	size_t most = (size_t)config_get(&call_oxide(c)->config, CFG_GATE_LIST);
	json *list = json_array();
	struct place at;

	for (size_t i = 0; i < n && i < most; i++) {
		json *row;

		verify_place_of(&v[i], &at);
		row = json_push(list, place_diag(c, &v[i].diag, &at));
		json_put(row, "fixes", fixes_of(v[i].fixes));
		json_put(row, "text", json_str(at.text));
	}
	return list;
}

static json *skipped_rows(struct call *c, const struct gate_finding *f)
{
	json *list = f->skips ? json_array() : NULL;

	for (size_t i = 0; i < f->skips; i++) {
		json_push(list, json_of({ "file", json_str(call_shown(c, f->skip[i].path)) },
					{ "reason", json_strz(f->skip[i].why) }));
	}
	return list;
}

void verify_incomplete(json *report, struct buf *notes, const char *fmt, ...)
{
	struct buf why SCOPED(buf_release) = BUF_INIT;
	va_list args;

	va_start(args, fmt);
	buf_addv(&why, fmt, args);
	va_end(args);
	reasons_add(report, "%s", why.p);
	if (notes)
		buf_addf(notes, "not verified: %s\n", why.p);
}

static void take_reasons(struct call *c, const struct gate_finding *f, struct change_result *r)
{
	for (size_t i = 0; i < f->whys; i++)
		change_result_because(r, str_of(f->why[i]));
	for (size_t i = 0; i < f->skips && !f->whys; i++) {
		struct buf why SCOPED(buf_release) = BUF_INIT;

		buf_addf(&why, "%.*s: %s", STR_ARG(call_shown(c, f->skip[i].path)), f->skip[i].why);
		change_result_because(r, buf_str(&why));
	}
	if (!f->complete && !f->whys && !f->skips)
		change_result_because(r,
				      STR("not all that the change touches could be verified, or "
					  "not in time"));
}

void verify_report(struct call *c, const struct gate_finding *f, struct change_result *r)
{
	const char *why = f->late && f->whys ? f->why[0]
			  : f->skips	     ? f->skip[0].why
			  : f->whys	     ? f->why[0]
					     : "none of the files is left";

	r->looked = true;
	r->complete = f->complete;
	r->reasons = 0; /* it may be looked at again, with less */
	take_reasons(c, f, r);
	change_result_rows(r, CHANGE_NOT_VERIFIED, skipped_rows(c, f));
	change_result_rows(r, CHANGE_NEW_WARNINGS,
			   f->warnings ? verify_rows_of(c, f->warning, f->warnings) : NULL);
	change_result_rows(r, CHANGE_NEW_ERRORS,
			   f->errors ? verify_rows_of(c, f->error, f->errors) : NULL);
	if (f->errors)
		change_result_syntax(r, "%zu new error%s, accepted", f->errors,
				     f->errors == 1 ? "" : "s");
	else if (f->looked && !(f->late && f->skips))
		change_result_syntax(r, "ok");
	else
		change_result_syntax(r, "skipped: %s", why);
}

/* "a.c:3: message", its first line alone. */
static void say(struct call *c, const struct gate_diag *g, struct buf *out)
{
	struct str rest = g->diag.message, line = STR("");
	struct place at;

	verify_place_of(g, &at);
	str_line(&rest, &line);
	buf_addf(out, "%.*s:%zu: %.*s", STR_ARG(call_shown(c, g->diag.path)), at.line,
		 STR_ARG(line));
}

static void verify_note(struct call *c, const char *kind, const struct gate_diag *v, size_t n,
			struct buf *out)
{
	size_t most = (size_t)config_get(&call_oxide(c)->config, CFG_GATE_LIST);

	for (size_t i = 0; i < n && i < most; i++) {
		buf_addf(out, "new %s: ", kind);
		say(c, &v[i], out);
		buf_addc(out, '\n');
	}
}

void verify_notes(struct call *c, const struct gate_finding *f, struct buf *out)
{
	verify_note(c, "error", f->error, f->errors, out);
	verify_note(c, "warning", f->warning, f->warnings, out);
	for (size_t i = 0; i < f->skips; i++)
		buf_addf(out, "not verified: %.*s: %s\n", STR_ARG(call_shown(c, f->skip[i].path)),
			 f->skip[i].why);
	for (size_t i = 0; i < f->whys; i++)
		buf_addf(out, "not verified: %s\n", f->why[i]);
}

json *verify_refusal(struct call *c, const struct gate_finding *f, struct err *e)
{
	const char *overrule = call_context(c)->overrule;
	const struct gate_diag *first = &f->error[0];
	struct buf where SCOPED(buf_release) = BUF_INIT;
	struct change_result found SCOPED(change_result_release) = { 0 };
	struct place at;
	json *object;

	say(c, first, &where);
	err_set(e, ERR_CONFLICT,
		"the change would bring %zu new error%s, and was not applied: "
		"%s%s",
		f->errors, f->errors == 1 ? "" : "s", where.p,
		overrule ? overrule : "; fix that, or pass verify: false");
	object = error_object(e);
	verify_place_of(first, &at);
	error_put(object, "file", json_str(call_shown(c, first->diag.path)));
	error_put(object, "line", json_int((int64_t)at.line));
	error_put(object, "new_errors", verify_rows_of(c, f->error, f->errors));
	json_put(object, "success", json_bool(false));
	json_put(object, "new_errors", verify_rows_of(c, f->error, f->errors));
	json_put(object, "complete", json_bool(f->complete));
	take_reasons(c, f, &found);
	for (size_t i = 0; i < found.reasons; i++)
		reasons_add(object, "%.*s", STR_ARG(found.reason[i]));
	if (f->skips)
		json_put(object, "not_verified", skipped_rows(c, f));
	return object;
}
