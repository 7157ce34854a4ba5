#include "fuzz_operations.h"

/* A patch of any number of files, carried out on a tree. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = fuzz_input(data, size), text = fuzz_section(&rest);
	struct operations ops = { 0 };
	struct err e = ERR_INIT;
	bool ok = operations_from_patch(&ops, text, 3, NULL, fuzz_path, NULL, &e);

	for (size_t i = 0; ok && i < ops.n; i++)
		must(ops.v[i].of == 3);
	fuzz_operations(&ops, ok, rest, &e);
	return 0;
}
