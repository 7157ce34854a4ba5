#ifndef OX_UNCHECKED_H
#define OX_UNCHECKED_H

#include "server.h"

/*
 * Of some files a server says little, because a configuration has it so or does not ask for more:
 * that it finds no error in them means less than it seems. Presets have as `unchecked`:
 *
 *     filetypes   of these files
 *     configs     names of the configuration, which is in a file's directory or one above it
 *     on          texts that turn its checks on, in the configuration or at the beginning of a file
 *     off         texts of a configuration that turn them off; without it they are off already
 *     what        it does not look at then
 *
 * Texts are compared without blanks.
 */
/* `what` of this file, whose text is `d`; NULL: nothing. */
const char *unchecked_by(const struct server *s, const char *path, const struct doc *d);

#endif
