#ifndef OX_SERVERS_OPS_H
#define OX_SERVERS_OPS_H

#include <stdbool.h>

/*
 * What the running program asks of the language servers, which are a floor above it. They fill it
 * in when they start (servers/servers.h), as a front-end does with `struct editor`. All members are
 * there, or none.
 */
struct doc;
struct oxide;

enum file_change { FILE_CREATED = 1, FILE_CHANGED, FILE_DELETED }; /* LSP's FileChangeType */

struct servers_ops {
	/* The root of a server that lies over the path, and therefore counts as the user's
	 * project; NULL: there is none. */
	const char *(*root_over)(struct oxide *ox, const char *path);
	bool (*shows)(struct oxide *ox, const struct doc *d); /* some server has it open */
	void (*close)(struct oxide *ox, struct doc *d); /* for all servers that have it open */
	/* Tells of a file on the disk: a save to those that have it open, else a change under their
	 * root. `d` may be NULL. */
	void (*disk_changed)(struct oxide *ox, const char *path, struct doc *d,
			     enum file_change type);
	void (*stop)(struct oxide *ox); /* the loop runs out when they are gone */
	void (*free)(struct oxide *ox); /* before the documents */
};

/* The same, where there may be no servers. */
const char *servers_root_over(struct oxide *ox, const char *path);
bool servers_show(struct oxide *ox, const struct doc *d);
void servers_close(struct oxide *ox, struct doc *d);
void servers_disk_changed(struct oxide *ox, const char *path, struct doc *d, enum file_change type);

#endif
