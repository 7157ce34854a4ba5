#ifndef OX_ACTION_ROWS_H
#define OX_ACTION_ROWS_H

#include "../core/registry.h"
#include "tool.h"

/* An action as list_code_actions shows it: { id, title, description, kind, project_name, state,
 * server, preferred }, and where it is worked out { files_changed, edits, diff }. */
json *action_row(struct oxide *ox, const struct registered *a);
/* Of all that the registry has, newest last, and of what a person is being asked about. `state` is
 * `ready` or `waiting`. */
json *action_rows(struct oxide *ox);

#endif
