#ifndef OX_ERR_H
#define OX_ERR_H

#include <stdbool.h>

/*
 * The one error type.
 *
 * A function that can fail for reasons a user should hear about returns
 * bool and takes `struct err *e` last. On failure it fills *e and returns
 * false; on success it leaves *e alone. It is never NULL and owns nothing:
 * the message lives inside the struct, so there is nothing to free.
 *
 *     if (!doc)
 *             return err_set(e, ERR_NOT_FOUND, "%s is not open", path);
 *
 * A message says what, where, and what to do, without a full stop or a line
 * end, so that it can be shown as it is or have context put before it.
 *
 * The table below is the only place where a code is spelled: it yields the
 * enum, the name in every answer ("no_server"), and the JSON-RPC code.
 * Broken invariants are not errors: they are BUG() and end the program.
 */
// clang-format off
#define ERR_CODES(X) \
	X(OK,               0, "ok") \
	X(INVALID,     -32602, "invalid") \
	X(NOT_FOUND,   -32001, "not_found") \
	X(AMBIGUOUS,   -32002, "ambiguous") \
	X(CONFLICT,    -32003, "conflict") \
	X(STALE,       -32004, "stale") \
	X(PROTOCOL,    -32700, "protocol") \
	X(NO_SERVER,   -32005, "no_server") \
	X(UNSUPPORTED, -32601, "unsupported") \
	X(TIMEOUT,     -32006, "timeout") \
	X(CANCELLED,   -32800, "cancelled") \
	X(LIMIT,       -32007, "limit") \
	X(IO,          -32008, "io") \
	X(PEER,        -32009, "peer") \
	X(DENIED,      -32010, "denied") \
	X(NEEDS_CONFIRMATION, -32011, "needs_confirmation") \
	X(INCOMPLETE,  -32012, "incomplete")
// clang-format on

enum err_code {
#define X(name, rpc, text) ERR_##name,
	ERR_CODES(X)
#undef X
		ERR_COUNT
};

struct err {
	enum err_code code;
	char msg[500];
};

#define ERR_INIT                                                                                   \
	{                                                                                          \
		ERR_OK, ""                                                                         \
	}

/* For a call whose reason to fail nobody hears about: `json_parse(text, ERR_IGNORED)`. */
#define ERR_IGNORED (&(struct err)ERR_INIT)

/* Always returns false, so that `return err_set(...)` is one line. */
bool err_set(struct err *e, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Puts context before the message: "src/a.c: edits overlap"; where both do not fit, the context
 * is cut in its middle. Returns false. */
bool err_in(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *err_name(enum err_code code);
enum err_code err_from_name(const char *name); /* ERR_PEER for names that are not ours */
int err_rpc(enum err_code code);
/* The code with this JSON-RPC number; ERR_PEER for numbers that are not ours. */
enum err_code err_from_rpc(long rpc);

#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
_Noreturn void bug_at(const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
