#ifndef OX_CODEC_PARTS_H
#define OX_CODEC_PARTS_H

#include "codec.h"

/* What the codecs (codec_*.c) share among themselves. */

/* The largest whole number that a double, and so a json, holds exactly. */
#define CODEC_INT_MAX ((int64_t)1 << 53)

/* One JSON-RPC message. Walks the text once; the body stays text. On failure *out is released. */
bool codec_json_read(struct str text, struct msg *out, struct err *e);
/* The same for take(): CODEC_MSG or CODEC_ODD. */
enum codec_state codec_json_take(struct str text, const struct codec *codec, struct msg *out,
				 struct err *e);
void codec_json_print(struct buf *out, enum msg_kind kind, const json *id, const char *method,
		      const json *body);

/* The beginning of bytes that were not understood, fit for an error message. */
#define CODEC_EXCERPT 44
const char *codec_excerpt(struct str bytes, char out[CODEC_EXCERPT]);

#endif
