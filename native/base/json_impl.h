#ifndef OX_JSON_IMPL_H
#define OX_JSON_IMPL_H

#include <cjson/cJSON.h>

#include "json.h"

/* Shared by json*.c: json.c has the trees, json_parse.c reads them, json_print.c writes
 * them, json_once.c finds names that come twice. */

/* A string of these bytes, which are taken. */
json *json_own(struct buf *text);
/* The bytes of a string or of json_raw(), a NUL among them too: what cJSON does not know, their
 * number, is kept in the member that it has for numbers. */
struct str json_bytes(const json *v);

#endif
