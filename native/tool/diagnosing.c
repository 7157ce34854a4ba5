#include "diagnosing.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../core/diagnose.h"
#include "../core/presets.h"
#include "../core/sources.h"
#include "../core/workspace.h"
#include "target.h"

struct file {
	struct diagnosing *of;
	char *path;
	struct diagnose *waiting;
};

struct diagnosing {
	struct call *call;
	diagnosing_done *fn;
	void *arg;
	struct file *file;
	size_t files, cap, left;
	struct server *server; /* of the last file */
	bool single, complete;
	struct err why; /* a single file's failure, or that nobody wants the answer any more */
};

void diagnosing_free(struct diagnosing *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->files; i++)
		free(d->file[i].path);
	free(d->file);
	free(d);
}

static void finish(void *arg)
{
	struct diagnosing *d = arg;

	call_on_cancel(d->call, NULL, NULL);
	d->fn(d->arg, &d->why);
}

static void on_diagnosed(void *arg, struct server *s, bool complete, const struct err *e)
{
	struct file *f = arg;
	struct diagnosing *d = f->of;

	f->waiting = NULL;
	d->server = s;
	d->complete = d->complete && (complete || (!s && e->code == ERR_NO_SERVER));
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

struct diagnosing *diagnosing_start(struct call *call, diagnosing_done *fn, void *arg)
{
	struct diagnosing *d = mem_new(sizeof(*d));
	char *path = NULL;

	*d = (struct diagnosing){ .call = call, .fn = fn, .arg = arg, .complete = true };
	d->single = json_get(call_args(call), "file_path");
	if (!d->single)
		add_project(d);
	else if ((path = target_path(call, "file_path", &d->why)))
		add_file(d, path);
	free(path);
	d->left = d->files;
	if (!d->left) {
		oxide_soon(call_oxide(call), finish, d);
		return d;
	}
	call_on_cancel(call, cancelled, d);
	for (size_t i = 0; i < d->files; i++)
		d->file[i].waiting =
			diagnose_start(call_oxide(call), d->file[i].path,
				       call_context(call)->timeout_ms, on_diagnosed, &d->file[i]);
	return d;
}

size_t diagnosing_list(const struct diagnosing *d, enum diag_severity worst,
		       const struct diag ***out)
{
	return diag_list(call_oxide(d->call)->diags, d->single ? d->file[0].path : NULL, worst,
			 out);
}

void diagnosing_report(const struct diagnosing *d, json *result)
{
	json_put(result, "complete", json_bool(d->complete));
	if (d->single)
		json_put(result, "server", json_strz(server_name(d->server)));
	else
		json_put(result, "asked", json_int((int64_t)d->files));
}

enum diag_severity diagnosing_severity(const json *args, enum diag_severity if_absent)
{
	struct str s = json_get_str(args, "severity");

	for (int i = DIAG_ERROR; i <= DIAG_HINT; i++)
		if (str_eq(s, str_of(diag_severity_name((enum diag_severity)i))))
			return (enum diag_severity)i;
	return if_absent;
}
