#ifndef OX_HOVER_H
#define OX_HOVER_H

#include "../base/str.h"

/*
 * What a hover says beside the signature: without the fenced code at its beginning, or at its end
 * behind a rule, and without the rules around it. Borrowed from `hover`.
 */
struct str hover_documentation(struct str hover);

#endif
