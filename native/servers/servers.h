#ifndef OX_SERVERS_H
#define OX_SERVERS_H

#include "../core/oxide.h"

/*
 * The floor of the language servers: the running program with presets (presets.h), the servers
 * themselves (pool.h) and what they have said (diags, diag_cache.h).
 *
 *     ox = oxide_with_servers(&options, &e)
 *     loop_run(ox->loop)
 *     oxide_free(ox)			// these too
 */
struct oxide *oxide_with_servers(const struct oxide_options *o, struct err *e);

#endif
