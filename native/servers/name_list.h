#ifndef OX_NAME_LIST_H
#define OX_NAME_LIST_H

#include "../core/oxide.h"
#include "../text/doc.h"

/*
 * Names for completion as texts alone have them, while no language server can tell any: of the
 * files of a language in a project, those that begin as what is typed does. First what the
 * document itself declares (outline.h, and macros of C), then what other files declare, then the
 * words of their code, each sorted but the first. What is declared comes by its name path, such as
 * "Shape/area", and fits by its last part too: "ar", or "Shape/ar".
 *
 * Files are read on a worker, buffers as they are when it starts. There are at most symbol.names of
 * mentions.files files, of at most file.bytes each.
 *
 *     l = name_list_start(ox, root, doc, lead, fn, arg)   // fn once, not from inside
 *     name_list_json(l), name_list_whole(l)
 *     name_list_free(l)
 */
struct name_list;

struct name_list *name_list_start(struct oxide *ox, const char *root, struct doc *d,
				  struct str lead, void (*fn)(void *arg), void *arg);
json *name_list_json(const struct name_list *l); /* strings */
bool name_list_whole(const struct name_list *l); /* there are no more */
void name_list_cancel(void *l);			 /* fn comes soon */
void name_list_free(struct name_list *l);	 /* behind fn */

#endif
