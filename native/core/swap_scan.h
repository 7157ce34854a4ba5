#ifndef OX_SWAP_SCAN_H
#define OX_SWAP_SCAN_H

#include "oxide.h"

/*
 * Files that another Vim or Neovim has open, by their swap files: what a change writes there goes
 * past what is unsaved in it. It is looked for beside the file, where Neovim puts them by default,
 * and in the 'directory' of the Neovim that we belong to, whose own buffers do not count. That is
 * remembered in the state directory, so that other processes look there too, those of the command
 * line first of all: which option a Neovim without Oxide has cannot be told from outside. The first
 * `swap.files` files of a plan are looked at, a few questions to the disk each.
 *
 * A swap file counts while its process runs. One that a dead process left behind counts where it
 * holds what was not saved, for that can be recovered best before the file changes; so does one of
 * another machine, where nobody can tell whether the process runs.
 */
/* Appends a line for each such file of the plan, under the name that it has before. */
void swap_scan_report(struct oxide *ox, const struct plan *p, const char *root, struct buf *out);
/* The value of Neovim's option 'directory'; copied. Empty: there is no Neovim. In swap_places.c,
 * with what else is known of places. */
void swap_scan_directory(struct oxide *ox, struct str directory);

#endif
