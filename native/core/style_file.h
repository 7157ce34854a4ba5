#ifndef OX_STYLE_FILE_H
#define OX_STYLE_FILE_H

#include "../lsp/proto.h"

/*
 * For servers whose style is a file above the one that is formatted, and that heed no options, as
 * clangd and `.clang-format`. Where the project has no such file, but an .editorconfig that says
 * how to indent, the text is formatted under another path, in a directory of its own beside a style
 * file that says the same:
 *
 *     if (!style_file_above(path) && (directory = style_folder_make(&style, &e)))
 *             ... a document FOLDER/NAME.c is shown to the server and formatted ...
 *     style_folder_drop(directory);
 */
bool style_file_above(const char *path); /* a .clang-format that counts for it */
/* NULL and *e: it cannot be made. */
char *style_folder_make(const struct format_style *s, struct err *e);
void style_folder_drop(char *folder); /* with its file; NULL: nothing */

#endif
