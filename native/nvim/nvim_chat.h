#ifndef OX_NVIM_CHAT_H
#define OX_NVIM_CHAT_H

#include "nvim_impl.h"

/*
 * Conversations with models and agents in Neovim's core, by the number that Lua gives them. Lua
 * keeps what was said, and can open one again with it, in another core too.
 *
 * Requests: `chat` with [id, JSON], answered by the event `answer` with that id.
 *
 *     {chat, what: "open", model, messages: [JSON, ...]}    -> {model, id, window}
 *     {chat, what: "send", keep, words, shown: [{path, first, last} | {heading, text}], confirm}
 *                                                           -> at the end of the turn
 *     {chat, what: "model", model}                          -> {model, id, window}
 *     {chat, what: "rules", model}                          -> {files: [{path, bytes, lines, of}]},
 *                                                           as chat/turn.h has them; needs no
 * `open` {chat, what: "cancel"}, {chat, what: "close"}         -> {}
 *
 * `model` may name an agent (chat/acp.h). Then the answers to `open` and `model` have `agent`,
 * `session`, `options` and `commands` besides; `open` takes a `session` to go on with; and there is
 *
 *     {chat, what: "authenticate", method}                  -> as `open`, which has failed with
 *                                                           `denied` and `methods`
 *     {chat, what: "option", option, value}                 -> the same
 *
 * `model` empty: the configured one; ERR_AMBIGUOUS has `models` to choose from. `keep`: how many
 * messages stay, those behind them are forgotten first; without `words` nothing is said, and the
 * model is asked again: the last message is told once more, with the turn that it begins now.
 * `shown` is text that goes with the words: lines of a file, or a text under a heading. `confirm`
 * "never": its changes are applied without a review.
 *
 * Events `chat`, with the number as `chat`, in the order in which it happens:
 *
 *     {kind: "text" | "thought", text}                pieces, as chat_frames.h collects them
 *     {kind: "call", id, name, line}                  a tool begins
 *     {kind: "result", id, line, text, failed, question}   `question`: of its review; 0: none
 *     {kind: "message", role, message, usage}         one is complete: JSON for the transcript,
 *     {kind: "message_piece", text}                   what comes before it of a long one
 *     {kind: "waits", ms, why}                        the request is made again
 *     {kind: "review"}                                its changes are to be reviewed, as one
 *     {kind: "changes", turn, fate, files, why, question}   what became of them
 *     {kind: "model", model, id, window}              which one is asked from here on
 *     {kind: "agent", what, value}                    as acp_events of chat/acp.h has them
 */
void nvim_chat_request(struct nvim *n, const json *params);
void nvim_chats_run_held(struct nvim *n); /* once no buffer is on its way */
/* Adds who asks to a question for Neovim, {call, who}; false: it is not a conversation's. */
bool nvim_chat_put_caller(struct pending_call *c, int64_t question, json *v);
/* Turns are cancelled; those that go on end as the loop runs out. */
void nvim_chats_end(struct nvim *n);
void nvim_chats_release(struct nvim *n); /* after that */
/* `models`, `model` and `permissions` of Neovim's settings, over those of config.lua. */
void nvim_chat_configure(struct nvim *n, const json *v);

#endif
