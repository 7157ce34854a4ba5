#include "unchecked.h"

#include <string.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../core/workspace.h"
#include "../text/doc.h"
#include "server_impl.h"

#define BEGINNING 4096 /* of a file */

static void without_blanks(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (!strchr(" \t\r\n", text.p[i]))
			buf_addc(out, text.p[i]);
}

static bool has_any(struct str text, const json *list)
{
	struct buf bare SCOPED(buf_release) = BUF_INIT;

	without_blanks(&bare, text);
	json_each(one, list)
		if (str_find(buf_str(&bare), json_text(one)) >= 0)
			return true;
	return false;
}

/* The nearest configuration; NULL: there is none. */
static struct doc *nearest_config(const struct server *s, const json *names, const char *path)
{
	struct str dir = str_of(path);

	do {
		char *in SCOPED(mem_release) = NULL;

		dir = path_dir(dir);
		in = mem_dup(dir.p, dir.n);
		json_each(name, names) {
			char *at SCOPED(mem_release) = path_join(in, json_text(name).p);
			struct doc *d = workspace_doc(s->ox->workspace, at, ERR_IGNORED);

			if (d)
				return d;
		}
	} while (path_below(str_of(server_root(s)), dir));
	return NULL;
}

static bool is_of(const json *filetypes, const char *type)
{
	json_each(one, filetypes)
		if (type && str_eq(json_text(one), str_of(type)))
			return true;
	return false;
}

const char *unchecked_by(const struct server *s, const char *path, const struct doc *d)
{
	const json *rule = s->spec->unchecked, *on = json_get(rule, "on"),
		   *off = json_get(rule, "off");
	struct str text = doc_text(d);
	const struct doc *config;

	if (!is_of(json_get(rule, "filetypes"), workspace_filetype(s->ox->workspace, path)) ||
	    has_any(str_sub(text, 0, text.n < BEGINNING ? text.n : BEGINNING), on))
		return NULL;
	config = nearest_config(s, json_get(rule, "configs"), path);
	if (config && has_any(doc_text(config), on))
		return NULL;
	if (off && (!config || !has_any(doc_text(config), off)))
		return NULL;
	return json_get_str(rule, "what").p;
}
