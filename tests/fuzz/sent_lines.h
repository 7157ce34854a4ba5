#ifndef OX_FUZZ_SENT_LINES_H
#define OX_FUZZ_SENT_LINES_H

#include "base/json.h"
#include "base/utf.h"
#include "fuzz.h"

/* Takes what a session has sent, each line of which has to be JSON in UTF-8. */
static inline void sent_lines(struct buf *sent, struct buf *out)
{
	struct str rest = buf_str(sent), line;

	while (str_line(&rest, &line)) {
		struct err e = ERR_INIT;
		json *v = json_parse(line, &e);

		must(v && utf_clean(line));
		json_free(v);
	}
	buf_add(out, buf_str(sent));
	buf_clear(sent);
}

#endif
