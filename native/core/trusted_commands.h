#ifndef OX_TRUSTED_COMMANDS_H
#define OX_TRUSTED_COMMANDS_H

#include "../base/buf.h"

/*
 * What a user has allowed for good in a project: to run its own commands (checks, tests), and what
 * else an agent has asked for (agent/permissions.h). It is allowed for exactly that, and kept as
 * digests in the state directory, one file a project.
 *
 * Whoever can write a Makefile can have anything run by a project's commands: what is allowed are
 * these commands with the build files, and the scripts that those name, as they are, and it is
 * asked again once any of it is different. Sources, which a test runs too, and programs that were
 * built are not part of it.
 */

/* The digest of commands, build files (names and texts, in the project's directory and
 * TRUSTED_COMMANDS_DEPTH directories below it), and the scripts there (they begin with #!, or end
 * in .sh) that one of these names, appended as text. Reads the disk: for checks, which take longer
 * than that. */
#define TRUSTED_COMMANDS_DEPTH 3
void trusted_commands_digest(const char *root, struct str commands, struct buf *out);
/* The digest of what depends on no file, such as a command line. */
void trusted_commands_digest_text(struct str text, struct buf *out);
bool trusted_commands_has(const char *root, struct str digest);
void trusted_commands_add(const char *root,
			  struct str digest); /* as far as the state directory can be had */

#endif
