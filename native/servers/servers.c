#include "servers.h"

#include "diag_cache.h"
#include "pool.h"
#include "presets.h"

static const char *root_over(struct oxide *ox, const char *path)
{
	return pool_root_over(ox->pool, path);
}

static bool shows(struct oxide *ox, const struct doc *d)
{
	return pool_shows(ox->pool, d);
}

static void close_doc(struct oxide *ox, struct doc *d)
{
	pool_close(ox->pool, d);
}

static void disk_changed(struct oxide *ox, const char *path, struct doc *d, enum file_change type)
{
	pool_disk_changed(ox->pool, path, d, type);
}

static void servers_stop(struct oxide *ox)
{
	pool_stop(ox->pool);
}

static void free_servers(struct oxide *ox)
{
	pool_free(ox->pool);
	diag_free(ox->diags);
	diag_cache_free(ox->findings);
	presets_free(ox->presets);
}

static const struct servers_ops ops = {
	.root_over = root_over,
	.shows = shows,
	.close = close_doc,
	.disk_changed = disk_changed,
	.stop = servers_stop,
	.free = free_servers,
};

static bool servers_start(struct oxide *ox, struct err *e)
{
	ox->presets = presets_new(ox->script, ox->filetypes, ox->data, e);
	if (!ox->presets ||
	    (!presets_add_all(ox->presets, json_get(ox->configuration, "servers"), e) &&
	     err_in(e, "%s", ox->config_path)))
		return false;
	ox->diags = diag_new();
	ox->findings = diag_cache_new();
	ox->pool = pool_new(ox);
	ox->servers = &ops;
	return true;
}

struct oxide *oxide_with_servers(const struct oxide_options *o, struct err *e)
{
	struct oxide *ox = oxide_new(o, e);

	if (!ox || servers_start(ox, e))
		return ox;
	presets_free(ox->presets);
	oxide_free(ox);
	return NULL;
}
