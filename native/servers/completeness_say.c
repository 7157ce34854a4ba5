#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/mem.h"
#include "../core/workspace.h"
#include "completeness_impl.h"

#define FILES_NAMED 3 /* in a message; the list has them all */

static bool is_said(const struct completeness *r, const char *path, const char *why)
{
	for (size_t i = 0; i < r->reasons; i++) {
		const struct completeness_reason *one = &r->reason[i];

		if (path ? one->path && !strcmp(one->path, path)
			 : !one->path && !strcmp(one->why, why))
			return true;
	}
	return false;
}

static void complete_say_add(struct completeness *r, const char *path, const struct word_use *at,
			     const char *why, bool must)
{
	if (is_said(r, path, why))
		return;
	mem_add(r->reason, r->reasons, r->reason_cap,
		(struct completeness_reason){ path ? mem_dup(path, strlen(path)) : NULL,
					      mem_dup(why, strlen(why)), at ? at->path : NULL,
					      at ? at->at : 0, must });
}

void completeness_missed(struct completeness *r, const char *path, const char *why)
{
	complete_say_add(r, path, NULL, why, true);
}

static void complete_say_drop(struct completeness *r, struct completeness_reason *one)
{
	free(one->path);
	free(one->why);
	*one = r->reason[--r->reasons];
}

void completeness_forgive(struct completeness *r, const char *path)
{
	for (size_t i = 0; i < r->reasons; i++) {
		if (!r->reason[i].path || strcmp(r->reason[i].path, path) != 0)
			continue;
		complete_say_drop(r, &r->reason[i]);
		return;
	}
}

void completeness_excuse(struct completeness *r, const char *path, size_t at)
{
	for (size_t i = r->reasons; i-- > 0;) {
		struct completeness_reason *one = &r->reason[i];

		if (one->in && one->at == at && !strcmp(one->in, path))
			complete_say_drop(r, one);
	}
}

void completeness_doubt(struct completeness *r, bool must, const char *fmt, ...)
{
	char why[500];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	complete_say_add(r, NULL, NULL, why, must);
}

void completeness_doubt_at(struct completeness *r, const struct word_use *at, bool must,
			   const char *fmt, ...)
{
	char why[500];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	complete_say_add(r, NULL, at, why, must);
}

static json *reason_text(const struct completeness *r, const struct completeness_reason *one)
{
	struct str shown = STR("");

	if (!one->path)
		return json_strz(one->why);
	shown = workspace_shown(r->ox->workspace, one->path);
	return json_strf("%.*s: %s", STR_ARG(shown), one->why);
}

static json *file_rows(const struct completeness *r)
{
	json *list = json_array();

	for (size_t i = 0; i < r->reasons; i++) {
		const struct completeness_reason *one = &r->reason[i];

		const char *path = one->path ? one->path : one->in;

		if (!path || !one->must)
			continue;
		json_push(list,
			  json_of({ "file", json_str(workspace_shown(r->ox->workspace, path)) },
				  { "reason", json_strz(one->why) }));
	}
	return list;
}

/* "a.c (it is too large), b.c (...) and 4 more" */
static void name_some(const struct completeness *r, struct buf *out)
{
	size_t n = 0;

	for (size_t i = 0; i < r->reasons; i++) {
		const struct completeness_reason *one = &r->reason[i];
		struct str shown;

		if (!one->must || n++ >= FILES_NAMED)
			continue;
		buf_adds(out, n > 1 ? "; " : "");
		if (one->path) {
			shown = workspace_shown(r->ox->workspace, one->path);
			buf_addf(out, "%.*s (%s)", STR_ARG(shown), one->why);
		} else {
			buf_adds(out, one->why);
		}
	}
	if (n > FILES_NAMED)
		buf_addf(out, "; and %zu more", n - FILES_NAMED);
}

static bool must_refuse(const struct completeness *r)
{
	for (size_t i = 0; i < r->reasons; i++)
		if (r->reason[i].must)
			return true;
	return false;
}

bool completeness_refuses(const struct completeness *r, struct buf *why)
{
	if (!must_refuse(r))
		return false;
	buf_adds(why, "incomplete: ");
	name_some(r, why);
	return true;
}

json *completeness_refusal(const struct completeness *r, struct err *e)
{
	struct buf some SCOPED(buf_release) = BUF_INIT;
	json *object, *error;

	if (!must_refuse(r))
		return NULL;
	name_some(r, &some);
	err_set(e, ERR_INCOMPLETE,
		"the change would be incomplete, and was not applied: %.300s; pass incomplete: "
		"\"allow\" to change what is known",
		some.p);
	object = json_object();
	error = json_put(object, "error",
			 json_of({ "code", json_strz(err_name(e->code)) },
				 { "message", json_strz(e->msg) }, { "files", file_rows(r) }));
	json_put(object, "success", json_bool(false));
	completeness_report(r, error);
	return object;
}

static json *reasons_of(json *report)
{
	json *list = (json *)(uintptr_t)json_get(report, "reasons");

	json_put(report, "complete", json_bool(false));
	return list ? list : json_put(report, "reasons", json_array());
}

static void add_text(json *report, json *text)
{
	json *list = reasons_of(report);

	json_each(one, list)
		if (str_eq(json_text(one), json_text(text))) {
			json_free(text);
			return;
		}
	json_push(list, text);
}

void completeness_report(const struct completeness *r, json *report)
{
	if (!json_get(report, "complete"))
		json_put(report, "complete", json_bool(true));
	for (size_t i = 0; i < r->reasons; i++)
		add_text(report, reason_text(r, &r->reason[i]));
}

void reasons_add(json *report, const char *fmt, ...)
{
	char why[500];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	add_text(report, json_strz(why));
}
