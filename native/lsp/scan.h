#ifndef OX_SCAN_H
#define OX_SCAN_H

#include "../base/jscan.h"
#include "proto.h"

/*
 * The small shapes that LSP's answers are made of, read with jscan in one pass. Members may come in
 * any order, unknown ones are skipped. Errors stick in the scanner, as in jscan.h, so that a
 * decoder reads on and asks jscan_ok() once.
 */

/* Puts an error of our own into the scanner; the first one stays. Returns false. */
bool scan_fail(struct jscan *s, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Eats a null; also true at the end of the text, since an answer without a body is a null. */
bool scan_null(struct jscan *s);
/* After the outermost value: whether all went well and nothing follows. */
bool scan_end(struct jscan *s);

/* A string: borrowed from the JSON where it holds no escapes, else decoded into *tmp (cleared). */
struct str scan_str(struct jscan *s, struct buf *tmp);
struct str scan_key(struct jscan *s, struct str key, struct buf *tmp); /* of jscan_member() */

/* Lines and columns below 0 become 0, which only diagnostics and symbols put up with. */
struct range scan_range_loose(struct jscan *s);
struct range scan_range(struct jscan *s);

/* Files follow each other in lists of places: a URI that equals the one before is not decoded
 * again. Zero it to start. */
struct scan_uri {
	struct str raw, path;
};

/* A URI as a path in the arena; empty when it is not a local file's. */
struct str scan_path(struct jscan *s, struct scan_uri *last, struct arena *texts);

struct text_edit {
	struct range range;
	struct str text;       /* borrowed, or in `decoded` */
	struct str annotation; /* its id as it is between its quotes; empty: none */
};

/* A TextEdit or AnnotatedTextEdit; a SnippetTextEdit is ERR_UNSUPPORTED. */
bool scan_edit(struct jscan *s, struct buf *decoded, struct text_edit *out);
/* The bytes of a range; one whose ends are in the wrong order is turned round. */
struct span range_span(struct range r, const struct line_table *lines, struct str text,
		       enum pos_enc enc);

#endif
