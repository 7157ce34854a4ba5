#ifndef OX_SYMBOL_SITES_H
#define OX_SYMBOL_SITES_H

#include "../code/nested_edits.h"
#include "../code/site.h"
#include "../core/oxide.h"
#include "../lsp/proto.h"

/*
 * The places at which servers say that a function is named, file by file, with the texts as they
 * were at that moment. Zero it and set `ox` to start.
 */
struct site_file {
	char *path;
	const struct language *lang;
	struct buf text;
	struct line_table lines; /* LSP's */
	struct site *v;		 /* by position; each once */
	size_t n, cap;
	struct nested_edits nest; /* what is to become of it */
};

struct symbol_sites {
	struct oxide *ox;
	struct site_file **v;
	size_t n, cap;
	struct map known; /* by path, and by number where it has several */
	uint64_t moves;	  /* of the workspace when the servers were asked */
	/* A type of Go implements what has its methods, wherever that is: the first place outside
	 * of the projects where one is declared. It is no site. NULL: none. */
	char *outside;
};

/* `name`: what is sought where a range holds more than a name. The kinds of sites come with
 * symbol_sites_read(). */
bool symbol_sites_add(struct symbol_sites *s, const struct location *l, enum pos_enc enc,
		      struct str name, struct err *e);
void symbol_sites_read(struct symbol_sites *s);
/* One goes, which nobody points at. */
void symbol_sites_drop(struct site_file *f, size_t i);
struct site_file *symbol_sites_file(const struct symbol_sites *s,
				    const char *path); /* NULL: there is none */
/* One more, without a place in it, where there is none. */
struct site_file *symbol_sites_open(struct symbol_sites *s, struct str path, struct err *e);
struct str site_name(const struct site_file *f, const struct site *s);
/* No word is there, whole: the server spoke of another text. */
bool site_is_gone(const struct site_file *f, const struct site *s);
size_t site_line(const struct site_file *f, const struct site *s); /* as a person counts, from 1 */
void symbol_sites_release(struct symbol_sites *s);

#endif
