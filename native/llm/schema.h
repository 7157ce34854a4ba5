#ifndef OX_SCHEMA_H
#define OX_SCHEMA_H

#include "../base/json.h"

/*
 * The JSON Schema of a tool's arguments in OpenAI's strict form, which a model cannot break: every
 * member is required, one that may be left out may be null instead, and nothing else is allowed.
 * NULL where the schema has no such form, as that of a list of any values.
 */
json *schema_strict(const json *schema);

/* `name`, `description`, `parameters` and `strict` of a tool into `row`, as OpenAI's two APIs have
 * them. Strict only where `strict` and the tool's schema has that form. */
void schema_function(json *row, const json *tool, bool strict);

#endif
