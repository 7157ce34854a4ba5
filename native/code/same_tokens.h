#ifndef OX_SAME_TOKENS_H
#define OX_SAME_TOKENS_H

#include "lex.h"

/*
 * Whether two texts of C or C++ have the same tokens, so that only blanks, line ends and comments
 * differ, as after most formatting. Where a blank parts what would be read otherwise without it
 * (`+ +`, `1e +5`, `L "x"`), it counts; directives are compared byte by byte. What a compiler says
 * of the layout itself may differ all the same. False in any other language.
 */
bool same_tokens(const struct language *lang, struct str a, struct str b);

#endif
