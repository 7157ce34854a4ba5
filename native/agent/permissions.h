#ifndef OX_PERMISSIONS_H
#define OX_PERMISSIONS_H

#include "../base/map.h"
#include "../core/oxide.h"

/*
 * What an agent may do, whichever engine it runs on: a rule for what it does and where.
 *
 *                  inside   outside   protected
 *       read       allow    ask       allow
 *       edit       review   ask       ask
 *       command    ask      ask       ask
 *       network    ask      ask       ask
 *       other      ask      ask       ask
 *
 * "inside" is any project that is loaded, "protected" are the files in there that protect.h guards.
 * `chat = { permissions = { command = "deny", read = { outside = "deny" } } }` of the user's
 * configuration changes it; a workspace cannot. A yes holds once, for the session (this struct's
 * life), or always for exactly this (trusted_commands.h).
 *
 *     permissions_init(&p, ox, &e)
 *     rule = permissions_rule(&p, &request)
 *     a = permission_ask(&p, &request, fn, arg)        where that is PERMISSION_ASK
 *     permissions_release(&p)
 *
 * The question is put by the front-end (editor.h's confirm); it waits for as long as the user
 * likes, and holds up nothing else.
 */
enum permission_what {
	PERMISSION_READ,
	PERMISSION_EDIT,
	PERMISSION_COMMAND,
	PERMISSION_NETWORK,
	PERMISSION_OTHER,
	PERMISSION_WHATS
};

enum permission_where {
	PERMISSION_INSIDE,
	PERMISSION_OUTSIDE,
	PERMISSION_PROTECTED,
	PERMISSION_WHERES
};

enum permission_rule {
	PERMISSION_ALLOW,
	PERMISSION_REVIEW, /* the change itself is shown, and is the question */
	PERMISSION_ASK,
	PERMISSION_DENY
};

struct permissions {
	struct oxide *ox;
	enum permission_rule rule[PERMISSION_WHATS][PERMISSION_WHERES];
	struct map session; /* digests of what was allowed for it */
	struct map given;   /* texts for what was allowed once, and may be asked about once more */
};

struct permission_request {
	enum permission_what what;
	enum permission_where where;
	const char *title;	  /* with the exact arguments: "run make -k test in /p" */
	const char *tool;	  /* that asks for it */
	const char *who;	  /* "fast", "claude" */
	const char *root;	  /* of the project that "always" is kept for */
	const struct buf *digest; /* of exactly this; NULL: it is asked about each time */
	void *of;		  /* as in struct question */
};

/* ERR_INVALID names what is wrong with the configuration. */
bool permissions_init(struct permissions *p, struct oxide *ox, struct err *e);
void permissions_release(struct permissions *p); /* when nothing is asked */
/* The same for what another configuration says, such as Neovim's. */
bool permissions_read(struct permissions *p, const json *table, struct err *e);

/* The one of all agents that work with this core, made once; NULL: as permissions_init(). */
struct permissions *permissions_shared(struct oxide *ox, struct err *e);
void permissions_unshare(struct oxide *ox); /* when nothing is asked */

/* Where a path lies; absolute. */
enum permission_where permission_where(struct oxide *ox, const char *path);
/* What is to be done about it; what was allowed before is PERMISSION_ALLOW. */
enum permission_rule permissions_rule(const struct permissions *p,
				      const struct permission_request *r);

/* fn comes once, not from inside. ERR_OK: it may. ERR_DENIED: the user said no, and why where they
 * told it; ERR_NEEDS_CONFIRMATION: no user is there; ERR_CANCELLED. The request is borrowed until
 * then. */
struct permission;
typedef void permission_said(void *arg, const struct err *e);
struct permission *permission_ask(struct permissions *p, const struct permission_request *r,
				  permission_said *fn, void *arg);
void permission_cancel(struct permission *a);

/* Something that the user has just allowed a client, which may ask about it again before it does
 * it, or after that: what it is told then, once. The caller frees it; NULL: it was not allowed. */
void permission_give(struct permissions *p, struct str client, struct str what, const char *text);
void permission_forget_given(struct permissions *p); /* all of it */
char *permission_take_given(struct permissions *p, struct str client, struct str what);

/* What a model is told where the table says no. Returns false. */
bool permission_deny(const struct permission_request *r, struct err *e);

#endif
