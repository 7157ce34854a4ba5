#ifndef OX_POOL_H
#define OX_POOL_H

#include "../core/oxide.h"
#include "../core/servers_ops.h"

/*
 * The language servers that run: starting them, starting them again with growing pauses when they
 * die, and ending them. A struct server lives as long as the pool; its session comes and goes.
 *
 *   DOWN --start--> UP --dies--> WAITING --pause over--> UP
 *                    \--dies too often--> GIVEN_UP --pool_restart()--> UP
 */
struct pool;
struct server;

struct pool *pool_new(struct oxide *ox);
void pool_free(struct pool *p);
/* Who waits for a server is served now, and what servers are asked goes out, instead of at the end
 * of this turn. Not from inside what a server says. */
void pool_hurry(struct pool *p);
/* A change of this file is about to be looked at (gate.h): its server begins with the list of
 * symbols that the look will ask for, if it has nothing else to do. As pool_hurry(). */
void pool_expect(struct pool *p, const char *path);
void pool_stop(struct pool *p); /* shutdown, exit, and the ladder of job.h for those that linger */

/* A server has led to this file, by a definition or the like. Where that is of no project, it is
 * asked about it from now on, and about what has the same root: another one would load a library
 * as a project of its own, and know nothing of what led there. */
void pool_leads_to(struct pool *p, struct server *s, const char *path);

/* A server whose root lies over the path, and therefore counts as the person's project. */
const char *pool_root_over(struct pool *p, const char *path);

struct server *pool_keyed(const struct pool *p, const char *key); /* server_key(); or NULL */

/* How many texts its servers have been shown, and have read, so far: what they say may rest on more
 * once that is another number. */
uint64_t pool_readings(const struct pool *p);

bool pool_shows(const struct pool *p, const struct doc *d); /* some server has it open */
void pool_close(struct pool *p, struct doc *d);		    /* for all servers that have it open */
/* Tells of a file on the disk: a save to those that have it open, else a change under their root.
 * `d` may be NULL. */
void pool_disk_changed(struct pool *p, const char *path, struct doc *d, enum file_change type);

/* Calls fn when anything changed that may matter to someone who waits: diagnostics of a file came
 * (path), or a server changed its state (path NULL). Until pool_unwatch(). */
typedef void pool_watcher(void *arg, const char *path);
void pool_watch(struct pool *p, pool_watcher *fn, void *arg);
void pool_unwatch(struct pool *p, pool_watcher *fn, void *arg);

/* name NULL: all. ERR_NOT_FOUND when none of that name runs. */
bool pool_restart(struct pool *p, const char *name, struct err *e);
bool pool_end(struct pool *p, const char *name, struct err *e);
void pool_leave(struct pool *p, const char *root); /* ends those that work below it */
json *pool_status(const struct pool *p);

#endif
