#include "secret.h"

#include "loop_uv.h"

bool secret_new(struct buf *out, struct err *e)
{
	unsigned char bytes[32];
	int status = uv_random(NULL, NULL, bytes, sizeof(bytes), 0, NULL);

	if (status)
		return uv_failed(e, status, "random numbers");
	for (size_t i = 0; i < sizeof(bytes); i++)
		buf_addf(out, "%02x", bytes[i]);
	return true;
}
