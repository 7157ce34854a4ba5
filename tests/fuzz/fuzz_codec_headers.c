#include "fuzz_codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_codec(&codec_headers, fuzz_input(data, size));
}
