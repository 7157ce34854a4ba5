#ifndef OX_JSON_H
#define OX_JSON_H

#include <stdint.h>

#include "buf.h"
#include "err.h"

/*
 * JSON as a tree, for settings and small messages; bulk answers of language servers are read by
 * jscan.h instead. json*.c alone know of cJSON.
 *
 * Strings hold bytes, as files and their names do: any, a NUL among them too, which is why their
 * length counts and not where they end. In JSON text bytes that are no UTF-8 are as they are,
 * too: what goes out to somebody else is made UTF-8 there, see bytes.h.
 */
typedef struct cJSON json;

/* A new tree, or NULL: not JSON, text after it, nested deeper than JSON_DEPTH, or a NUL in the name
 * of a member, which no name here can hold. */
json *json_parse(struct str text, struct err *e);
/* The same of what somebody asks for, which may be large: of an object, members that are arrays
 * stay text (json_raw_text()), for jscan.h to read; whether that is JSON is seen then. json_once()
 * holds of all of it. */
json *json_parse_outer(struct str text, struct err *e);
/* ERR_INVALID: an object at any depth has two members of one name, of which the getters would take
 * the first. What is not JSON is left to the reader. */
bool json_once(struct str text, struct err *e);
void json_print(struct buf *out, const json *v); /* one line, no spaces */
/* The same in parts of some 64 KB, so that a long text does not lie there twice. */
typedef void json_part(void *arg, struct str part);
void json_stream(const json *v, json_part *fn, void *arg);
json *json_copy(const json *v);
void json_free(json *v);
void json_release(json **v); /* json_free() for SCOPED, see mem.h */

#define JSON_DEPTH 512

/* Looking without demanding: NULL, the empty string or `if_absent` where there is no such member
 * or it is of another type. null counts as absent. */
const json *json_get(const json *v, const char *path);
struct str json_get_str(const json *v, const char *path);
char *json_dup(const json *v, const char *path); /* the caller frees; NULL: nothing is in it */
int64_t json_get_int(const json *v, const char *path, int64_t if_absent);
bool json_get_bool(const json *v, const char *path, bool if_absent);

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

enum json_type json_type_of(const json *v);   /* of NULL: JSON_NULL */
const char *json_type_name(enum json_type t); /* "a string" */
bool json_is(const json *v, enum json_type t);
bool json_is_int(const json *v);     /* a number without a fraction that an int64_t holds */
struct str json_text(const json *v); /* a string's bytes; empty for others */
int64_t json_number(const json *v);
double json_double(const json *v);
bool json_true(const json *v);

/* Arrays and objects are lists: walk them, never index in a loop. */
size_t json_len(const json *list);
const json *json_first(const json *list);
const json *json_next(const json *item);
const char *json_key(const json *member);
#define json_each(item, list)                                                                      \
	for (const json *item = json_first(list); item; item = json_next(item))

/* Building. A child that is put or pushed is taken; it is returned for going on with it. Keys are
 * copied. json_put replaces a member of the same name. */
json *json_object(void);
json *json_array(void);
/* The same with what is in it:
 *
 *     json_of({ "uri", json_str(uri) }, { "version", known ? json_int(version) : NULL })
 *     json_list(json_strz("clang"), json_strz(path))
 *
 * A member that is NULL is left out; a list ends at it. The order in which the values are made is
 * the compiler's choice, so none may depend on another. */
#define json_of(...)   json_with_members((const struct json_member[]){ __VA_ARGS__, { 0 } })
#define json_list(...) json_with_items((json *const[]){ __VA_ARGS__, NULL })
struct json_member {
	const char *key;
	json *value;
};
json *json_with_members(const struct json_member *v); /* up to the first without a key */
json *json_with_items(json *const *v);
json *json_put(json *obj, const char *key, json *child);
json *json_push(json *arr, json *child);
/* json_put without the search for a member of the same name, which makes large objects quadratic;
 * of two with one name the getters find the first. */
json *json_add(json *obj, const char *key, json *child);
void json_drop(json *obj, const char *key); /* removes a member, if there */
json *json_str(struct str s);
json *json_take(struct buf *text); /* the same of a long text, which is taken */
json *json_strz(const char *s);
json *json_strf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
json *json_int(int64_t n);
json *json_num(double n);
json *json_bool(bool b);
json *json_null(void);
/* Text that is already JSON, which is taken, and put in as it is when printed. It cannot be looked
 * into, and codec_msgpack cannot send it. */
json *json_raw(struct buf *text);
bool json_is_raw(const json *v);
struct str json_raw_text(const json *v);

/* Appends `s` as a JSON string with its quotes, in one pass; the way for long texts. */
void json_quote(struct buf *out, struct str s);

#endif
