#ifndef OX_PROTO_H
#define OX_PROTO_H

#include "../base/arena.h"
#include "../base/json.h"
#include "../text/doc.h"

/*
 * LSP's JSON shapes, to and from ours. Nothing else spells a member name of them, except caps.c,
 * session.c, sync.c, diag.c, symbol.c, action.c and wsedit.c for their own. Answers are read
 * from raw text in one pass (jscan.h); positions stay in the server's encoding until the text they
 * belong to is at hand.
 */
json *proto_uri(const char *path);
json *proto_doc(const char *path); /* { textDocument: { uri } } */
/* For workspace/diagnostic: parts of the answer are asked for, which come with this token. `known`:
 * diag_result_ids(); taken. */
#define SURVEY_TOKEN "oxide/survey"
json *proto_survey(json *known);
json *proto_at(struct doc *d, size_t byte, enum pos_enc enc); /* textDocument and position */
json *proto_references(struct doc *d, size_t byte, enum pos_enc enc, bool declaration);
/* rust-analyzer looks for types alone, unless it is told otherwise. */
json *proto_workspace_symbols(struct str query);
json *proto_selection(struct doc *d, size_t byte, enum pos_enc enc);
json *proto_rename(struct doc *d, size_t byte, enum pos_enc enc, struct str name);

struct format_style { /* FormattingOptions */
	unsigned tab_size;
	bool spaces;
	int trim, final_newline, trim_newlines; /* -1: not said */
	unsigned tab_width; /* where it differs from tab_size, a level's; else 0 */
	bool told;	    /* the project says how to indent */
};

/* range NULL: the whole document. */
json *proto_format(struct doc *d, const struct span *range, enum pos_enc enc,
		   const struct format_style *style);

struct range {
	struct pos from, to; /* LSP: from 0, `to` exclusive, in the server's encoding */
};

json *proto_range(struct range r); /* { start, end } */

struct location {
	struct str path;    /* absolute; in the list's arena */
	struct range range; /* of the name itself, where the server tells it apart */
	/* The whole declaration, once it is known (location_rows.h), in the text with this hash. */
	struct span declared;
	uint64_t declared_in;
};

struct locations {
	struct location *v;
	size_t n, cap;
	struct arena texts;
};

/* Location | Location[] | LocationLink[] | null. URIs that are no local files are left out and
 * counted in *foreign. */
bool proto_locations(struct str raw, struct locations *out, size_t *foreign, struct err *e);
void locations_release(struct locations *l);

/* MarkupContent | MarkedString | MarkedString[] | null, as plain text with markdown left in. */
bool proto_hover(struct str raw, struct buf *out, struct err *e);

struct prepared {     /* answer to prepareRename */
	bool refused; /* null: nothing here can be renamed */
	bool ranged;
	struct range range;
	struct buf placeholder; /* empty where the server gave none */
};

bool proto_prepared(struct str raw, struct prepared *out, struct err *e);

/* SelectionRange[] | null, of which the first is read: what is around the place that was asked
 * about, from the inside out. Caller frees *out. */
bool proto_selections(struct str raw, struct range **out, size_t *n, struct err *e);

/* TextEdit[] | null into edits against `text`; reversed ranges are turned round. */
bool proto_edits(struct str raw, const struct line_table *lines, struct str text, enum pos_enc enc,
		 struct edits *out, struct err *e);

#endif
