#ifndef OX_TARGET_H
#define OX_TARGET_H

#include "../servers/pick.h"
#include "../text/doc.h"
#include "tool.h"

/*
 * What a call is about: the file, the server for it, and the place. Tools take file_path with
 * either `line` (from 1) and `column` (from 1, bytes), `line` and `symbol` (a name on that line),
 * or `symbol` alone (a name path such as Class/method in the file). A line with one name only
 * needs no column. `server` names the server, where there are several.
 */
struct target {
	struct call *call;
	struct server *server;
	struct doc *doc;
	char *path;    /* absolute */
	size_t byte;   /* the place, in doc_text(); 0 where none is asked for */
	bool settled;  /* no index was in the making */
	int64_t asked; /* last, by target_ask() */
};

/* The arguments of a place. */
#define PLACE_PARAMS                                                                               \
	{ "line", P_INT, false, NULL, "line of the symbol, from 1" },                              \
	{                                                                                          \
		"column", P_INT, false, NULL, "column of the symbol in bytes, from 1"              \
	}

enum target_place { TARGET_FILE, TARGET_PLACE };

/* Calls fn once, not from inside; cancelling the call brings ERR_CANCELLED. On success the target
 * is the caller's, to be released with target_free(); on failure it is NULL. */
typedef void target_found(void *arg, struct target *t, const struct err *e);
void target_find(struct call *c, enum lsp_feature f, enum pool_need need, enum target_place place,
		 target_found *fn, void *arg);
/* The file alone, `server` NULL, for what can do without one. NULL and *e: the file is denied, or
 * cannot be read. */
struct target *target_alone(struct call *c, struct err *e);
/* Whether a failure was for want of a server, and not for what was asked. */
bool target_unserved(const struct err *e);
/* A place other than the call's `line` and `column`. NULL: those. */
struct target_line {
	int64_t line, column; /* 0: none is given */
};
/* The same with the byte of that place; false and *e: no line is given, and *e has no code, or
 * there is no such place. */
bool target_place_alone(struct target *t, const struct target_line *at, struct err *e);
/* target_find() with another place. */
void target_find_at(struct call *c, enum lsp_feature f, enum pool_need need,
		    enum target_place place, const struct target_line *at, target_found *fn,
		    void *arg);
/* Asks its server, as server_ask() does; cancelling the call cancels the question. */
void target_ask(struct target *t, enum lsp_feature f, json *params, peer_reply *fn, void *arg);
void target_free(struct target *t);
const struct language *target_language(const struct target *t);

/* The identifier at a byte: letters, digits, `_`, `$` and everything beyond ASCII. May be empty. */
struct span target_word(struct str text, size_t byte);

/* Whether a file's text may be shown to the caller: not outside of the project, where links lead
 * too, unless it is an open buffer. */
bool target_shows(struct call *c, const char *path, struct err *e);
/* The path argument made absolute; ERR_DENIED outside of the project and of open buffers. */
char *target_path(struct call *c, const char *param, struct err *e);
/* Refuses a line: "line 9 is past the end: a.c has 8 lines". */
bool target_past_end(struct doc *d, const char *what, int64_t line, struct err *e);

#endif
