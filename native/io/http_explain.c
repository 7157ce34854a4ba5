#include <stdlib.h>
#include <string.h>

#include "http_impl.h"

static bool certificate_failed(CURLcode code)
{
	return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
	       code == CURLE_SSL_ISSUER_ERROR || code == CURLE_SSL_CERTPROBLEM;
}

static bool proxy_failed(CURLcode code)
{
#if LIBCURL_VERSION_NUM >= 0x074900
	if (code == CURLE_PROXY)
		return true;
#endif
	return code == CURLE_COULDNT_RESOLVE_PROXY;
}

/* curl's words, without its number and what it leaves empty. */
static const char *why_of(const struct http_transfer *t, CURLcode code)
{
	return *t->why ? t->why : curl_easy_strerror(code);
}

/* Only the environment says so, and it may have exceptions. */
static const char *proxy_variable(const struct http_transfer *t)
{
	static const char *const names[] = { "https_proxy", "HTTPS_PROXY", "all_proxy",
					     "ALL_PROXY" };
	bool is_https = !strncmp(t->where, "https:", 6);

	if (!is_https && getenv("http_proxy"))
		return "http_proxy";
	for (size_t i = is_https ? 0 : 2; i < sizeof(names) / sizeof(names[0]); i++)
		if (getenv(names[i]))
			return names[i];
	return NULL;
}

static void explain_no_connection(const struct http_transfer *t, const char *why, struct err *e)
{
	const char *proxy = t->is_loopback ? NULL : proxy_variable(t);

	err_set(e, ERR_IO, "cannot connect to %s: %s; check that a server runs there%s%s", t->where,
		why, proxy ? ", and the proxy in " : "", proxy ? proxy : "");
}

void http_explain(const struct http_transfer *t, CURLcode code, struct err *e)
{
	const char *at = t->where, *why = why_of(t, code);

	if (t->cancelled)
		err_set(e, ERR_CANCELLED, "the request to %s was cancelled", at);
	else if (t->silent)
		err_set(e, ERR_TIMEOUT, "%s sent nothing for %llu s", at,
			(unsigned long long)t->silence_ms / 1000);
	else if (t->too_long)
		err_set(e, ERR_IO, "%s sent headers of more than %d bytes", at, HTTP_HEADER_BYTES);
	else if (code == CURLE_OPERATION_TIMEDOUT)
		err_set(e, ERR_TIMEOUT, "cannot connect to %s in time: %s", at, why);
	else if (proxy_failed(code))
		err_set(e, ERR_IO,
			"the proxy for %s does not answer: %s; check https_proxy and "
			"http_proxy, or add the host to no_proxy",
			at, why);
	else if (code == CURLE_COULDNT_RESOLVE_HOST)
		err_set(e, ERR_NOT_FOUND,
			"cannot find the host of %s; check the URL and the network", at);
	else if (code == CURLE_COULDNT_CONNECT)
		explain_no_connection(t, why, e);
	else if (certificate_failed(code))
		err_set(e, ERR_DENIED,
			"the certificate of %s is not trusted: %s; SSL_CERT_FILE names "
			"a file with more certificates",
			at, why);
	else
		err_set(e, ERR_IO, "the connection to %s failed: %s", at, why);
}
