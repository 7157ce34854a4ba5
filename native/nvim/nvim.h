#ifndef OX_NVIM_H
#define OX_NVIM_H

#include "../core/oxide.h"

/* `oxide nvim`: a core for the Neovim at the other end of its standard streams, until that goes
 * away. Returns the exit status; nvim_impl.h says which file does what. */
int front_nvim(struct oxide *ox);

#endif
