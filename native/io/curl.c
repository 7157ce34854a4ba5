#include "curl.h"

#include <uv.h>

#ifdef __APPLE__
#define NAMES                                                                                      \
	{                                                                                          \
		"libcurl.4.dylib", OXIDE_CURL_DIR "/libcurl.4.dylib"                               \
	}
#else /* Debian has one for each library of TLS, under names of their own; all are the same here   \
       */
#define NAMES                                                                                      \
	{                                                                                          \
		"libcurl.so.4", "libcurl-gnutls.so.4", OXIDE_CURL_DIR "/libcurl.so.4"              \
	}
#endif

struct curl_calls curl;

/* The first that is there; the last one's error, if none is. */
static bool curl_open(uv_lib_t *lib, struct err *e)
{
	static const char *const names[] = NAMES;
	size_t n = sizeof(names) / sizeof(names[0]);

	for (size_t i = 0; i < n; i++) {
		if (!uv_dlopen(names[i], lib))
			return true;
		if (i + 1 == n)
			err_set(e, ERR_IO, "libcurl is needed for that, and cannot be loaded: %s",
				uv_dlerror(lib));
		uv_dlclose(lib);
	}
	return false;
}

bool curl_load(struct err *e)
{
	struct curl_calls found = { 0 };
	uv_lib_t lib;

	if (curl.global_init)
		return true;
	if (!curl_open(&lib, e))
		return false;
#define CURL_CALL(name)                                                                            \
	if (uv_dlsym(&lib, "curl_" #name, (void **)&found.name)) {                                 \
		err_set(e, ERR_IO, "libcurl is too old: %s", uv_dlerror(&lib));                    \
		uv_dlclose(&lib);                                                                  \
		return false;                                                                      \
	}
	CURL_CALLS(CURL_CALL)
	curl = found;
	return true;
}
