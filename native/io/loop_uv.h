#ifndef OX_LOOP_UV_H
#define OX_LOOP_UV_H

#include <uv.h>

#include "loop.h"

/* For the other files of io/ alone. */
uv_loop_t *loop_uv(struct loop *l);
/* "cannot start clangd: no such file or directory": fills *e from a libuv result; returns false. */
bool uv_failed(struct err *e, int status, const char *what);

/* The allocation callback for uv_read_start(): all ends of a loop read into the same bytes, which
 * are the reader's until it returns. */
void uv_room(uv_handle_t *h, size_t want, uv_buf_t *b);

/* For uv_close(): frees what the handle's `data` points to, which it is a part of. */
void uv_free_data(uv_handle_t *h);

#endif
