#include <stdlib.h>
#include <string.h>
#include <uv.h>

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

/* The system's words; curl's are about the proxy, where there is one. */
static void explain_no_connection(const struct http_transfer *t, const char *why, struct err *e)
{
	const char *proxy = t->is_loopback ? NULL : proxy_variable(t);
	/* On this machine that does not pass by itself. */
	enum err_code kind = t->is_loopback ? ERR_NOT_FOUND : ERR_IO;
	long number = 0;

	if (!curl.easy_getinfo(t->easy, CURLINFO_OS_ERRNO, &number) && number)
		why = uv_strerror((int)-number);
	err_set(e, kind, "cannot connect to %s: %s; check that a server runs there%s%s", t->where,
		why, proxy ? ", and the proxy in " : "", proxy ? proxy : "");
}

/* As the libraries of TLS have it that a server answers in plain text. */
static bool speaks_no_tls(const char *why)
{
	static const char *const words[] = { "wrong version number", "unexpected TLS packet",
					     "packet length too long" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(why, words[i]))
			return true;
	return false;
}

void http_explain(const struct http_transfer *t, CURLcode code, struct err *e)
{
	/* curl's words, without its number and what it leaves empty */
	const char *at = t->where, *why = *t->why ? t->why : curl.easy_strerror(code);

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
			"the certificate of %s is not trusted: %s; to trust it, set SSL_CERT_FILE "
			"to a file with its certificate, or that of who has signed it",
			at, why);
	else if (code == CURLE_SSL_CONNECT_ERROR && speaks_no_tls(why))
		err_set(e, ERR_PROTOCOL, "%s does not speak TLS; is it http%s?", at,
			at + strlen("https"));
	else
		err_set(e, ERR_IO, "the connection to %s failed: %s", at, why);
}
