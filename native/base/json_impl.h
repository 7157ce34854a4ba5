#ifndef OX_JSON_IMPL_H
#define OX_JSON_IMPL_H

#include <cjson/cJSON.h>

#include "json.h"

/* Shared by json*.c: json.c has the trees, json_parse.c reads them, json_print.c writes
 * them, json_once.c finds names that come twice. */

/* How many bytes it begins with that stand for themselves in a JSON string: ASCII but for controls,
 * quotes and backslashes. By words, for strings that are whole files. */
size_t json_plain_run(struct str s);
/* A string of these bytes, which are taken. */
json *json_own(struct buf *text);
/* The bytes of a string or of json_raw(), a NUL among them too: what cJSON does not know, their
 * number, is kept in the member that it has for numbers. */
struct str json_bytes(const json *v);

#endif
