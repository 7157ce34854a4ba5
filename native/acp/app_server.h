#ifndef OX_APP_SERVER_H
#define OX_APP_SERVER_H

#include "acp_client_impl.h"

/*
 * The protocol of Codex' app server (`codex app-server`), as a form of ACP: threads are sessions,
 * items of a turn are updates, approvals are requests for permission. What acp_client.h offers
 * comes here where the agent speaks it; nobody above knows.
 *
 * A change of files comes as what is done to each: {type: "diff", path, patch} with the hunks of a
 * unified diff, {type: "diff", path, newText} of a new file, {..., gone: true} and {..., newPath}
 * of one that is deleted or moved. No part of it can be accepted: all of it or nothing.
 */
extern const struct peer_method app_server_notifications[];
void app_server_on_request(void *self, struct msg *m);

void app_server_initialize(struct acp *a, const struct acp_client *c, uint64_t timeout_ms,
			   acp_reply *fn, void *arg);

/* app_server_thread.c: what a session is; `servers` is taken. `all`: what was said is told before
 * the answer. The list is in ACP's form. */
void app_server_start(struct acp *a, struct str cwd, json *servers, acp_reply *fn, void *arg);
void app_server_resume(struct acp *a, struct str id, bool all, struct str cwd, json *servers,
		       acp_reply *fn, void *arg);
void app_server_list(struct acp *a, struct str cwd, struct str cursor, acp_reply *fn, void *arg);

void app_server_prompt(struct acp *a, json *blocks, acp_reply *fn, void *arg); /* taken */
void app_server_cancel(struct acp *a);
/* What a request for permission is answered with, of ACP's answer, which is taken. */
json *app_server_answer(const struct acp_request *r, json *result);

/* app_server_items.c: an item of a turn as an update of a call; NULL: it is none. New. */
json *app_server_call(const json *item);
json *app_server_changes(const json *changes); /* of files, as content; new */
/* app_server.c: tells such an update, which is taken; NULL: nothing is told. */
void app_server_tell_call(struct acp *a, json *update);

#endif
