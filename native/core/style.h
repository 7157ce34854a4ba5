#ifndef OX_STYLE_H
#define OX_STYLE_H

#include "../lsp/proto.h"

/*
 * How a file is to be indented and ended: what the editor says, overruled by .editorconfig, as the
 * options that a language server is given. style.c alone includes editorconfig's header.
 */
void style_for(const char *path, const struct format_style *editor, struct format_style *out);
/* Without an editor: what most indented lines of the text do; tabs of 8 or spaces of 4 if none. */
void style_guess(struct str text, struct format_style *out);

#endif
