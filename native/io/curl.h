#ifndef OX_CURL_H
#define OX_CURL_H

#include <curl/curl.h>

#include "../base/err.h"

/*
 * libcurl, which is loaded when somebody asks a model, and not with the program: it brings some
 * thirty libraries along, and loading those takes ten times as long as all else that a start does.
 *
 *     if (!curl_load(&e)) ...       // ERR_IO: there is none
 *     easy = curl.easy_init();      // curl_easy_init(), and so on
 *
 * Once loaded it stays. Of the thread that has the loop.
 */
#define CURL_CALLS(X)                                                                              \
	X(global_init)                                                                             \
	X(global_cleanup)                                                                          \
	X(easy_init)                                                                               \
	X(easy_cleanup)                                                                            \
	X(easy_setopt)                                                                             \
	X(easy_getinfo)                                                                            \
	X(easy_strerror)                                                                           \
	X(multi_init)                                                                              \
	X(multi_cleanup)                                                                           \
	X(multi_setopt)                                                                            \
	X(multi_assign)                                                                            \
	X(multi_info_read)                                                                         \
	X(multi_socket_action)                                                                     \
	X(multi_add_handle)                                                                        \
	X(multi_remove_handle)                                                                     \
	X(slist_append)                                                                            \
	X(slist_free_all)                                                                          \
	X(url)                                                                                     \
	X(url_set)                                                                                 \
	X(url_get)                                                                                 \
	X(url_cleanup)                                                                             \
	X(getdate)                                                                                 \
	X(free)

#define CURL_CALL(name) __typeof__(curl_##name) *name;
struct curl_calls {
	CURL_CALLS(CURL_CALL)
};
#undef CURL_CALL

extern struct curl_calls curl; /* all NULL before curl_load() */

bool curl_load(struct err *e);

#endif
