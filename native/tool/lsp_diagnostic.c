#include <stdlib.h>

#include "../base/mem.h"
#include "../core/diagnose.h"
#include "../core/presets.h"
#include "../core/sources.h"
#include "../core/workspace.h"
#include "places.h"
#include "target.h"

/*
 * lsp_diagnostic: what the language servers find wrong with a file, or with the project, in the
 * present text.
 *
 *     run -> on_diagnosed (once a file) -> answer
 *
 * The project is what the editor has open; where no editor is, its source files, up to
 * diagnostics.files of them.
 */
struct file {
	struct diagnosing *of;
	char *path;
	struct diagnose *waiting;
};

struct diagnosing {
	struct call *call;
	enum diag_severity worst;
	struct file *file;
	size_t files, cap, left;
	struct server *server; /* of the last file */
	bool single, complete;
	struct err why; /* a single file's failure, or that nobody wants the answer any more */
};

static void diagnosing_free(struct diagnosing *d)
{
	for (size_t i = 0; i < d->files; i++)
		free(d->file[i].path);
	free(d->file);
	free(d);
}

static void put_rows(struct diagnosing *d, const struct diag *const *v, size_t n, json *result)
{
	struct oxide *ox = call_oxide(d->call);
	json *list = json_put(result, "diagnostics", json_array());
	struct places places;
	struct place at;

	places_init(&places, ox);
	for (size_t i = 0; i < n; i++) {
		places_look(&places, v[i]->path, &v[i]->range, v[i]->enc, &at);
		json_push(list, place_diag(ox, v[i], &at));
	}
	places_release(&places);
}

static void put_text(struct buf *list, struct str s)
{
	if (list->n)
		buf_addc(list, ',');
	json_quote(list, s);
}

static void put_flat(struct diagnosing *d, const struct diag *const *v, size_t n, json *result)
{
	struct buf severity = BUF_INIT, code = BUF_INIT, source = BUF_INIT, message = BUF_INIT,
		   out = BUF_INIT;
	struct flat flat = { 0 };
	struct places places;
	struct place at;

	places_init(&places, call_oxide(d->call));
	for (size_t i = 0; i < n; i++) {
		places_look(&places, v[i]->path, &v[i]->range, v[i]->enc, &at);
		flat_add(&flat, v[i]->path, &at);
		buf_addf(&severity, i ? ",%d" : "%d", (int)v[i]->severity);
		put_text(&code, v[i]->code);
		put_text(&source, v[i]->source);
		put_text(&message, v[i]->message);
	}
	flat_begin(&flat, &out);
	buf_addf(&out, ",\"severity\":[%s],\"code\":[%s],\"source\":[%s],\"message\":[%s]}",
		 buf_str(&severity).p, buf_str(&code).p, buf_str(&source).p, buf_str(&message).p);
	json_put(result, "flat", json_raw(&out));
	places_release(&places);
	flat_release(&flat);
	buf_release(&severity);
	buf_release(&code);
	buf_release(&source);
	buf_release(&message);
}

static json *counts_of(const struct diag_counts *counts)
{
	json *by = json_object();

	for (int s = DIAG_ERROR; s <= DIAG_HINT; s++)
		json_put(by, diag_severity_name((enum diag_severity)s),
			 json_int((int64_t)counts->of[s]));
	return by;
}

static void answer(struct diagnosing *d)
{
	struct oxide *ox = call_oxide(d->call);
	json *result = json_object();
	struct buf summary = BUF_INIT;
	struct diag_counts counts;
	const struct diag **v;
	size_t n = diag_list(ox->diags, d->single ? d->file[0].path : NULL, d->worst, &v);

	diag_count(v, n, &counts);
	diag_summary(&counts, &summary);
	if (call_context(d->call)->flat)
		put_flat(d, v, n, result);
	else
		put_rows(d, v, n, result);
	json_put(result, "counts", counts_of(&counts));
	json_put(result, "summary", json_str(buf_str(&summary)));
	json_put(result, "files", json_int((int64_t)counts.files));
	json_put(result, "complete", json_bool(d->complete));
	if (d->single)
		json_put(result, "server", json_strz(server_name(d->server)));
	else
		json_put(result, "asked", json_int((int64_t)d->files));
	free(v);
	buf_release(&summary);
	call_done(d->call, result);
	diagnosing_free(d);
}

