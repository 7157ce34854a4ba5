#ifndef OX_SIGNATURE_H
#define OX_SIGNATURE_H

#include "nested_edits.h"
#include "params.h"
#include "site.h"

/*
 * Another list of parameters for a function, and what becomes of its declarations and calls.
 *
 *     signature_init(&s, &params)                  // of the declaration that counts
 *     signature_item(&s)->from = 1 ...             // the new list, item by item
 *     signature_check(&s, &e)
 *     signature_learn(&s, &other)                  // each other declaration: its defaults
 *     signature_declare(...), signature_call(...)  // each place: its new list
 *     signature_release(&s)
 *
 * Kept parameters and arguments keep their own text. A call that leaves out arguments is right as
 * long as nothing follows them; else JavaScript says undefined, Python goes on by keyword, and of
 * C++ the default is written out where it is a plain constant. What cannot be known is refused:
 *
 * ERR_INVALID      the new list itself
 * ERR_UNSUPPORTED  this place
 */
struct signature_item {
	size_t from;	 /* the old parameter, counted behind the receiver; COMMA_LIST_NEW */
	struct str text; /* of a new one: its declaration */
	struct str argument;
	bool given;	 /* callers pass `argument`; else they rely on the default */
	struct str name; /* kept: the new name, empty: the old one. New: set by signature_check() */
	enum param_kind kind; /* set by signature_check() */
};

struct signature {
	const struct parameters *old; /* borrowed */
	struct str *value; /* of each old one its default, where any declaration has one */
	bool *optional;
	struct signature_item *v;
	size_t n, cap;
	struct arena texts;
};

void signature_init(struct signature *s, const struct parameters *old);
struct signature_item *signature_item(struct signature *s); /* one more */
bool signature_check(struct signature *s, struct err *e);
bool signature_same(const struct signature *s); /* nothing would change */
bool signature_learn(struct signature *s, const struct parameters *other, struct err *e);
void signature_release(struct signature *s);

struct str signature_old_name(const struct signature *s, size_t i); /* behind the receiver */
/* The name of old parameter i afterwards: empty where it keeps its own. */
struct str signature_new_name(const struct signature *s, size_t i);

/* Appends what is between the brackets then; `here` was read from nest->text. A default that
 * is new is left out where another declaration has it. */
bool signature_declare(const struct signature *s, const struct parameters *here,
		       const struct nested_edits *nest, bool defaults, struct buf *out,
		       struct err *e);

struct signature_call {
	size_t open;
	bool receiver; /* the object is the first argument */
	/* Told of each argument that goes, and does more than have a value. */
	void (*dropped)(void *arg, struct str argument);
	void *arg;
};

bool signature_call(const struct signature *s, const struct signature_call *c,
		    const struct nested_edits *nest, struct buf *out, struct err *e);

#endif
