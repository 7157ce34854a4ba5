#ifndef OX_PROJECT_DIAGS_H
#define OX_PROJECT_DIAGS_H

#include "../core/oxide.h"
#include "../core/projects.h"
#include "../lsp/diag.h"

/*
 * What the language servers say of a whole project: of what the editor has open, in its present
 * text, and of all other source files (project_sources.h), as they are on the disk.
 *
 * All servers of a file are asked, as diagnose_file.h has it. One that can is asked about all files
 * at once. To the others files are shown, diagnostics.at_once at a time and diagnostics.files in
 * all, also to one that publishes for files that nobody has opened: none does so for all of them.
 * Each is closed again when the server has spoken of it, unless it was open before or is opened by
 * somebody else meanwhile. What it said is kept (diag_cache.h). It holds as long as all files of
 * that language, which are what it may depend on (a header, a module), are what they were, with the
 * buffers' texts, the root's markers and the editor's clients. What lies outside of the project, or
 * is ignored by git, is not watched: `:Oxide core restart` forgets.
 *
 * A server that dies has its files shown again, one at a time: the one that ends it a second time
 * is told apart. One that says nothing of a whole batch is not shown the rest.
 *
 *     w = project_diags_start(ox, &spec, fn, arg)
 *     fn(arg, e)     // once, not from inside; ERR_CANCELLED after project_diags_cancel()
 *     n = project_diags_list(w, worst, &v), project_diags_report(w, result)
 *     project_diags_free(w)
 *
 * Sweeps come one after the other. Between two batches a change on trial can be looked at.
 */
struct project_diags;
typedef void project_diags_done(void *arg, const struct err *e);

struct project_diags_spec {
	const struct project *project;
	uint64_t timeout_ms; /* for each file; 0: the configured one */
	bool known;	     /* only what is known: nothing is shown to a server but buffers */
};

struct project_diags *project_diags_start(struct oxide *ox, const struct project_diags_spec *spec,
					  project_diags_done *fn, void *arg);
void project_diags_cancel(struct project_diags *w);
/* As diag_list(), of the project. */
size_t project_diags_list(const struct project_diags *w, enum diag_severity worst,
			  const struct diag ***out);
/* Puts in `complete`, `asked`, `known`, and where files are missing `missed` and `missing`. */
void project_diags_report(const struct project_diags *w, json *result);
void project_diags_complete(const struct project_diags *w,
			    json *result);	  /* of that, `complete` alone */
void project_diags_free(struct project_diags *w); /* NULL: nothing; only after fn was called */

#endif