static void finish(struct diagnosing *d)
{
	call_on_cancel(d->call, NULL, NULL);
	if (d->why.code) {
		call_fail(d->call, &d->why);
		diagnosing_free(d);
	} else {
		answer(d);
	}
}

/* In a project, a file that no server is there for says nothing about the others. */
static void on_diagnosed(void *arg, struct server *s, bool complete, const struct err *e)
{
	struct file *f = arg;
	struct diagnosing *d = f->of;

	f->waiting = NULL;
	d->server = s;
	d->complete = d->complete && (complete || e->code == ERR_NO_SERVER);
	if (e->code && (d->single || e->code == ERR_CANCELLED))
		d->why = *e;
	if (!--d->left)
		finish(d);
}

static void cancelled(void *state)
{
	struct diagnosing *d = state;

	call_on_cancel(d->call, NULL, NULL);
	for (size_t i = 0; i < d->files; i++)
		if (d->file[i].waiting)
			diagnose_cancel(d->file[i].waiting);
}

static void add_file(struct diagnosing *d, const char *path)
{
	d->file = mem_grow(d->file, &d->cap, d->files + 1, sizeof(*d->file));
	d->file[d->files++] = (struct file){ d, mem_dup(path, strlen(path)), NULL };
}

static void add_source(void *arg, const char *path, const struct fs_stat *st)
{
	(void)st;
	add_file(arg, path);
}

static void add_project(struct diagnosing *d)
{
	struct oxide *ox = call_oxide(d->call);
	struct map extensions = MAP_INIT;
	struct sources all = { ox->root, &extensions,
			       (size_t)config_get(&ox->config, CFG_DIAGNOSTIC_FILES), d,
			       add_source };

	for (size_t i = 0; i < workspace_buffers(ox->workspace); i++)
		add_file(d, doc_path(workspace_buffer_number(ox->workspace, i)->doc));
	if (!ox->editor.apply) {
		presets_served(ox->presets, &extensions);
		d->complete = sources_walk(&all);
		map_release(&extensions);
	}
}

static enum diag_severity read_severity(const json *args)
{
	struct str s = json_get_str(args, "severity");

	for (int i = DIAG_ERROR; i <= DIAG_HINT; i++)
		if (str_eq(s, str_of(diag_severity_name((enum diag_severity)i))))
			return (enum diag_severity)i;
	return DIAG_HINT;
}

static void run(struct call *call)
{
	struct diagnosing *d = mem_new(sizeof(*d));
	char *path = NULL;

	d->call = call;
	d->worst = read_severity(call_args(call));
	d->single = json_get(call_args(call), "file_path");
	d->complete = true;
	if (!d->single)
		add_project(d);
	else if ((path = target_path(call, "file_path", &d->why)))
		add_file(d, path);
	free(path);
	d->left = d->files;
	if (!d->left) {
		finish(d);
		return;
	}
	call_on_cancel(call, cancelled, d);
	for (size_t i = 0; i < d->files; i++)
		d->file[i].waiting =
			diagnose_start(call_oxide(call), d->file[i].path,
				       call_context(call)->timeout_ms, on_diagnosed, &d->file[i]);
}

static const struct param params[] = {
	{ "file_path", P_PATH, false, "the file; the project when left out", NULL },
	{ "severity", P_STR, false, "the mildest to list", "error|warning|info|hint" },
	{ NULL, P_STR, false, NULL, NULL },
};

const struct tool tool_lsp_diagnostic = {
	.name = "lsp_diagnostic",
	.doc = "List the errors, warnings and hints of the language server for the present text, by "
	       "file, severity and line",
	.params = params,
	.run = run,
};
