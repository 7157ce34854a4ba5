#ifndef OX_SCHEMA_H
#define OX_SCHEMA_H

#include "../base/json.h"

/*
 * The JSON Schema of a tool's arguments in OpenAI's strict form, which a model cannot break: every
 * member is required, one that may be left out may be null instead, and nothing else is allowed.
 * NULL where the schema has no such form, as that of a list of any values.
 */
json *schema_strict(const json *schema);

/* The tools as OpenAI's two APIs list them in `body`, each with `name`, `description`, `parameters`
 * and `strict`: in a member of its row where `nested`, else in the row, which says `strict` in any
 * case. Strict only where `strict` and the tool's schema has that form. Without tools no list. */
void schema_functions(json *body, const json *tools, bool strict, bool nested);

#endif
