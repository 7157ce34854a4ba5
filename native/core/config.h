#ifndef OX_CONFIG_H
#define OX_CONFIG_H

#include "../base/json.h"

/*
 * Every default, limit and switch of the core: one row each. Printed into the help file, set by
 * the user's configuration (`options`) or by Neovim.
 */
// clang-format off
#define CONFIG_ROWS(X) \
	X(LSP_TIMEOUT,      "lsp.timeout_ms",          10000, 10, 600000, "how long a language server may take to answer") \
	X(LSP_START,        "lsp.start_timeout_ms",    60000, 10, 600000, "how long a language server may take to start") \
	X(LSP_INDEX,        "lsp.index_wait_ms",       120000, 0, 3600000, "how long to wait for a server's index before a request about all files") \
	X(LSP_DIAGNOSTICS,  "lsp.diagnostics_wait_ms", 15000, 0, 600000, "how long to wait for the diagnostics of the current text") \
	X(LSP_QUIET,        "lsp.quiet_ms",            400, 0, 60000, "silence after which diagnostics without a version count as complete") \
	X(LSP_SILENCE,      "lsp.silence_ms",          2000, 0, 60000, "how long a server whose diagnostics have no version may stay silent after a change before that counts as its answer") \
	X(PROJECT_FILES,    "project.files",           100000, 1, 1000000, "the most source files of a project that are searched for") \
	X(DIAGNOSTIC_FILES, "diagnostics.files",       500, 1, 100000, "the most files of a project that are opened at its servers to get their diagnostics") \
	X(DIAGNOSTIC_AT_ONCE, "diagnostics.at_once",    16, 1, 1000, "how many of those files are open at a time") \
	X(DIAGNOSTIC_BYTES, "diagnostics.file_bytes",  1048576, 1, 1073741824, "the largest such file") \
	X(DIAGNOSTIC_SURVEY, "diagnostics.survey_ms",  60000, 10, 3600000, "how long a server may stay silent while it is asked about the whole project") \
	X(DIAGNOSTIC_MISSING, "diagnostics.missing",   20, 0, 100000, "how many of the files without diagnostics an answer lists") \
	X(DIAGNOSTIC_FIXES, "diagnostics.fixes",       200, 0, 100000, "for how many diagnostics servers are asked for fixes") \
	X(FIX_ROUNDS,       "fix.rounds",              3, 1, 3, "how many rounds of fixes are made") \
	X(FIX_CHECKS,       "fix.checks",              24, 1, 1000, "how many sets of fixes are checked to find those that bring new errors") \
	X(GATE_WAIT,        "gate.wait_ms",            60000, 10, 600000, "how long language servers may take to check a change before it is applied") \
	X(GATE_SYMBOLS,     "gate.symbols",            16, 0, 1000, "how many of the symbols that a change touches are followed to where they are used") \
	X(GATE_FILES,       "gate.files",              16, 0, 1000, "how many files that use them are checked, besides those that change") \
	X(GATE_LIST,        "gate.list",               20, 1, 1000, "how many new errors, and how many new warnings, an answer lists") \
	X(ACTIONS_LIST,     "actions.list",            50, 0, 1000, "for how many of the actions on offer at a place an answer has the diff") \
	X(ACTIONS_COLUMNS,  "actions.columns",         32, 0, 1000, "at how many columns servers are asked for actions, for a whole line") \
	X(ACTIONS_KEPT,     "actions.kept",            2000, 1, 100000, "how many actions are kept, to be called by id") \
	X(ACTIONS_BYTES,    "actions.bytes",           67108864, 1024, 2147483647, "how much text they may hold") \
	X(ACTIONS_AUTO,     "actions.auto",            1, 0, 1, "1: fixes are looked for again in the background after a change that may affect them") \
	X(SYMBOL_FILES,     "symbol.files",            32, 1, 1000, "how many files are asked for their symbols to find one by name") \
	X(SYMBOL_LIST,      "symbol.candidates",       20, 1, 1000, "how many candidates for an ambiguous name an answer lists") \
	X(SYMBOL_NAMES,     "symbol.names",            1000, 1, 100000, "how many names are completed from the texts of the project while no language server answers") \
	X(SYMBOL_CODE,      "symbol.code_bytes",       16384, 100, 1073741824, "length at which the code of a symbol is cut") \
	X(CHECK_TIMEOUT,    "check.timeout_ms",        600000, 10, 86400000, "how long the checkers of a project may take") \
	X(CHECK_KEPT,       "check.kept_bytes",        16777216, 0, 1073741824, "how much compiler output is kept per project, for sources that are not compiled again") \
	X(TEST_TIMEOUT,     "test.timeout_ms",         1800000, 10, 86400000, "how long the tests of a project may take") \
	X(RUN_ALLOW,        "run.allow",               0, 0, 1, "1: the commands of any project are run without asking, as with --allow-run") \
	X(RUN_STOP,         "run.stop_ms",             2000, 0, 60000, "how long a program that is told to stop may take, before it is killed") \
	X(RUN_OUTPUT,       "run.output_bytes",        268435456, 1024, 2147483647, "how much of the output of a checker or a test runner is parsed") \
	X(RUN_LINE,         "run.line_bytes",          4194304, 80, 1073741824, "the longest line of it") \
	X(RUN_STEPS,        "run.line_steps",          20000000, 1000, 2000000000, "how many instructions a parser may execute per line") \
	X(RUN_ROWS,         "run.rows",                2000, 1, 100000, "how many diagnostics, and how many failed tests, are kept of one run") \
	X(RUN_TEXT,         "run.text_bytes",          8192, 80, 1048576, "how much output an answer quotes for each of them, and of the end of all output") \
	X(LSP_MESSAGE,      "lsp.message_bytes",       134217728, 1024, 2147483647, "the largest message accepted from a language server") \
	X(LSP_DOCUMENTS,    "lsp.documents",           128, 16, 100000, "how many files without a buffer stay open at a language server; the least recently used are closed") \
	X(LSP_PROJECT,      "lsp.project_programs",    1, 0, 1, "0: no language server may run what a project brings (its toolchain, build scripts, plugins): that is disabled, or the server is not started") \
	X(LSP_KEPT,         "lsp.kept_answers",        256, 0, 100000, "how many answers of a language server are cached until anything changes") \
	X(LSP_KEPT_BYTES,   "lsp.kept_bytes",          8388608, 0, 1073741824, "how much memory they may take") \
	X(LSP_ODD,          "lsp.odd_messages",        100, 0, 1000000, "how many invalid messages are skipped between two answers of a language server, before it is stopped and restarted") \
	X(LSP_EDITS,        "lsp.edits",               16, 1, 100000, "how many edits requested by servers may be queued; more are refused") \
	X(LSP_HUNG,         "lsp.hung_ms",             120000, 10, 3600000, "how long a server that let a request time out may stay silent, before it is killed and restarted") \
	X(LSP_RESTARTS,     "lsp.restarts",            3, 0, 100, "how often a server that crashes is restarted within lsp.restarts_within_ms") \
	X(LSP_WITHIN,       "lsp.restarts_within_ms",  60000, 0, 3600000, "the period in which crashes of a server are counted") \
	X(LSP_RESTART_WAIT, "lsp.restart_ms",          250, 0, 60000, "pause before the first restart; four times as long before each further one") \
	X(LSP_BESIDE,       "lsp.beside_ms",           60000, 0, 3600000, "how long a server that Oxide runs beside the editor's own, to check changes, is kept for the next one") \
	X(LSP_STOP,         "lsp.stop_ms",             500, 0, 60000, "how long a server may take for each step of its shutdown: the shutdown request, the exit notification, the end of its input, TERM") \
	X(NVIM_SLOW,        "nvim.slow_ms",            3000, 10, 600000, "after how long a change that waits for a busy Neovim reports that") \
	X(NVIM_MESSAGE,     "nvim.message_bytes",      1073741824, 1024, 2147483647, "the largest message accepted from Neovim") \
	X(RELAY_CALLERS,    "relay.callers",           64, 0, 4096, "how many remote clients, such as `oxide call`, an editor's core accepts at once") \
	X(RELAY_MESSAGE,    "relay.message_bytes",     1073741824, 1024, 2147483647, "the largest message between them") \
	X(RELAY_QUEUE,      "relay.queue_bytes",       1073741824, 1024, 2147483647, "how much output may be queued for a client that does not read, before it is disconnected") \
	X(RELAY_STALL,      "relay.stall_ms",          60000, 10, 3600000, "how long a client may read nothing of its queue, before it is disconnected") \
	X(RELAY_CALLS,      "relay.calls",             4096, 1, 100000, "how many calls of one client may run at once") \
	X(RELAY_HELLO,      "relay.hello_ms",          10000, 10, 600000, "how long an editor's core may take to answer the first message") \
	X(RELAY_CHANGES,    "relay.changes",           50, 0, 10000, "how many changes of remote clients :Oxide mcp status lists") \
	X(MCP_MESSAGE,      "mcp.message_bytes",       67108864, 1024, 2147483647, "the largest message accepted from an MCP client") \
	X(MCP_CALLS,        "mcp.calls",               1024, 1, 100000, "how many requests of an MCP client may run at once") \
	X(MCP_PAGE,         "mcp.page",                100, 1, 100000, "how many rows of a list an MCP client gets per page") \
	X(MCP_ROOTS,        "mcp.roots_wait_ms",       2000, 10, 600000, "how long calls wait for an MCP client to name its root directories") \
	X(MCP_WATCHED,      "mcp.subscriptions",       1000, 1, 100000, "how many resources an MCP client may be subscribed to at once") \
	X(MCP_QUEUE,        "mcp.queue_bytes",         67108864, 1024, 2147483647, "how much output may be queued for an MCP client that does not read; beyond that its input is not read") \
	X(MCP_LINGER,       "mcp.linger_ms",           60000, 0, 3600000, "how long running calls may go on after the input of `oxide mcp` has ended") \
	X(MCP_ANSWER,       "mcp.answer_bytes",        60000, 1000, 2147483647, "length at which a tool's answer to a model is cut") \
	X(MCP_QUESTION,     "mcp.question_bytes",      4000, 100, 2147483647, "how much of a change's diff an MCP client is shown when it is asked to confirm it") \
	X(EDIT_TRIES,       "edit.tries",              100, 0, 10000, "how often a change is computed again because another one of Oxide's own came first, and a question because a text changed; 0: it is refused as stale") \
	X(EDIT_OWN,         "edit.own_changes",        4096, 0, 1000000, "how many of its own file changes a core remembers for that, besides the history") \
	X(SWAP_FILES,       "swap.files",              1000, 0, 1000000, "for how many files of a change swap files are searched for, to see whether another Vim or Neovim has them open; 0: none") \
	X(FILE_BYTES,       "file.bytes",              268435456, 1024, 1073741824, "the largest file that is read") \
	X(FILES_KEPT,       "files.kept_bytes",        67108864, 0, 2147483647, "how much text of files is cached between calls, besides those open in a buffer or at a language server") \
	X(MENTION_FILES,    "mentions.files",          20000, 0, 1000000, "how many files are searched for remaining occurrences of an old name") \
	X(MENTION_BYTES,    "mentions.bytes",          67108864, 0, 1073741824, "how much text of files that contain the old name is kept until the server has answered") \
	X(MENTION_LIST,     "mentions.list",           20, 0, 1000, "how many of those occurrences an answer lists") \
	X(REACH_FILES,      "reach.files",             100000, 0, 1000000, "how many files that contain a name are shown to a server, so that its answer about the name covers all of them; 0: none") \
	X(REACH_WAIT,       "reach.wait_ms",           120000, 10, 3600000, "how long it may take to read them") \
	X(REACH_AT_ONCE,    "reach.at_once",           16, 1, 1000, "how many of them are shown at a time") \
	X(REACH_PLACES,     "reach.places",            64, 0, 10000, "for how many occurrences of the name that are missing from an answer the server is asked whether they mean the same symbol") \
	X(RENAME_MACROS,    "rename.macros",           64, 0, 10000, "how many C macros are searched for uses of the renamed symbol") \
	X(RENAME_VERIFIED,  "rename.verified_files",   64, 0, 1000, "up to how many changed files the servers check a whole rename before it is applied; of a larger one, which is not complete then, they check the C files that the new name may affect") \
	X(RENAME_WAIT,      "rename.verify_ms",        3000, 10, 600000, "how long they may take for a rename of up to 16 files; of more, gate.wait_ms") \
	X(RENAME_COMPARED,  "rename.compared",         1000, 0, 100000, "how many places with the new name are compared, before and after, to find one that would change its meaning") \
	X(RENAME_COMPARED_FILES, "rename.compared_files", 16, 0, 1000, "how many unchanged files that contain the new name are searched for such places") \
	X(SIGNATURE_DECLARATIONS, "signature.declarations", 64, 1, 10000, "how many declarations of one function are followed to what overrides them, and what they override") \
	X(SIGNATURE_ASKED,  "signature.asked",         500, 0, 100000, "for how many occurrences of the function's name outside its references servers are asked what they mean") \
	X(HISTORY_ENTRIES,  "history.entries",         100, 1, 10000, "how many changes can be undone") \
	X(HISTORY_BYTES,    "history.bytes",           67108864, 1024, 2147483647, "how much disk space they may take") \
	X(SHOWN_BYTES,      "shown.bytes",             16777216, 0, 2147483647, "how much of the texts that it has read is kept for each MCP client and each conversation with a model, so that a line number means the line that was shown with it; as much again for messages that are sent again") \
	X(CHAT_APPLY,       "chat.apply",              0, 0, 1, "'turn' (0): what a model changes in one turn is collected, and reviewed as one at its end; 'each' (1): each change is reviewed by itself, while the turn goes on") \
	X(CHAT_ROUNDS,      "chat.rounds",             100, 1, 100000, "how many requests to a model one turn may take, each with the results of the tools that it called") \
	X(CHAT_SECONDS,     "chat.seconds",            3600, 1, 86400, "how long a turn may take") \
	X(CHAT_TOKENS,      "chat.tokens",             20000000, 0, 2147483647, "how many tokens a turn may use, those sent with each request and those answered; 0: any number") \
	X(CHAT_COST,        "chat.cost",               1000, 0, 2147483647, "how much a turn may cost, in hundredths of what `price` of its model is in; 0, or without a price: anything") \
	X(CHAT_KEY,         "chat.key_ms",             60000, 10, 3600000, "how long the key_command of a model may take") \
	X(CHAT_CONNECT,     "chat.connect_ms",         15000, 10, 600000, "how long it may take to connect to a model's server") \
	X(CHAT_SILENCE,     "chat.silence_ms",         300000, 10, 3600000, "how long a model's server may send nothing") \
	X(CHAT_RETRIES,     "chat.retries",            5, 0, 100, "how often a request that failed for a passing reason (overload, a broken connection) is made again, before anything was answered") \
	X(CHAT_RETRY_WAIT,  "chat.retry_ms",           1000, 1, 600000, "pause before the first retry, unless the server says how long; twice as long before each further one") \
	X(CHAT_EVENT,       "chat.event_bytes",        67108864, 1024, 2147483647, "the largest event accepted from a model's server") \
	X(CHAT_ANSWER,      "chat.answer_bytes",       16777216, 1024, 2147483647, "the longest answer accepted from a model; it is kept up to there") \
	X(CHAT_OLD_RESULT,  "chat.old_result_bytes",   4000, 0, 2147483647, "tool results of earlier turns that are longer are sent as one line that says how to get them again") \
	X(ACP_START,        "acp.start_ms",            120000, 10, 3600000, "how long an agent may take to answer the first message of the Agent Client Protocol") \
	X(ACP_CANCEL,       "acp.cancel_ms",           10000, 10, 600000, "how long an agent may take to end a turn that was cancelled, before it is killed") \
	X(ACP_SESSIONS,     "acp.sessions",            500, 1, 100000, "how many sessions of an agent are listed") \
	X(ACP_HISTORY,      "acp.history_bytes",       8388608, 1024, 1073741824, "how much of what was said in such a session is shown when it is resumed") \
	X(ACP_MESSAGE,      "acp.message_bytes",       67108864, 1024, 2147483647, "the largest message accepted from an agent; a longer one is skipped") \
	X(ACP_ODD,          "acp.odd_lines",           1000, 0, 1000000, "how many lines in a row that are not messages an agent may print, before it is stopped") \
	X(ACP_REQUESTS,     "acp.requests",            256, 1, 100000, "how many requests of an agent may be in progress at once; more are refused") \
	X(ACP_CALLS,        "acp.calls",               10000, 1, 1000000, "how many tool calls of an agent are shown per turn") \
	X(ACP_QUEUE,        "acp.queue_bytes",         134217728, 1024, 2147483647, "how much may be queued for an agent that does not read, before it is killed") \
	X(ACP_TERMINALS,    "acp.terminals",           64, 0, 10000, "how many commands an agent may run at once") \
	X(ACP_OUTPUT,       "acp.output_bytes",        1048576, 1024, 1073741824, "how much of the output of such a command is kept: its end") \
	X(AGENT_VERSION,    "agent.version_ms",        60000, 10, 600000, "how long an agent may take to tell its version") \
	X(AGENT_WATCH,      "agent.watch",             1, 0, 1, "1: what an agent in a terminal changes past Oxide is caught, so that it can be shown and undone") \
	X(AGENT_WATCH_FILES, "agent.watch_files",      500000, 1, 100000000, "how many files of a project are looked at for what an agent has changed past Oxide") \
	X(AGENT_WATCH_BYTES, "agent.watch_bytes",      268435456, 0, 1099511627776, "how much disk space copies of a project's files may take while an agent works there, so that what it changes past Oxide can be undone; of files that are as in git's index none are made") \
	X(AGENT_WATCH_FILE, "agent.watch_file_bytes",  8388608, 0, 1073741824, "the largest file that is kept so") \
	X(AGENT_WATCH_SETTLE, "agent.watch_settle_ms", 50, 0, 60000, "how long after a change on disk the buffers of changed files are looked at") \
	X(AGENT_WATCH_EMPTY, "agent.watch_empty_ms", 1000, 0, 600000, "how long a file that has become empty is taken for one that is being written anew, and its buffer left as it is") \
	X(AGENT_REVIEW,     "agent.review_ms",         1800000, 10, 86400000, "how long an agent that asks through its hook waits for the user to answer, before the answer is no") \
	X(IDE_CLIENTS,      "ide.clients",             16, 1, 4096, "how many conversations each server for agents accepts at once, see |oxide-ide|") \
	X(IDE_HELLO,        "ide.hello_ms",            5000, 10, 600000, "how long a connection may take to identify itself, and to close when it is told to") \
	X(IDE_HEAD,         "ide.head_bytes",          8192, 256, 1048576, "the longest request by which a connection identifies itself") \
	X(IDE_MESSAGE,      "ide.message_bytes",       67108864, 1024, 2147483647, "the largest message accepted from it") \
	X(IDE_QUEUE,        "ide.queue_bytes",         67108864, 1024, 2147483647, "how much output may be queued for a connection that does not read, before it is closed") \
	X(IDE_CALLS,        "ide.calls",               64, 1, 100000, "how many requests of a connection may run at once") \
	X(RECORDS_FILES,    "records.files",           500, 0, 100000, "how many records of what agents did are kept; the oldest go first. 0: none is written") \
	X(RECORDS_TEXT,     "records.text_bytes",      65536, 100, 2147483647, "length at which a text in a record is cut in its middle") \
	X(RECORDS_RAW,      "records.raw_bytes",       4294967296, 0, 1099511627776, "how much of the output of a program under `oxide run` is kept as it is, beside its record") \
	X(AGENT_GRACE,      "agent.grace_ms",          3000, 0, 600000, "how long an agent that is told to end (TERM) may take, before it is killed") \
	X(RECORDS_LINE,     "records.line_bytes",      16777216, 1024, 2147483647, "the longest line of an agent's output or log that is read, without what is left out of the middle of texts over 1 MB") \
	X(RECORDS_MEMORY,   "records.memory",          16777216, 0, 2147483647, "how many bytes of a record are kept in memory where it cannot be written to a file") \
	X(LOG_LEVEL,        "log.level",               1, 0, 3, "0 errors, 1 warnings, 2 information, 3 everything") \
	X(LOG_WIRE,         "log.wire",                0, 0, 1, "1: the log also lists each message to and from language servers, Neovim and clients, with its length and without its text") \
	X(LOG_BYTES,        "log.bytes",               4194304, 1024, 1073741824, "size at which the log is rotated, when the core starts")
// clang-format on

enum config_key {
#define X(key, name, def, min, max, doc) CFG_##key,
	CONFIG_ROWS(X)
#undef X
		CFG_COUNT
};

struct config {
	int64_t value[CFG_COUNT];
};

void config_init(struct config *c); /* the defaults */
int64_t config_get(const struct config *c, enum config_key key);
/* ERR_INVALID names the row, what is allowed, or the nearest name. */
bool config_set(struct config *c, struct str name, int64_t value, struct err *e);
/* The same for JSON; the values of some rows have names ("turn" of chat.apply). */
bool config_set_all(struct config *c, const json *options, struct err *e);
json *config_table(void); /* rows with name, default, min, max, help */

#endif
