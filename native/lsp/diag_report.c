#include "../base/path.h"
#include "diag_impl.h"
#include "scan.h"

/* A DocumentDiagnosticReport, its members pointing into the answer; of a workspace also whose. */
struct report {
	bool unchanged;
	struct str items, related;
	struct buf uri, result_id;
};

static void report_release(struct report *r)
{
	buf_release(&r->uri);
	buf_release(&r->result_id);
}

static void diag_report_read_text(struct jscan *s, struct buf *out)
{
	if (!scan_null(s))
		jscan_str(s, out);
}

/* Release *out in any case. */
static bool read_report(struct str raw, struct report *out, struct err *e)
{
	struct jscan s = jscan_of(raw, e);
	struct str key;

	*out = (struct report){ .items = STR("[]"), .related = STR("") };
	if (scan_null(&s)) /* as much as an empty one */
		return scan_end(&s);
	for (jscan_object(&s); jscan_member(&s, &key);)
		if (str_eq(key, STR("kind")))
			out->unchanged = str_eq(jscan_quoted(&s), STR("unchanged"));
		else if (str_eq(key, STR("items")))
			out->items = jscan_raw(&s);
		else if (str_eq(key, STR("relatedDocuments")) && !scan_null(&s))
			out->related = jscan_raw(&s);
		else if (str_eq(key, STR("resultId")))
			diag_report_read_text(&s, &out->result_id);
		else if (str_eq(key, STR("uri")))
			diag_report_read_text(&s, &out->uri);
		else if (!str_eq(key, STR("relatedDocuments")))
			jscan_skip(&s);
	return scan_end(&s);
}

static bool diag_report_take(struct diag_store *s, struct speech *sp, const struct report *r,
			     struct err *e)
{
	sp->pulled = true;
	sp->version = -1;
	sp->list = r->unchanged ? NULL : &r->items;
	return diag_speak(s, sp, e);
}

static bool take_related(struct diag_store *s, const char *server, enum pos_enc enc,
			 struct str related, struct err *e)
{
	struct jscan scan = jscan_of(related, e);
	struct buf tmp SCOPED(buf_release) = BUF_INIT, path SCOPED(buf_release) = BUF_INIT;
	struct str key;
	bool ok = true;

	for (jscan_object(&scan); ok && jscan_member(&scan, &key);) {
		struct speech sp = { .server = server, .enc = enc };
		struct report r SCOPED(report_release) = { 0 };
		bool local;

		buf_clear(&path);
		local = uri_to_path(&path, scan_key(&scan, key, &tmp), ERR_IGNORED);
		sp.path = path.p;
		ok = read_report(jscan_raw(&scan), &r, e) &&
		     (!local || diag_report_take(s, &sp, &r, e));
	}
	return ok && scan_end(&scan);
}

bool diag_pulled(struct diag_store *s, const char *server, const char *path, enum pos_enc enc,
		 struct str report, struct buf *result_id, struct err *e)
{
	struct speech sp = { .server = server, .path = path, .enc = enc };
	struct report r SCOPED(report_release) = { 0 };
	bool ok = read_report(report, &r, e) || err_in(e, "%s: diagnostics from %s", path, server);

	buf_clear(result_id);
	buf_add(result_id, buf_str(&r.result_id));
	return ok && diag_report_take(s, &sp, &r, e) &&
	       (!r.related.n || take_related(s, server, enc, r.related, e));
}

struct survey {
	struct diag_store *store;
	const char *server;
	enum pos_enc enc;
	bool (*takes)(void *arg, const char *path);
	void *arg;
};

/* What is not a local file is nobody's to show. */
static bool take_surveyed(const struct survey *v, struct str raw, struct err *e)
{
	struct buf path SCOPED(buf_release) = BUF_INIT;
	struct report r SCOPED(report_release) = { 0 };
	bool ok = read_report(raw, &r, e);

	if (ok && uri_to_path(&path, buf_str(&r.uri), ERR_IGNORED) && v->takes(v->arg, path.p)) {
		struct speech sp = { .server = v->server,
				     .path = path.p,
				     .enc = v->enc,
				     .result_id = buf_str(&r.result_id) };

		ok = diag_report_take(v->store, &sp, &r, e);
	}
	return ok;
}

bool diag_surveyed(struct diag_store *s, const char *server, enum pos_enc enc, struct str report,
		   bool (*takes)(void *arg, const char *path), void *arg, struct err *e)
{
	struct survey v = { s, server, enc, takes, arg };
	struct jscan scan = jscan_of(report, e);
	struct str key;
	bool ok = true;

	if (scan_null(&scan)) /* all has come in parts */
		return scan_end(&scan);
	for (jscan_object(&scan); ok && jscan_member(&scan, &key);)
		if (str_eq(key, STR("items")))
			for (jscan_array(&scan); ok && jscan_item(&scan);)
				ok = take_surveyed(&v, jscan_raw(&scan), e);
		else
			jscan_skip(&scan);
	return (ok && scan_end(&scan)) || err_in(e, "workspace diagnostics from %s", server);
}
