#ifndef OX_MASK_H
#define OX_MASK_H

#include "buf.h"

/*
 * Keys in a text that is kept: what looks like one is put out as "***".
 *
 *     "api_key": "..."                 a string in JSON whose name speaks of a key
 *     OPENAI_API_KEY=...               an assignment, as in an environment file
 *     Bearer ..., sk-..., ghp_...      the forms of well-known services
 *
 * The text is one line of JSON, and stays that.
 */
void mask_json(struct buf *out, struct str line);
/* Whether a name speaks of a key, in any case of letters: "apiKey", "GITHUB_TOKEN". */
bool mask_names_key(struct str name);

#endif
