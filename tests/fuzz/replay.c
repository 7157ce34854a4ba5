#include "fuzz.h"

#include <sys/wait.h>
#include <unistd.h>

/*
 * Runs a fuzz target on files, where libFuzzer is not wanted:
 *
 *	build/san/fuzz_NAME FILE...
 *
 * Prints TAP, one line a file. Each has a process of its own, so that one that crashes hides no
 * other, and its bytes lie in memory that ends where they end.
 */
static bool run(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	long size;

	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0) {
		perror(path);
		return false;
	}
	rewind(f);
	data = malloc(size ? (size_t)size : 1);
	if (!data || fread(data, 1, (size_t)size, f) != (size_t)size) {
		perror(path);
		return false;
	}
	fclose(f);
	LLVMFuzzerTestOneInput(data, (size_t)size);
	free(data);
	return true;
}

static bool passes(const char *path)
{
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child)
		exit(run(path) ? 0 : 1); /* at the end the sanitizer looks for leaks */
	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int main(int argc, char **argv)
{
	bool failed = false;

	printf("1..%d\n", argc - 1);
	for (int i = 1; i < argc; i++) {
		bool ok = passes(argv[i]);

		printf("%s %d - %s\n", ok ? "ok" : "not ok", i, argv[i]);
		failed |= !ok;
	}
	return failed;
}
