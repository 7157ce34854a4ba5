#include <stdlib.h>
#include <string.h>

#include "../base/mem.h"
#include "../code/lex.h"
#include "../servers/diagnose_file.h"
#include "rename_impl.h"

/*
 * A rename of many files begins its look at the change (gate.h) with what the server says of the
 * headers as they are, and it may have read none of them for their own sake. So it is asked to once
 * the search has found which have the name, while it still works on the rename. Nothing comes of
 * what it says here, and with the edits the waiting ends.
 */
struct rename_header {
	struct diagnose_file *reading;
	bool left; /* nobody knows it any more */
};

static void on_header_read(void *arg, const struct file_diagnosis *v, size_t n, const struct err *e)
{
	struct rename_header *h = arg;

	(void)v;
	(void)n;
	(void)e;
	h->reading = NULL;
	if (h->left)
		free(h);
}

static void read_header(struct rename *r, const char *path)
{
	struct rename_header *h = mem_new(sizeof(*h));

	h->reading = diagnose_file_start(call_oxide(r->call), path,
					 call_context(r->call)->timeout_ms, on_header_read, h);
	diagnose_file_exactly(h->reading, true);
	r->header[r->headers++] = h;
}

static bool is_large(const struct rename *r, const struct word_use *use, size_t n)
{
	size_t most = (size_t)config_get(&call_oxide(r->call)->config, CFG_RENAME_VERIFIED);
	size_t files = 0;

	for (size_t i = 0; i < n; i++)
		files += !i || strcmp(use[i].path, use[i - 1].path) != 0;
	return files > most;
}

static void on_rename_names_found(void *arg)
{
	struct rename *r = arg;
	size_t n;
	struct word_use *use SCOPED(mem_release) = word_search_code(r->mentions, &n);

	if (!r->waiting || r->plan || call_cancelled(r->call) || !is_large(r, use, n))
		return;
	for (size_t i = 0; i < n && r->headers < RENAME_HEADERS; i++)
		if ((!i || strcmp(use[i].path, use[i - 1].path) != 0) &&
		    language_header(str_of(use[i].path)))
			read_header(r, use[i].path);
}

void rename_read_headers(struct rename *r)
{
	if (rename_verifies(r))
		word_search_wait(r->mentions, on_rename_names_found, r);
}

void rename_leave_headers(struct rename *r)
{
	while (r->headers) {
		struct rename_header *h = r->header[--r->headers];

		h->left = true;
		if (h->reading)
			diagnose_file_cancel(h->reading);
		else
			free(h);
	}
}
