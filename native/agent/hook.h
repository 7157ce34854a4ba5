#ifndef OX_HOOK_H
#define OX_HOOK_H

#include "../hook/hook_event.h"
#include "../tool/tool.h"

/*
 * An agent that runs elsewhere asks, by a hook of its own, before it changes a file or runs a
 * command. It is a tool that no client is told of, so that it is cancelled, shown and counted as
 * any other call is: `oxide hook` calls it through the relay.
 *
 *     {agent: "claude", "codex" or "gemini", event: what the agent told its hook, JSON as text}
 *         = {output: what the hook answers}
 *
 * A change, of several files perhaps, comes up as the review of what it makes of the texts in the
 * editor, saved or not, after the language servers have seen it, and new errors are the user's to
 * accept. The agent then writes the files itself: the output has the arguments that lead there,
 * where they are other ones. Where it asks again by itself whether it may, the answer is there.
 * What agent/permissions.h says of other places, and of commands, is asked. Whatever fails is a no,
 * and the message says it to the model.
 */
extern const struct tool tool_agent_hook;

#endif
