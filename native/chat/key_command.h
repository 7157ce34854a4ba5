#ifndef OX_KEY_COMMAND_H
#define OX_KEY_COMMAND_H

#include "model.h"

/*
 * The key of a model from a command of the user's configuration (key_command), such as a password
 * manager: an argument vector, run without a shell, for chat.key_ms at most. The first line that it
 * prints is the key, which model_set_key() takes.
 *
 *     k = key_command_start(ox, model, fn, arg, &e)      NULL: it cannot be started
 *     fn(arg, error)                                     once, not from inside; k is gone then
 *     key_command_cancel(k)                              -> fn(arg, ERR_CANCELLED)
 */
struct key_command;
typedef void key_command_done(void *arg, const struct err *e);

struct key_command *key_command_start(struct oxide *ox, const struct model *m, key_command_done *fn,
				      void *arg, struct err *e);
void key_command_cancel(struct key_command *k);

#endif
