#ifndef SYNC_RIG_H
#define SYNC_RIG_H

#include "session_rig.h"

/* What is sent of documents, as it stands in the trace of a rig. All of it is of /w/a.c. */
#define INCREMENTAL                                                                                \
	RIG_GREETED("{\"hoverProvider\":true,\"textDocumentSync\":{\"openClose\":true,\"change\":" \
		    "2,\"save\":true}}")
#define NOTIFY(method, params)                                                                     \
	"> {\"jsonrpc\":\"2.0\",\"method\":\"" method "\",\"params\":" params "}\n"
#define OPEN(version, text)                                                                        \
	NOTIFY("textDocument/didOpen",                                                             \
	       "{\"textDocument\":{\"uri\":\"file:///w/a.c\",\"version\":" #version                \
	       ",\"languageId\":\"c\",\"text\":\"" text "\"}}")
#define CHANGE(version, changes)                                                                   \
	NOTIFY("textDocument/didChange",                                                           \
	       "{\"textDocument\":{\"uri\":\"file:///w/a.c\",\"version\":" #version                \
	       "},\"contentChanges\":[" changes "]}")
#define HOVER RIG_ASKED(2, "textDocument/hover", "h")
#define AT(a, b, c, d, t)                                                                          \
	"{\"range\":{\"start\":{\"line\":" #a ",\"character\":" #b "},\"end\":{\"line\":" #c       \
	",\"character\":" #d "}},\"text\":\"" t "\"}"

#endif
