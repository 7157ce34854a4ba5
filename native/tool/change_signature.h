#ifndef OX_CHANGE_SIGNATURE_H
#define OX_CHANGE_SIGNATURE_H

#include "tool.h"

/* lsp_edit's change_signature, which is about more than the text of a symbol. Answers the call. */
void signature_run(struct call *call);

#endif
