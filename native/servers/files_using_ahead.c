#include <ctype.h>
#include <stdlib.h>

#include "../base/mem.h"
#include "../core/projects.h"
#include "../core/workspace.h"
#include "../lsp/symbols_touched.h"
#include "files_using_impl.h"

/*
 * While the server lists its symbols: where those that are touched are the functions that the text
 * shows, the questions about them are on their way when that is known.
 */
struct ahead {
	struct files_using *of; /* NULL: nobody wants the answer */
	size_t at;		/* the byte of the name */
	int64_t asked;
	struct word_search *mentions; /* NULL: it was taken */
	bool wanted, answered;
	struct err why;
	struct buf answer;
};

static void ahead_free(struct ahead *a)
{
	word_search_free(a->mentions);
	buf_release(&a->answer);
	free(a);
}

/* What was wrong is called off; what was right, and is not answered yet, will be. */
void files_using_forget_ahead(struct files_using *u)
{
	for (size_t i = 0; i < u->n_ahead; i++) {
		struct ahead *a = u->ahead[i];

		if (a->answered) {
			ahead_free(a);
		} else if (!a->wanted) {
			a->of = NULL;
			server_cancel(u->server, a->asked);
		}
	}
	u->n_ahead = 0;
}

static void on_ahead(void *arg, struct msg *m, const struct err *why)
{
	struct ahead *a = arg;
	struct files_using *u = a->of;

	a->answered = true;
	if (u && !a->wanted) {
		a->why = *why;
		buf_add(&a->answer, m ? m->raw : STR(""));
		return;
	}
	ahead_free(a);
	if (u)
		files_using_take(u, m ? m->raw : STR(""), why);
}

static struct word_search *search_for(struct files_using *u, struct str name)
{
	const char *path = u->file->path, *root = projects_home(u->ox->projects, path)->root;

	return word_search_start(u->ox, root, name, workspace_filetype(u->ox->workspace, path));
}

struct word_search *files_using_search(struct files_using *u, struct str name)
{
	for (size_t i = 0; i < u->n_ahead; i++) {
		struct word_search *m = u->ahead[i]->mentions;

		if (m && str_eq(word_search_name(m), name)) {
			u->ahead[i]->mentions = NULL;
			return m;
		}
	}
	return search_for(u, name);
}

bool files_using_asked_ahead(struct files_using *u, size_t at, int64_t *asked)
{
	for (size_t i = 0; i < u->n_ahead; i++) {
		struct ahead *a = u->ahead[i];

		if (a->at != at || a->wanted)
			continue;
		a->wanted = true;
		*asked = a->asked;
		if (a->answered)
			files_using_take(u, buf_str(&a->answer), &a->why);
		return true;
	}
	return false;
}

static bool is_one_word(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (!isalnum((unsigned char)name.p[i]) && name.p[i] != '_')
			return false;
	return name.n;
}

/* Functions alone: what is inside of one is no symbol of its own here, to no server. */
static bool are_sure(const struct symbol *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v[i]->doubtful || !symbol_is_function(v[i]) || !is_one_word(v[i]->name))
			return false;
	return true;
}

static void ask_one_ahead(struct files_using *u, struct doc *d, const struct symbol *s)
{
	enum pos_enc enc = server_encoding(u->server);
	struct ahead *a = mem_new(sizeof(*a));

	a->of = u;
	a->at = symbol_name_at(s, d, POS_UTF8);
	a->mentions = search_for(u, s->name);
	a->asked = server_ask(u->server, LSP_REFERENCES, proto_references(d, a->at, enc, false), 0,
			      on_ahead, a);
	mem_add(u->ahead, u->n_ahead, u->ahead_cap, a);
}

static void ask_ahead(void *arg)
{
	struct files_using *u = arg;
	struct doc *d = workspace_known(u->ox->workspace, u->file->path);
	const char *filetype = workspace_filetype(u->ox->workspace, u->file->path);
	struct symbols all SCOPED(symbols_release) = { 0 };
	const struct symbol **v SCOPED(mem_release) = NULL;
	size_t n, most = (size_t)config_get(&u->ox->config, CFG_GATE_SYMBOLS);

	u->due = false;
	if (u->over) {
		files_using_end(u);
		return;
	}
	if (u->listed || u->cancelled || !d ||
	    !symbols_of_text(language_of(filetype), d, &all, ERR_IGNORED))
		return;
	v = mem_new((all.n + 1) * sizeof(struct symbol *));
	n = symbols_touched(&all, d, POS_UTF8, &u->file->edits, v);
	for (size_t i = 0; i < n && n <= most && are_sure(v, n); i++)
		ask_one_ahead(u, d, v[i]);
}

void files_using_ask_ahead(struct files_using *u)
{
	u->due = true;
	oxide_soon(u->ox, ask_ahead, u);
}
