#ifndef OX_DIAG_IMPL_H
#define OX_DIAG_IMPL_H

#include "diag.h"

/* Shared by diag.c, what was said, and diag_report.c, the shapes that pulled reports have. */
struct speech {
	const char *server, *path;
	bool pulled;
	enum pos_enc enc;
	int64_t version;
	const struct str *list; /* raw JSON array; NULL: what it said before */
	struct str result_id;	/* empty: none */
};

bool diag_speak(struct diag_store *s, const struct speech *sp, struct err *e);

#endif
