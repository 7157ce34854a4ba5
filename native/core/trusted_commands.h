#ifndef OX_TRUSTED_COMMANDS_H
#define OX_TRUSTED_COMMANDS_H

#include "../base/buf.h"

/*
 * Which projects' own commands (checks, tests) a user has allowed to run: whoever can write a
 * Makefile can have anything run by them. What is allowed are these commands with the build files
 * as they stand; it is kept in the state directory, one file a project, and asked again once either
 * is different.
 */

/* The digest of commands and build files (names and texts, in the project's directory and
 * TRUSTED_COMMANDS_DEPTH directories below it), appended as text. Reads the disk: for checks, which
 * take longer than that. */
#define TRUSTED_COMMANDS_DEPTH 3
void trusted_commands_digest(const char *root, struct str commands, struct buf *out);
bool trusted_commands_has(const char *root, struct str digest);
void trusted_commands_add(const char *root,
			  struct str digest); /* as far as the state directory can be had */

#endif
